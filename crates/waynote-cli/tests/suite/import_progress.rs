//! An import that takes a while shows how far it is.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::common::{Scratch, rest};

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
    while !String::from_utf8_lossy(&seen).contains("0/8000") {
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
