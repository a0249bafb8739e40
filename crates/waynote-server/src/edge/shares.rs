//! What each caller has a share of: requests that run at one time, feeds, searches.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::rate::Key;

/// The number of callers that are kept before those without a share are dropped.
const MOST: usize = 4096;

/// So many for each caller at one time.
pub(crate) struct Shares {
    most: usize,
    of: Mutex<HashMap<Key, Arc<Semaphore>>>,
}

/// One share, until it is dropped.
pub(crate) type Share = OwnedSemaphorePermit;

impl Shares {
    /// 0: no limit.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most: permits(most),
            of: Mutex::default(),
        }
    }

    fn of(&self, key: Key) -> Arc<Semaphore> {
        let mut of = self.of.lock();
        if of.len() >= MOST && !of.contains_key(&key) {
            of.retain(|_, shares| shares.available_permits() < self.most);
        }
        let new = || Arc::new(Semaphore::new(self.most));
        Arc::clone(of.entry(key).or_insert_with(new))
    }

    /// A share, when there is one.
    pub(crate) async fn wait(&self, key: Key) -> Option<Share> {
        self.of(key).acquire_owned().await.ok()
    }

    /// A share, if there is one now.
    pub(crate) fn take(&self, key: Key) -> Option<Share> {
        self.of(key).try_acquire_owned().ok()
    }
}

/// So many permits; 0: no limit.
pub(crate) fn permits(most: usize) -> usize {
    match most {
        0 => Semaphore::MAX_PERMITS,
        most => most.min(Semaphore::MAX_PERMITS),
    }
}
