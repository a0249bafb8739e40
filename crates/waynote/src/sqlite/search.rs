//! Searching: the index as the ranking sees it, and the notes that it does not reach yet.

use std::rc::Rc;

use rusqlite::{Connection, OptionalExtension};

use crate::address::Address;
use crate::content::Content;
use crate::error::Result;
use crate::note::Note;
use crate::scope::{Scope, ScopeKind};
use crate::search::build::Builder;
use crate::search::damage::{Damage, Looked, Stopped};
use crate::search::docs::Docs;
use crate::search::{Document, Hit, Index, Kinds, Query, SearchRequest, Segment, Tail};

use super::SqliteStore;
use super::errors::Outcome;
use super::read;

/// The format of the segments that this program writes and reads.
pub(super) const FORMAT: i64 = 1;

/// What is kept between searches: segments never change, and the tail only when something is written.
#[derive(Default)]
pub(super) struct Cache {
    docs: Vec<(DocsKey, Rc<Docs>)>,
    tail: Option<(TailKey, Rc<Tail>)>,
}

/// Ids are used again, checksums are not.
type DocsKey = (i64, i64, u32);

/// The watermark, the last row, and what the engine says of changes by others and by us.
type TailKey = (i64, i64, i64, i64);

pub(super) fn search(store: &SqliteStore<'_>, request: &SearchRequest) -> Result<Vec<Hit>> {
    let conn = store.conn();
    // One snapshot, so that segments and tail fit together.
    let _state = store.mapped(read::one_state(conn))?;
    let mut view = View {
        store,
        conn,
        scan: request.history,
        history: request.history,
    };
    match crate::search::search(&view, request) {
        Ok(hits) => return Ok(hits),
        Err(Stopped::Failed(error)) => return Err(error),
        Err(Stopped::Damaged(_)) if !view.scan => view.scan = true,
        Err(Stopped::Damaged(damage)) => return Err(damaged(store, damage)),
    }
    // The index cannot be trusted: read the notes themselves.
    crate::search::search(&view, request).map_err(|stopped| match stopped {
        Stopped::Failed(error) => error,
        Stopped::Damaged(damage) => damaged(store, damage),
    })
}

fn damaged(store: &SqliteStore<'_>, damage: Damage) -> crate::Error {
    crate::Error::DamagedStore {
        path: store.path.clone(),
        reason: damage.0.to_owned(),
    }
}

/// What the index says of itself.
pub(super) struct State {
    pub(super) format: i64,
    /// The row of the journal up to which it reaches.
    pub(super) indexed: i64,
    /// How many segments it has.
    pub(super) segments: usize,
}

pub(super) fn state(conn: &Connection) -> Outcome<State> {
    let mut statement = conn.prepare_cached(
        "SELECT format, indexed, segments FROM waynote_search_state WHERE id = 1",
    )?;
    let state = statement.query_row([], |row| {
        Ok(State {
            format: row.get(0)?,
            indexed: row.get(1)?,
            segments: row.get::<_, u32>(2)? as usize,
        })
    });
    Ok(state.optional()?.unwrap_or(State {
        format: 0,
        indexed: 0,
        segments: 0,
    }))
}

/// The store as one search sees it.
struct View<'s> {
    store: &'s SqliteStore<'s>,
    conn: &'s Connection,
    /// Read every note instead of the index.
    scan: bool,
    /// Of every revision that wrote a text, not only the notes as they are.
    history: bool,
}

