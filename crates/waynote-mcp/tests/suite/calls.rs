//! Many calls at once, slow ones, and ones that panic.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde_json::json;
use waynote::{Reader, SqliteStore};
use waynote_mcp::Refusal;

use super::embedded::{Program, Server};

/// A store of its own.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("notes.db")
    }

    pub(crate) fn store(&self) -> SqliteStore {
        SqliteStore::at(self.path(), &waynote::Options::default())
    }

    /// The texts of a note's revisions, the oldest first.
    fn history(&self, address: &str) -> Vec<String> {
        let history = self.store().history(&address.parse().unwrap()).unwrap();
        let notes = history.iter().filter_map(|revision| revision.note());
        notes
            .map(|note| note.content.shown().into_owned())
            .collect()
    }

    pub(crate) fn program(&self, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Program {
        Program {
            store: self.store(),
            now: Box::new(now),
            may_write: Box::new(|| Ok(())),
        }
    }
}

/// A clock that blocks the first call for the time until the test releases it: that call is slow.
struct SlowClock {
    asked: Receiver<()>,
    go: Sender<()>,
}

impl SlowClock {
    fn new() -> (Self, impl Fn() -> Timestamp + Send + Sync + 'static) {
        let ((was_asked, asked), (go, may_go)) = (channel(), channel());
        let first = Mutex::new(Some((was_asked, may_go)));
        let now = move || {
            let first = first.lock().unwrap().take();
            if let Some((was_asked, may_go)) = first {
                was_asked.send(()).unwrap();
                // An end of the other side lets it go, too.
                let _ = may_go.recv();
            }
            Timestamp::UNIX_EPOCH
        };
        (Self { asked, go }, now)
    }

    /// Waits until the slow call runs.
    fn wait(&self) {
        self.asked.recv().unwrap();
    }

    fn let_go(&self) {
        self.go.send(()).unwrap();
    }
}

#[test]
fn calls_are_done_in_the_order_in_which_they_came() {
    const CALLS: u64 = 100;
    let folder = Folder::new();
    let (clock, now) = SlowClock::new();
    let mut server = Server::start(folder.program(now));
    let save = |number: u64| json!({ "key": "k", "content": format!("v{number}") });
    server.call(1, "note_save", &save(1));
    clock.wait();
    for number in 2..=20 {
        server.call(number, "note_save", &save(number));
    }
    // A slow call keeps nobody from being heard.
    server.ask(1000, "ping", &json!({}));
    assert_eq!(server.receive()["id"], 1000);
    clock.let_go();
    // More than are worked on at once.
    for number in 21..=CALLS {
        server.call(number, "note_save", &save(number));
    }
    let replies = (1..=CALLS).map(|_| server.receive());
    let answered: BTreeSet<u64> = replies
        .inspect(|reply| assert_eq!(reply["result"]["isError"], false, "{reply}"))
        .map(|reply| reply["id"].as_u64().unwrap())
        .collect();
    assert_eq!(answered, (1..=CALLS).collect());
    server.end().unwrap();
    let wanted: Vec<String> = (1..=CALLS).map(|number| format!("v{number}")).collect();
    assert_eq!(folder.history("agent:builder#k"), wanted);
}

#[test]
fn what_was_asked_is_done_and_answered_when_the_client_leaves() {
    let folder = Folder::new();
    let (clock, now) = SlowClock::new();
    let mut server = Server::start(folder.program(now));
    for number in 1..=3 {
        let arguments = json!({ "key": "k", "content": format!("v{number}") });
        server.call(number, "note_save", &arguments);
    }
    clock.wait();
    server.close();
    clock.let_go();
    let mut answered: Vec<u64> = (0..3)
        .map(|_| server.receive()["id"].as_u64().unwrap())
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3]);
    server.end().unwrap();
    assert_eq!(folder.history("agent:builder#k"), ["v1", "v2", "v3"]);
}

#[test]
fn a_call_that_was_cancelled_is_not_cut_off() {
    let folder = Folder::new();
    let (clock, now) = SlowClock::new();
    let mut server = Server::start(folder.program(now));
    server.call(1, "note_save", &json!({ "key": "k", "content": "v" }));
    clock.wait();
    server.notify("notifications/cancelled", &json!({ "requestId": 1 }));
    server.ask(2, "ping", &json!({}));
    assert_eq!(server.receive()["id"], 2);
    server.close();
    clock.let_go();
    // Nobody waits for the reply any more; the server ends when the call has.
    server.end().unwrap();
    assert_eq!(folder.history("agent:builder#k"), ["v"]);
}

/// Clients written in JavaScript cut texts inside a character, and some send bytes that are no text.
#[test]
fn a_cut_character_is_a_replacement_character() {
    let folder = Folder::new();
    let mut server = Server::start(folder.program(|| Timestamp::UNIX_EPOCH));
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_save","arguments":{"key":"k","content":"cut \ud83d"}}}"#;
    server.send_line(line);
    assert_eq!(server.receive()["result"]["isError"], false);
    assert_eq!(folder.history("agent:builder#k"), ["cut \u{fffd}"]);
    server.end().unwrap();
}

#[test]
fn a_panic_ends_one_call() {
    let folder = Folder::new();
    let panics = Arc::new(AtomicBool::new(true));
    let is_on = Arc::clone(&panics);
    let mut server = Server::start(folder.program(move || {
        assert!(!is_on.swap(false, Ordering::Relaxed), "this test wants it");
        Timestamp::UNIX_EPOCH
    }));
    server.call(1, "note_save", &json!({ "key": "k", "content": "v" }));
    server.call(2, "note_save", &json!({ "key": "l", "content": "w" }));
    insta::assert_snapshot!(server.receive()["error"], @r#"{"code":-32603,"message":"a defect of the server ended this call before it was done; look at the notes before you send it again"}"#);
    assert_eq!(server.receive()["id"], 2);
    assert_eq!(server.reply("note_show", &json!({ "key": "l" })), "w");
    panics.store(true, Ordering::Relaxed);
    let context = json!({ "uri": "waynote://context" });
    server.ask(3, "resources/read", &context);
    assert_eq!(server.receive()["error"]["code"], -32603);
    server.ask(4, "resources/read", &context);
    let read = server.receive();
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("agent:builder#l"), "{text}");
    server.end().unwrap();
    assert!(folder.history("agent:builder#k").is_empty());
}

#[test]
fn the_program_is_asked_before_every_write() {
    let folder = Folder::new();
    let allowed = Arc::new(AtomicBool::new(false));
    let is_allowed = Arc::clone(&allowed);
    let mut server = Server::start(Program {
        may_write: Box::new(move || match is_allowed.load(Ordering::Relaxed) {
            true => Ok(()),
            false => Err(Refusal::new("this is a copy", "write to the original")),
        }),
        ..folder.program(|| Timestamp::UNIX_EPOCH)
    });
    let save = json!({ "key": "k", "content": "v" });
    let refused = "this is a copy\nwrite to the original";
    assert_eq!(server.reply("note_save", &save), refused);
    assert!(!folder.path().exists());
    allowed.store(true, Ordering::Relaxed);
    assert_eq!(
        server.reply("note_save", &save),
        "saved agent:builder#k (new); it applies in every project, as none is known here"
    );
    allowed.store(false, Ordering::Relaxed);
    let key = json!({ "key": "k" });
    assert_eq!(server.reply("note_delete", &key), refused);
    assert_eq!(server.reply("note_pin", &key), refused);
    assert_eq!(server.reply("note_show", &key), "v");
    server.end().unwrap();
}
