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
    command.env("WAYNOTE_LOCK_WAIT", "60");
    let mut terminal = Terminal::of(command, (80, 24));
    terminal.until("0/8000");
    lock.unlock().unwrap();
    terminal.until("8000 added, 0 updated, 0 unchanged, 0 skipped");
    assert!(terminal.child.wait().unwrap().success());
}
