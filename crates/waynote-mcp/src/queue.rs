//! Calls are done one at a time, in the order in which they came, on a thread that may block.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::host::Host;
use crate::notes::Notes;

/// Where calls wait for their turn.
pub(crate) struct Queue(Arc<Mutex<Notes>>);

/// A call that ended in a panic: a defect of the server.
pub(crate) struct Panicked;

impl Queue {
    pub(crate) fn new(host: Arc<dyn Host>) -> Self {
        Self(Arc::new(Mutex::new(Notes::new(host))))
    }

    /// Does something with the notes when the calls before it are done. A caller that has left does not stop it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Notes) -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        // Tokio's mutex is fair: whoever asked first gets it first.
        let mut notes = Arc::clone(&self.0).lock_owned().await;
        let call = tokio::task::spawn_blocking(move || {
            let done = work(&mut notes);
            notes.after_call();
            done
        });
        call.await.map_err(|_| Panicked)
    }
}
