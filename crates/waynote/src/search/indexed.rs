//! Searches a store: its index, and the notes that are not indexed yet.

use std::borrow::Cow;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::address::Address;
use crate::content::Content;
use crate::engine::{self, IndexState, JournalRow, NoteAt, Read, SegmentHead};
use crate::error::Result;
use crate::note::{Note, Position};
use crate::scope::{Scope, ScopeKind};
use crate::search::damage_notice::DamageNotice;
use crate::store::{self, Version};

use super::build::{Builder, InMemory};
use super::damage::{Damage, SearchFailure, SearchResult};
use super::docs::Docs;
use super::document::{Document, kind_and_title};
use super::notes::{SearchInput, Segment, Tail};
use super::query::Query;
use super::{Hit, SearchRequest};

/// The format of the segments that this program writes and reads.
pub(crate) const FORMAT: i64 = 1;

/// The cache between searches. Segments never change, and the tail changes only when something is written.
#[derive(Default)]
pub(crate) struct Cache {
    docs: Vec<(DocsKey, Arc<Docs>)>,
    tail: Option<(TailKey, Arc<Tail>)>,
}

impl Cache {
    fn docs_of(&self, key: DocsKey) -> Option<Arc<Docs>> {
        let mut known = self.docs.iter();
        let found = known.find(|(known, _)| *known == key);
        found.map(|(_, docs)| Arc::clone(docs))
    }
}

/// The checksum is part of the key because ids are used again.
type DocsKey = (i64, i64, u32);

/// The watermark, and the engine's count of changes. On a connection that an application lends, rows can be rolled back
/// and their positions used again; only the count shows that.
type TailKey = (i64, Version);

/// Searches with the index, or without it if it is damaged. Reads one state of the store.
pub(crate) fn search(
    rows: &dyn Read,
    cache: &Mutex<Cache>,
    store: &dyn Fn() -> String,
    noticed: &Mutex<DamageNotice>,
    request: &SearchRequest,
    laid_over: &[Note],
) -> Result<Vec<Hit>> {
    let mut view = View {
        rows,
        cache,
        noticed,
        scan: request.history,
        history: request.history,
    };
    let ranked = |view: &View<'_>| super::rank::search(Some(view), request, laid_over);
    let hits = match ranked(&view) {
        Err(SearchFailure::Damaged(_)) if !view.scan => {
            // The index cannot be trusted: read the notes themselves. The next write builds it again.
            view.scan = true;
            noticed.lock().add_index();
            ranked(&view)
        }
        hits => hits,
    };
    hits.map_err(|stopped| stopped.of(store))
}

/// The store as one search sees it. All reads of one search see one state of it.
pub(super) struct View<'s> {
    rows: &'s dyn Read,
    cache: &'s Mutex<Cache>,
    noticed: &'s Mutex<DamageNotice>,
    /// Read every note instead of the index.
    scan: bool,
    /// Search every revision that wrote a text, not only the current notes.
    history: bool,
}

/// The tail is kept between searches up to this many rows.
const SHORT: i64 = 4096;

