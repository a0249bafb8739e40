//! Maintains the search index: turns the tail into segments, and merges segments.
//!
//! A write adds nothing to the index. Once enough journal rows follow the last segment, a segment is made of them, and
//! segments are merged ([`super::sizes`]): after the commit of the write that made it due, from a snapshot that holds
//! nobody up ([`build`]). A damaged index is dropped and built again.

use crate::engine::{IndexState, Read, SegmentHead, Transaction};
use crate::error::Result;

use super::Indexing;
use super::build::Builder;
use super::damage::{SearchFailure, SearchResult};
use super::indexed::{Entry, FORMAT};
use super::sizes::due_for_merge;

pub(crate) use super::draft::Draft;

/// The most merges after one sealing: one of each size, and some to spare.
const MERGES: usize = 4;

/// The known state of the index before a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownIndex {
    /// The last position that was known to be indexed.
    pub(crate) indexed: i64,
    /// True if it was found to be damaged.
    pub(crate) is_damaged: bool,
}

impl KnownIndex {
    /// The number of segments that may be built from a snapshot once a write is committed. The write moved the store's
    /// last position from `before` to `after`, with so many `written` revisions. Positions are in one order for all
    /// processes, so only one of them makes the write that fills another tail. If that process fails, the next tail is
    /// due for both. If the index is far behind, every write makes a segment due.
    pub(crate) fn due(
        self,
        indexing: &Indexing,
        (before, after): (i64, i64),
        written: usize,
    ) -> usize {
        let tails = |position: i64| (position - self.indexed) / i64::from(indexing.tail.max(1));
        let is_far_behind = after - self.indexed >= i64::from(indexing.bulk.max(indexing.tail));
        let is_due = self.is_damaged || is_far_behind || tails(after) > tails(before);
        match written > 0 && is_due {
            true => segments_of(indexing, written),
            false => 0,
        }
    }
}

/// One segment a write, and one more for each that a large one fills: a store that was never indexed catches up over
/// several.
fn segments_of(indexing: &Indexing, written: usize) -> usize {
    1 + written / indexing.bulk.max(1) as usize
}

/// Builds one segment, without writing it; none if none is due. `rows` are those of one state.
pub(crate) fn build(rows: &dyn Read, indexing: &Indexing, anew: bool) -> Result<Option<Draft>> {
    let draft = drafted(rows, indexing, anew)?;
    Ok(draft.is_changed().then_some(draft))
}

/// True if the state and the heads of the index, which each write reads, agree.
pub(crate) fn is_whole(state: IndexState, heads: &[SegmentHead]) -> bool {
    state.format != FORMAT || heads.len() == state.segments as usize
}

/// The index with one more segment, if one is due; made from nothing if it is damaged.
fn drafted(rows: &dyn Read, indexing: &Indexing, anew: bool) -> Result<Draft> {
    let mut draft = Draft::of(rows)?;
    if anew {
        draft.start_anew();
    }
    // A second time if the stored index turns out to be damaged.
    for _ in 0..2 {
        if draft.head() - draft.indexed() < i64::from(indexing.tail) {
            break;
        }
        match seal(rows, indexing, &mut draft) {
            Ok(()) => break,
            Err(SearchFailure::Damaged(_)) => draft.start_anew(),
            Err(SearchFailure::Failed(error)) => return Err(error),
        }
    }
    Ok(draft)
}

/// Makes a segment of the rows that are not indexed yet, and merges segments where needed.
fn seal(rows: &dyn Read, indexing: &Indexing, draft: &mut Draft) -> SearchResult<()> {
    let mut builder = Builder::new();
    let mut superseded = Vec::new();
    let indexed = draft.indexed();
    let mut last = indexed;
    rows.each_row(indexed, indexing.bulk as usize, &mut |row| {
        let entry = Entry::of(row);
        last = row.position;
        if entry.is_passed_over() {
            return;
        }
        superseded.extend(row.previous.filter(|previous| *previous <= indexed));
        if entry.is_current() {
            entry.with_document(|document| builder.add(document, &|_| true));
        }
    })?;
    draft.seal(rows, builder, &superseded, last)?;
    for _ in 0..MERGES {
        let Some(run) = due_for_merge(draft.heads(), indexing) else {
            break;
        };
        let run = run.to_vec();
        draft.combine(rows, &run, &[])?;
    }
    Ok(())
}

