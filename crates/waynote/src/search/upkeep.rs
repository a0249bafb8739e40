//! Maintains the search index: turns the tail into segments, and merges segments.
//!
//! A write adds nothing to the index. Once enough journal rows follow the last segment, the next write makes a segment
//! of them, inside its transaction. Eight neighbours of one size are merged into one of the next size, up to a limit,
//! so that no write takes long. A damaged index is dropped and built again.

use std::collections::BTreeMap;

use crate::engine::{self, IndexState, Read, SegmentHead, Transaction};
use crate::error::{Error, Result};
use crate::note::Position;

use super::Indexing;
use super::block::Block;
use super::build::Builder;
use super::damage::{Damage, Looked, Stopped};
use super::docs::Docs;
use super::indexed::{Entry, FORMAT};
use super::merge::{Input, merge};

impl Indexing {
    /// Whether a segment of so many notes is left as it is.
    fn is_full(&self, notes: usize) -> bool {
        notes * 4 > self.most * 3
    }
}

/// The most merges after one sealing: one of each size, and some to spare.
const MERGES: usize = 4;

/// What is known of the index before a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// How far it was known to reach.
    pub(crate) indexed: i64,
    /// Whether it was found to be damaged.
    pub(crate) is_damaged: bool,
}

/// Seals what is due after so many `written` revisions, the last change of the store being at `position`. A damaged
/// index is built again. Returns how far it is known to reach now.
pub(crate) fn keep_up(
    tx: &dyn Transaction,
    indexing: &Indexing,
    known: Known,
    position: Position,
    written: usize,
) -> Result<i64> {
    let position = position.number();
    let is_due = position - known.indexed >= i64::from(indexing.tail);
    if written == 0 || !(is_due || known.is_damaged) {
        return Ok(known.indexed);
    }
    let rows: &dyn Read = tx;
    let mut state = match known.is_damaged {
        true => reset(tx)?,
        false => match rows.index() {
            Err(Error::DamagedIndex { .. }) => reset(tx)?,
            state => state?,
        },
    };
    if state.format != FORMAT {
        state = reset(tx)?;
    }
    // One segment a write, and one more for each that a large one fills: a store that was never indexed catches up over
    // several.
    let segments = 1 + written / indexing.bulk.max(1) as usize;
    for _ in 0..segments {
        if position - state.indexed < i64::from(indexing.tail) {
            break;
        }
        state = sealed(tx, indexing, state)?;
    }
    Ok(state.indexed)
}

/// Seals one segment, or starts anew where the index is damaged: searching does without it until it is made again.
fn sealed(tx: &dyn Transaction, indexing: &Indexing, state: IndexState) -> Result<IndexState> {
    match seal(tx, indexing, state) {
        Ok(state) => Ok(state),
        Err(Stopped::Damaged(_)) => reset(tx),
        Err(Stopped::Failed(error)) => Err(error),
    }
}

/// Throws the index away and makes its first segments, as many as one write should take. Whether more are left to make.
pub(crate) fn rebuild(tx: &dyn Transaction, indexing: &Indexing, anew: bool) -> Result<bool> {
    const SEGMENTS: usize = 4;
    let rows: &dyn Read = tx;
    let position = rows.version()?.head();
    let mut state = if anew { reset(tx)? } else { rows.index()? };
    for _ in 0..SEGMENTS {
        if position - state.indexed < i64::from(indexing.tail) {
            return Ok(false);
        }
        state = sealed(tx, indexing, state)?;
    }
    Ok(true)
}

/// Whether the rows of the index that each write could look at agree.
pub(crate) fn is_whole(state: IndexState, heads: &[SegmentHead]) -> bool {
    state.format != FORMAT || heads.len() == state.segments as usize
}

/// Drops the index. Later writes build it again.
fn reset(tx: &dyn Transaction) -> Result<IndexState> {
    tx.clear_index()?;
    let state = IndexState {
        format: FORMAT,
        indexed: 0,
        segments: 0,
    };
    tx.put_index(state)?;
    Ok(state)
}

