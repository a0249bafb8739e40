//! Every way in which a loop stops, with scripted agents.

use serde_json::Value;

use super::common::{Run, Scratch, assert_transcript, fields, git, has};

/// A loop in session `s` whose agent is a shell script.
pub(super) fn looping(scratch: &Scratch, options: &str, script: &str) -> Run {
    let options = options.split_whitespace().map(String::from);
    let words = ["--session", "s", "loop", "--retry-wait", "0s"].map(String::from);
    let agent = ["--", "sh", "-c", script].map(String::from);
    scratch.waynote(words.into_iter().chain(options).chain(agent))
}

/// The exit code, and the summary.
pub(super) fn summary(run: Run) -> (i32, Value) {
    let output = run.output();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = serde_json::from_slice(&output.stdout);
    let code = output
        .status
        .code()
        .unwrap_or_else(|| panic!("killed: {err}"));
    (
        code,
        summary.unwrap_or_else(|error| panic!("{error}: {code} {err}")),
    )
}

/// The exit code and the summary of a loop in session `s`.
pub(super) fn ended(scratch: &Scratch, options: &str, script: &str) -> (i32, Value) {
    summary(looping(scratch, &format!("{options} --json"), script))
}

/// The exit code, the reason and the number of iterations of a loop in session `s`.
pub(super) fn reached(scratch: &Scratch, options: &str, script: &str) -> String {
    let (code, of) = ended(scratch, options, script);
    let iterations = of["iterations"].as_array().unwrap().len();
    format!("{code} {} {iterations}", fields(&of, "reason"))
}

