//! Searching a store: its index as the ranking sees it, and the notes that it does not reach yet.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::address::Address;
use crate::content::Content;
use crate::engine::{self, JournalRow, Read};
use crate::error::{Error, Result};
use crate::note::Note;
use crate::scope::{Scope, ScopeKind};
use crate::store::Version;

use super::build::Builder;
use super::damage::{Damage, Looked, Stopped};
use super::docs::Docs;
use super::upkeep::segment_docs;
use super::{Document, Hit, Index, Query, SearchRequest, Segment, Tail, kind_and_title};

/// The format of the segments that this program writes and reads.
pub(crate) const FORMAT: i64 = 1;

/// What is kept between searches: segments never change, and the tail only when something is written.
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

/// Ids are used again, checksums are not.
type DocsKey = (i64, i64, u32);

/// The watermark, and what the engine says of changes. On a connection that an application lends, rows can be taken back and
/// their positions given out again: its count of changes tells.
type TailKey = (i64, Version);

/// Searches with the index, or without it where it is damaged. All reading is of one state.
pub(crate) fn search(
    rows: &dyn Read,
    cache: &Mutex<Cache>,
    store: &dyn Fn() -> String,
    request: &SearchRequest,
    laid_over: &[Note],
) -> Result<Vec<Hit>> {
    let mut view = View {
        rows,
        cache,
        scan: request.history,
        history: request.history,
    };
    let damaged = |damage: Damage| Error::DamagedStore {
        path: store().into(),
        reason: damage.0.to_owned(),
    };
    match super::search(&view, request, laid_over) {
        Ok(hits) => return Ok(hits),
        Err(Stopped::Failed(error)) => return Err(error),
        Err(Stopped::Damaged(_)) if !view.scan => view.scan = true,
        Err(Stopped::Damaged(damage)) => return Err(damaged(damage)),
    }
    // The index cannot be trusted: read the notes themselves.
    super::search(&view, request, laid_over).map_err(|stopped| match stopped {
        Stopped::Failed(error) => error,
        Stopped::Damaged(damage) => damaged(damage),
    })
}

/// The store as one search sees it.
struct View<'s> {
    rows: &'s dyn Read,
    cache: &'s Mutex<Cache>,
    /// Read every note instead of the index.
    scan: bool,
    /// Of every revision that wrote a text, not only the notes as they are.
    history: bool,
}

/// A tail of fewer rows is kept between searches.
const SHORT: i64 = 4096;

impl View<'_> {
    fn cache(&self) -> MutexGuard<'_, Cache> {
        // What a panic left half done is only looked up less often.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn docs(&self, key: DocsKey) -> Looked<Arc<Docs>> {
        let known = self.cache().docs_of(key);
        if let Some(docs) = known {
            return Ok(docs);
        }
        let docs = Arc::new(segment_docs(self.rows, key.0)?);
        if docs.checksum() != key.2 {
            return Err(Damage("a list of notes is another segment's").into());
        }
        self.cache().docs.push((key, Arc::clone(&docs)));
        Ok(docs)
    }
}

