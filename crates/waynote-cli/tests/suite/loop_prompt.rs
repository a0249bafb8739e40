//! The prompt of a loop's agent.

use super::common::{Scratch, fields, has, lacks};
use super::loop_stops::{ended, looping};

#[test]
fn the_prompt_has_the_sources_order() {
    let scratch = Scratch::new();
    scratch.put("work/spec.md", "Move in.\n");
    scratch.put("work/tasks.md", "- [ ] carry boxes\n");
    scratch.ok("--session s --iteration 1 log add the_stairs_are_narrow --type stuck");
    let options = "--spec spec.md --tasks tasks.md --extra-instructions Errors_first.";
    let prompt = looping(&scratch, &format!("{options} --dry-run"), "true").ok();
    // The text as a whole is tested beside the template.
    let (head, rest) = prompt.split_once("They are tools").unwrap();
    has(rest, "\n\n## Additional Instructions\nErrors_first.\n");
    insta::assert_snapshot!(head, @"
    ## Context
    - Iteration: #2
    - Session: s

    ## Spec
    Move in.

    ## Notes from previous iterations

    STUCK:
    - [#1] `the_stairs_are_narrow`

    30 of 2,000 tokens

    ## Current Task State
    - [ ] carry boxes

    ## Available Tools
    ");
    // Nothing is begun by it, and the agent gets just that.
    let (_, of) = ended(&scratch, &format!("{options} --iterations 1"), "cat > got");
    assert_eq!(of["iterations"][0]["iteration"], 2);
    let got = std::fs::read_to_string(scratch.home().join("work/got")).unwrap();
    assert_eq!(got, prompt);
}

/// An agent that has finished its tasks may remove the file. A file that a person names must exist.
#[test]
fn a_task_file_may_go_on_the_way() {
    let scratch = Scratch::new();
    scratch.put("work/tasks.md", "- [ ] carry boxes\n");
    let script = "cat > prompt-$WAYNOTE_ITERATION; rm -f tasks.md";
    ended(&scratch, "--tasks tasks.md --iterations 2", script);
    let prompt = |name: &str| std::fs::read_to_string(scratch.home().join(name)).unwrap();
    has(prompt("work/prompt-1"), "carry boxes");
    lacks(prompt("work/prompt-2"), "Task State");
    let again = looping(&scratch, "--tasks tasks.md", "true").said();
    has(again, "exit 1\n");
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
    has(shown, "there is no session:s");
}

#[test]
fn the_agent_is_told_where_it_is_and_so_is_one_that_drops_it() {
    let scratch = Scratch::new();
    let env = "env | grep ^WAYNOTE_ | grep -v ^WAYNOTE_GUARDED= | sort";
    let told = looping(&scratch, "--iterations 1", env).ok();
    let told = told.replace(&*scratch.home().to_string_lossy(), "HOME");
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

/// Set by the flag or the configuration alike.
#[test]
fn the_sources_style_is_honoured() {
    let scratch = Scratch::new();
    scratch.ok("--session s --iteration 1 log add narrow_stairs --type stuck");
    let faithful = "\n## Notes from Previous Iterations\nSTUCK:\n  - [#1] narrow_stairs\n";
    let by_flag = looping(&scratch, "--style faithful --dry-run", "true").ok();
    assert!(by_flag.contains(faithful), "{by_flag}");
    scratch.put(".config/waynote/config.toml", "style = \"faithful\"\n");
    assert_eq!(looping(&scratch, "--dry-run", "true").ok(), by_flag);

    insta::assert_snapshot!(looping(&scratch, "--budget 500", "true").said(), @"
    exit 2
    error: style faithful prints everything, without a budget
      leave out `--budget`, `--explain` and `--query`, or use `--style stable`
    ");
}