impl View<'_> {
    fn looked<T>(&self, outcome: Outcome<T>) -> Looked<T> {
        self.store.mapped(outcome).map_err(Stopped::Failed)
    }

    fn sealed(&self) -> Outcome<std::result::Result<Vec<Segment>, Damage>> {
        if self.scan {
            return Ok(Ok(Vec::new()));
        }
        let state = state(self.conn)?;
        if state.format != FORMAT {
            return Ok(Err(Damage("its format is another program's")));
        }
        let mut heads = self.conn.prepare_cached(
            "SELECT s.id, s.last, s.checksum, d.bits FROM waynote_search_segment s
             LEFT JOIN waynote_search_dead d ON d.segment = s.id ORDER BY s.first",
        )?;
        let mut rows = heads.query([])?;
        let mut segments = Vec::new();
        while let Some(row) = rows.next()? {
            let key: DocsKey = (row.get(0)?, row.get(1)?, row.get(2)?);
            let docs = match self.docs(key)? {
                Ok(docs) => docs,
                Err(damage) => return Ok(Err(damage)),
            };
            segments.push(Segment {
                id: key.0,
                docs,
                dead: row.get::<_, Option<Vec<u8>>>(3)?.unwrap_or_default(),
            });
        }
        if segments.len() != state.segments {
            return Ok(Err(Damage("a segment is missing")));
        }
        let mut cache = self.store.cache.borrow_mut();
        cache
            .docs
            .retain(|((id, ..), _)| segments.iter().any(|segment| segment.id == *id));
        Ok(Ok(segments))
    }

    fn docs(&self, key: DocsKey) -> Outcome<std::result::Result<Rc<Docs>, Damage>> {
        let mut cache = self.store.cache.borrow_mut();
        if let Some((_, docs)) = cache.docs.iter().find(|(known, _)| *known == key) {
            return Ok(Ok(Rc::clone(docs)));
        }
        let mut statement = self
            .conn
            .prepare_cached("SELECT docs FROM waynote_search_segment WHERE id = ?1")?;
        let bytes: Vec<u8> = statement.query_row([key.0], |row| row.get(0))?;
        let docs = match Docs::new(bytes) {
            Ok(docs) if docs.checksum() == key.2 => Rc::new(docs),
            Ok(_) => return Ok(Err(Damage("a list of notes is another segment's"))),
            Err(damage) => return Ok(Err(damage)),
        };
        cache.docs.push((key, Rc::clone(&docs)));
        Ok(Ok(docs))
    }

    fn tail_of(&self, query: &Query) -> Outcome<std::result::Result<Rc<Tail>, Damage>> {
        let indexed = state(self.conn)?.indexed;
        let after = if self.scan { 0 } else { indexed };
        let last: i64 = self
            .conn
            .prepare_cached("SELECT coalesce(max(position), 0) FROM waynote_journal")?
            .query_row([], |row| row.get(0))?;
        // Only what is short is kept, and then whole; of what is long only what this query looks at is taken.
        let is_short = !self.scan && last - indexed < SHORT;
        let key = is_short.then(|| self.tail_key(after, last)).transpose()?;
        if let Some(key) = key
            && let Some((known, tail)) = &self.store.cache.borrow().tail
            && *known == key
        {
            return Ok(Ok(Rc::clone(tail)));
        }
        let mut builder = Builder::new();
        let mut superseded = Vec::new();
        let wanted = |term: &str| is_short || query.looks_at(term);
        let history = self.history;
        each_change(self.conn, after, i64::MAX, &mut |change| {
            if let Some(before) = change.previous
                && before <= after
            {
                superseded.push(before);
            }
            let is_wanted = if history {
                change.wrote
            } else {
                change.is_current
            };
            if is_wanted {
                change.with_document(|document| builder.add(document, &wanted));
            }
            true
        })?;
        let tail = match Tail::new(builder, superseded) {
            Ok(tail) => Rc::new(tail),
            Err(damage) => return Ok(Err(damage)),
        };
        if let Some(key) = key {
            self.store.cache.borrow_mut().tail = Some((key, Rc::clone(&tail)));
        }
        Ok(Ok(tail))
    }

    /// What must be the same for the tail to be the same. On a connection that an application lends rows can be
    /// taken back and their numbers given out again: its count of changes tells.
    fn tail_key(&self, after: i64, last: i64) -> Outcome<TailKey> {
        let others: i64 = self
            .conn
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        let ours = self
            .conn
            .prepare_cached("SELECT total_changes()")?
            .query_row([], |row| row.get(0))?;
        Ok((after, last, others, ours))
    }
}

/// A tail of fewer rows is kept between searches.
const SHORT: i64 = 4096;

