//! A loop is answered, continued and stopped by its session's name.

use std::os::unix::fs::PermissionsExt;

use super::common::{Scratch, has, lacks, rest, until};
use super::loop_stops::looping;

const ASKS: &str =
    "cat > prompt; test -e asked && exit 0; touch asked; \"$WAYNOTE\" log blocked 'blue or green?'";

#[test]
fn a_question_is_answered_and_the_loop_continued_from_anywhere_on_this_machine() {
    let scratch = Scratch::new();
    scratch.put("work/spec.md", "Paint it.");
    let options = "--iterations 2 --spec spec.md --agent painter";
    let said = looping(&scratch, options, ASKS).said();
    has(
        &said,
        "answer with `waynote answer s TEXT`; then go on: `waynote loop --continue s`",
    );
    // The file is the user's alone, and the store has no command.
    let state = scratch.home().join(".local/state/waynote/loops");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o700);
    let of_store = state.read_dir().unwrap().next().unwrap().unwrap().path();
    let file = of_store.read_dir().unwrap().next().unwrap().unwrap().path();
    assert_eq!(mode(&file), 0o600);
    lacks(scratch.ok("--session s log show --json"), "spec.md");

    insta::assert_snapshot!(scratch.ok("answer s green"), @"answered session s; go on with `waynote loop --continue s`");
    // Another answer replaces it until it is read; the same one again changes nothing.
    scratch.ok("answer s blue");
    scratch.ok("answer s green");
    scratch.ok("answer s green");
    let other = scratch.run("answer other green").said();
    has(
        other,
        "exit 1\nerror: no question is open in session other\n",
    );

    let said = scratch.run("loop --continue s").cwd(scratch.home()).said();
    has(
        said,
        "/work: waynote --session s --agent painter loop --retry-wait 0s --iterations 2 --spec spec.md -- sh -c ",
    );
    let prompt = std::fs::read_to_string(scratch.home().join("work/prompt")).unwrap();
    has(&prompt, "Paint it.");
    has(&prompt, "green");
    has(scratch.ok("--session s log show"), "Answered: green");
}

#[test]
fn only_what_the_user_started_here_is_continued() {
    let scratch = Scratch::new();
    looping(&scratch, "--iterations 1", "true").ok();
    let elsewhere = scratch.path("elsewhere");
    let run = scratch.run("loop --continue s");
    insta::assert_snapshot!(run.env("XDG_STATE_HOME", &elsewhere).said(), @"
    exit 1
    error: you did not start the loop of session s on this machine
      start it with its whole command: `waynote --session s loop -- AGENT`
    ");
    insta::assert_snapshot!(scratch.run("loop --continue none").said(), @"
    exit 1
    error: you did not start the loop of session none on this machine
      start it with its whole command: `waynote --session none loop -- AGENT`
    ");
    // Nor what another user could have written.
    let state = scratch.home().join(".local/state/waynote/loops");
    let of_store = state.read_dir().unwrap().next().unwrap().unwrap().path();
    let file = of_store.read_dir().unwrap().next().unwrap().unwrap().path();
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o666)).unwrap();
    has(scratch.run("loop --continue s").said(), "you did not start");
    has(
        scratch.run("loop --continue s -- sh").said(),
        "cannot be used with",
    );
}

#[test]
fn a_limit_is_raised_with_continue() {
    let scratch = Scratch::new();
    looping(&scratch, "--iterations 1 --time 1h --stall 0", "true").ok();
    let more = "loop --continue s --iterations 3 --time 2h";
    let said = scratch.run(more).said();
    has(
        &said,
        "--stall 0 --iterations 3 --time 7200s -- sh -c true\n",
    );
    has(&said, "at most 3 iterations, 2h 00m; output");
    has(&said, "done: the 3 requested iterations are done");
    // The new limits are kept.
    let said = scratch.run("loop --continue s").said();
    has(said, "at most 3 iterations, 2h");
}

#[test]
fn a_loop_is_stopped_after_its_iteration() {
    let scratch = Scratch::new();
    let none = scratch.run("loop stop s").said();
    has(none, "exit 1\nerror: no loop is running in session s\n");
    let script = "echo here; cat > /dev/null; while ! test -e go; do sleep 0.02; done";
    let mut running = looping(&scratch, "--stall 0", script).begun("here");
    insta::assert_snapshot!(scratch.ok("loop stop s"), @"stop requested: s ends after iteration 1");
    scratch.ok("loop stop s");
    has(
        scratch.ok("log sessions"),
        "running  #1, 2026-05-17 12:00  0      stops after this iteration, as person asked",
    );
    scratch.put("work/go", "");
    until("the loop ends", || running.try_wait().unwrap().is_some());
    assert_eq!(running.wait().unwrap().code(), Some(0));
    let shown = scratch.ok("--session s log show");
    has(&shown, "state: stopped\n  as person asked\n");
    has(rest(running.stderr.take()), "\nstopped, as you asked\n");
    has(&shown, "to go on: `waynote loop --continue s`");
    lacks(&shown, "#2");
}

#[test]
fn an_agent_answers_continues_and_stops_nothing() {
    let scratch = Scratch::new();
    scratch.ok("--session t loop --iterations 1 -- true");
    let script = "for words in 'loop stop s' 'loop --continue t' 'answer s yes'; do \"$WAYNOTE\" $words; done; true";
    let said = looping(&scratch, "--iterations 1", script).said();
    let refused: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with("12:"))
        .collect();
    insta::assert_snapshot!(refused.join("\n"), @"
    error: stopping a loop is refused inside a loop, where an agent writes
      end your turn with a question, and a person decides
    error: continuing a loop is refused inside a loop, where an agent writes
      end your turn with a question, and a person decides
    error: an answer is refused inside a loop, where an agent writes
      end your turn; the person starts the loop again with the answer
    done: the requested iteration is done
    ");
}
