//! The page's cache of a whole store: its scopes, and the last event of each session.
//!
//! Every view shows some of it. Reading it takes longer the more scopes a store has, so the server caches it for each
//! store. Before each use, the feed names the changes since then, and only their scopes and sessions are read again.

mod known;
mod seen;

use std::sync::Arc;

use parking_lot::Mutex;

use waynote::store::{Ask, FeedEntry, FeedPage, Mark};
use waynote::{Reader, Result};

use known::{Known, Touched};
pub(crate) use seen::{OfSession, Seen, tree_key};

/// After more changes than this, everything is read again.
const CHANGES: usize = 200;

/// The cache of one store.
#[derive(Default)]
pub(crate) struct Overview {
    kept: Mutex<Option<Arc<Known>>>,
    /// The number of notes that were worth a look when somebody last looked: finding them reads every note.
    pub(crate) worth: Mutex<Option<usize>>,
}

impl Overview {
    /// The store's scopes and sessions as they are now.
    ///
    /// # Errors
    /// Those of [`Reader::read`].
    pub(super) fn now(&self, store: &dyn Reader) -> Result<Arc<Known>> {
        // The lock is held while the store is read: two requests at the same time would read the same.
        let mut kept = self.kept.lock();
        let known = match kept.take() {
            Some(known) => renewed(store, known)?,
            None => None,
        };
        let known = match known {
            Some(known) => known,
            None => Arc::new(Known::read(store)?),
        };
        // An answer with damage is not cached: the damage may be repaired without an entry in the feed.
        if !known.is_damaged() {
            *kept = Some(known.clone());
        }
        Ok(known)
    }
}

/// The cache with the changes since then; none if everything has to be read again.
fn renewed(store: &dyn Reader, mut known: Arc<Known>) -> Result<Option<Arc<Known>>> {
    let answers = store.read(&Ask {
        feed: vec![FeedPage {
            after: known.at().before(),
            limit: CHANGES + 1,
        }],
        store_id: true,
        ..Ask::default()
    });
    // The feed cannot be read if a change in it is damaged. The list of scopes can be read without it.
    let Ok(mut answers) = answers else {
        return Ok(None);
    };
    let mut feed: Vec<FeedEntry> = answers.feed.pop().unwrap_or_default();
    let id = answers.store_id;
    // A store that was restored to an earlier state has another item at the cached point, or none.
    if feed.len() > CHANGES || !known.follows(id, feed.first()) {
        return Ok(None);
    }
    feed.retain(|item| item.at > known.at());
    if let Some(last) = feed.last() {
        let to = (last.at, Mark::of(id, last));
        Arc::make_mut(&mut known).read_again(store, Touched::by(&feed), to)?;
    }
    Ok(Some(known))
}
