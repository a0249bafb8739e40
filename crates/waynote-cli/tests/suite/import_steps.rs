//! An import that takes a while: others write meanwhile, Ctrl-C ends it in order, and a person sees how far it is.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::common::{Scratch, rest, until};

const NOTES: usize = 8000;

fn graph(scratch: &Scratch) {
    let text: String = (0..NOTES)
        .map(|number| format!("{{\"type\":\"entity\",\"name\":\"e{number}\",\"observations\":[\"fact {number}\"]}}\n"))
        .collect();
    scratch.put("work/memory.jsonl", text);
}

/// The lock that writers wait for.
fn lock_file(scratch: &Scratch) -> File {
    let mut path = scratch.store().into_os_string();
    path.push("-lock");
    File::options().read(true).write(true).open(path).unwrap()
}

fn imported(scratch: &Scratch) -> usize {
    let notes = scratch.json("key list --json");
    notes.as_array().map_or(0, Vec::len)
}

#[test]
fn an_interrupted_import_goes_on_where_it_was() {
    let scratch = Scratch::new();
    graph(&scratch);
    // Makes the store, and with it its lock.
    scratch.ok("place write text");
    let lock = lock_file(&scratch);
    lock.lock().unwrap();
    let import = scratch.run("import server-memory memory.jsonl");
    let mut child = import.env("WAYNOTE_LOCK_WAIT", "60").piped();
    let first_step = || {
        lock.unlock().unwrap();
        // Taken between two steps: the import gives others their turn.
        lock.lock().unwrap();
        imported(&scratch) > 0
    };
    until("a first step", first_step);
    let before = imported(&scratch);
    assert!(before < NOTES, "all at once");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    lock.unlock().unwrap();
    let said = rest(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    let there = imported(&scratch);
    assert!(before <= there && there < NOTES, "{before}, then {there}");
    let left = NOTES - there;
    assert_eq!(
        said,
        format!("interrupted: {left} notes left; run the same command again to go on with them\n")
    );
    let said = scratch.ok("import server-memory memory.jsonl");
    let expected = format!("{left} added, 0 updated, {there} unchanged, 0 skipped");
    assert_eq!(said.lines().last(), Some(expected.as_str()));
    assert_eq!(imported(&scratch), NOTES);
}

#[test]
fn a_bar_is_shown_on_a_terminal_when_it_takes_long() {
    let scratch = Scratch::new();
    graph(&scratch);
    scratch.ok("place write text");
    let lock = lock_file(&scratch);
    lock.lock().unwrap();
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let name = std::ffi::OsStr::from_bytes(name.as_bytes());
    let theirs = File::options().read(true).write(true).open(name).unwrap();
    let mut command = scratch.command("import server-memory memory.jsonl");
    command
        .env("TERM", "xterm")
        .env("WAYNOTE_LOCK_WAIT", "60")
        .stdout(Stdio::piped())
        .stderr(Stdio::from(theirs));
    let mut child = command.spawn().unwrap();
    // Else the terminal is open here, too, and never ends.
    command.stderr(Stdio::null());
    let mut terminal = BufReader::new(File::from(ours));
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("0/8000 notes") {
        // A bar is drawn again with a carriage return.
        assert!(terminal.read_until(b'\r', &mut seen).unwrap() > 0);
    }
    lock.unlock().unwrap();
    let _ = terminal.read_to_end(&mut seen);
    let answer = rest(child.stdout.take());
    assert!(child.wait().unwrap().success());
    let expected = format!("{NOTES} added, 0 updated, 0 unchanged, 0 skipped");
    assert_eq!(answer.lines().last(), Some(expected.as_str()));
}
