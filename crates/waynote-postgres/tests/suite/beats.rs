//! Loops on several machines: their heartbeats in the database tell the dead from the living.

use std::time::Duration;

use jiff::Timestamp;
use waynote::event::{EndReason, ProcessIdentity};
use waynote::loops::{Loop, LoopStart, SILENCE};
use waynote::{Error, LoopError, Name, Reader, SessionState, SessionStatus, Stamp, Store};

use super::stores::{its_server, new_store};

fn holder(host: &str) -> ProcessIdentity {
    ProcessIdentity::new(host, "boot", 7, 9)
}

fn begin<'s>(store: &'s dyn Store, host: &str) -> waynote::Result<Loop<'s>> {
    let stamp = Stamp::new(Timestamp::UNIX_EPOCH, "person".parse().unwrap());
    // No machine can tell of a process of another one.
    let start = LoopStart::new(holder(host), "/p", &|_| None);
    Loop::begin(store, "nightly".parse().unwrap(), start, &stamp)
}

#[test]
fn a_loop_of_another_machine_is_dead_after_a_minute_of_silence() {
    let Some(server) = its_server() else { return };
    let Some(cluster) = server.cluster() else {
        return;
    };
    let store = new_store(&server.store_url());
    let session: Name = "nightly".parse().unwrap();
    let first = begin(&store, "one").unwrap();
    let lease = first.lease();
    let heard = |store: &dyn Store, lease| store.silence(&session, lease).unwrap();
    assert!(heard(&store, lease).unwrap() < SILENCE);
    let before = store.version().unwrap();

    let running = begin(&store, "two").map(drop).unwrap_err();
    assert!(
        matches!(running, Error::Loop(LoopError::LoopRunning { .. })),
        "{running}"
    );
    let later = |seconds: u64| {
        cluster.sql(&format!(
            "UPDATE waynote.side SET value = convert_to((convert_from(value, 'UTF8')::bigint - {seconds}000)::text, 'UTF8')
             WHERE space = 'beats'"
        ))
    };
    later(120);
    assert!(heard(&store, lease).unwrap() > SILENCE);
    let state = SessionStatus::read(&store, &session, &|_| None).unwrap();
    assert_eq!(state.state, SessionState::Lost);
    // It was only cut off, and its heartbeat is in time.
    store.heartbeat(&session, lease).unwrap();
    assert!(heard(&store, lease).unwrap() < Duration::from_secs(30));
    assert!(begin(&store, "two").is_err());
    assert_eq!(store.version().unwrap(), before, "no event and no position");

    later(120);
    let second = begin(&store, "two").unwrap();
    assert!(second.lease() > lease);
    // The first one comes back: it has lost the session, and its beats count for nothing.
    store.heartbeat(&session, lease).unwrap();
    assert_eq!(heard(&store, lease), None);
    assert!(heard(&store, second.lease()).unwrap() < SILENCE);
    let stamp = Stamp::new(Timestamp::UNIX_EPOCH, "person".parse().unwrap());
    let lost = first.end(EndReason::Iterations, None, &stamp).unwrap_err();
    assert!(
        matches!(lost, Error::Loop(LoopError::LeaseLost { .. })),
        "{lost}"
    );
}