/// Makes a segment of the rows that are not indexed yet, and merges segments where needed.
fn seal(tx: &dyn Transaction, indexing: &Indexing, state: IndexState) -> Looked<IndexState> {
    let rows: &dyn Read = tx;
    let (_, heads) = rows.segments()?;
    if heads.len() != state.segments as usize {
        return Err(Damage("a segment is missing").into());
    }
    let mut builder = Builder::new();
    let mut superseded = Vec::new();
    let mut last = state.indexed;
    rows.each_row(state.indexed, indexing.bulk as usize, &mut |row| {
        let entry = Entry::of(row);
        last = row.position;
        if entry.is_passed_over() {
            return true;
        }
        superseded.extend(row.previous.filter(|previous| *previous <= state.indexed));
        if entry.is_current() {
            entry.with_document(|document| builder.add(document, &|_| true));
        }
        true
    })?;
    bury(tx, &heads, &superseded)?;
    if builder.len() > 0 {
        let (docs, blocks) = builder.finish()?;
        insert(tx, docs, blocks)?;
    }
    for _ in 0..MERGES {
        let (_, heads) = rows.segments()?;
        let Some(run) = due_for_merge(&heads, indexing) else {
            break;
        };
        combine(tx, run, &[])?;
    }
    Ok(put_state(tx, last)?)
}

/// Records how far the index reaches and how many segments it has, so that a lost segment is noticed.
fn put_state(tx: &dyn Transaction, indexed: i64) -> Result<IndexState> {
    let rows: &dyn Read = tx;
    let (_, heads) = rows.segments()?;
    let state = IndexState {
        format: FORMAT,
        indexed,
        segments: u32::try_from(heads.len()).unwrap_or(u32::MAX),
    };
    tx.put_index(state)?;
    Ok(state)
}

fn insert(tx: &dyn Transaction, docs: Vec<u8>, blocks: Vec<Block>) -> Looked<()> {
    let docs = Docs::new(docs)?;
    let Some(last) = docs.len().checked_sub(1) else {
        return Ok(());
    };
    let head = SegmentHead {
        id: 0,
        first: docs.position(0),
        last: docs.position(last),
        notes: u32::try_from(docs.len()).unwrap_or(u32::MAX),
        checksum: docs.checksum(),
        dead: 0,
        dead_bits: Vec::new(),
    };
    let blocks: Vec<(Vec<u8>, Vec<u8>)> = blocks
        .into_iter()
        .map(|block| (block.first, block.bytes))
        .collect();
    Ok(tx.put_segment(&head, docs.as_bytes(), &blocks)?)
}

/// The notes in segments that these rows replace.
fn bury(tx: &dyn Transaction, heads: &[SegmentHead], superseded: &[i64]) -> Looked<()> {
    let mut buried: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for position in superseded {
        let holds = |head: &SegmentHead| head.first <= *position && *position <= head.last;
        // One without a segment was superseded before it was ever indexed.
        if let Some(index) = heads.iter().position(holds) {
            buried.entry(index).or_default().push(*position);
        }
    }
    for (index, positions) in buried {
        let head = &heads[index];
        let docs = segment_docs(tx, head.id)?;
        let mut bits = head.dead_bits.clone();
        bits.resize(docs.len().div_ceil(8), 0);
        for position in positions {
            if let Some(doc) = docs.find(position) {
                bits[doc / 8] |= 1 << (doc % 8);
            }
        }
        let count: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
        if count > 0 {
            tx.put_dead(head.id, count, &bits)?;
        }
    }
    Ok(())
}

pub(crate) fn segment_docs(rows: &dyn Read, segment: i64) -> Looked<Docs> {
    Ok(Docs::new(rows.segment_notes(segment)?)?)
}

