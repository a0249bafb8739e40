//! Notifications for feeds of stores that were written. One task polls the heads of all stores that have a feed. It
//! polls nothing while there is no feed.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use waynote::Version;
use waynote::store::Reader;

use crate::app::App;

/// The time between two polls.
const INTERVAL: Duration = Duration::from_millis(250);

/// The notifications of one store.
pub(crate) struct WriteNotifier {
    /// Counts the times at which a write is possible.
    writes: watch::Sender<u64>,
    /// Wakes the task that runs checkpoints. It is separate, because each receiver of `writes` counts as a reader of
    /// the feed.
    written: Notify,
    watcher: Arc<Watcher>,
}

impl WriteNotifier {
    pub(crate) fn new(watcher: Arc<Watcher>) -> Self {
        Self {
            writes: watch::Sender::new(0),
            written: Notify::new(),
            watcher,
        }
    }

    /// Says that the store may have been written.
    pub(crate) fn tell(&self) {
        self.writes.send_modify(|writes| *writes += 1);
        self.written.notify_one();
    }

    /// Waits until the store may have been written since the last wait. Only one task may wait.
    pub(crate) async fn is_written(&self) {
        self.written.notified().await;
    }

    /// A receiver of the notifications from now on.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        let news = self.writes.subscribe();
        self.watcher.someone.notify_one();
        news
    }

    fn is_watched(&self) -> bool {
        self.writes.receiver_count() > 0
    }
}

/// Wakes the polling task when a feed begins.
#[derive(Default)]
pub(crate) struct Watcher {
    someone: Notify,
}

/// Polls the heads of stores with feeds while the server runs.
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
                // The next feed begins with the state of that time.
                *known = None;
                continue;
            }
            let (store, database) = (shelf.store.clone(), shelf.database.clone());
            let polled = move || match database {
                Some(database) => database.polled(),
                None => store.version(),
            };
            // A store that cannot be read is polled again.
            let Ok(Ok(version)) = tokio::task::spawn_blocking(polled).await else {
                continue;
            };
            // On the first poll, the store may have been written since the feed began to read.
            if known.replace(version) != Some(version) {
                shelf.store.watched().tell();
            }
        }
    }
}