impl View<'_> {
    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock()
    }

    /// The heads of the segments, if there is a usable index.
    fn heads(&self, state: IndexState, heads: Vec<SegmentHead>) -> SearchResult<Vec<SegmentHead>> {
        if self.scan || state.is_new(&heads) {
            return Ok(Vec::new());
        }
        if state.format != FORMAT {
            return Err(Damage("its format is another program's").into());
        }
        if heads.len() != state.segments as usize {
            return Err(Damage("a segment is missing").into());
        }
        Ok(heads)
    }

    /// The lists of notes of the kept segments.
    fn kept_docs(&self, heads: &[SegmentHead]) -> Vec<Option<Arc<Docs>>> {
        let cache = self.cache();
        let kept = heads.iter().map(|head| cache.docs_of(docs_key(head)));
        kept.collect()
    }

    /// The lists of notes of all segments: the kept ones, and those that were just read.
    fn docs(
        &self,
        heads: &[SegmentHead],
        kept: Vec<Option<Arc<Docs>>>,
        read: Vec<Vec<u8>>,
    ) -> SearchResult<Vec<Arc<Docs>>> {
        let mut read = read.into_iter();
        let mut all = Vec::with_capacity(heads.len());
        for (head, kept) in heads.iter().zip(kept) {
            all.push(match kept {
                Some(docs) => docs,
                None => {
                    let docs = Arc::new(Docs::new(read.next().unwrap_or_default())?);
                    if !docs.is_headed(head) {
                        return Err(Damage("a list of notes is another segment's").into());
                    }
                    docs
                }
            });
        }
        if !self.scan {
            let keys = heads.iter().map(docs_key);
            self.cache().docs = keys.zip(all.iter().cloned()).collect();
        }
        Ok(all)
    }

    /// Reads in one round trip: the lists of notes that are not kept, the blocks that a query needs, by segment, and
    /// the journal after a row.
    fn read_looked_at(
        &self,
        query: &Query,
        heads: &[SegmentHead],
        kept: &[Option<Arc<Docs>>],
        after: Option<i64>,
    ) -> SearchResult<engine::Rows> {
        let (terms, prefixes) = query.looked_at();
        let owned = |term: &&str| term.as_bytes().to_vec();
        let mut ask = engine::Ask {
            journal_rows: after.map(|after| (after, usize::MAX)),
            ..engine::Ask::default()
        };
        for (head, kept) in heads.iter().zip(kept) {
            let segment = head.id;
            if kept.is_none() {
                ask.segment_notes.push(segment);
            }
            ask.blocks.push(engine::Blocks::Holding {
                segment,
                terms: terms.iter().map(owned).collect(),
            });
            let with_prefix = prefixes.iter().map(|prefix| engine::Blocks::WithPrefix {
                segment,
                prefix: owned(prefix),
            });
            ask.blocks.extend(with_prefix);
        }
        match ask.questions() {
            0 => Ok(engine::Rows::default()),
            _ => Ok(self.rows.read(&ask)?),
        }
    }

    /// Makes the tail after a row of the journal, from the rows that were read. If there is a key, it is kept under it.
    fn tail(
        &self,
        query: &Query,
        after: i64,
        key: Option<TailKey>,
        rows: &[JournalRow],
    ) -> SearchResult<Arc<Tail>> {
        // A short tail is cached, and then has all terms. Of a long one only the terms of this query are taken.
        let wanted = |term: &str| key.is_some() || query.looks_at(term);
        let mut growing = GrowingTail {
            builder: Builder::new(),
            superseded: Vec::new(),
            after,
            history: self.history,
            wanted: &wanted,
        };
        match key {
            Some(_) => rows.iter().for_each(|row| growing.add(row)),
            None => self
                .rows
                .each_row(after, usize::MAX, &mut |row| growing.add(row))?,
        }
        let tail = Arc::new(Tail::new(growing.builder, growing.superseded)?);
        if let Some(key) = key {
            self.cache().tail = Some((key, Arc::clone(&tail)));
        }
        Ok(tail)
    }

    /// The kept tail, if it is still current.
    fn kept_tail(&self, key: Option<TailKey>) -> Option<Arc<Tail>> {
        let cache = self.cache();
        let (known, tail) = cache.tail.as_ref()?;
        (Some(*known) == key).then(|| Arc::clone(tail))
    }
}

fn docs_key(head: &SegmentHead) -> DocsKey {
    (head.id, head.last, head.checksum)
}

/// Builds a tail from the journal's rows after a position.
struct GrowingTail<'q> {
    builder: Builder,
    superseded: Vec<i64>,
    after: i64,
    history: bool,
    wanted: &'q dyn Fn(&str) -> bool,
}

impl GrowingTail<'_> {
    fn add(&mut self, row: &JournalRow) {
        let entry = Entry::of(row);
        if entry.is_passed_over() {
            return;
        }
        let before = row.previous.filter(|before| *before <= self.after);
        self.superseded.extend(before);
        let is_wanted = if self.history {
            entry.has_written()
        } else {
            entry.is_current()
        };
        if is_wanted {
            entry.with_document(|document| self.builder.add(document, self.wanted));
        }
    }
}