/// Which neighbouring segments to merge, or which segment to rewrite because most of its notes are dead.
fn due_for_merge<'h>(heads: &'h [SegmentHead], indexing: &Indexing) -> Option<&'h [SegmentHead]> {
    if let Some(head) = heads.iter().find(|head| head.dead * 2 > head.notes) {
        return Some(std::slice::from_ref(head));
    }
    let live = |run: &[SegmentHead]| -> usize { run.iter().map(live).sum() };
    let sizes: Vec<u32> = heads.iter().map(|head| size(head, indexing)).collect();
    let fan_out = indexing.fan_out.max(2);
    for end in (1..=heads.len()).rev() {
        // Neighbours of a size: as many as one merge takes, or as fill a segment.
        let same = sizes[..end]
            .iter()
            .rev()
            .take_while(|size| **size == sizes[end - 1]);
        let run = &heads[end - same.count().min(fan_out)..end];
        let fills = indexing.is_full(live(run));
        let is_full = sizes[end - 1] == u32::MAX;
        if run.len() > 1
            && !is_full
            && (run.len() == fan_out || fills)
            && live(run) <= indexing.most
        {
            return Some(run);
        }
        // Smaller ones before a larger one have no more to wait for.
        let Some(after) = sizes.get(end) else {
            continue;
        };
        let smaller = sizes[..end]
            .iter()
            .rev()
            .take_while(|size| *size < after)
            .count();
        let start = end - smaller.min(fan_out);
        let with_next = &heads[start..(end + 1).min(heads.len())];
        let run = &heads[start..end];
        if let Some(run) = [run, with_next]
            .into_iter()
            .find(|run| smaller > 0 && run.len() > 1 && live(run) <= indexing.most)
        {
            return Some(run);
        }
    }
    None
}

fn live(head: &SegmentHead) -> usize {
    head.notes.saturating_sub(head.dead) as usize
}

/// The size class of a segment. Each class is `fan_out` times as large as the one before; a full segment has the last.
fn size(head: &SegmentHead, indexing: &Indexing) -> u32 {
    if indexing.is_full(live(head)) {
        return u32::MAX;
    }
    let (mut size, mut holds) = (0, 2 * indexing.tail as usize);
    while live(head) > holds {
        holds = holds.saturating_mul(indexing.fan_out.max(2));
        size += 1;
    }
    size
}

/// Merges neighbouring segments into one, without dead notes and without these rows.
fn combine(tx: &dyn Transaction, run: &[SegmentHead], without: &[i64]) -> Looked<()> {
    let rows: &dyn Read = tx;
    let mut inputs = Vec::with_capacity(run.len());
    for head in run {
        let docs = segment_docs(rows, head.id)?;
        let is_dead = |doc: usize| {
            let bits = head.dead_bits.get(doc / 8);
            bits.is_some_and(|bits| bits >> (doc % 8) & 1 != 0)
        };
        let stays = docs
            .positions()
            .enumerate()
            .map(|(doc, position)| !is_dead(doc) && !without.contains(&position))
            .collect();
        let blocks = rows.blocks(engine::Blocks::All { segment: head.id })?;
        inputs.push(Input {
            docs,
            stays,
            blocks: blocks.into_iter().map(|(_, block)| block).collect(),
        });
    }
    let merged = merge(&inputs)?;
    drop(inputs);
    let ids: Vec<i64> = run.iter().map(|head| head.id).collect();
    tx.remove_segments(&ids)?;
    match merged {
        Some((docs, blocks)) => insert(tx, docs, blocks),
        None => Ok(()),
    }
}

/// Removes the texts of these journal rows from the index, current or not. No term of theirs stays in a segment unless
/// another note has it. Call it in the transaction that forgets them.
pub(crate) fn forget(tx: &dyn Transaction, positions: &[i64]) -> Result<()> {
    let rows: &dyn Read = tx;
    let (state, heads) = match rows.segments() {
        Err(Error::DamagedIndex { .. }) => return reset(tx).map(|_| ()),
        found => found?,
    };
    if state.is_new(&heads) {
        return Ok(());
    }
    // What cannot be read cannot be cleaned.
    if state.format != FORMAT || heads.len() != state.segments as usize {
        return reset(tx).map(|_| ());
    }
    for head in heads {
        let rewritten = segment_docs(rows, head.id).and_then(|docs| {
            let is_in = |position: &i64| docs.find(*position).is_some();
            match positions.iter().any(is_in) {
                true => combine(tx, std::slice::from_ref(&head), positions),
                false => Ok(()),
            }
        });
        match rewritten {
            Ok(()) => {}
            Err(Stopped::Damaged(_)) => return reset(tx).map(|_| ()),
            Err(Stopped::Failed(error)) => return Err(error),
        }
    }
    put_state(tx, state.indexed).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::tests::{conn_of, saved};
    use crate::{AttachedStore, Reader, SearchRequest, Store};

    /// Whether any row of the index holds those bytes.
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