#[test]
fn it_runs_as_often_as_it_was_told_and_says_what_came_of_it() {
    let scratch = Scratch::new();
    let script = "\"$WAYNOTE\" log add \"tip $WAYNOTE_ITERATION\" --type tip";
    let said = looping(&scratch, "--iterations 2", script).said();
    let said = seconds_gone(&said);
    insta::assert_snapshot!(said, @"
    Note added: [tip] tip 1
    Note added: [tip] tip 2
    12:00:00 session s, 2026-05-17 12:00 UTC: sh as agent default; at most 2 iterations, 3 without progress; output below
    12:00:00 only new notes count as progress: not a git repository
    12:00:00 ── iteration 1 ──
    12:00:00 ── iteration 2 ──
    12:00:00 session s: 2 iterations in N.Ns, 2 notes added
    done: the 2 requested iterations are done
    ");
    let said = looping(&scratch, "--iterations 1", script).said();
    has(&said, "resuming after #2 (2 notes)\n");
    has(&said, "TIP\n  [#1] tip 1\n  [#2] tip 2\n");
    let quiet = scratch.run("--session q --quiet loop --iterations 1 -- true");
    assert_eq!(quiet.said(), "");
    let (_, summary) = ended(&scratch, "--iterations 1", script);
    let parts = "reason iterations/0/iteration notes_added/tip";
    assert_eq!(fields(&summary, parts), "iterations 4 1");
}

/// Durations are the machine's.
pub(super) fn seconds_gone(text: &str) -> String {
    let (mut gone, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(|char: char| char.is_ascii_digit()) {
        let is_of_number = |char: char| char.is_ascii_digit() || char == '.';
        let length = rest[at..].find(|char| !is_of_number(char));
        let end = length.map_or(rest.len(), |length| at + length);
        let number = &rest[at..end];
        let is_seconds = number.contains('.') && rest[end..].starts_with('s');
        gone.push_str(&rest[..at]);
        gone.push_str(if is_seconds { "N.N" } else { number });
        rest = &rest[end..];
    }
    gone + rest
}

#[test]
fn a_text_in_the_output_stops_it() {
    let scratch = Scratch::new();
    let script =
        "cat; echo not yet DONE; test $WAYNOTE_ITERATION = 2 && printf DO && echo NE; true";
    assert_eq!(
        reached(&scratch, "--stall 0 --until DONE", script),
        "0 until 2"
    );
}

#[test]
fn the_agent_says_that_all_is_done() {
    let scratch = Scratch::new();
    let script = "test $WAYNOTE_ITERATION = 2 && \"$WAYNOTE\" log complete 'moved in\nkeys on the table'; true";
    let said = looping(&scratch, "--iterations 9", script).said();
    has(
        &said,
        "session s is complete: no further iteration starts\n",
    );
    has(
        &said,
        "done: the agent says that all is done\n  | moved in\n  | keys on the table\n",
    );
    // The next loop is another one, and its agent has yet to say so.
    let (_, of) = ended(&scratch, "--iterations 1", "true");
    assert_eq!(of["reason"], "iterations");
    let late = scratch.run("--session s log complete late");
    insta::assert_snapshot!(late.said(), @"
    exit 1
    error: no iteration of session s is running
      only the agent of a running loop can use this
    ");
}

#[test]
fn a_question_stops_it_until_it_is_answered() {
    let scratch = Scratch::new();
    let asks = "cat > prompt; \"$WAYNOTE\" log blocked 'blue or green?'";
    assert_eq!(ended(&scratch, "", asks).0, 4);
    insta::assert_snapshot!(looping(&scratch, "", asks).said(), @"
    exit 4
    error: session s waits for an answer to: blue or green?
      a person has to answer it before the next iteration; `waynote answer s TEXT`, or start the loop again with `--answer TEXT`
    ");
    let shown = scratch.json("--session s log show --json");
    assert_eq!(shown["stopped"]["question"], "blue or green?");
    let reads = "cat > prompt";
    let (code, _) = ended(&scratch, "--iterations 1 --answer green", reads);
    assert_eq!(code, 0);
    let prompt = std::fs::read_to_string(scratch.home().join("work/prompt")).unwrap();
    // Once: as an answer, and not as a note too.
    assert_eq!(prompt.matches("blue or green?").count(), 1, "{prompt}");
    assert!(prompt.contains("\ngreen\n"), "{prompt}");
    has(scratch.ok("--session s log show"), "Answered: green");
    insta::assert_snapshot!(looping(&scratch, "--answer green", reads).said(), @"
    exit 1
    error: no question is open in session s
      put what the agent should know into the spec or a note; `waynote log sessions` lists the sessions
    ");
}

#[test]
fn an_agent_that_is_killed_has_failed() {
    let scratch = Scratch::new();
    let said = looping(&scratch, "--retries 1", "exit 7").said();
    insta::assert_snapshot!(seconds_gone(&said), @"
    exit 5
    12:00:00 session s, 2026-05-17 12:00 UTC: sh as agent default; at most 3 without progress; output below
    12:00:00 only new notes count as progress: not a git repository
    12:00:00 ── iteration 1 ──
    12:00:00 iteration 1: failed (exit code 7); attempt 2 of 2 in N.Ns
    12:00:00 session s: 1 iteration in N.Ns, 0 notes added
    failed: the agent failed (exit code 7) in every attempt
    see `waynote --session s log show`; when the cause is fixed, go on: `waynote loop --continue s`
    ");
    // A loop goes on after a retry that succeeds.
    let script = "test -e tried && exit 0; touch tried; exit 1";
    let (code, of) = ended(&scratch, "--iterations 1", script);
    assert_eq!(code, 0);
    assert_eq!(of["iterations"][0]["attempts"], 2);
    let (code, of) = ended(&scratch, "--retries 0", "kill -9 $$");
    assert_eq!(code, 5);
    let outcome = &of["iterations"][0]["outcome"];
    assert_eq!(fields(outcome, "how signal"), "signalled 9");
}

#[test]
fn the_same_wall_three_times_is_a_stall() {
    let scratch = Scratch::new();
    let script = "\"$WAYNOTE\" log add 'the door is locked' --type stuck; \"$WAYNOTE\" log add \"new $WAYNOTE_ITERATION\" --type tip";
    let said = looping(&scratch, "--iterations 9", script).said();
    insta::assert_snapshot!(seconds_gone(&said), @"
    exit 3
    Note added: [stuck] the door is locked
    Note added: [tip] new 1
    already noted at #1, seen 2 times
    Note added: [tip] new 2
    already noted at #1, seen 3 times
    Note added: [tip] new 3
    12:00:00 session s, 2026-05-17 12:00 UTC: sh as agent default; at most 9 iterations, 3 without progress; output below
    12:00:00 only new notes count as progress: not a git repository
    12:00:00 ── iteration 1 ──
    12:00:00 ── iteration 2 ──
    12:00:00 ── iteration 3 ──
    12:00:00 session s: 3 iterations in N.Ns, 4 notes added
    stalled: 3 iterations without progress
      stuck on the same problem in #1, #2, #3: the door is locked (session:s#03g56gadhc9giz28czz13wi38)
    see `waynote --session s log show`; when the cause is fixed, go on: `waynote loop --continue s`
    ");
}

#[test]
fn nothing_new_is_a_stall() {
    let scratch = Scratch::new();
    assert_eq!(reached(&scratch, "--stall 5", "true"), "3 stalled 5");
    let endless = reached(&scratch, "--stall 0 --iterations 7", "true");
    assert_eq!(endless, "0 iterations 7");
}

/// Where a client says that a usage limit is reached.
#[test]
fn a_stall_names_the_agents_last_line() {
    let scratch = Scratch::new();
    let limit = "cat > /dev/null; echo 'You have hit your limit · resets 3am'";
    let evidence = |script: &str| fields(&ended(&scratch, "", script).1, "evidence/1");
    let each = "the agent's last line each time: You have hit your limit · resets 3am";
    assert_eq!(evidence(limit), each);
    let counts = "cat > /dev/null; echo try $WAYNOTE_ITERATION";
    assert_eq!(evidence(counts), "the agent's last line: try 6");
}

#[test]
fn a_tick_in_the_task_list_is_something_new() {
    let scratch = Scratch::new();
    scratch.put("work/TODO.md", "- [ ] one\n- [ ] two\n- [ ] three\n");
    let ticks = "sed -i '0,/\\[ \\]/s//[x]/' TODO.md";
    let stalled = reached(&scratch, "--tasks TODO.md", ticks);
    assert_eq!(stalled, "3 stalled 6");
    let counts = "only new notes and the task list count as progress: not a git repository\n";
    has(looping(&scratch, "--tasks TODO.md", "true").said(), counts);
}

#[test]
fn a_loop_without_a_session_is_named_after_its_directory() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.home().join("other/work")).unwrap();
    let session = |directory: &str, options: &str| {
        let words = format!("loop {options} --json -- sh -c 'test ! -e failing'");
        let run = scratch.run(&words).cwd(scratch.home().join(directory));
        fields(&summary(run).1, "session")
    };
    assert_eq!(session("work", "--iterations 1"), "work");
    // Its work is done: the next one is another.
    scratch.put("work/failing", "");
    assert_eq!(session("work", "--retries 0"), "work-2");
    // That one has not finished, and goes on; another directory has its own.
    assert_eq!(session("work", "--retries 0"), "work-2");
    assert_eq!(session("other/work", "--iterations 1"), "work-3");
    std::fs::remove_file(scratch.home().join("work/failing")).unwrap();
    assert_eq!(session("work", "--iterations 1"), "work-2");
    // A session of notes alone is somebody's, too.
    scratch.ok("--session work-4 log add --type tip mine");
    assert_eq!(session("work", "--iterations 1"), "work-5");
}

#[test]
fn a_change_of_the_working_tree_is_something_new() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    git(&work, "init -q");
    std::fs::write(work.join("file"), "one").unwrap();
    git(&work, "add .");
    git(&work, "commit -qm first");
    // The same file is edited again and again; then nobody does anything.
    let script = "test $WAYNOTE_ITERATION -le 4 && echo more >> file; true";
    assert_eq!(reached(&scratch, "", script), "3 stalled 7");
    let said = looping(&scratch, "", "true").said();
    has(
        said,
        "3 iterations without a new note or a change in the working tree",
    );
}

#[test]
fn an_agent_that_is_gone_in_the_night_is_waited_for() {
    let scratch = Scratch::new();
    scratch.script("work/agent", "#!/bin/sh\ncat > /dev/null\nrm agent\n");
    let run = || {
        let words = "--session s loop --stall 0 --retries 1 --retry-wait 0s -- ./agent";
        seconds_gone(&scratch.run(words).said())
    };
    insta::assert_snapshot!(run(), @"
    exit 5
    12:00:00 session s, 2026-05-17 12:00 UTC: agent as agent default; no limit; output below
    12:00:00 ── iteration 1 ──
    12:00:00 ── iteration 2 ──
    12:00:00 iteration 2: not started; attempt 2 of 2 in N.Ns
    12:00:00 failed with: `./agent` cannot be started: there is no such program
    12:00:00 session s: 2 iterations in N.Ns, 0 notes added
    failed: the agent could not be started in any attempt
      failed with: `./agent` cannot be started: there is no such program
    see `waynote --session s log show`; when the cause is fixed, go on: `waynote loop --continue s`
    ");
    // A missing program does not count as an iteration.
    insta::assert_snapshot!(run(), @"
    exit 1
    error: there is no program `./agent`
      install it, add its folder to PATH, or name it by its path behind `--`
    ");
}

/// It would wait for ever, and nobody would know.
#[test]
fn an_agent_that_wants_the_terminal_is_ended() {
    let scratch = Scratch::new();
    let words = "--session s loop --retries 0 -- sh -c 'cat > /dev/null; read answer < /dev/tty'";
    let output = scratch.shell(&format!(
        "script -qec \"$WAYNOTE {words}\" /dev/null < /dev/null"
    ));
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{said}");
    has(
        said,
        "the agent was ended: it tried to read from the terminal",
    );
}

#[test]
fn its_time_ends_the_agent_that_runs() {
    let scratch = Scratch::new();
    let (_, of) = ended(&scratch, "--time 1s", "while :; do sleep 1000; done");
    assert_eq!(
        fields(&of, "reason iterations/0/outcome/how"),
        "time interrupted"
    );
    // Of one attempt: that one failed.
    let failed = reached(&scratch, "--iteration-time 0.2s --retries 0", "sleep 1000");
    assert_eq!(failed, "5 failed 1");
}

#[test]
fn arguments_that_say_nothing_are_refused() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote --session s loop --time soon -- true
    exit 2
    error: invalid value 'soon' for '--time <TIME>': write a time with its unit, for example 90s, 10m or 1h30m

    $ waynote --session s --iteration 5 loop -- true
    exit 2
    error: a loop counts its iterations itself
      leave `--iteration` out; `--iterations N` says how many there shall be

    $ waynote --session s loop --dry-run --answer yes -- true
    exit 1
    error: no question is open in session s
      put what the agent should know into the spec or a note; `waynote log sessions` lists the sessions

    $ waynote --session s loop --until '' -- true
    exit 2
    error: the text to wait for is not one line
      name one line with `--until TEXT`: the agent prints it alone on a line

    $ waynote --session s loop --iterations 0 -- true
    exit 2
    error: invalid value '0' for '--iterations <N>': 0 is no iteration: write 1 or more

    $ waynote --session s loop --with emacs
    exit 2
    error: invalid value 'emacs' for '--with <CLIENT>'
      [possible values: claude-code, codex, opencode, gemini, goose, copilot, qwen]

    $ waynote --session s loop --spec none.md -- true
    exit 1
    error: `--spec none.md` cannot be read: No such file or directory (os error 2)
      name a file of text; a relative path starts from HOME/work
    ");
}