impl View<'_> {
    /// Opens the segments and the tail for a search of these scopes, or of all if there are none. `laid_over` replace the
    /// stored notes at their addresses.
    pub(super) fn open(
        &self,
        query: &Query,
        scopes: &[Scope],
        laid_over: &[Note],
    ) -> SearchResult<SearchInput> {
        let covered = laid_over.iter().map(|note| note.address.clone());
        let state = self.rows.read(&engine::Ask {
            store: store::Ask {
                version: true,
                ..store::Ask::default()
            },
            states: covered.collect(),
            scope_numbers: scopes.to_vec(),
            index: !self.scan,
            segments: !self.scan,
            ..engine::Ask::default()
        })?;
        let heads = self.heads(state.index, state.segments)?;

        let after = if self.scan { 0 } else { state.index.indexed };
        let version = state.store.version;
        let last = version.head();
        let is_short = !self.scan && last - after < SHORT;
        let key = is_short.then_some((after, version));
        let kept_tail = self.kept_tail(key);
        let reads_tail = kept_tail.is_none() && is_short && last > after;
        let kept = self.kept_docs(&heads);
        let tail_after = reads_tail.then_some(after);
        let read = self.read_looked_at(query, &heads, &kept, tail_after)?;

        let tail = match kept_tail {
            Some(tail) => tail,
            None => self.tail(query, after, key, &read.journal_rows)?,
        };
        let docs = self.docs(&heads, kept, read.segment_notes)?;
        let mut blocks = read.blocks.into_iter();
        let per_segment = blocks.len().checked_div(heads.len()).unwrap_or_default();
        let segments = heads.into_iter().zip(docs).map(|(head, docs)| Segment {
            memory: InMemory::of(docs, blocks.by_ref().take(per_segment).flatten()),
            dead: head.dead_bits,
        });
        Ok(SearchInput {
            segments: segments.collect(),
            tail: Some(tail),
            scopes: state.scope_numbers.into_iter().flatten().collect(),
            covered: state
                .states
                .into_iter()
                .flatten()
                .map(|state| state.position.number())
                .collect(),
        })
    }

    /// The notes as those rows of the journal made them; none for one that is damaged.
    pub(super) fn notes(&self, positions: &[i64]) -> SearchResult<Vec<Option<Note>>> {
        if self.history {
            let ask = engine::Ask {
                positions: positions.iter().copied().map(Position::new).collect(),
                ..engine::Ask::default()
            };
            let answers = self.rows.read(&ask)?;
            let is_damaged = !answers.store.damaged.is_empty();
            self.noticed.lock().add(answers.store.damaged);
            let notes = answers.positions.into_iter();
            let notes = notes.map(|revision| revision.and_then(|of| of.note().cloned()));
            return Ok(notes.filter(|note| note.is_some() || is_damaged).collect());
        }
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let ask = engine::Ask {
            notes_at: positions.iter().copied().map(Position::new).collect(),
            ..engine::Ask::default()
        };
        let answers = self.rows.read(&ask)?;
        let found = answers.notes_at;
        let is_damaged = !answers.store.damaged.is_empty();
        self.noticed.lock().add(answers.store.damaged);
        let mut notes = Vec::with_capacity(found.len());
        for (position, found) in ask.notes_at.iter().zip(found) {
            match found {
                Some(found) if found.last == *position || is_entry_made_by(&found) => {
                    notes.push(Some(found.note));
                }
                None if is_damaged => notes.push(None),
                _ => return Err(Damage("it takes an old revision for a current one").into()),
            }
        }
        Ok(notes)
    }
}

/// An entry has the text of its first revision, however often it was noted since.
fn is_entry_made_by(found: &NoteAt) -> bool {
    found.revision == 1 && matches!(found.note.address, Address::Session(..))
}

/// A row of the journal, as the search sees it.
pub(crate) struct Entry<'r>(&'r JournalRow);

impl<'r> Entry<'r> {
    pub(crate) fn of(row: &'r JournalRow) -> Self {
        Self(row)
    }

    /// An entry has the text of its first row, however often it was noted since.
    pub(crate) fn is_passed_over(&self) -> bool {
        self.0.is_repeat
    }

    /// True if this row is the note's current state.
    pub(crate) fn is_current(&self) -> bool {
        let is_first_of_entry = self.0.kind == ScopeKind::Session && self.0.revision == 1;
        let is_now = self
            .0
            .now
            .is_some_and(|is_last| is_last || is_first_of_entry);
        is_now && self.0.content.is_some()
    }

    /// True if its text differs from that of the note's previous row.
    pub(crate) fn has_written(&self) -> bool {
        self.0.has_new_content && self.0.content.is_some()
    }

    /// The note as it is indexed.
    pub(crate) fn with_document(&self, work: impl FnOnce(&Document<'_>)) {
        const MICROS: i64 = 1_000_000;
        let row = self.0;
        let body = row.content.as_deref().unwrap_or_default();
        let text = match std::str::from_utf8(body) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(Content::imported(body).shown().into_owned()),
        };
        let (kind, title) = kind_and_title(row.kind, &row.name, &row.key);
        work(&Document {
            position: row.position,
            scope: u32::try_from(row.scope).unwrap_or(u32::MAX - 1),
            kind,
            created: row.created_at.div_euclid(MICROS),
            updated: row.updated_at.div_euclid(MICROS),
            previous: row
                .entry_before
                .map(|(position, created)| (position, created.div_euclid(MICROS))),
            title,
            text: &text,
        });
    }
}
