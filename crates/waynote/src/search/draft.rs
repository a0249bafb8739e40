//! The index as it is to be: the stored segments, and changes to them that are not written yet.
//!
//! A draft is read through one handle and written through another one, perhaps later. So segments can be built without
//! keeping any writer waiting. Before it is written then, [`Draft::still_fits`] checks that the stored index has not
//! changed and that nothing was forgotten since.

use std::collections::{BTreeMap, HashMap};

use crate::engine::{Ask, Blocks, IndexChange, IndexState, Read, SegmentHead, Transaction};
use crate::error::{Error, Result};
use crate::store;

use super::block::Block;
use super::build::Builder;
use super::damage::{Damage, SearchResult};
use super::docs::Docs;
use super::indexed::FORMAT;
use super::merge::{Input, merge};

/// The state of the index and the heads of its segments; none if they cannot be read.
type StoredIndex = Option<(IndexState, Vec<SegmentHead>)>;

/// The index as it is to be.
pub(crate) struct Draft {
    /// The position of the store's last change when the index was read.
    head: i64,
    /// The index as it was read.
    stored: StoredIndex,
    /// True if all stored segments are thrown away first.
    is_anew: bool,
    indexed: i64,
    /// By first position. A segment that is not stored yet has a negative id.
    heads: Vec<SegmentHead>,
    /// The segments that are not stored yet, by id.
    made: HashMap<i64, UnsavedSegment>,
    last_made: i64,
}

/// A segment that is not stored yet.
struct UnsavedSegment {
    docs: Docs,
    blocks: Vec<Block>,
}

impl Draft {
    /// Reads the index. One that is damaged, or that another program made, is thrown away.
    pub(super) fn of(rows: &dyn Read) -> Result<Self> {
        let ask = Ask {
            store: store::Ask {
                version: true,
                ..store::Ask::default()
            },
            index: true,
            segments: true,
            ..Ask::default()
        };
        let (head, stored) = match rows.read(&ask) {
            Ok(rows) => (rows.store.version.head(), Some((rows.index, rows.segments))),
            Err(Error::DamagedIndex { .. }) => (rows.version()?.head(), None),
            Err(error) => return Err(error),
        };
        let mut draft = Self {
            head,
            is_anew: false,
            indexed: 0,
            heads: Vec::new(),
            made: HashMap::new(),
            last_made: 0,
            stored,
        };
        match &draft.stored {
            Some((state, heads))
                if state.format == FORMAT && heads.len() == state.segments as usize =>
            {
                draft.indexed = state.indexed;
                draft.heads.clone_from(heads);
            }
            _ => draft.start_anew(),
        }
        Ok(draft)
    }

    /// Throws away the stored segments and the new ones.
    pub(super) fn start_anew(&mut self) {
        self.is_anew = true;
        self.indexed = 0;
        self.heads.clear();
        self.made.clear();
    }

    /// True if there is anything to write.
    pub(crate) fn is_changed(&self) -> bool {
        let stored = self.stored.as_ref();
        self.is_anew || stored.is_none_or(|(state, _)| state.indexed != self.indexed)
    }

    /// True if nothing is stored, so that nothing is indexed either.
    pub(super) fn is_of_nothing(&self) -> bool {
        let stored = self.stored.as_ref();
        stored.is_some_and(|(state, heads)| state.is_new(heads))
    }

    /// The position of the store's last change when the index was read.
    pub(super) fn head(&self) -> i64 {
        self.head
    }

    pub(super) fn indexed(&self) -> i64 {
        self.indexed
    }

    pub(super) fn heads(&self) -> &[SegmentHead] {
        &self.heads
    }

