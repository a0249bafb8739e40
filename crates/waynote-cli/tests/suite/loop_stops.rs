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
    12:00:00 session s: 2 iterations in N.Ns, 2 notes added (2 tip)
    done: the 2 requested iterations are done
    ");
    insta::assert_snapshot!(seconds_gone(&looping(&scratch, "--iterations 1", script).said()), @"
    Note added: [tip] tip 3
    12:00:00 session s, 2026-05-17 12:00 UTC: sh as agent default; at most 1 iteration, 3 without progress; output below
    12:00:00 resuming after #2 (2 notes); new: nothing

    ITERATIONS

    ITERATION  STARTED (UTC)     TOOK  ENDED  NOTES
    #1         2026-05-17 12:00  N.Ns  done   1
    #2         2026-05-17 12:00  N.Ns  done   1

    SESSION NOTES

    TIP
      [#1] tip 1
      [#2] tip 2

    12:00:00 only new notes count as progress: not a git repository
    12:00:00 ── iteration 3 ──
    12:00:00 session s: 1 iteration in N.Ns, 1 note added (1 tip)
    done: the requested iteration is done
    ");
    let (code, summary) = ended(&scratch, "--iterations 1", script);
    assert_eq!((code, &summary["reason"]), (0, &"iterations".into()));
    assert_eq!(summary["iterations"][0]["iteration"], 4);
    assert_eq!(summary["notes_added"]["tip"], 1);
}

/// Durations are the machine's.
pub(super) fn seconds_gone(text: &str) -> String {
    let mut gone = String::new();
    let mut digits = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (index, char) in chars.iter().enumerate() {
        let is_seconds = *char == 's'
            && !chars
                .get(index + 1)
                .is_some_and(|next| next.is_alphanumeric());
        if char.is_ascii_digit() || (*char == '.' && !digits.is_empty()) {
            digits.push(*char);
            continue;
        }
        if is_seconds && digits.contains('.') {
            gone.push_str("N.N");
        } else {
            gone.push_str(&digits);
        }
        digits.clear();
        gone.push(*char);
    }
    gone + &digits
}

#[test]
fn a_text_in_the_output_stops_it() {
    let scratch = Scratch::new();
    let script = "cat; echo not yet DONE; test $WAYNOTE_ITERATION = 3 && echo DONE >&2; test $WAYNOTE_ITERATION = 2 && printf DO && echo NE; true";
    let (code, of) = ended(&scratch, "--stall 0 --until DONE", script);
    assert_eq!((code, &of["reason"]), (0, &"until".into()));
    assert_eq!(of["iterations"].as_array().unwrap().len(), 2);
    let (_, of) = ended(
        &scratch,
        "--iterations 1 --until DONE",
        r#"printf '%s\n' '{"result":"All is moved.\nDONE"}'"#,
    );
    assert_eq!(of["reason"], "until");
}

#[test]
fn the_agent_says_that_all_is_done() {
    let scratch = Scratch::new();
    let script = "test $WAYNOTE_ITERATION = 2 && \"$WAYNOTE\" log complete 'moved in\nkeys on the table'; true";
    let said = looping(&scratch, "--iterations 9", script).said();
    insta::assert_snapshot!(seconds_gone(&said), @"
    session s is complete: no further iteration starts
    12:00:00 session s, 2026-05-17 12:00 UTC: sh as agent default; at most 9 iterations, 3 without progress; output below
    12:00:00 only new notes count as progress: not a git repository
    12:00:00 ── iteration 1 ──
    12:00:00 ── iteration 2 ──
    12:00:00 session s: 2 iterations in N.Ns, 0 notes added
    done: the agent says that all is done
      | moved in
      | keys on the table
    ");
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
    insta::assert_snapshot!(seconds_gone(&looping(&scratch, "", asks).said()), @"
    exit 4
    question recorded; the loop stops after this iteration and waits for a person
    12:00:00 session s, 2026-05-17 12:00 UTC: sh as agent default; at most 3 without progress; output below
    12:00:00 only new notes count as progress: not a git repository
    12:00:00 ── iteration 1 ──
    12:00:00 session s: 1 iteration in N.Ns, 0 notes added
    waiting for an answer: the agent asked a question
      | blue or green?
    answer with `waynote answer s TEXT`; then go on: `waynote loop --continue s`
    ");
    insta::assert_snapshot!(looping(&scratch, "", asks).said(), @"
    exit 4
    error: session s waits for an answer to: blue or green?
      answer with `waynote answer s TEXT`, or start the loop again with `--answer TEXT`
    ");
    insta::assert_snapshot!(seconds_gone(&scratch.ok("--session s log show")), @"

    ITERATIONS

    ITERATION  STARTED (UTC)     TOOK  ENDED    NOTES
    #1         2026-05-17 12:00  N.Ns  blocked  0
    notes given to #1: place ~/work, agent default, a budget of 2000 tokens, style stable
    `waynote --session s context --as-of iteration:N` prints them

    state: waiting for an answer
      | blue or green?
    answer with `waynote answer s TEXT`; then go on: `waynote loop --continue s`
    ");
    let shown = scratch.json("--session s log show --json");
    assert_eq!(shown["stopped"]["question"], "blue or green?");
    let shown = looping(&scratch, "--dry-run --answer green", "true").ok();
    has(&shown, "blue or green?");
    has(&shown, "green");
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
      `waynote log sessions` lists the sessions; those that wait for an answer come first
    ");
}

#[test]
fn an_agent_that_fails_is_tried_again_and_then_given_up() {
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
    when the agent works again, go on: `waynote loop --continue s`
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
fn an_agent_that_cannot_be_started_is_no_iteration() {
    let scratch = Scratch::new();
    let run = scratch.waynote(["--session", "s", "loop", "--", "no-such-agent"]);
    insta::assert_snapshot!(run.said(), @"
    exit 1
    error: there is no program `no-such-agent`
      install it, add its folder to PATH, or name it by its path behind `--`
    ");
    insta::assert_snapshot!(scratch.run("--session s log show --json").said(), @r#"
    exit 1
    {"error":{"hint":"no session has begun yet","kind":"not_found","message":"there is no session:s"}}
    "#);
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
    12:00:00 session s: 3 iterations in N.Ns, 4 notes added (1 stuck, 3 tip)
    stalled: 3 iterations without progress
      stuck on the same problem in #1, #2, #3: the door is locked (session:s#03g56gadhc9giz28czz13wi38)
    see `waynote --session s log show`; when the cause is fixed, go on: `waynote loop --continue s`
    ");
}

#[test]
fn nothing_new_is_a_stall() {
    let scratch = Scratch::new();
    let said = looping(&scratch, "", "true").said();
    insta::assert_snapshot!(seconds_gone(&said), @"
    exit 3
    12:00:00 session s, 2026-05-17 12:00 UTC: sh as agent default; at most 3 without progress; output below
    12:00:00 only new notes count as progress: not a git repository
    12:00:00 ── iteration 1 ──
    12:00:00 ── iteration 2 ──
    12:00:00 ── iteration 3 ──
    12:00:00 session s: 3 iterations in N.Ns, 0 notes added
    stalled: 3 iterations without progress
      3 iterations without a new note (not a git repository, so changes of files do not count)
    see `waynote --session s log show`; when the cause is fixed, go on: `waynote loop --continue s`
    ");
    let (_, of) = ended(&scratch, "--stall 5", "true");
    assert_eq!(of["iterations"].as_array().unwrap().len(), 5);
    let (_, of) = ended(&scratch, "--stall 0 --iterations 7", "true");
    assert_eq!(
        (&of["reason"], of["iterations"].as_array().unwrap().len()),
        (&"iterations".into(), 7)
    );
}

/// Where a client says that a usage limit is reached.
#[test]
fn a_stall_names_the_agents_last_line() {
    let scratch = Scratch::new();
    let limit = "cat > /dev/null; echo 'You have hit your limit · resets 3am'";
    let (_, of) = ended(&scratch, "", limit);
    let evidence = "the agent's last line each time: You have hit your limit · resets 3am";
    assert_eq!(of["evidence"][1], evidence);
    let counts = "cat > /dev/null; echo try $WAYNOTE_ITERATION";
    let (_, of) = ended(&scratch, "", counts);
    assert_eq!(of["evidence"][1], "the agent's last line: try 6");
}

#[test]
fn a_tick_in_the_task_list_is_something_new() {
    let scratch = Scratch::new();
    scratch.put(
        "work/TODO.md",
        "- [ ] one\n- [ ] two\n- [ ] three\n- [ ] four\n",
    );
    let ticks = "test $WAYNOTE_ITERATION -gt 4 || sed -i '0,/\\[ \\]/s//[x]/' TODO.md";
    let (code, of) = ended(&scratch, "--tasks TODO.md", ticks);
    assert_eq!(code, 3);
    assert_eq!(of["iterations"].as_array().unwrap().len(), 7);
    let said = looping(&scratch, "--tasks TODO.md", "true").said();
    has(
        said,
        "only new notes and the task list count as progress: not a git repository\n",
    );
}

#[test]
fn a_loop_without_a_session_is_named_after_its_directory() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.home().join("other/work")).unwrap();
    let session = |directory: &str, options: &str| {
        let words = format!("loop {options} --json -- sh -c");
        let mut command = scratch.command(&words);
        command.arg("cat > /dev/null; test ! -e failing");
        command.current_dir(scratch.home().join(directory));
        let output = command.output().unwrap();
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        summary["session"].as_str().unwrap().to_owned()
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
    let (code, of) = ended(&scratch, "", script);
    assert_eq!(code, 3);
    assert_eq!(of["iterations"].as_array().unwrap().len(), 7);
    let evidence = of["evidence"][0].as_str().unwrap();
    has(
        evidence,
        "3 iterations without a new note or a change in the working tree",
    );
    assert!(evidence.contains("HEAD "), "{evidence}");
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
    when the agent works again, go on: `waynote loop --continue s`
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
    let mut command = std::process::Command::new("script");
    command
        .args([
            "-qec",
            &format!("{} {words}", env!("CARGO_BIN_EXE_waynote")),
            "/dev/null",
        ])
        .env("HOME", scratch.home())
        .stdin(std::process::Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(5), "{said}");
    has(
        &said,
        "the agent was ended: it tried to read from the terminal",
    );
}

#[test]
fn its_time_ends_the_agent_that_runs() {
    let scratch = Scratch::new();
    let (code, of) = ended(
        &scratch,
        "--time 1s",
        "cat > /dev/null; while :; do sleep 1000; done",
    );
    assert_eq!((code, &of["reason"]), (0, &"time".into()));
    assert_eq!(of["iterations"][0]["outcome"]["how"], "interrupted");
    // Of one attempt: that one failed.
    let (code, of) = ended(&scratch, "--iteration-time 0.2s --retries 0", "sleep 1000");
    assert_eq!((code, &of["reason"]), (5, &"failed".into()));
}

#[test]
fn arguments_that_say_nothing_are_refused() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote --session s loop
    exit 2
    error: the following required arguments were not provided:
      <AGENT>...

    $ waynote --session s loop --time soon -- true
    exit 2
    error: invalid value 'soon' for '--time <TIME>': write a time with its unit, for example 90s, 10m or 1h30m

    $ waynote --session s loop --time 0s -- true
    exit 2
    error: invalid value '0s' for '--time <TIME>': write a time longer than zero

    $ waynote --session s --iteration 5 loop -- true
    exit 2
    error: a loop counts its iterations itself
      leave `--iteration` out; `--iterations N` says how many there shall be

    $ waynote --session s loop --dry-run --answer yes -- true
    exit 1
    error: no question is open in session s
      `waynote log sessions` lists the sessions; those that wait for an answer come first

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
