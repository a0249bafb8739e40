//! An import that takes a while shows how far it is.

use std::fs::File;

use super::browse::Terminal;
use super::common::Scratch;

#[test]
fn a_bar_is_shown_on_a_terminal_when_it_takes_long() {
    let scratch = Scratch::new();
    let entity = |number| {
        format!(
            "{{\"type\":\"entity\",\"name\":\"e{number}\",\"observations\":[\"fact {number}\"]}}\n"
        )
    };
    let graph: String = (0..8000).map(entity).collect();
    scratch.put("work/memory.jsonl", graph);
    scratch.ok("place write text");
    // The lock that writers wait for.
    let lock = File::open(format!("{}-lock", scratch.store().display())).unwrap();
    lock.lock().unwrap();
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
    terminal.until("8000 added, 0 updated, 0 unchanged, 0 skipped");
    assert!(terminal.child.wait().unwrap().success());
}