    /// Takes in the rows after the indexed ones, up to a position: its current notes, and the older rows that it
    /// replaces.
    pub(super) fn seal(
        &mut self,
        rows: &dyn Read,
        builder: Builder,
        superseded: &[i64],
        last: i64,
    ) -> SearchResult<()> {
        self.bury(rows, superseded)?;
        if builder.len() > 0 {
            let (docs, blocks) = builder.finish()?;
            self.add(docs, blocks)?;
        }
        self.indexed = last;
        Ok(())
    }

    /// Marks the notes in segments that later rows replace as dead.
    fn bury(&mut self, rows: &dyn Read, superseded: &[i64]) -> SearchResult<()> {
        let mut buried: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
        for position in superseded {
            let holds = |head: &SegmentHead| head.first <= *position && *position <= head.last;
            // One without a segment was superseded before it was ever indexed.
            if let Some(index) = self.heads.iter().position(holds) {
                buried.entry(index).or_default().push(*position);
            }
        }
        for (index, positions) in buried {
            let head = &mut self.heads[index];
            let read;
            let docs = match self.made.get(&head.id) {
                Some(made) => &made.docs,
                None => {
                    read = segment_docs(rows, head.id)?;
                    &read
                }
            };
            let mut bits = head.dead_bits.clone();
            bits.resize(docs.len().div_ceil(8), 0);
            for position in positions {
                if let Some(doc) = docs.find(position) {
                    bits[doc / 8] |= 1 << (doc % 8);
                }
            }
            let count: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
            if count > 0 {
                head.dead = count;
                head.dead_bits = bits;
            }
        }
        Ok(())
    }

    /// Adds a segment.
    fn add(&mut self, docs: Vec<u8>, blocks: Vec<Block>) -> SearchResult<()> {
        let docs = Docs::new(docs)?;
        let Some(last) = docs.len().checked_sub(1) else {
            return Ok(());
        };
        self.last_made -= 1;
        let head = SegmentHead {
            id: self.last_made,
            first: docs.position(0),
            last: docs.position(last),
            notes: u32::try_from(docs.len()).unwrap_or(u32::MAX),
            checksum: docs.checksum(),
            dead: 0,
            dead_bits: Vec::new(),
        };
        let at = self.heads.partition_point(|other| other.first < head.first);
        self.heads.insert(at, head);
        self.made
            .insert(self.last_made, UnsavedSegment { docs, blocks });
        Ok(())
    }

    /// Makes one segment of neighbouring ones, without dead notes and without these rows.
    pub(super) fn combine(
        &mut self,
        rows: &dyn Read,
        run: &[SegmentHead],
        without: &[i64],
    ) -> SearchResult<()> {
        let mut inputs = Vec::with_capacity(run.len());
        for (head, (docs, blocks)) in run.iter().zip(self.take(rows, run)?) {
            let is_dead = |doc: usize| {
                let bits = head.dead_bits.get(doc / 8);
                bits.is_some_and(|bits| bits >> (doc % 8) & 1 != 0)
            };
            let stays = docs
                .positions()
                .enumerate()
                .map(|(doc, position)| !is_dead(doc) && !without.contains(&position))
                .collect();
            inputs.push(Input {
                docs,
                stays,
                blocks,
            });
        }
        let merged = merge(&inputs)?;
        drop(inputs);
        match merged {
            Some((docs, blocks)) => self.add(docs, blocks),
            None => Ok(()),
        }
    }

    /// Removes the texts of these rows from the segments.
    pub(super) fn forget(&mut self, rows: &dyn Read, positions: &[i64]) -> SearchResult<()> {
        for head in self.heads.clone() {
            let may_have = |position: &&i64| (head.first..=head.last).contains(*position);
            let looked_for: Vec<i64> = positions.iter().filter(may_have).copied().collect();
            if looked_for.is_empty() {
                continue;
            }
            let docs = segment_docs(rows, head.id)?;
            if looked_for
                .iter()
                .any(|position| docs.find(*position).is_some())
            {
                self.combine(rows, std::slice::from_ref(&head), positions)?;
            }
        }
        Ok(())
    }

