//! Undo and redo as their user meets them.

use insta::assert_snapshot;

use super::common::Scratch;

fn seen(scratch: &Scratch, commands: &[&str]) -> String {
    let said = |words: &&str| {
        let said = scratch.run(words).said();
        format!("$ waynote {words}\n{}\n\n", said.trim_end())
    };
    commands.iter().map(said).collect()
}

/// As at the end of the README's five minutes: the last thing that was written is an entry of a log.
#[test]
fn entries_of_a_log_are_passed_over() {
    let scratch = Scratch::new();
    let said = seen(
        &scratch,
        &[
            "place write here",
            "key save staging-db read-only",
            "--session nightly log add --type tip wall",
            "undo",
            "undo",
            "undo",
            "redo",
            "redo",
            "redo",
            "undo --json",
        ],
    );
    assert_snapshot!(said, @"");
}

#[test]
fn only_ones_own_changes_here_are_meant() {
    let scratch = Scratch::new();
    let said = seen(
        &scratch,
        &[
            "key save mine one",
            "--author agent:b key save theirs one",
            "--agent c key save k one",
            "place write --at /srv elsewhere",
            "undo",
            "undo",
            "redo --agent c",
            "--author agent:b undo",
            "--author agent:b redo",
            "undo place:/srv",
            "redo place:/srv",
            "redo place:/srv",
            "redo agent:default#never",
        ],
    );
    assert_snapshot!(said, @"");
}

#[test]
fn a_new_change_ends_what_can_be_redone() {
    let scratch = Scratch::new();
    let said = seen(
        &scratch,
        &[
            "key save k one",
            "key save k two",
            "undo",
            "key save l new",
            "redo",
            "redo agent:default#k",
            "--author agent:b key save k theirs",
            "undo agent:default#k",
            "key save k three",
            "--author agent:b key save k theirs",
            "undo",
            "history agent:default#k",
            "verify",
        ],
    );
    assert_snapshot!(said, @"");
}

#[test]
fn a_deletion_and_a_pin_come_back_and_go_again() {
    let scratch = Scratch::new();
    for words in ["key save k one", "key pin k", "key delete k"] {
        scratch.ok(words);
    }
    let state = || {
        let list = scratch.json("key list --json");
        match list.get(0) {
            Some(note) => format!("{} {}", note["content"], note["pinned"]),
            None => "gone".into(),
        }
    };
    let mut states = vec![state()];
    for command in ["undo", "undo", "undo", "redo", "redo", "redo"] {
        scratch.ok(command);
        states.push(state());
    }
    assert_eq!(
        states,
        [
            "gone",
            "\"one\" true",
            "\"one\" false",
            "gone",
            "\"one\" false",
            "\"one\" true",
            "gone"
        ]
    );
}

#[test]
fn a_worktree_reaches_its_main_checkout() {
    let scratch = Scratch::new();
    let main = scratch.home().join("main");
    let git = |folder: &std::path::Path, words: &str| {
        let mut command = std::process::Command::new("git");
        command.args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=e",
            "-c",
            "commit.gpgsign=false",
        ]);
        command.args(words.split(' ')).current_dir(folder);
        let output = command.env("HOME", scratch.home()).output().unwrap();
        assert!(output.status.success(), "{words}: {output:?}");
    };
    std::fs::create_dir(&main).unwrap();
    git(&main, "init -q");
    git(&main, "commit -q --allow-empty -m first");
    git(&main, "worktree add -q ../tree");
    scratch.run("place write main").cwd(&main).ok();
    let tree = scratch.home().join("tree");
    assert_snapshot!(scratch.run("undo").cwd(&tree).said(), @"");
}
