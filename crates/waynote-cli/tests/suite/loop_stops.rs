//! Every way in which a loop stops, with scripted agents.

use serde_json::Value;

use super::common::{Run, Scratch};

/// A loop in session `s` whose agent is a shell script.
pub(super) fn looping(scratch: &Scratch, options: &str, script: &str) -> Run {
    let options = options.split_whitespace().map(String::from);
    let words = ["--session", "s", "loop", "--retry-wait", "0s"].map(String::from);
    let agent = ["--", "sh", "-c", script].map(String::from);
    let run = scratch.waynote(words.into_iter().chain(options).chain(agent));
    run.env("WAYNOTE", env!("CARGO_BIN_EXE_waynote"))
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

#[test]
fn it_runs_as_often_as_it_was_told_and_says_what_came_of_it() {
    let scratch = Scratch::new();
    let script = "\"$WAYNOTE\" log add \"tip $WAYNOTE_ITERATION\" --type tip";
    let said = looping(&scratch, "--iterations 2", script).said();
    let said = seconds_gone(&said);
    insta::assert_snapshot!(said, @"");
    insta::assert_snapshot!(seconds_gone(&looping(&scratch, "--iterations 1", script).said()), @"");
    let (code, summary) = summary(looping(&scratch, "--iterations 1 --json", script));
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
    let script = "cat > /dev/null; printf 'ALL '; test $WAYNOTE_ITERATION = 3 && echo DONE >&2; test $WAYNOTE_ITERATION = 2 && printf DO && echo NE; true";
    let (code, of) = summary(looping(&scratch, "--stall 0 --until DONE --json", script));
    assert_eq!((code, &of["reason"]), (0, &"until".into()));
    assert_eq!(of["iterations"].as_array().unwrap().len(), 2);
}

#[test]
fn the_agent_says_that_all_is_done() {
    let scratch = Scratch::new();
    let script = "test $WAYNOTE_ITERATION = 2 && \"$WAYNOTE\" log complete 'moved in\nkeys on the table'; true";
    let said = looping(&scratch, "--iterations 9", script).said();
    insta::assert_snapshot!(seconds_gone(&said), @"");
    // The next loop is another one, and its agent has yet to say so.
    let (_, of) = summary(looping(&scratch, "--iterations 1 --json", "true"));
    assert_eq!(of["reason"], "iterations");
    let late = scratch.run("--session s log complete late");
    insta::assert_snapshot!(late.said(), @"");
}

#[test]
fn a_question_stops_it_until_it_is_answered() {
    let scratch = Scratch::new();
    let asks = "cat > prompt; \"$WAYNOTE\" log blocked 'blue or green?'";
    insta::assert_snapshot!(seconds_gone(&looping(&scratch, "", asks).said()), @"");
    insta::assert_snapshot!(looping(&scratch, "", asks).said(), @"");
    let shown = looping(&scratch, "--dry-run --answer green", "true").ok();
    assert!(
        shown.contains("blue or green?") && shown.contains("green"),
        "{shown}"
    );
    let reads = "cat > prompt";
    let (code, _) = summary(looping(
        &scratch,
        "--iterations 1 --json --answer green",
        reads,
    ));
    assert_eq!(code, 0);
    let prompt = std::fs::read_to_string(scratch.home().join("work/prompt")).unwrap();
    assert!(
        prompt.contains("blue or green?") && prompt.contains("green"),
        "{prompt}"
    );
    assert!(
        scratch
            .ok("--session s log show")
            .contains("Answered: green")
    );
    insta::assert_snapshot!(looping(&scratch, "--answer green", reads).said(), @"");
}

#[test]
fn an_agent_that_fails_is_tried_again_and_then_given_up() {
    let scratch = Scratch::new();
    let said = looping(&scratch, "--retries 1", "exit 7").said();
    insta::assert_snapshot!(seconds_gone(&said), @"");
    // One that comes round after all goes on.
    let script = "test -e tried && exit 0; touch tried; exit 1";
    let (code, of) = summary(looping(&scratch, "--iterations 1 --json", script));
    assert_eq!(code, 0);
    assert_eq!(of["iterations"][0]["attempts"], 2);
    let (code, of) = summary(looping(&scratch, "--retries 0 --json", "kill -9 $$"));
    assert_eq!(code, 5);
    let outcome = &of["iterations"][0]["outcome"];
    assert_eq!(
        (&outcome["how"], &outcome["signal"]),
        (&"signalled".into(), &9.into())
    );
}

#[test]
fn an_agent_that_cannot_be_started_is_no_iteration() {
    let scratch = Scratch::new();
    let run = scratch.waynote(["--session", "s", "loop", "--", "no-such-agent"]);
    insta::assert_snapshot!(run.said(), @"");
    insta::assert_snapshot!(scratch.run("--session s log show --json").said(), @"");
}

#[test]
fn the_same_wall_three_times_is_a_stall() {
    let scratch = Scratch::new();
    let script = "\"$WAYNOTE\" log add 'the door is locked' --type stuck; \"$WAYNOTE\" log add \"new $WAYNOTE_ITERATION\" --type tip";
    let said = looping(&scratch, "--iterations 9", script).said();
    insta::assert_snapshot!(seconds_gone(&said), @"");
    // Three times in one iteration is no wall that iterations run into.
    let other = Scratch::new();
    let three = "for n in 1 2 3; do \"$WAYNOTE\" log add wall --type stuck; done; \"$WAYNOTE\" log add \"new $WAYNOTE_ITERATION\" --type tip";
    let (code, of) = summary(looping(&other, "--iterations 2 --json", three));
    assert_eq!((code, &of["reason"]), (0, &"iterations".into()));
}

#[test]
fn nothing_new_is_a_stall() {
    let scratch = Scratch::new();
    let said = looping(&scratch, "", "true").said();
    insta::assert_snapshot!(seconds_gone(&said), @"");
    let (_, of) = summary(looping(&scratch, "--stall 5 --json", "true"));
    assert_eq!(of["iterations"].as_array().unwrap().len(), 5);
    let (_, of) = summary(looping(&scratch, "--stall 0 --iterations 7 --json", "true"));
    assert_eq!(
        (&of["reason"], of["iterations"].as_array().unwrap().len()),
        (&"iterations".into(), 7)
    );
}

#[test]
fn a_change_of_the_working_tree_is_something_new() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    let git = |words: &str| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        let status = git
            .args(words.split(' '))
            .current_dir(&work)
            .output()
            .unwrap();
        assert!(status.status.success(), "{words}: {status:?}");
    };
    git("init -q");
    std::fs::write(work.join("file"), "one").unwrap();
    git("add .");
    git("commit -qm first");
    // The same file is edited again and again; then nobody does anything.
    let script = "test $WAYNOTE_ITERATION -le 4 && echo more >> file; true";
    let (code, of) = summary(looping(&scratch, "--json", script));
    assert_eq!(code, 3);
    assert_eq!(of["iterations"].as_array().unwrap().len(), 7);
    let evidence = of["evidence"][0].as_str().unwrap();
    assert!(
        evidence.contains("3 iterations brought no new note and no change of the working tree"),
        "{evidence}"
    );
    assert!(evidence.contains("HEAD "), "{evidence}");
}

#[test]
fn its_time_ends_the_agent_that_runs() {
    let scratch = Scratch::new();
    let (code, of) = summary(looping(
        &scratch,
        "--time 1s --json",
        "cat > /dev/null; while :; do sleep 1000; done",
    ));
    assert_eq!((code, &of["reason"]), (0, &"time".into()));
    assert_eq!(of["iterations"][0]["outcome"]["how"], "timed_out");
    // Of one attempt: that one failed.
    let (code, of) = summary(looping(
        &scratch,
        "--iteration-time 0.2s --retries 0 --json",
        "sleep 1000",
    ));
    assert_eq!((code, &of["reason"]), (5, &"failed".into()));
}

#[test]
fn arguments_that_say_nothing_are_refused() {
    let scratch = Scratch::new();
    let said = [
        "loop -- true",
        "--session s loop",
        "--session s loop --time soon -- true",
        "--session s loop --until  -- true",
        "--session s loop --iterations 0 -- true",
        "--session s loop --with emacs",
        "--session s loop --spec none.md -- true",
    ]
    .map(|words| format!("$ waynote {words}\n{}", scratch.run(words).said()));
    insta::assert_snapshot!(said.join("\n"), @"");
}
