//! Stopping a server: no new connections, streams end, and requests that are running are answered.

use std::sync::Arc;

use tokio::sync::watch;

/// Stops a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper {
    said: Arc<watch::Sender<bool>>,
}

impl Stopper {
    pub(crate) fn new() -> Self {
        Self {
            said: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Tells the server to stop. [`BoundServer::run`](crate::BoundServer::run) returns when it has.
    pub fn stop(&self) {
        self.said.send_replace(true);
    }

    /// True if the server was told to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.said.borrow()
    }

    /// Returns when the server is told to stop.
    pub(crate) async fn stopped(&self) {
        let mut said = self.said.subscribe();
        // The sender is ours, so it is not gone.
        let _ = said.wait_for(|said| *said).await;
    }
}
