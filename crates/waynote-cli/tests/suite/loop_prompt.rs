//! The prompt of a loop's agent.

use super::common::{Scratch, fields, has};
use super::loop_stops::{ended, looping};

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
    // The text as a whole is tested beside the template.
    let head = prompt.split("They are tools").next().unwrap();
    insta::assert_snapshot!(head, @"
    ## Context
    - Iteration: #2
    - Session: s

    ## Spec
    Move in.

    ## Notes from previous iterations

    STUCK:
    - [#1, by a person] `the_stairs_are_narrow`

    34 of 2,000 tokens

    ## Current Task State
    - [ ] carry boxes

    ## Available Tools
    ");
    // Nothing is begun by it, and the agent gets just that.
    let (_, of) = ended(
        &scratch,
        "--spec spec.md --tasks tasks.md --iterations 1",
        "cat > got",
    );
    assert_eq!(of["iterations"][0]["iteration"], 2);
    assert_eq!(std::fs::read_to_string(work.join("got")).unwrap(), prompt);
}

/// An agent that has finished its tasks may remove the file. A file that a person names must exist.
#[test]
fn a_task_file_may_go_on_the_way() {
    let scratch = Scratch::new();
    let tasks = scratch.home().join("work/tasks.md");
    std::fs::write(&tasks, "- [ ] carry boxes\n").unwrap();
    let script = "cat > prompt-$WAYNOTE_ITERATION; rm -f tasks.md";
    let (code, _) = ended(&scratch, "--tasks tasks.md --iterations 2", script);
    assert_eq!(code, 0);
    let prompt = |number: i64| {
        std::fs::read_to_string(scratch.home().join(format!("work/prompt-{number}"))).unwrap()
    };
    assert!(prompt(1).contains("carry boxes"));
    assert!(!prompt(2).contains("Task State"), "{}", prompt(2));
    let again = looping(&scratch, "--tasks tasks.md", "true").output();
    assert_eq!(again.status.code(), Some(1));
}

#[test]
fn a_template_that_is_wrong_is_said_before_anything_begins() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    std::fs::write(work.join("mine"), "\n\n{{ specs }}").unwrap();
    insta::assert_snapshot!(looping(&scratch, "--prompt mine", "true").said(), @"
    exit 1
    error: mine: there is no placeholder `specs`
      the placeholders are answer, extra, inbox, instructions, iteration, notes, question, session, spec, tasks, tools, until; braces that are to stay go between {% raw %} and {% endraw %}
    ");
    let shown = scratch.run("--session s log show").said();
    assert!(shown.contains("there is no session:s"), "{shown}");
}

#[test]
fn what_a_person_noted_before_the_first_loop_is_in_its_first_prompt() {
    let scratch = Scratch::new();
    scratch.ok("--session s log add --type tip canary");
    let prompt = looping(&scratch, "--iterations 1", "cat").ok();
    assert!(prompt.contains("canary"), "{prompt}");
    let (_, of) = ended(&scratch, "--iterations 1", "true");
    assert_eq!(of["iterations"][0]["iteration"], 2, "{of}");
}

#[test]
fn the_agent_is_told_where_it_is_and_so_is_one_that_drops_it() {
    let scratch = Scratch::new();
    let told = looping(
        &scratch,
        "--iterations 1",
        "env | grep ^WAYNOTE_ | grep -v ^WAYNOTE_GUARDED= | sort",
    )
    .output();
    let told = String::from_utf8(told.stdout)
        .unwrap()
        .replace(&*scratch.home().to_string_lossy(), "HOME");
    insta::assert_snapshot!(told, @"
    WAYNOTE_AGENT=default
    WAYNOTE_AUTHOR=agent:default
    WAYNOTE_ITERATION=1
    WAYNOTE_LOOP=session:s#event-1
    WAYNOTE_NOW=2026-05-17T12:00:00Z
    WAYNOTE_SESSION=s
    WAYNOTE_STORE=HOME/.local/share/waynote/notes.db
    ");
    // The agent clears the environment, except for the variables that a program needs.
    let drops = "env -i HOME=\"$HOME\" WAYNOTE_NOW=\"$WAYNOTE_NOW\" \"$WAYNOTE\" log add 'from the void' --type tip";
    let (_, of) = ended(&scratch, "--iterations 1", drops);
    assert_eq!(of["notes_added"]["tip"], 1, "{of}");
    let list = scratch.json("--session s log list --json");
    assert_eq!(fields(&list[0], "iteration content"), "2 from the void");
}

#[test]
fn further_instructions_come_last() {
    let scratch = Scratch::new();
    let words = |prompt: &str| {
        let words = format!(
            "--session s loop{prompt} --extra-instructions Errors_first. --dry-run -- true"
        );
        scratch.run(&words).ok()
    };
    let built_in = words("");
    assert!(
        built_in.ends_with("by itself.\n\n## Additional Instructions\nErrors_first.\n"),
        "{built_in}"
    );
}

/// Set by the variable, the flag or the configuration alike.
#[test]
fn the_sources_style_is_honoured() {
    let scratch = Scratch::new();
    scratch.ok("--session s --iteration 1 log add narrow_stairs --type stuck");
    let faithful = "\n## Notes from Previous Iterations\nSTUCK:\n  - [#1] narrow_stairs\n";
    let by_flag = looping(&scratch, "--style faithful --dry-run", "true").ok();
    assert!(by_flag.contains(faithful), "{by_flag}");
    let by_variable = looping(&scratch, "--dry-run", "true").env("WAYNOTE_STYLE", "faithful");
    assert_eq!(by_variable.ok(), by_flag);
    scratch.put(".config/waynote/config.toml", "style = \"faithful\"\n");
    assert_eq!(looping(&scratch, "--dry-run", "true").ok(), by_flag);
    let stable = looping(&scratch, "--style stable --dry-run", "true").ok();
    has(&stable, "- [#1, by a person] `narrow_stairs`");
    insta::assert_snapshot!(looping(&scratch, "--budget 500", "true").said(), @"
    exit 2
    error: style faithful prints everything, without a budget
      leave out `--budget`, `--explain` and `--query`, or use `--style stable`
    ");
}
