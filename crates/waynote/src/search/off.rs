//! Stand-in for the feature `search`, when it is off: the index does not grow, and searches are refused.
//!
//! A program with the feature continues where the index ends, or builds it again.

use crate::error::{Error, Result};
use crate::note::Note;

use super::{Hit, SearchRequest};

const REFUSED: Error = Error::NotBuiltIn { feature: "search" };

pub(crate) fn among(_: &[Note], _: &SearchRequest) -> Result<Vec<Hit>> {
    Err(REFUSED)
}

pub(crate) fn is_stop_word(_: &str) -> bool {
    false
}

pub(crate) mod indexed {
    use std::sync::Mutex;

    use super::{Hit, Note, REFUSED, Result, SearchRequest};
    use crate::engine::Read;

    /// Nothing is kept between searches.
    #[derive(Default)]
    pub(crate) struct Cache;

    pub(crate) fn search(
        _: &dyn Read,
        _: &Mutex<Cache>,
        _: &dyn Fn() -> String,
        _: &SearchRequest,
        _: &[Note],
    ) -> Result<Vec<Hit>> {
        Err(REFUSED)
    }
}

pub(crate) mod upkeep {
    use super::Result;
    use crate::engine::{IndexState, Read, Transaction};
    use crate::note::Position;
    use crate::search::Indexing;

    /// Seals nothing.
    pub(crate) fn keep_up(
        _: &dyn Transaction,
        _: &Indexing,
        indexed: i64,
        _: Position,
        _: usize,
    ) -> Result<i64> {
        Ok(indexed)
    }

    /// Removes an index that another program made, because it may contain words of the forgotten text.
    pub(crate) fn forget(tx: &dyn Transaction, _: &[i64]) -> Result<()> {
        let rows: &dyn Read = tx;
        let (state, heads) = rows.segments()?;
        if state.is_new(&heads) {
            return Ok(());
        }
        let ids: Vec<i64> = heads.iter().map(|head| head.id).collect();
        tx.remove_segments(&ids)?;
        tx.put_index(IndexState {
            indexed: 0,
            segments: 0,
            ..state
        })
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