    /// Takes segments out: their lists of notes, and their blocks. Stored segments are read in one round trip.
    fn take(
        &mut self,
        rows: &dyn Read,
        run: &[SegmentHead],
    ) -> SearchResult<Vec<(Docs, Vec<Vec<u8>>)>> {
        let ids: Vec<i64> = run.iter().map(|head| head.id).collect();
        let asked: Vec<i64> = ids.iter().copied().filter(|id| *id > 0).collect();
        let blocks = asked.iter().map(|id| Blocks::All { segment: *id });
        let ask = Ask {
            blocks: blocks.collect(),
            segment_notes: asked,
            ..Ask::default()
        };
        let read = match ask.segment_notes.is_empty() {
            true => crate::engine::Rows::default(),
            false => rows.read(&ask)?,
        };
        let mut read = read.segment_notes.into_iter().zip(read.blocks);
        self.heads.retain(|head| !ids.contains(&head.id));
        let mut taken = Vec::with_capacity(ids.len());
        for id in ids {
            taken.push(match self.made.remove(&id) {
                Some(made) => {
                    let blocks = made.blocks.into_iter().map(|block| block.bytes);
                    (made.docs, blocks.collect())
                }
                None => {
                    let (docs, blocks) = read.next().ok_or(Damage("a segment is missing"))?;
                    let blocks = blocks.into_iter().map(|(_, block)| block);
                    (Docs::new(docs)?, blocks.collect())
                }
            });
        }
        Ok(taken)
    }

    /// True if it may be written now: the stored index is still the one that the draft was made from, and nothing was
    /// forgotten since.
    pub(crate) fn still_fits(&self, rows: &dyn Read) -> Result<bool> {
        let forgotten = Ask {
            forgotten_after: Some(self.head),
            ..Ask::default()
        };
        let ask = Ask {
            index: true,
            segments: true,
            ..forgotten.clone()
        };
        let (is_forgotten, now) = match rows.read(&ask) {
            Ok(rows) => (rows.forgotten_after, Some((rows.index, rows.segments))),
            Err(Error::DamagedIndex { .. }) => (rows.read(&forgotten)?.forgotten_after, None),
            Err(error) => return Err(error),
        };
        Ok(!is_forgotten && now == self.stored)
    }

    /// Writes it.
    pub(crate) fn write(&self, tx: &dyn Transaction) -> Result<IndexState> {
        let stored = self.stored.as_ref().filter(|_| !self.is_anew);
        let stored = stored.map_or(&[][..], |(_, heads)| heads);
        let mut changes = Vec::new();
        if self.is_anew {
            changes.push(IndexChange::Cleared);
        }
        let stays = |of: &&SegmentHead| self.heads.iter().any(|head| head.id == of.id);
        let removed = stored.iter().filter(|head| !stays(head));
        let removed: Vec<i64> = removed.map(|head| head.id).collect();
        if !removed.is_empty() {
            changes.push(IndexChange::Removed(&removed));
        }
        for head in &self.heads {
            if let Some(made) = self.made.get(&head.id) {
                let blocks = made.blocks.iter();
                changes.push(IndexChange::Segment {
                    head,
                    notes: made.docs.as_bytes(),
                    blocks: blocks.map(|block| (&*block.first, &*block.bytes)).collect(),
                });
            } else if !stored.contains(head) {
                changes.push(IndexChange::Dead(head));
            }
        }
        // Its number of segments is written too, so that a lost one is noticed.
        let state = IndexState {
            format: FORMAT,
            indexed: self.indexed,
            segments: u32::try_from(self.heads.len()).unwrap_or(u32::MAX),
        };
        changes.push(IndexChange::State(state));
        tx.put_index(&changes)?;
        Ok(state)
    }
}

pub(super) fn segment_docs(rows: &dyn Read, segment: i64) -> SearchResult<Docs> {
    Ok(Docs::new(rows.segment_notes(segment)?)?)
}
