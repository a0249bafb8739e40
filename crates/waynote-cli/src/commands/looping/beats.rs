//! The heartbeat of a running loop. It also notices that the loop has lost its session.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Scope;
use std::time::Duration;

use waynote::{Name, Store};

/// The heartbeat of a loop, until this is dropped.
pub(super) struct Beats {
    _ends: Option<Sender<()>>,
}

/// The loop that the heartbeat is of.
pub(super) struct OfLoop<'s> {
    pub(super) store: &'s (dyn Store + Send + Sync),
    pub(super) session: Name,
    /// The number of the event that gave it the session.
    pub(super) lease: u64,
    /// True if the heartbeat is written to the store, for other machines.
    pub(super) is_shared: bool,
}

impl OfLoop<'_> {
    /// True if the loop has lost its session: another loop holds it, or none. An unavailable store counts as not lost.
    fn is_lost(&self) -> bool {
        let held = self.store.lease(&self.session);
        held.is_ok_and(|held| held.is_none_or(|held| held.number != self.lease))
    }
}

impl Beats {
    /// Starts the heartbeat, with `pause` between two beats. `lost` is called once, when the loop has lost its session.
    pub(super) fn start<'s>(
        scope: &'s Scope<'s, '_>,
        of: OfLoop<'s>,
        pause: Duration,
        lost: impl FnOnce() + Send + 's,
    ) -> Self {
        let (sender, ended) = channel::<()>();
        let beat = move || {
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                if of.is_shared {
                    // The next beat makes up for one that the store did not take.
                    let _ = of.store.heartbeat(&of.session, of.lease);
                }
                if of.is_lost() {
                    return lost();
                }
            }
        };
        let thread = std::thread::Builder::new().name("waynote-beats".into());
        // Without a thread, the loop does its work; after a minute others may take it for dead.
        let is_started = thread.spawn_scoped(scope, beat).is_ok();
        Self {
            _ends: is_started.then_some(sender),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use waynote::event::{EndReason, ProcessIdentity, SessionEvent};
    use waynote::loops::{Loop, LoopStart};
    use waynote::{Name, Options, Reader, SqliteStore, Stamp, Store};

    use super::{Beats, OfLoop};

    #[test]
    fn a_loop_that_lost_its_session_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
        let session: Name = "nightly".parse().unwrap();
        let stamp = Stamp::new(
            waynote::jiff::Timestamp::UNIX_EPOCH,
            "person".parse().unwrap(),
        );
        let begin = || {
            let process = ProcessIdentity::new("here", "", 1, 1);
            let start = LoopStart::new(process, "/work", &|_| Some(true));
            Loop::begin(&store, session.clone(), start, &stamp).unwrap()
        };
        // Another loop takes the session over; or a person ends the loop.
        for is_taken_over in [true, false] {
            let run = begin();
            let lease = run.lease();
            let (lost, is_lost) = channel();
            std::thread::scope(|scope| {
                let of = OfLoop {
                    store: &store,
                    session: session.clone(),
                    lease,
                    is_shared: false,
                };
                let _beats = Beats::start(scope, of, Duration::from_millis(2), move || {
                    lost.send(()).unwrap();
                });
                let early = is_lost.recv_timeout(Duration::from_millis(50));
                assert!(early.is_err(), "the loop holds its session");
                match is_taken_over {
                    true => drop(begin()),
                    false => {
                        let ended = SessionEvent::LoopEnded {
                            reason: EndReason::Interrupted,
                            detail: None,
                        };
                        store
                            .record(&session, &[ended], Some(lease), &stamp)
                            .unwrap();
                    }
                }
                is_lost.recv_timeout(Duration::from_secs(60)).unwrap();
                assert!(is_lost.recv().is_err(), "told once");
            });
        }
        assert!(store.lease(&session).unwrap().is_none());
    }
}
