//! Says of a running loop that it lives, so that other machines can tell when it does not.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Scope;

use waynote::loops::BEAT;
use waynote::{Name, Store};

/// Ends the beats of a loop when it goes.
pub(super) struct Beats {
    _ends: Option<Sender<()>>,
}

impl Beats {
    /// Says from now on that the loop of this lease lives. A store that does not answer is told the next time.
    pub(super) fn start<'s>(
        scope: &'s Scope<'s, '_>,
        store: &'s (dyn Store + Send + Sync),
        session: Name,
        lease: u64,
    ) -> Self {
        let (sender, ended) = channel::<()>();
        let beat = move || {
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                let _ = store.beat(&session, lease);
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
