//! News for feeds: which stores have been written. One task asks the heads of all stores that somebody watches; nothing
//! is asked while nobody does.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use waynote::Version;
use waynote::store::Reader;

use crate::app::App;

/// How often the heads of stores are asked.
const INTERVAL: Duration = Duration::from_millis(250);

/// News of one store.
pub(crate) struct Watched {
    /// Counts the times at which something may have been written.
    writes: watch::Sender<u64>,
    /// Wakes the task that empties the log when nobody writes. Each receiver of `writes` counts as a reader of the
    /// feed.
    written: Notify,
    watcher: Arc<Watcher>,
}

impl Watched {
    pub(crate) fn new(watcher: Arc<Watcher>) -> Self {
        Self {
            writes: watch::Sender::new(0),
            written: Notify::new(),
            watcher,
        }
    }

    /// Something may have been written.
    pub(crate) fn tell(&self) {
        self.writes.send_modify(|writes| *writes += 1);
        self.written.notify_one();
    }

    /// Waits until something may have been written, since this was last waited for by the one task that does.
    pub(crate) async fn is_written(&self) {
        self.written.notified().await;
    }

    /// News from now on.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        let news = self.writes.subscribe();
        self.watcher.someone.notify_one();
        news
    }

    fn is_watched(&self) -> bool {
        self.writes.receiver_count() > 0
    }
}

/// Wakes the task when somebody begins to watch.
#[derive(Default)]
pub(crate) struct Watcher {
    someone: Notify,
}

/// Asks the heads of watched stores, as long as the server runs.
pub(crate) async fn watch(app: App) {
    let mut known: Vec<Option<Version>> = vec![None; app.shelves.len()];
    loop {
        let is_watched = app
            .shelves
            .values()
            .any(|shelf| shelf.store.watched().is_watched());
        if is_watched {
            tokio::time::sleep(INTERVAL).await;
        } else {
            app.watcher.someone.notified().await;
        }
        for (shelf, known) in app.shelves.values().zip(&mut known) {
            if !shelf.store.watched().is_watched() {
                // Whoever comes next begins with what is there then.
                *known = None;
                continue;
            }
            let store = shelf.store.clone();
            // A store that cannot be read is asked again.
            let Ok(Ok(version)) = tokio::task::spawn_blocking(move || store.version()).await else {
                continue;
            };
            // The first time, something may have been written since the feed began to read.
            if known.replace(version) != Some(version) {
                shelf.store.watched().tell();
            }
        }
    }
}
