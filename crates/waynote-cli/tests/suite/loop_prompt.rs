//! What the agent of a loop gets.

use super::common::Scratch;
use super::loop_stops::{looping, summary};

#[test]
fn the_prompt_has_the_sources_order() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    std::fs::write(work.join("spec.md"), "Move in.\n").unwrap();
    std::fs::write(work.join("tasks.md"), "- [ ] carry boxes\n").unwrap();
    scratch.ok("--session s --iteration 1 log add the_stairs_are_narrow --type stuck");
    let prompt = looping(
        &scratch,
        "--spec spec.md --tasks tasks.md --dry-run",
        "true",
    )
    .ok();
    insta::assert_snapshot!(prompt, @"");
    // Nothing is begun by it, and the agent gets just that.
    let (_, of) = summary(looping(
        &scratch,
        "--spec spec.md --tasks tasks.md --iterations 1 --json",
        "cat > got",
    ));
    assert_eq!(of["iterations"][0]["iteration"], 2);
    assert_eq!(std::fs::read_to_string(work.join("got")).unwrap(), prompt);
}

#[test]
fn nothing_in_a_note_a_spec_or_a_task_file_is_a_placeholder() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    std::fs::write(work.join("spec.md"), "spec {{ tasks }} {prompt}").unwrap();
    std::fs::write(work.join("tasks.md"), "tasks {{ notes }} {% raw %}").unwrap();
    std::fs::write(
        work.join("mine"),
        "{{ spec }}|{{ tasks }}|{{ notes }}|{{ iteration }}\n",
    )
    .unwrap();
    let add = [
        "--session",
        "s",
        "--iteration",
        "4",
        "log",
        "add",
        "note {{ spec }} {{tasks}}",
        "--type",
        "tip",
    ];
    scratch.waynote(add).ok();
    let prompt = looping(
        &scratch,
        "--spec spec.md --tasks tasks.md --prompt mine --dry-run",
        "true",
    )
    .ok();
    assert!(
        prompt.starts_with("spec {{ tasks }} {prompt}|tasks {{ notes }} {% raw %}|"),
        "{prompt}"
    );
    assert!(prompt.contains("note {{ spec }} {{tasks}}"), "{prompt}");
    assert!(prompt.ends_with("|5\n"), "{prompt}");
}

#[test]
fn a_template_that_is_wrong_is_said_before_anything_begins() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    let said = [
        "{{ specs }}",
        "\n\n{% if spec %}",
        "{{ notes | shout }}",
        "  ",
    ]
    .map(|template| {
        std::fs::write(work.join("mine"), template).unwrap();
        looping(&scratch, "--prompt mine", "true").said()
    });
    insta::assert_snapshot!(said.join("\n"), @"");
    assert!(
        scratch.json("--session s log show --json")["iterations"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn the_prompt_goes_where_the_agent_takes_it() {
    let scratch = Scratch::new();
    let run = |arguments: &[&str]| {
        let words = ["--session", "s", "loop", "--iterations", "1", "--"];
        let output = scratch.waynote(words.iter().chain(arguments)).output();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let expected = |prompt: &str| prompt.contains("## Instructions");
    assert!(expected(&run(&["cat"])));
    assert!(expected(&run(&["printf", "%s", "{prompt}"])));
    assert!(expected(&run(&["cat", "{prompt_file}"])));
    let file = run(&["echo", "--file={prompt_file}"]);
    let path = file.trim().strip_prefix("--file=").unwrap();
    assert!(!std::path::Path::new(path).exists(), "{path}");
}

#[test]
fn the_agent_is_told_where_it_is_and_so_is_one_that_drops_it() {
    let scratch = Scratch::new();
    let told = looping(&scratch, "--iterations 1", "env | grep ^WAYNOTE_ | sort").output();
    let told = String::from_utf8(told.stdout)
        .unwrap()
        .replace(&*scratch.home().to_string_lossy(), "HOME");
    insta::assert_snapshot!(told, @"");
    // Nothing is left of the environment but what a program needs.
    let drops = "env -i HOME=\"$HOME\" WAYNOTE_NOW=\"$WAYNOTE_NOW\" \"$WAYNOTE\" log add 'from the void' --type tip";
    let (_, of) = summary(looping(&scratch, "--iterations 1 --json", drops));
    assert_eq!(of["notes_added"]["tip"], 1, "{of}");
    let list = scratch.json("--session s log list --json");
    assert_eq!(
        (&list[0]["iteration"], &list[0]["content"]),
        (&2.into(), &"from the void".into())
    );
}

/// With ten thousand notes in the session, whatever the budget is.
#[test]
fn a_prompts_notes_are_never_over_their_budget() {
    let scratch = Scratch::new();
    let store =
        waynote::SqliteStore::open(&scratch.home().join("n.db"), &waynote::Options::default())
            .unwrap();
    let stamp = waynote::Stamp::new(
        "2026-05-17T12:00:00Z".parse().unwrap(),
        "person".parse().unwrap(),
    );
    let changes: Vec<_> = (0..10_000)
        .map(|number: i64| waynote::Change::Append {
            session: "s".parse().unwrap(),
            kind: waynote::Kind::ALL[usize::try_from(number % 4).unwrap()].clone(),
            iteration: Some(number / 10),
            content: waynote::Content::text(format!(
                "entry {number}: {}",
                "word ".repeat(number as usize % 50)
            ))
            .unwrap(),
            resolves: None,
            id: None,
            created_at: None,
        })
        .collect();
    waynote::Store::apply(&store, &changes, &stamp).unwrap();
    drop(store);
    for budget in [60, 500, 2_000] {
        let words = format!(
            "--session s --store {} loop --budget {budget} --dry-run -- true",
            scratch.home().join("n.db").display()
        );
        let prompt = scratch.ok(&words);
        let start = prompt.find("## Notes from previous").unwrap();
        let end = prompt[start..].find("## Available Tools").unwrap() + start;
        let notes = prompt[start..end].trim_end().to_owned() + "\n";
        let tokens = waynote_tokens::count(&notes);
        assert!(tokens <= budget, "{tokens} of {budget}");
        assert!(tokens * 2 > budget, "{tokens} of {budget}");
    }
}
