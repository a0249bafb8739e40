//! Loops of several machines over one server: a real loop facing a dead one, and the view of other machines.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use waynote::event::{EndReason, ProcessIdentity};
use waynote::loops::{Loop, LoopStart};
use waynote::{Error, LoopError, Options as StoreOptions, SqliteStore, Stamp};
use waynote_remote::{Options, RemoteStore};
use waynote_server::{Log, Server, Stopper, Stores};

use super::common::{NOW, Scratch, until};

/// A server in this process, so that its clock can go on.
struct Serving {
    url: String,
    later: Arc<AtomicI64>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

impl Serving {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        let store = SqliteStore::open(path, &StoreOptions::default()).unwrap();
        let later = Arc::new(AtomicI64::new(0));
        let seconds = Arc::clone(&later);
        let clock = move || {
            let seconds = u64::try_from(seconds.load(Ordering::Relaxed)).unwrap();
            NOW.parse::<Timestamp>().unwrap() + Duration::from_secs(seconds)
        };
        let server = Server::new(
            &Stores::default().with("team", Arc::new(store)),
            waynote_server::Options {
                listen: "127.0.0.1:0".parse().unwrap(),
                ..Default::default()
            },
            Arc::new(clock),
            Log::to(std::io::sink()),
        );
        let bound = server.bind().unwrap();
        Self {
            url: format!("http://{}/s/team", bound.address()),
            later,
            stopper: bound.stopper(),
            thread: Some(std::thread::spawn(move || bound.run().unwrap())),
            _folder: folder,
        }
    }

    fn later(&self, seconds: i64) {
        self.later.fetch_add(seconds, Ordering::Relaxed);
    }

    fn remote(&self) -> RemoteStore {
        RemoteStore::open(&self.url, Options::default()).unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// A loop of another machine takes the session.
fn elsewhere(store: &RemoteStore) -> waynote::Result<Loop<'_>> {
    let holder = ProcessIdentity::new("elsewhere", "boot", 7, 9);
    let start = LoopStart::new(holder, "/p", &|_| None);
    let stamp = Stamp::new(NOW.parse().unwrap(), "person".parse().unwrap());
    Loop::begin(store, "nightly".parse().unwrap(), start, &stamp)
}

#[test]
fn a_killed_loop_is_taken_over_elsewhere_after_its_silence() {
    let (serving, here) = (Serving::start(), Scratch::new());
    let store = serving.remote();
    let words = "--session nightly loop --stall 0 -- sh -c 'echo began; exec tail -f /dev/null'";
    let run = here.run(words).env("WAYNOTE_STORE", &serving.url);
    let mut looping = run.begun("began");
    // Its heartbeat goes on as long as it runs.
    let threads = || std::fs::read_dir(format!("/proc/{}/task", looping.id())).unwrap();
    let beats = || {
        threads().any(|thread| {
            let name = std::fs::read_to_string(thread.unwrap().path().join("comm"));
            name.is_ok_and(|name| name.trim() == "waynote-beats")
        })
    };
    until("its beats", beats);
    looping.kill().unwrap();
    looping.wait().unwrap();
    serving.later(59);
    let running = elsewhere(&store).map(drop).unwrap_err();
    assert!(
        matches!(running, Error::Loop(LoopError::LoopRunning { .. })),
        "{running}"
    );
    serving.later(1);
    drop(elsewhere(&store).unwrap());
}

#[test]
fn what_an_agent_writes_is_refused_once_its_loop_has_lost_the_session() {
    let (serving, here) = (Serving::start(), Scratch::new());
    let store = serving.remote();
    let words = "--session nightly loop --stall 0 -- sh -c 'env | grep ^WAYNOTE_ > told; echo began; exec tail -f /dev/null'";
    let run = here.run(words).env("WAYNOTE_STORE", &serving.url);
    let mut looping = run.begun("began");
    let told = std::fs::read_to_string(here.home().join("work/told")).unwrap();
    // A command as the agent starts it, even once its loop has ended.
    let agents = |words: &str| {
        let told = told.lines().filter_map(|line| line.split_once('='));
        told.fold(here.run(words), |run, (name, value)| run.env(name, value))
    };
    let writes = || {
        let request = |id: i32, method: &str, params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#) + "\n"
        };
        let hello = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}"#;
        let save = r#"{"name":"note_add","arguments":{"type":"tip","content":"by a tool"}}"#;
        let requests = request(1, "initialize", hello) + &request(2, "tools/call", save);
        let replies = agents("mcp").stdin(requests).ok();
        [
            agents("log add tip --type tip").said(),
            agents("log complete done").said(),
            replies.lines().last().unwrap().to_owned() + "\n",
            // Another store has nothing to do with that loop.
            agents("--store other.db key save k text").said(),
        ]
        .join("\n")
    };
    let holder = ProcessIdentity::new("elsewhere", "boot", 7, 9);
    let start = LoopStart::new(holder, "/p", &|_| Some(true));
    let stamp = Stamp::new(NOW.parse().unwrap(), "person".parse().unwrap());
    let taken = Loop::begin(&store, "nightly".parse().unwrap(), start, &stamp).unwrap();
    insta::assert_snapshot!(writes(), @r#"
    exit 1
    error: the loop has lost session nightly: process 7 on elsewhere has had it since 2026-05-17 12:00 UTC
      an agent of that loop ends its turn: nothing that it writes is taken any more; `waynote log show` shows what became of the session

    exit 1
    error: the loop has lost session nightly: process 7 on elsewhere has had it since 2026-05-17 12:00 UTC
      an agent of that loop ends its turn: nothing that it writes is taken any more; `waynote log show` shows what became of the session

    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"the loop has lost session nightly: process 7 on elsewhere has had it since 2026-05-17 12:00 UTC\nan agent of that loop ends its turn: nothing that it writes is taken any more"}],"isError":true}}

    saved agent:default#k (new key)
    created the store other.db, which was not there
    "#);
    taken.end(EndReason::Interrupted, &stamp).unwrap();
    insta::assert_snapshot!(agents("key save k text").said(), @"
    exit 1
    error: the loop has lost session nightly: it was ended, and no loop has it now
      an agent of that loop ends its turn: nothing that it writes is taken any more; `waynote log show` shows what became of the session
    ");
    let person = here.run("--session nightly log add theirs --type tip");
    person.env("WAYNOTE_STORE", &serving.url).ok();
    looping.kill().unwrap();
    looping.wait().unwrap();
}
