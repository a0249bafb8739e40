//! Calls are done one at a time, in the order in which they came, on a thread that may block.

use parking_lot::Mutex as Lock;
use std::sync::Arc;

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::AbortHandle;

use crate::host::Host;
use crate::notes::Notes;

/// After so long without a call the store gets to move its newest notes to where they stay.
const IDLE: Duration = Duration::from_secs(3);

/// The queue of calls.
pub(crate) struct Queue {
    notes: Arc<Mutex<Notes>>,
    /// The checkpoint that waits for an idle time; none: the program that runs the server looks after its store itself.
    idle: Option<Lock<Option<AbortHandle>>>,
}

/// A call that ended in a panic: a defect of the server.
pub(crate) struct CallPanic;

impl Queue {
    /// `checkpoints`: whether the store gets to move its newest notes to where they stay when no call comes.
    pub(crate) fn new(host: Arc<dyn Host>, checkpoints: bool) -> Self {
        Self {
            notes: Arc::new(Mutex::new(Notes::new(host))),
            idle: checkpoints.then(Lock::default),
        }
    }

    /// Does something with the notes when the calls before it are done. A caller that has left does not stop it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Notes) -> T + Send + 'static,
    ) -> Result<T, CallPanic> {
        // Tokio's mutex is fair: whoever asked first gets it first.
        let mut notes = Arc::clone(&self.notes).lock_owned().await;
        let call = tokio::task::spawn_blocking(move || {
            let allowance = notes.allowance();
            let done = match allowance {
                Some(allowance) => allowance.during(|| work(&mut notes)),
                None => work(&mut notes),
            };
            notes.after_call();
            done
        });
        let done = call.await.map_err(|_| CallPanic);
        self.wait_until_idle();
        done
    }

    fn wait_until_idle(&self) {
        let Some(idle) = &self.idle else {
            return;
        };
        let notes = Arc::clone(&self.notes);
        let waiting = tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            let notes = notes.lock_owned().await;
            tokio::task::spawn_blocking(move || notes.when_idle());
        });
        let mut before = idle.lock();
        if let Some(before) = before.replace(waiting.abort_handle()) {
            before.abort();
        }
    }
}