impl Index for View<'_> {
    fn segments(&self) -> Looked<Vec<Segment>> {
        Ok(self.looked(self.sealed())??)
    }

    fn block(&self, segment: i64, term: &[u8]) -> Looked<Option<Vec<u8>>> {
        self.looked(block(self.conn, segment, term))
    }

    fn blocks(&self, segment: i64, prefix: &[u8]) -> Looked<Vec<Vec<u8>>> {
        self.looked(blocks(self.conn, segment, prefix))
    }

    fn tail(&self, query: &Query) -> Looked<Rc<Tail>> {
        Ok(self.looked(self.tail_of(query))??)
    }

    fn scopes(&self, scopes: &[Scope]) -> Looked<Vec<u32>> {
        let mut numbers = Vec::new();
        for scope in scopes {
            let id = self.looked(read::scope_id(self.conn, scope))?;
            numbers.extend(id.and_then(|id| u32::try_from(id).ok()));
        }
        Ok(numbers)
    }

    fn position(&self, address: &Address) -> Looked<Option<i64>> {
        let found = read::scope_id(self.conn, &address.scope()).and_then(|id| match id {
            Some(id) => read::head(self.conn, id, &read::stored_key(address)),
            None => Ok(None),
        });
        self.looked(found)
    }

    fn notes(&self, positions: &[i64]) -> Looked<Vec<Note>> {
        let mut notes = Vec::with_capacity(positions.len());
        for position in positions {
            if !self.history && !self.looked(is_current(self.conn, *position))? {
                return Err(Damage("it takes an old revision for a current one").into());
            }
            let Some(revision) = self.looked(read::revision_of(self.conn, *position))? else {
                continue;
            };
            if self.history {
                notes.extend(revision.note().cloned());
            } else {
                notes.extend(self.looked(read::get(self.conn, revision.address()))?);
            }
        }
        Ok(notes)
    }
}

/// Whether a note is now as that row of the journal made it.
fn is_current(conn: &Connection, position: i64) -> Outcome<bool> {
    let mut statement = conn.prepare_cached(
        "SELECT 1 FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
         JOIN waynote_note n ON n.scope = j.scope AND n.key = j.key
              AND (n.position = j.position OR (s.kind = 'session' AND j.revision = 1))
         WHERE j.position = ?1",
    )?;
    Ok(statement.exists([position])?)
}

/// The block of a segment that would hold a term.
fn block(conn: &Connection, segment: i64, term: &[u8]) -> Outcome<Option<Vec<u8>>> {
    let mut statement = conn.prepare_cached(
        "SELECT terms FROM waynote_search_block WHERE segment = ?1 AND term <= ?2
         ORDER BY term DESC LIMIT 1",
    )?;
    Ok(statement
        .query_row((segment, term), |row| row.get(0))
        .optional()?)
}

fn blocks(conn: &Connection, segment: i64, prefix: &[u8]) -> Outcome<Vec<Vec<u8>>> {
    let mut found: Vec<Vec<u8>> = block(conn, segment, prefix)?.into_iter().collect();
    // No term is UTF-8 with this byte in it.
    let mut end = prefix.to_vec();
    end.push(0xff);
    let mut statement = conn.prepare_cached(
        "SELECT terms FROM waynote_search_block WHERE segment = ?1 AND term > ?2 AND term < ?3
         ORDER BY term",
    )?;
    for block in statement.query_map((segment, prefix, end), |row| row.get(0))? {
        found.push(block?);
    }
    Ok(found)
}

/// A row of the journal, as the index takes it.
pub(super) struct Entry<'r> {
    pub(super) position: i64,
    /// The row before it of the same note.
    pub(super) previous: Option<i64>,
    /// Whether the note is now as this row made it.
    pub(super) is_current: bool,
    /// Whether it wrote another text than the row before it.
    wrote: bool,
    scope: i64,
    kind: ScopeKind,
    key: &'r str,
    name: &'r str,
    created: i64,
    updated: i64,
    body: &'r [u8],
    before: Option<(i64, i64)>,
}

