//! Notifications for feeds of stores that were written. One task polls the heads of all stores that have a feed. It
//! polls nothing while there is no feed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use waynote::Version;
use waynote::store::Reader;

use crate::app::App;
use crate::served_stores::ServedStore;

/// The time between two polls.
const INTERVAL: Duration = Duration::from_millis(250);

/// The notifications of one store.
pub(crate) struct WriteNotifier {
    /// Counts the times at which a write is possible.
    writes: watch::Sender<u64>,
    /// Wakes the task that runs checkpoints. It is separate, because each receiver of `writes` counts as a reader of
    /// the feed.
    written: Notify,
    /// The version at the last poll, while there is a feed.
    known: Mutex<Option<Version>>,
    feed_begins: Arc<Notify>,
}

impl WriteNotifier {
    pub(crate) fn new(feed_begins: Arc<Notify>) -> Self {
        Self {
            writes: watch::Sender::new(0),
            written: Notify::new(),
            known: Mutex::default(),
            feed_begins,
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
        if !self.is_watched() {
            // The feed begins with the state of this time.
            *self.known.lock() = None;
        }
        let news = self.writes.subscribe();
        self.feed_begins.notify_one();
        news
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.writes.receiver_count() > 0
    }
}

/// Polls the heads of stores with feeds while the server runs. The stores of the database wait for it alone.
pub(crate) async fn watch(app: App) {
    let mut polls: HashMap<String, JoinHandle<()>> = HashMap::new();
    loop {
        let is_watched =
            |served_store: &Arc<ServedStore>| served_store.store.watched().is_watched();
        match app.served_stores.all().iter().any(is_watched) {
            true => tokio::time::sleep(INTERVAL).await,
            false => app.feed_begins.notified().await,
        }
        let mut watched: HashMap<String, Vec<Arc<ServedStore>>> = HashMap::new();
        for served_store in app.served_stores.all().into_iter().filter(is_watched) {
            let of = served_store.label("").to_owned();
            watched.entry(of).or_default().push(served_store);
        }
        for (of, served_stores) in watched {
            if polls.get(&of).is_none_or(JoinHandle::is_finished) {
                let poll = tokio::task::spawn_blocking(move || served_stores.iter().for_each(poll));
                polls.insert(of, poll);
            }
        }
    }
}

/// Tells the feeds of a store if it was written. A store that cannot be read is polled again.
fn poll(served_store: &Arc<ServedStore>) {
    let polled = served_store.store.version();
    let watched = served_store.store.watched();
    // On the first poll, the store may have been written since the feed began to read.
    if let Ok(version) = polled
        && watched.known.lock().replace(version) != Some(version)
    {
        watched.tell();
    }
}
