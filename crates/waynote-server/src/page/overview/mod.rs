//! The page's cache of a whole store: its scopes, and the last event of each session.
//!
//! Every view shows some of it. Reading it takes longer the more scopes a store has, so the server caches it for each
//! store. Before each use, the feed names the changes since then, and only their scopes and sessions are read again.

mod known;
mod seen;

use std::sync::Arc;

use parking_lot::Mutex;

use waynote::store::{Ask, Cursor, FeedEntry, FeedPage};
use waynote::{Reader, Result};

use known::{Known, Touched};
pub(crate) use seen::{OfSession, Seen, tree_key};

/// After more changes than this, everything is read again.
const CHANGES: usize = 200;

/// The cache of one store.
#[derive(Default)]
pub(crate) struct Overview {
    kept: Mutex<Option<Arc<Known>>>,
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
            after: known.at(),
            limit: CHANGES,
        }],
        version: true,
        ..Ask::default()
    });
    // The feed cannot be read if a change in it is damaged. The list of scopes can be read without it.
    let Ok(mut answers) = answers else {
        return Ok(None);
    };
    let feed: Vec<FeedEntry> = answers.feed.pop().unwrap_or_default();
    let head = answers.version.position.map_or(Cursor::START, Cursor::at);
    // The feed of a store that was restored to an earlier state ends before the cached point.
    if feed.len() >= CHANGES || head.position < known.at().position {
        return Ok(None);
    }
    if let Some(last) = feed.last() {
        let touched = Touched::by(&feed);
        Arc::make_mut(&mut known).read_again(store, touched, last.at)?;
    }
    Ok(Some(known))
}
