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

/// The state at the end of the README's five minutes: the last write is an entry of a log. `undo` reports that, and
/// continues with the note that is named.
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
            "undo agent:default#staging-db",
            "undo",
            "undo",
            "redo",
            "redo",
            "redo",
            "undo --json",
        ],
    );
    assert_snapshot!(said, @r#"
    $ waynote place write here
    exit 0
    saved place:~/work (revision 1)

    $ waynote key save staging-db read-only
    exit 0
    saved agent:default#staging-db (new key)

    $ waynote --session nightly log add --type tip wall
    exit 0
    Note added: [tip] wall

    $ waynote undo
    exit 1
    error: your last write is session:nightly#03g56gadhc9giz28czys5oltw, which `undo` cannot take back: a log is append-only
      name the note to undo: `waynote undo ADDRESS`; `waynote forget session:nightly#03g56gadhc9giz28czys5oltw` removes the text of the entry

    $ waynote undo agent:default#staging-db
    exit 0
    undid creating agent:default#staging-db; `waynote redo agent:default#staging-db` or `waynote restore agent:default#staging-db@1` brings it back

    $ waynote undo
    exit 0
    undid creating place:~/work; `waynote redo` or `waynote restore place:~/work@1` brings it back

    $ waynote undo
    exit 1
    error: there is nothing to undo
      `waynote restore ADDRESS --revision N` brings back any revision

    $ waynote redo
    exit 0
    redid the last change of place:~/work (now revision 3: here)

    $ waynote redo
    exit 0
    redid the last change of agent:default#staging-db (now revision 3: read-only)

    $ waynote redo
    exit 1
    error: there is nothing to redo
      only what was undone can be redone, until the next change; `waynote restore ADDRESS --revision N` brings back any revision

    $ waynote undo --json
    exit 0
    {
      "address": "agent:default#staging-db",
      "deleted": true
    }
    "#);
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
    assert_snapshot!(said, @"
    $ waynote key save mine one
    exit 0
    saved agent:default#mine (new key)

    $ waynote --author agent:b key save theirs one
    exit 0
    saved agent:default#theirs (new key)

    $ waynote --agent c key save k one
    exit 0
    saved agent:c#k (new key)

    $ waynote place write --at /srv elsewhere
    exit 0
    saved place:/srv (revision 1)

    $ waynote undo
    exit 0
    undid creating agent:default#mine; `waynote redo` or `waynote restore agent:default#mine@1` brings it back
    your newer change is to place:/srv, which `undo` does not reach from here: run `waynote undo place:/srv`

    $ waynote undo
    exit 1
    error: you have no change to undo
      the last change is of place:/srv, by person: `waynote undo place:/srv` undoes it

    $ waynote redo --agent c
    exit 1
    error: there is nothing to redo
      only what was undone can be redone, until the next change; `waynote restore ADDRESS --revision N` brings back any revision

    $ waynote --author agent:b undo
    exit 0
    undid creating agent:default#theirs; `waynote redo` or `waynote restore agent:default#theirs@1` brings it back

    $ waynote --author agent:b redo
    exit 0
    redid the last change of agent:default#theirs (now revision 3: one)

    $ waynote undo place:/srv
    exit 0
    undid creating place:/srv; `waynote redo place:/srv` or `waynote restore place:/srv@1` brings it back

    $ waynote redo place:/srv
    exit 0
    redid the last change of place:/srv (now revision 3: elsewhere)

    $ waynote redo place:/srv
    exit 1
    error: there is nothing to redo in place:/srv
      only what was undone can be redone, until the next change; `waynote restore ADDRESS --revision N` brings back any revision

    $ waynote redo agent:default#never
    exit 1
    error: there is nothing to redo in agent:default#never
      only what was undone can be redone, until the next change; `waynote restore ADDRESS --revision N` brings back any revision
    ");
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
    assert_snapshot!(said, @"
    $ waynote key save k one
    exit 0
    saved agent:default#k (new key)

    $ waynote key save k two
    exit 0
    saved agent:default#k (overwrote revision 1; `waynote undo agent:default#k` brings it back)

    $ waynote undo
    exit 0
    undid the last change of agent:default#k (now revision 3: one); `waynote redo` brings it back

    $ waynote key save l new
    exit 0
    saved agent:default#l (new key)

    $ waynote redo
    exit 1
    error: there is nothing to redo
      only what was undone can be redone, until the next change; `waynote restore ADDRESS --revision N` brings back any revision

    $ waynote redo agent:default#k
    exit 0
    redid the last change of agent:default#k (now revision 4: two)

    $ waynote --author agent:b key save k theirs
    exit 0
    saved agent:default#k (overwrote revision 4; `waynote undo agent:default#k` brings it back)

    $ waynote undo agent:default#k
    exit 0
    undid the last change of agent:default#k (now revision 6: two); `waynote redo agent:default#k` brings it back

    $ waynote key save k three
    exit 0
    saved agent:default#k (overwrote revision 6; `waynote undo agent:default#k` brings it back)

    $ waynote --author agent:b key save k theirs
    exit 0
    saved agent:default#k (overwrote revision 7; `waynote undo agent:default#k` brings it back)

    $ waynote undo
    exit 1
    error: agent:b has changed agent:default#k since your last change of it
      look at `waynote history agent:default#k`, then undo it by its address, or restore a revision

    $ waynote history agent:default#k
    exit 0
    agent:default#k
    REVISION  ACTION     AUTHOR   RECORDED              PREVIEW
    8         save       agent:b  2026-05-17T12:00:00Z  theirs
    7         save       person   2026-05-17T12:00:00Z  three
    6         undo of 5  person   2026-05-17T12:00:00Z  two
    5         save       agent:b  2026-05-17T12:00:00Z  theirs
    4         redo of 3  person   2026-05-17T12:00:00Z  two
    3         undo of 2  person   2026-05-17T12:00:00Z  one
    2         save       person   2026-05-17T12:00:00Z  two
    1         save       person   2026-05-17T12:00:00Z  one

    $ waynote verify
    exit 0
    HOME/.local/share/waynote/notes.db is sound: 2 notes, 9 revisions, 5 contents
    store id ID
    ");
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
    assert_snapshot!(scratch.run("undo").cwd(&tree).said(), @"
    exit 0
    undid creating place:~/main; `waynote redo` or `waynote restore place:~/main@1` brings it back
    ");
}
