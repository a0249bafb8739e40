//! A process that sleeps between two trips of a write, as when its machine is paused.

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use waynote::{Content, EngineStore, EntryType, SessionLog, Stamp, Store};
use waynote_postgres::{Options, open};

use super::stores::{its_server, new_store};
use waynote_testing::hooked::{Hooked, Hooks};

/// Goes to sleep in the first write, after it has read and before it commits.
struct Sleeper {
    is_asleep: mpsc::SyncSender<()>,
    may_go_on: Mutex<Option<mpsc::Receiver<()>>>,
}

impl Hooks for Sleeper {
    fn in_write(&self) {
        if let Some(may_go_on) = self.may_go_on.lock().unwrap().take() {
            self.is_asleep.send(()).unwrap();
            may_go_on.recv().unwrap();
        }
    }
}

fn add(store: &dyn Store, said: &str) {
    let now = "2026-05-01T12:00:00Z".parse().unwrap();
    let stamp = Stamp::new(now, "person".parse().unwrap());
    let log = SessionLog::new(store, "s".parse().unwrap());
    log.add(EntryType::Tip, None, Content::text(said).unwrap(), &stamp)
        .unwrap();
}

/// The server ends its transaction, and it writes again when it wakes up.
#[test]
fn a_process_that_sleeps_in_a_write_stops_nobody() {
    let Some(server) = its_server() else {
        return;
    };
    let url = server.store_url();
    new_store(&url);
    let with = |seconds| {
        let wait = Duration::from_secs(seconds);
        open(Options::of_url(&url).unwrap().wait(wait)).unwrap()
    };
    let (sleeping, store) = (with(2), with(8));
    let (is_asleep, asleep) = mpsc::sync_channel(1);
    let (go_on, may_go_on) = mpsc::channel();
    let sleeper = Sleeper {
        is_asleep,
        may_go_on: Mutex::new(Some(may_go_on)),
    };
    let sleeper = EngineStore::new(Hooked::new(sleeping.engine(), sleeper));
    std::thread::scope(|scope| {
        scope.spawn(|| add(&sleeper, "asleep"));
        asleep.recv().unwrap();
        add(&store, "awake");
        go_on.send(()).unwrap();
    });
    let written = SessionLog::new(&store, "s".parse().unwrap()).list(None);
    let written = written.unwrap().into_iter();
    let written = written.map(|note| note.content.shown().into_owned());
    assert_eq!(written.collect::<Vec<_>>(), ["awake", "asleep"]);
}