impl Index for View<'_> {
    fn segments(&self) -> Looked<Vec<Segment>> {
        if self.scan {
            return Ok(Vec::new());
        }
        let (state, heads) = self.rows.segments()?;
        if state.is_new(&heads) {
            return Ok(Vec::new());
        }
        if state.format != FORMAT {
            return Err(Damage("its format is another program's").into());
        }
        if heads.len() != state.segments as usize {
            return Err(Damage("a segment is missing").into());
        }
        let mut segments = Vec::with_capacity(heads.len());
        for head in heads {
            segments.push(Segment {
                id: head.id,
                docs: self.docs((head.id, head.last, head.checksum))?,
                dead: head.dead_bits,
            });
        }
        let mut cache = self.cache();
        cache
            .docs
            .retain(|((id, ..), _)| segments.iter().any(|segment| segment.id == *id));
        Ok(segments)
    }

    fn block(&self, segment: i64, term: &[u8]) -> Looked<Option<Vec<u8>>> {
        let holding = engine::Blocks::Holding {
            segment,
            term: term.to_vec(),
        };
        Ok(self.rows.blocks(holding)?.pop().map(|(_, block)| block))
    }

    fn blocks(&self, segment: i64, prefix: &[u8]) -> Looked<Vec<Vec<u8>>> {
        let with_prefix = engine::Blocks::WithPrefix {
            segment,
            prefix: prefix.to_vec(),
        };
        let blocks = self.rows.blocks(with_prefix)?.into_iter();
        Ok(blocks.map(|(_, block)| block).collect())
    }

    fn tail(&self, query: &Query) -> Looked<Arc<Tail>> {
        let indexed = self.rows.index()?.indexed;
        let after = if self.scan { 0 } else { indexed };
        let version = self.rows.version()?;
        let last = version.position.map_or(0, |position| position.number());
        // Only what is short is kept, and then whole; of what is long only what this query looks at is taken.
        let is_short = !self.scan && last - indexed < SHORT;
        let key = is_short.then_some((after, version));
        if let Some(key) = key
            && let Some((known, tail)) = &self.cache().tail
            && *known == key
        {
            return Ok(Arc::clone(tail));
        }
        let mut builder = Builder::new();
        let mut superseded = Vec::new();
        let wanted = |term: &str| is_short || query.looks_at(term);
        self.rows.each_row(after, usize::MAX, &mut |row| {
            let entry = Entry::of(row);
            if entry.is_passed_over() {
                return true;
            }
            superseded.extend(row.previous.filter(|before| *before <= after));
            let is_wanted = if self.history {
                entry.has_written()
            } else {
                entry.is_current()
            };
            if is_wanted {
                entry.with_document(|document| builder.add(document, &wanted));
            }
            true
        })?;
        let tail = Arc::new(Tail::new(builder, superseded)?);
        if let Some(key) = key {
            self.cache().tail = Some((key, Arc::clone(&tail)));
        }
        Ok(tail)
    }

    fn scopes(&self, scopes: &[Scope]) -> Looked<Vec<u32>> {
        Ok(self.rows.scope_numbers(scopes)?)
    }

    fn position(&self, address: &Address) -> Looked<Option<i64>> {
        Ok(self
            .rows
            .state(address)?
            .map(|state| state.position.number()))
    }

    fn notes(&self, positions: &[i64]) -> Looked<Vec<Note>> {
        let revisions: Vec<_> = self
            .rows
            .positions(positions)?
            .into_iter()
            .flatten()
            .collect();
        if self.history {
            let notes = revisions.iter().filter_map(|revision| revision.note());
            return Ok(notes.cloned().collect());
        }
        let ask = engine::Ask {
            states: revisions
                .iter()
                .map(|revision| revision.address().clone())
                .collect(),
            ..engine::Ask::default()
        };
        let states = self.rows.read(&ask)?.states;
        let mut notes = Vec::with_capacity(revisions.len());
        for (revision, state) in revisions.iter().zip(states) {
            let is_last = state.as_ref().map(|state| state.position) == revision.position;
            let note = state.and_then(|state| state.note);
            let is_entry = matches!(revision.address(), Address::Session(..));
            match note {
                Some(note) if is_last || (is_entry && revision.number() == 1) => notes.push(note),
                _ => return Err(Damage("it takes an old revision for a current one").into()),
            }
        }
        Ok(notes)
    }
}

/// A row of the journal, and what it means for search.
pub(crate) struct Entry<'r>(&'r JournalRow<'r>);

impl<'r> Entry<'r> {
    pub(crate) fn of(row: &'r JournalRow<'r>) -> Self {
        Self(row)
    }

    /// An entry is what its first row made it, however often it was noted since.
    pub(crate) fn is_passed_over(&self) -> bool {
        self.0.is_repeat
    }

    /// Whether the note is now as this row made it.
    pub(crate) fn is_current(&self) -> bool {
        let is_first_of_entry = self.0.kind == ScopeKind::Session && self.0.revision == 1;
        let is_now = self
            .0
            .now
            .is_some_and(|is_last| is_last || is_first_of_entry);
        is_now && self.0.content.is_some()
    }

    /// Whether it wrote another text than the row before it.
    pub(crate) fn has_written(&self) -> bool {
        self.0.has_new_content && self.0.content.is_some()
    }

    /// The note as it is indexed.
    pub(crate) fn with_document(&self, work: impl FnOnce(&Document<'_>)) {
        const MICROS: i64 = 1_000_000;
        let row = self.0;
        let body = row.content.unwrap_or_default();
        let text = match std::str::from_utf8(body) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(Content::imported(body).shown().into_owned()),
        };
        let (kind, title) = kind_and_title(row.kind, row.name, row.key);
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