/// Removes the texts of these journal rows from the index, current or not. No term of theirs stays in a segment unless
/// another note has it. Call it in the transaction that forgets them.
pub(crate) fn forget(tx: &dyn Transaction, positions: &[i64]) -> Result<()> {
    let mut draft = Draft::of(tx)?;
    if draft.is_of_nothing() {
        return Ok(());
    }
    match draft.forget(tx, positions) {
        Ok(()) => {}
        // A segment that cannot be read cannot be cleaned: the index is built anew.
        Err(SearchFailure::Damaged(_)) => draft.start_anew(),
        Err(SearchFailure::Failed(error)) => return Err(error),
    }
    draft.write(tx).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine;
    use crate::sqlite::tests::{conn_of, saved};
    use crate::{AttachedStore, Reader, SearchRequest, Store};

    /// True if any row of the index holds those bytes.
    fn holds(rows: &dyn Read, term: &str) -> bool {
        let found = |bytes: &[u8]| bytes.windows(term.len()).any(|of| of == term.as_bytes());
        let (_, heads) = rows.segments().unwrap();
        heads.iter().any(|head| {
            let all = engine::Blocks::All { segment: head.id };
            found(&rows.segment_notes(head.id).unwrap())
                || rows
                    .blocks(all)
                    .unwrap()
                    .iter()
                    .any(|(first, block)| found(first) || found(block))
        })
    }

    #[test]
    fn what_is_forgotten_leaves_no_term_behind() {
        use crate::engine::{Engine, Writing};

        let indexing = Indexing {
            tail: 4,
            bulk: 4,
            fan_out: 8,
            most: 100,
        };
        let conn = conn_of();
        let store = AttachedStore::attach(&conn)
            .unwrap()
            .with_indexing(indexing);
        saved(&store, "dead", "superseded xyzzyone shared");
        saved(&store, "alive", "current xyzzytwo shared");
        for number in 0..6 {
            saved(&store, &format!("k{number}"), "kept shared words");
        }
        // Sealed, so that the first is dead in its segment and still there.
        for (key, text) in [
            ("dead", "fresh words"),
            ("l", "more"),
            ("m", "more"),
            ("n", "more"),
        ] {
            saved(&store, key, text);
        }
        let rows = store.engine().rows().unwrap();
        assert!(holds(&*rows, "xyzzyone") && holds(&*rows, "xyzzytwo"));
        let engine = store.engine();
        engine
            .write(Writing::Erasing, &mut |tx| forget(tx, &[1, 2]))
            .unwrap();
        for gone in ["xyzzyone", "xyzzytwo", "superseded", "supersed", "current"] {
            assert!(!holds(&*rows, gone), "{gone}");
        }
        assert!(holds(&*rows, "kept") && holds(&*rows, "shared"));
        let hits = |query| store.search(&SearchRequest::new(query)).unwrap().len();
        assert_eq!((hits("xyzzytwo"), hits("shared")), (0, 6));
    }

    #[test]
    fn segments_stay_few_and_none_grows_past_the_cap() {
        use crate::engine::Engine;

        let conn = conn_of();
        let indexing = Indexing {
            tail: 2,
            bulk: 8,
            fan_out: 4,
            most: 40,
        };
        let store = AttachedStore::attach(&conn)
            .unwrap()
            .with_indexing(indexing);
        let heads = || store.engine().rows().unwrap().segments().unwrap().1;
        for number in 0..500 {
            saved(&store, &format!("k{number}"), "some words");
            let heads = heads();
            assert!(heads.iter().all(|head| head.notes <= 40));
            assert!(heads.len() <= 500 / 30 + 3 * 4, "{}", heads.len());
        }
        for number in 0..490 {
            saved(&store, &format!("k{number}"), "other words");
        }
        assert!(heads().iter().all(|head| head.dead * 2 <= head.notes));
        assert!(store.verify().unwrap().is_clean());
    }
}