impl Entry<'_> {
    /// The note as it is indexed.
    pub(super) fn with_document(&self, work: impl FnOnce(&Document<'_>)) {
        let content;
        let text = match std::str::from_utf8(self.body) {
            Ok(text) => text,
            Err(_) => {
                content = Content::imported(self.body).shown().into_owned();
                &content
            }
        };
        let (kind, title) = match self.kind {
            ScopeKind::Place if self.key.is_empty() => (
                Kinds::PLACE,
                self.name.rsplit('/').next().unwrap_or_default(),
            ),
            ScopeKind::Place | ScopeKind::Agent => (Kinds::KEY, self.key),
            ScopeKind::Session => (Kinds::LOG, ""),
        };
        const MICROS: i64 = 1_000_000;
        work(&Document {
            position: self.position,
            scope: u32::try_from(self.scope).unwrap_or(u32::MAX - 1),
            kind,
            created: self.created.div_euclid(MICROS),
            updated: self.updated.div_euclid(MICROS),
            previous: self
                .before
                .map(|(position, created)| (position, created.div_euclid(MICROS))),
            title,
            text,
        });
    }
}

/// The row that made an entry whose last row is this one.
fn first_row(conn: &Connection, last: i64) -> Outcome<i64> {
    let mut statement = conn.prepare_cached(
        "WITH RECURSIVE chain (position, previous) AS (
             SELECT position, previous FROM waynote_journal WHERE position = ?1
             UNION ALL
             SELECT j.position, j.previous FROM waynote_journal j JOIN chain ON j.position = chain.previous
         )
         SELECT min(position) FROM chain",
    )?;
    Ok(statement.query_row([last], |row| row.get(0))?)
}

/// Gives the rows after a position, at most so many, until `each` says that it is enough.
pub(super) fn each_change(
    conn: &Connection,
    after: i64,
    limit: i64,
    each: &mut dyn FnMut(&Entry<'_>) -> bool,
) -> Outcome<()> {
    let mut statement = conn.prepare_cached(
        "SELECT j.position, j.previous, n.position IS NOT NULL, p.content IS NOT j.content, j.scope, s.kind, s.name,
                j.key, j.created_at, j.updated_at, c.body, j.action = 'repeat'
         FROM waynote_journal j
         CROSS JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_note n ON n.scope = j.scope AND n.key = j.key
                   AND (n.position = j.position OR (s.kind = 'session' AND j.revision = 1))
         LEFT JOIN waynote_journal p ON p.position = j.previous
         LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.position > ?1 ORDER BY j.position LIMIT ?2",
    )?;
    let mut before = conn.prepare_cached(
        "SELECT position, created_at, revision FROM waynote_note WHERE scope = ?1 AND key < ?2
         ORDER BY key DESC LIMIT 1",
    )?;
    let mut rows = statement.query((after, limit))?;
    while let Some(row) = rows.next()? {
        // An entry is what its first row made it, however often it was noted since.
        if row.get(11)? {
            continue;
        }
        // What `verify` names as damaged cannot be found, and is no reason to refuse a write.
        let Ok(kind) = row.get_ref(5)?.as_str()?.parse::<ScopeKind>() else {
            continue;
        };
        let (scope, key): (i64, &str) = (row.get(4)?, row.get_ref(7)?.as_str()?);
        let body = row.get_ref(10)?;
        let is_there = !matches!(body, rusqlite::types::ValueRef::Null);
        let is_current = row.get(2)?;
        let is_entry = kind == ScopeKind::Session && is_there;
        let entry = Entry {
            position: row.get(0)?,
            previous: row.get(1)?,
            is_current: is_current && is_there,
            wrote: row.get::<_, bool>(3)? && is_there,
            scope,
            kind,
            name: row.get_ref(6)?.as_str()?,
            key,
            created: row.get(8)?,
            updated: row.get(9)?,
            body: body.as_bytes_or_null()?.unwrap_or_default(),
            before: if is_entry {
                let found = before.query_row((scope, key), |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?))
                });
                match found.optional()? {
                    Some((position, created, revision)) if revision > 1 => {
                        Some((first_row(conn, position)?, created))
                    }
                    found => found.map(|(position, created, _)| (position, created)),
                }
            } else {
                None
            },
        };
        if !each(&entry) {
            break;
        }
    }
    Ok(())
}
