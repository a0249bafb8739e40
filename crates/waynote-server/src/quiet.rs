//! The write-ahead log of a store goes into its database when nobody writes: then nobody waits for that, and whoever
//! opens the store next has no long log to read.

use std::time::Duration;

use tokio::time::timeout;
use waynote::Store;

use crate::app::App;

/// After so long without a write nobody is likely to be waiting.
const QUIET: Duration = Duration::from_secs(3);

/// How long it waits at most until it tries again.
const LONGEST: Duration = Duration::from_secs(60);

/// Does that for a store, as long as the server runs.
pub(crate) async fn checkpoint_when_quiet(app: App, name: String) {
    let Some(shelf) = app.shelves.get(&name) else {
        return;
    };
    let watched = shelf.store.watched();
    loop {
        watched.is_written().await;
        let mut wait = QUIET;
        loop {
            while timeout(wait, watched.is_written()).await.is_ok() {
                wait = QUIET;
            }
            let store = shelf.store.clone();
            let emptied = tokio::task::spawn_blocking(move || store.checkpoint()).await;
            if let Ok(Ok(true)) = emptied {
                break;
            }
            // Somebody still reads what is in it.
            wait = (2 * wait).min(LONGEST);
        }
    }
}
