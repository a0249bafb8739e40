//! Checkpoints while no client writes: the write-ahead log of a store is moved into its database. No client waits for
//! it then, and the next program that opens the store has no long log to read.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use waynote::Store;

use crate::served_stores::ServedStore;

/// The pause after the last write, before a checkpoint.
const QUIET: Duration = Duration::from_secs(3);

/// The longest pause between two attempts.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs checkpoints for a store while the server runs.
pub(crate) async fn checkpoint_when_quiet(served_store: Arc<ServedStore>) {
    let watched = served_store.store.watched();
    loop {
        watched.is_written().await;
        let mut wait = QUIET;
        loop {
            while timeout(wait, watched.is_written()).await.is_ok() {
                wait = QUIET;
            }
            let store = served_store.store.clone();
            let emptied = tokio::task::spawn_blocking(move || store.checkpoint()).await;
            if let Ok(Ok(true)) = emptied {
                break;
            }
            // A reader still needs a part of the log.
            wait = (2 * wait).min(LONGEST);
        }
    }
}
