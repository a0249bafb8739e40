//! Stand-in for the feature `search`, when it is off: the index does not grow, and searches are refused.
//!
//! A program with the feature continues where the index ends, or builds it again.

use crate::error::{Error, Result};
use crate::note::Note;

use super::{Hit, SearchRequest};

const REFUSED: Error = Error::NotBuiltIn {
    feature: std::borrow::Cow::Borrowed("search"),
};

/// Refused: the search was not built in.
///
/// # Errors
/// [`Error::NotBuiltIn`].
pub fn among(_: &[Note], _: &SearchRequest) -> Result<Vec<Hit>> {
    Err(REFUSED)
}

pub(crate) fn is_stop_word(_: &str) -> bool {
    false
}

pub(crate) mod indexed {
    use parking_lot::Mutex;

    use super::{Hit, Note, REFUSED, Result, SearchRequest};
    use crate::engine::Read;

    /// Nothing is kept between searches.
    #[derive(Default)]
    pub(crate) struct Cache;

    pub(crate) fn search(
        _: &dyn Read,
        _: &Mutex<Cache>,
        _: &dyn Fn() -> String,
        _: &Mutex<crate::search::damage_notice::DamageNotice>,
        _: &SearchRequest,
        _: &[Note],
    ) -> Result<Vec<Hit>> {
        Err(REFUSED)
    }
}

pub(crate) mod upkeep {
    use super::{REFUSED, Result};
    use crate::engine::{IndexChange, IndexState, Read, SegmentHead, Transaction};
    use crate::error::Error;
    use crate::note::Position;
    use crate::search::Indexing;

    /// The known state of the index before a write.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct KnownIndex {
        pub(crate) indexed: i64,
        pub(crate) is_damaged: bool,
    }

    impl KnownIndex {
        /// Nothing is ever due.
        pub(crate) fn due(self, _: &Indexing, _: (i64, i64), _: usize) -> usize {
            0
        }
    }

    /// There is none.
    pub(crate) enum Draft {}

    impl Draft {
        pub(crate) fn still_fits(&self, _: &dyn Read) -> Result<bool> {
            match *self {}
        }

        pub(crate) fn write(&self, _: &dyn Transaction) -> Result<IndexState> {
            match *self {}
        }
    }

    pub(crate) fn build(_: &dyn Read, _: &Indexing, _: bool) -> Result<Option<Draft>> {
        Err(REFUSED)
    }

    /// A program with the feature finds it out.
    pub(crate) fn is_whole(_: IndexState, _: &[SegmentHead]) -> bool {
        true
    }

    pub(crate) fn rebuild(_: &dyn Transaction, _: &Indexing, _: bool) -> Result<bool> {
        Err(REFUSED)
    }

    /// Seals nothing.
    pub(crate) fn keep_up(
        tx: &dyn Transaction,
        _: &Indexing,
        known: KnownIndex,
        _: Position,
        _: usize,
    ) -> Result<i64> {
        if known.is_damaged {
            clear(tx, IndexState::default())?;
        }
        Ok(known.indexed)
    }

    fn clear(tx: &dyn Transaction, state: IndexState) -> Result<()> {
        let state = IndexState {
            indexed: 0,
            segments: 0,
            ..state
        };
        tx.put_index(&[IndexChange::Cleared, IndexChange::State(state)])
    }

    /// Throws away an index that another program made: it may hold words of forgotten texts.
    pub(crate) fn forget(tx: &dyn Transaction, _: &[i64]) -> Result<()> {
        let rows: &dyn Read = tx;
        match rows.segments() {
            Err(Error::DamagedIndex { .. }) => clear(tx, IndexState::default()),
            Ok((state, heads)) if state.is_new(&heads) => Ok(()),
            Ok((state, _)) => clear(tx, state),
            Err(error) => Err(error),
        }
    }
}

pub(crate) mod verify {
    use super::Result;
    use crate::engine::Read;
    use crate::model::report::Report;

    /// Checks nothing: without the feature the index cannot be read.
    pub(crate) fn verify(_: &dyn Read, _: &mut Report) -> Result<()> {
        Ok(())
    }
}
