//! A process that sleeps between two trips of a write, as when its machine is paused.

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use waynote::engine::{Engine, Read, Transaction, Writing};
use waynote::{Content, EngineStore, EntryType, Note, SessionLog, Stamp, Store};
use waynote_postgres::{Options, Postgres, open};

use super::stores::{its_server, new_store};

/// The engine of a process that goes to sleep in its first write, after it has read and before it commits.
#[derive(Debug)]
struct Sleeper<'p> {
    engine: &'p Postgres,
    is_asleep: mpsc::SyncSender<()>,
    may_go_on: Mutex<Option<mpsc::Receiver<()>>>,
}

impl Engine for Sleeper<'_> {
    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> waynote::Result<()>,
    ) -> waynote::Result<()> {
        self.engine.write(writing, &mut |transaction| {
            work(transaction)?;
            if let Some(may_go_on) = self.may_go_on.lock().unwrap().take() {
                self.is_asleep.send(()).unwrap();
                may_go_on.recv().unwrap();
            }
            Ok(())
        })
    }

    fn rows(&self) -> waynote::Result<Box<dyn Read + '_>> {
        self.engine.rows()
    }

    fn snapshot(
        &self,
        work: &mut dyn FnMut(&dyn Read) -> waynote::Result<()>,
    ) -> waynote::Result<()> {
        self.engine.snapshot(work)
    }

    fn exclusively(
        &self,
        work: &mut dyn FnMut(&dyn Engine) -> waynote::Result<()>,
    ) -> waynote::Result<()> {
        self.engine.exclusively(work)
    }

    fn scrub(&self) -> Option<waynote::forget::Residue> {
        self.engine.scrub()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn name(&self) -> String {
        self.engine.name()
    }
}

fn add(store: &dyn Store, said: &str) -> waynote::Result<Note> {
    let stamp = Stamp::new(
        "2026-05-01T12:00:00Z".parse().unwrap(),
        "person".parse().unwrap(),
    );
    let log = SessionLog::new(store, "s".parse().unwrap());
    log.add(EntryType::Tip, None, Content::text(said).unwrap(), &stamp)
}

/// One process sleeps in a write, and another one writes meanwhile. Returns what that one met, and all that is written
/// in the end. Each waits as long as it is told.
fn beside_a_sleeper(
    url: &str,
    wait_of_sleeper: Duration,
    wait: Duration,
) -> (waynote::Result<Note>, Vec<String>) {
    new_store(url);
    let with = |wait| open(Options::of_url(url).unwrap().wait(wait)).unwrap();
    let (sleeping, store) = (with(wait_of_sleeper), with(wait));
    let (is_asleep, asleep) = mpsc::sync_channel(1);
    let (go_on, may_go_on) = mpsc::channel();
    let sleeper = EngineStore::new(Sleeper {
        engine: sleeping.engine(),
        is_asleep,
        may_go_on: Mutex::new(Some(may_go_on)),
    });
    let outcome = std::thread::scope(|scope| {
        let slept = scope.spawn(|| add(&sleeper, "asleep"));
        asleep.recv().unwrap();
        let outcome = add(&store, "awake");
        go_on.send(()).unwrap();
        slept.join().unwrap().unwrap();
        outcome
    });
    let log = SessionLog::new(&store, "s".parse().unwrap());
    let texts = log.list(None).unwrap().into_iter();
    let texts = texts.map(|note| note.content.shown().into_owned());
    (outcome, texts.collect())
}

/// The server ends its transaction, and it writes again when it wakes up.
#[test]
fn a_process_that_sleeps_in_a_write_stops_nobody() {
    let Some(server) = its_server() else {
        return;
    };
    let wait = Duration::from_secs(2);
    let (awake, written) = beside_a_sleeper(&server.store_url(), wait, 4 * wait);
    awake.unwrap();
    assert_eq!(written, ["awake", "asleep"]);
}
