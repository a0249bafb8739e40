//! Loops on several machines over a server: it tells which of them are dead.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use waynote::event::{EndReason, ProcessIdentity};
use waynote::loops::{Loop, LoopStart, SILENCE};
use waynote::{
    Error, LoopError, Name, Options as StoreOptions, Reader, SessionState, SessionStatus,
    SqliteStore, Store,
};

use super::support::{Served, now, served, stamp};

/// The clock of a server. It moves only when the test moves it.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicI64>);

impl Clock {
    fn later(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }

    fn serve(&self, folder: tempfile::TempDir) -> Served {
        let path = folder.path().join("notes.db");
        let store = SqliteStore::open(path, &StoreOptions::default()).unwrap();
        let seconds = self.0.clone();
        let clock = move || now() + Duration::from_secs(seconds.load(Ordering::Relaxed) as u64);
        served(Arc::new(store), folder, Arc::new(clock))
    }
}

fn begin<'s>(store: &'s dyn Store, host: &str) -> waynote::Result<Loop<'s>> {
    let holder = ProcessIdentity::new(host, "boot", 7, 9);
    // No machine can tell of a process of another one.
    let start = LoopStart::new(holder, "/p", &|_| None);
    Loop::begin(store, "nightly".parse().unwrap(), start, &stamp())
}

fn is_running(begun: &waynote::Result<Loop<'_>>) -> bool {
    matches!(begun, Err(Error::Loop(LoopError::LoopRunning { .. })))
}

#[test]
fn a_loop_of_another_machine_is_dead_after_a_minute_of_silence() {
    let clock = Clock::default();
    let server = clock.serve(tempfile::tempdir().unwrap());
    let (one, two) = (server.remote(), server.remote());
    let session: Name = "nightly".parse().unwrap();
    let first = begin(&one, "one").unwrap();
    let lease = first.lease();
    let heard = |lease| two.silence(&session, lease).unwrap();
    assert_eq!(heard(lease), Some(Duration::ZERO));
    let before = two.version().unwrap();
    clock.later(40);
    assert_eq!(heard(lease), Some(Duration::from_secs(40)));
    assert!(is_running(&begin(&two, "two")));
    // Its heartbeat is in time.
    one.heartbeat(&session, lease).unwrap();
    clock.later(40);
    assert!(is_running(&begin(&two, "two")));
    assert_eq!(two.version().unwrap(), before, "no event and no position");

    clock.later(40);
    assert!(heard(lease).unwrap() > SILENCE);
    let state = SessionStatus::read(&two, &session, &|_| None).unwrap();
    assert_eq!(state.state, SessionState::Lost);
    let second = begin(&two, "two").unwrap();
    assert!(second.lease() > lease);
    // The first one comes back: it has lost the session, and its heartbeat counts for nothing.
    one.heartbeat(&session, lease).unwrap();
    assert_eq!(heard(lease), None);
    assert_eq!(heard(second.lease()), Some(Duration::ZERO));
    let lost = first
        .end(EndReason::Iterations, None, &stamp())
        .unwrap_err();
    assert!(
        matches!(lost, Error::Loop(LoopError::LeaseLost { .. })),
        "{lost}"
    );
    second.end(EndReason::Iterations, None, &stamp()).unwrap();
}

#[test]
fn a_server_that_was_away_gives_each_loop_its_time_again() {
    let clock = Clock::default();
    let server = clock.serve(tempfile::tempdir().unwrap());
    let session: Name = "nightly".parse().unwrap();
    let one = server.remote();
    let lease = begin(&one, "one").unwrap().lease();
    let folder = server.stopped();
    clock.later(3600);
    let server = clock.serve(folder);
    let two = server.remote();
    assert_eq!(two.silence(&session, lease).unwrap(), Some(Duration::ZERO));
    assert!(is_running(&begin(&two, "two")));
    clock.later(60);
    begin(&two, "two").unwrap();
}

#[test]
fn a_loop_on_the_file_itself_is_never_silent() {
    let clock = Clock::default();
    let server = clock.serve(tempfile::tempdir().unwrap());
    let lease = begin(&*server.store, "one").unwrap().lease();
    clock.later(3600);
    let two = server.remote();
    let session = "nightly".parse().unwrap();
    assert_eq!(two.silence(&session, lease).unwrap(), None);
    assert!(is_running(&begin(&two, "two")));
}
