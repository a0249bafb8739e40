//! A loop that is killed, interrupted, or started twice.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use waynote::event::ProcessIdentity;
use waynote::loops::{Loop, LoopStart};
use waynote::{Options, SqliteStore, Stamp};
use waynote_testing::Dice;

use super::common::{NOW, Scratch, fields, has, rest, signal, until};
use super::loop_stops::{ended, looping};

/// A loop that runs until somebody ends it.
fn endless(scratch: &Scratch, script: &str) -> Child {
    looping(scratch, "--stall 0", script).piped()
}

fn is_running(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(String::from).collect()
}

/// Killed at any moment: numbers have no gap and no repeat, and every acknowledged note is there.
#[test]
fn killed_at_random_moments_it_goes_on_where_it_was() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    // The agent writes each acknowledged note into a file. Each of these notes must be in the store.
    let script = "echo $WAYNOTE_ITERATION >> began; cat > /dev/null; for n in 1 2 3; do \
        \"$WAYNOTE\" log add \"note $n of $WAYNOTE_ITERATION\" --type tip > /dev/null && \
        echo \"note $n of $WAYNOTE_ITERATION\" >> acknowledged; done";
    let mut dice = Dice::new(1);
    for round in 0..20 {
        let before = lines(&work.join("began")).len();
        let mut child = endless(&scratch, script);
        until("an iteration", || lines(&work.join("began")).len() > before);
        // Some way into this iteration or one after it.
        let wait = Duration::from_micros(dice.below(60_000));
        let begin = Instant::now();
        until("the moment", || begin.elapsed() >= wait);
        child.kill().unwrap();
        child.wait().unwrap();
        // A second one finds it dead at once. The agent may live a moment longer, until the guard ends it, and note
        // something.
        let (code, of) = ended(&scratch, "--iterations 1 --stall 0", "true");
        assert_eq!(code, 0, "round {round}: {of}");
    }
    // Read before the log: an agent that still lives may add to both meanwhile.
    let acknowledged = lines(&work.join("acknowledged"));
    let shown = scratch.json("--session s log show --json");
    let iterations = shown["iterations"].as_array().unwrap();
    for (number, of) in (1..).zip(iterations) {
        assert_eq!(of["iteration"], number);
        assert!(!of["outcome"].is_null(), "{of}");
    }
    let is_lost = |of: &serde_json::Value| of["outcome"]["how"] == "lost";
    assert!(iterations.iter().any(is_lost), "no kill came within one");
    let began = lines(&work.join("began"));
    let once: BTreeSet<&String> = began.iter().collect();
    assert_eq!(once.len(), began.len(), "an iteration began twice");
    let notes = shown["notes"].as_array().unwrap().iter();
    let notes: BTreeSet<String> = notes
        .map(|note| fields(note, "iteration content"))
        .collect();
    assert!(!acknowledged.is_empty());
    for text in acknowledged {
        let of = text.rsplit(' ').next().unwrap();
        assert!(notes.contains(&format!("{of} {text}")), "`{text}` is lost");
    }
    assert!(scratch.run("verify").output().status.success());
}

#[test]
fn interrupted_it_ends_all_that_the_agent_started() {
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let scratch = Scratch::new();
        let work = scratch.home().join("work");
        let script = "\"$WAYNOTE\" log add before --type tip; sleep 1000 & echo $! > child; echo $$ > agent; wait";
        let child = endless(&scratch, script);
        let pid = |name: &str| lines(&work.join(name)).first().cloned().unwrap_or_default();
        until("the agent", || !pid("agent").is_empty());
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        until("the end of the agent", || {
            !is_running(&pid("agent")) && !is_running(&pid("child"))
        });
        let shown = scratch.json("--session s log show --json");
        let parts = "iterations/0/outcome/how iterations/0/notes_added running";
        assert_eq!(fields(&shown, parts), "interrupted 1 false");
        has(
            String::from_utf8(output.stderr).unwrap(),
            "interrupted: SIG",
        );
    }
}

#[test]
fn a_second_loop_is_refused_while_the_first_lives() {
    let scratch = Scratch::new();
    let script = "echo here; cat > /dev/null; sleep 1000";
    let mut first = looping(&scratch, "--stall 0", script).begun("here");
    let said = looping(&scratch, "", "true").said();
    let said = said.replace(&first.id().to_string(), "PID");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let said = said.replace(&format!("on {},", host.trim()), "on HOST,");
    insta::assert_snapshot!(said, @"
    exit 1
    error: a loop is running in session s: process PID on HOST, since 2026-05-17 12:00 UTC
      wait for it, end it, or use another session; if it is on another machine or in another container and known to be dead, use `--take-over`
    ");
    // A process of this machine is known to live, even if a person says that it is dead.
    let said = looping(&scratch, "--take-over", "true").said();
    has(said, "a loop is running in session s");
    has(scratch.ok("--session s log show"), "running");
    // Another session can run beside it.
    scratch.ok("--session t loop --iterations 1 -- true");
    signal(&first, "-TERM");
    rest(first.stderr.take());
    first.wait().unwrap();
    let (_, of) = ended(&scratch, "--iterations 1", "true");
    assert_eq!(of["iterations"][0]["iteration"], 2);
}

#[test]
fn a_session_of_another_machine_is_taken_by_a_persons_word() {
    let scratch = Scratch::new();
    looping(&scratch, "--iterations 1", "true").ok();
    let store = SqliteStore::open(scratch.store(), &Options::default()).unwrap();
    let holder = ProcessIdentity::new("elsewhere", "b", 7, 3);
    let start = LoopStart::new(holder, "/p", &|_| Some(true));
    let stamp = Stamp::new(NOW.parse().unwrap(), "person".parse().unwrap());
    Loop::begin(&store, "s".parse().unwrap(), start, &stamp).unwrap();
    let running = "a loop is running in session s: process 7 on elsewhere";
    has(looping(&scratch, "", "true").said(), running);
    let (_, of) = ended(&scratch, "--take-over --iterations 1", "true");
    assert_eq!(of["iterations"][0]["iteration"], 2);
}

/// A loop may run in the agent of another one. Processes below both belong to the inner one, whatever their names.
#[cfg(target_os = "linux")]
#[test]
fn without_an_environment_the_nearest_loop_is_the_agents() {
    for (outer, inner) in [("a", "z"), ("z", "a")] {
        let scratch = Scratch::new();
        let script = format!(
            "\"$WAYNOTE\" --session {inner} loop --iterations 1 -- sh -c '\
             env -u WAYNOTE_SESSION -u WAYNOTE_ITERATION -u WAYNOTE_LOOP \
             \"$WAYNOTE\" log add here --type tip'"
        );
        let words = ["--session", outer, "loop", "--iterations", "1", "--"];
        let agent = ["sh", "-c", &script];
        let run = scratch.waynote(words.into_iter().chain(agent).map(String::from));
        run.ok();
        let notes = scratch.json(&format!("--session {inner} log list --json"));
        assert_eq!(notes[0]["preview"], "here", "{outer} {inner}: {notes}");
    }
}

/// An agent that does nothing is no reason to spend a night's money on it.
#[test]
fn one_that_returns_at_once_is_slowed_down_where_nobody_said_how_often() {
    let scratch = Scratch::new();
    let mut child = endless(&scratch, "true");
    let said = BufReader::new(child.stderr.take().unwrap());
    let slowed = |line: &String| line.contains("10 iterations in a row took less than a second");
    let mut lines = said.lines().map(Result::unwrap);
    assert!(lines.any(|line| slowed(&line)), "it goes on at once");
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().all(|line| !line.starts_with("──")), "{rest:?}");
}
