//! Every session is listed with its state, with or without notes, and however its loop ended.

use super::common::{Scratch, fields, has, signal, until};

/// A loop in a session, whose agent is a shell script.
fn looping(scratch: &Scratch, session: &str, script: &str) -> Option<i32> {
    let words = format!("--session {session} loop --retries 0 --iterations 1 -- sh -c");
    let run = scratch.command(&words).arg(script).output();
    run.unwrap().status.code()
}

#[test]
fn all_are_listed_with_their_state() {
    let scratch = Scratch::new();
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");
    scratch.ok("--session by-hand --iteration 4 log add here --type tip");
    let asks = "\"$WAYNOTE\" log blocked 'Which colour?\nblue or green'";
    assert_eq!(looping(&scratch, "asks", asks), Some(4));
    assert_eq!(looping(&scratch, "fails", "exit 1"), Some(5));
    looping(&scratch, "does", "\"$WAYNOTE\" log add a --type tip");
    looping(&scratch, "says", "\"$WAYNOTE\" log complete done");
    let script = "\"$WAYNOTE\" log add begun --type tip; echo here; cat > /dev/null; sleep 1000";
    let start = |session: &str| {
        let words = format!("--session {session} loop -- sh -c '{script}'");
        scratch.run(&words).begun("here")
    };
    let (mut runs, mut killed) = (start("runs"), start("killed"));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let sessions = scratch.ok("log sessions");
    insta::assert_snapshot!(sessions, @"
    SESSION  STATE                  LAST ITERATION        NOTES  DETAIL
    asks     waiting for an answer  #1, 2026-05-17 12:00  0      `Which colour? blue or green`
    killed   lost                   #1, 2026-05-17 12:00  1      its loop was killed
    fails    failed                 #1, 2026-05-17 12:00  0      the agent failed in every attempt
    runs     running                #1, 2026-05-17 12:00  1
    says     done                   #1, 2026-05-17 12:00  0      the agent says that all is done
    does     done                   #1, 2026-05-17 12:00  1      all iterations ran
    by-hand  no loop has run        -                     1
    ");
    has(scratch.ok("--session runs log show"), "running  1\n");
    has(scratch.ok("--session killed log show"), "  lost   1\n");
    let listed = scratch.json("log sessions --json");
    let parts = "session state question last_iteration/iteration";
    let said = "asks waiting for an answer Which colour?\nblue or green 1";
    assert_eq!(fields(&listed[0], parts), said);
    insta::assert_snapshot!(scratch.ok("session archive fails"), @"archived session fails: `waynote log sessions --all` lists it, `session archive fails --undo` puts it back");
    let has_it = |words: &str| scratch.ok(words).contains("\nfails ");
    assert!(!has_it("log sessions") && has_it("log sessions --all"));
    scratch.ok("session archive fails --undo");
    assert!(has_it("log sessions"));
    signal(&runs, "-TERM");
    runs.wait().unwrap();
    until("its end", || {
        scratch.ok("log sessions").contains("interrupted")
    });
}

#[test]
fn an_iteration_is_counted_from_one() {
    let scratch = Scratch::new();
    let add = |words: &str| scratch.run(&format!("{words} log add here --type tip"));
    let said = add("--session s").env("WAYNOTE_ITERATION", "-7").said();
    has(
        add("--session s --iteration 0").said(),
        "`0` is not an iteration number",
    );
    insta::assert_snapshot!(said, @"
    exit 2
    error: `-7` is not an iteration number
      iterations are numbered from 1; leave the number out: the next prompt has the entry
    ");
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");
}

#[test]
fn a_person_s_entry_reaches_the_next_prompt() {
    let scratch = Scratch::new();
    looping(&scratch, "s", "exit 0");
    scratch.ok("--session s log add look-here --type tip");
    let last = scratch.json("--session s log list --json")[0]["iteration"].as_i64();
    let last = last.expect("that of the last iteration");
    let prompt = scratch.ok(&format!("--session s --iteration {} context", last + 1));
    assert!(prompt.contains("look-here"), "{prompt}");
    insta::assert_snapshot!(scratch.run("--session s --iteration 99 log add never --type tip").said(), @"
    exit 1
    error: iteration 99 of session:s has not begun: the last one is 1
      leave `--iteration` out: the next prompt has the entry
    ");
}
