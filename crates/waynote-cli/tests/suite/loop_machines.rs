//! A loop over a server that dies: another machine takes its session, and its agent writes nothing more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use waynote::event::{EndReason, ProcessIdentity};
use waynote::loops::{Loop, LoopStart};
use waynote::{Error, LoopError, Options as StoreOptions, SqliteStore, Stamp};
use waynote_remote::{Options, RemoteStore};
use waynote_server::{Log, Server, Stores};

use super::common::{NOW, Scratch, has, until};

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// A loop of another machine takes the session.
fn elsewhere<'s>(store: &'s RemoteStore, stamp: &Stamp) -> waynote::Result<Loop<'s>> {
    let holder = ProcessIdentity::new("elsewhere", "boot", 7, 9);
    let start = LoopStart::new(holder, "/p", &|_| None);
    Loop::begin(store, "nightly".parse().unwrap(), start, stamp)
}

#[test]
fn what_an_agent_writes_is_refused_once_its_loop_has_lost_the_session() {
    let here = Scratch::new();
    // A server in this process, so that its clock can go on.
    let store = SqliteStore::open(here.path("notes.db"), &StoreOptions::default()).unwrap();
    let later = Arc::new(AtomicU64::new(0));
    let seconds = Arc::clone(&later);
    let clock = move || now() + Duration::from_secs(seconds.load(Ordering::Relaxed));
    let options = waynote_server::Options {
        listen: "127.0.0.1:0".parse().unwrap(),
        ..Default::default()
    };
    let bound = Server::new(
        &Stores::default().with("team", Arc::new(store)),
        options,
        Arc::new(clock),
        Log::to(std::io::sink()),
    )
    .bind()
    .unwrap();
    let url = format!("http://{}/s/team", bound.address());
    let stopper = bound.stopper();
    let serving = std::thread::spawn(move || bound.run().unwrap());

    let store = RemoteStore::open(&url, Options::default()).unwrap();
    let words = "--session nightly loop --stall 0 -- sh -c 'env | grep ^WAYNOTE_ > told; echo began; exec tail -f /dev/null'";
    let run = here.run(words).env("WAYNOTE_STORE", &url);
    let mut looping = run.begun("began");
    // Its heartbeat goes on as long as it runs.
    let threads = || std::fs::read_dir(format!("/proc/{}/task", looping.id())).unwrap();
    until("its beats", || {
        threads().any(|thread| {
            let name = std::fs::read_to_string(thread.unwrap().path().join("comm"));
            name.is_ok_and(|name| name.trim() == "waynote-beats")
        })
    });
    looping.kill().unwrap();
    looping.wait().unwrap();
    let stamp = Stamp::new(now(), "person".parse().unwrap());
    later.store(59, Ordering::Relaxed);
    let running = elsewhere(&store, &stamp).map(drop).unwrap_err();
    assert!(
        matches!(running, Error::Loop(LoopError::LoopRunning { .. })),
        "{running}"
    );
    later.store(60, Ordering::Relaxed);
    let taken = elsewhere(&store, &stamp).unwrap();

    let told = std::fs::read_to_string(here.home().join("work/told")).unwrap();
    // A command as the agent starts it, even once its loop has ended.
    let agents = |words: &str| {
        let told = told.lines().filter_map(|line| line.split_once('='));
        told.fold(here.run(words), |run, (name, value)| run.env(name, value))
    };
    let lost = "the loop has lost session nightly: process 7 on elsewhere has had it since";
    has(agents("log add tip --type tip").said(), lost);
    has(agents("log complete done").said(), lost);
    let requests = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note_add","arguments":{"type":"tip","content":"by a tool"}}}
"#;
    has(agents("mcp").stdin(requests).ok(), lost);
    // Another store has nothing to do with that loop.
    agents("--store other.db key save k text").ok();
    taken.end(EndReason::Interrupted, None, &stamp).unwrap();
    insta::assert_snapshot!(agents("key save k text").said(), @"
    exit 1
    error: the loop has lost session nightly: it was ended, and no loop has it now
      an agent of that loop ends its turn: nothing that it writes is taken any more; `waynote log show` shows what became of the session
    ");
    let person = here.run("--session nightly log add theirs --type tip");
    person.env("WAYNOTE_STORE", &url).ok();
    stopper.stop();
    serving.join().unwrap();
}
