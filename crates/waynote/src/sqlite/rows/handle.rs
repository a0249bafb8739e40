//! The handle through which rows are read and written, on one connection.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::{Connection, TransactionBehavior};

use crate::address::Address;
use crate::content::Content;
use crate::engine::{self, Ask, IndexChange, NoteState, Read, Rows, Transaction};
use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::key::{EntryId, Name};
use crate::model::report::Report;
use crate::note::{EntryType, Position};
use crate::scope::Scope;
use crate::store::{self, Answers, Count, SideValue};

use super::damage::LeftOut;
use super::events;
use super::feed;
use super::index;
use super::journal;
use super::put;
use super::read::{self, NotePlace, stored_key};
use super::recent;
use crate::sqlite::errors::Outcome;
use crate::sqlite::options::StoreName;
use crate::sqlite::repair::verify;

/// Rows on a connection; inside a transaction when there is one.
pub(in crate::sqlite) struct Handle<'e> {
    named: &'e StoreName,
    pub(in crate::sqlite) conn: &'e Connection,
    /// True if texts are overwritten before their rows are removed.
    pub(super) is_erasing: bool,
    is_lent: bool,
    /// A change asks for the same scope several times.
    scopes: RefCell<HashMap<Scope, i64>>,
    /// Contents that were looked up, with their rows if they have any.
    contents: RefCell<HashMap<[u8; 32], Option<i64>>>,
    /// The last content of each scope that has got one.
    pub(super) last_contents: RefCell<HashMap<i64, i64>>,
    /// Damaged things that were left out of the answers.
    left_out: LeftOut,
}

impl<'e> Handle<'e> {
    pub(in crate::sqlite) fn new(named: &'e StoreName, conn: &'e Connection) -> Self {
        Self {
            named,
            conn,
            is_erasing: false,
            is_lent: false,
            scopes: RefCell::default(),
            contents: RefCell::default(),
            last_contents: RefCell::default(),
            left_out: LeftOut::default(),
        }
    }

    /// A handle on a connection that an application lends.
    pub(in crate::sqlite) fn lent(mut self) -> Self {
        self.is_lent = true;
        self
    }

    /// A handle that overwrites texts before it removes their rows.
    pub(in crate::sqlite) fn erasing(mut self) -> Self {
        self.is_erasing = true;
        self
    }

    pub(super) fn scope_id(&self, scope: &Scope) -> Outcome<Option<i64>> {
        if let Some(id) = self.scopes.borrow().get(scope) {
            return Ok(Some(*id));
        }
        let id = read::scope_id(self.conn, scope)?;
        if let Some(id) = id {
            self.scopes.borrow_mut().insert(scope.clone(), id);
        }
        Ok(id)
    }

    /// The row of a content. Looked up once.
    pub(super) fn content_id(&self, hash: [u8; 32]) -> Outcome<Option<i64>> {
        if let Some(id) = self.contents.borrow().get(&hash) {
            return Ok(*id);
        }
        let id = read::content_id(self.conn, hash)?;
        self.contents.borrow_mut().insert(hash, id);
        Ok(id)
    }

    /// A content has got a row.
    pub(super) fn knows_content(&self, hash: [u8; 32], id: i64) {
        self.contents.borrow_mut().insert(hash, Some(id));
    }

    /// Reads from a scope; nothing if there is none.
    fn within<T: Default>(
        &self,
        scope: &Scope,
        read: impl FnOnce(i64) -> Outcome<T>,
    ) -> Outcome<T> {
        match self.scope_id(scope)? {
            Some(id) => read(id),
            None => Ok(T::default()),
        }
    }

    /// Reads the rows of a note; nothing if there is no such scope.
    fn of_note<T: Default>(
        &self,
        address: &Address,
        read: impl FnOnce(NotePlace<'_>) -> Outcome<T>,
    ) -> Outcome<T> {
        let (scope, key) = (&address.scope(), &stored_key(address));
        self.within(scope, |id| read(NotePlace { id, scope, key }))
    }

    fn last_entry(&self, session: &Name) -> Outcome<Option<EntryId>> {
        self.within(&Scope::Session(session.clone()), |id| {
            let key = read::last_key(self.conn, id)?;
            Ok(key.map(|key| key.parse()).transpose()?)
        })
    }

    fn entry_saying(
        &self,
        session: &Name,
        kind: &EntryType,
        content: &Content,
    ) -> Outcome<Option<NoteState>> {
        let Some(content) = self.content_id(content.hash().0)? else {
            return Ok(None);
        };
        let scope = Scope::Session(session.clone());
        self.within(&scope, |id| {
            read::first_saying(self.conn, id, &scope, kind, content)
        })
    }

    fn count(&self, count: &Count) -> Outcome<u64> {
        let conn = self.conn;
        match count {
            Count::Counted(scope) => read::count(conn, scope),
            Count::Keyed { scope, pinned } => recent::count_keyed(conn, scope, *pinned),
            Count::Entries {
                session,
                kind,
                before,
                open,
            } => recent::count_entries(conn, session, kind.as_ref(), *before, *open),
        }
    }

    fn rows(&self, ask: &Ask) -> Outcome<Rows> {
        let rows = self.rows_that_are_whole(ask);
        let damaged = self.left_out.take();
        let mut rows = rows?;
        rows.store.damaged = damaged;
        Ok(rows)
    }

    fn rows_that_are_whole(&self, ask: &Ask) -> Outcome<Rows> {
        let (conn, left_out) = (self.conn, &self.left_out);
        Ok(Rows {
            store: self.answers(&ask.store)?,
            states: each(&ask.states, |address| {
                self.of_note(address, |at| read::state(conn, at))
            })?,
            revisions: each(&ask.revisions, |at| {
                let number = at.revision.unwrap_or_default();
                self.of_note(&at.address, |at| journal::one_revision(conn, at, number))
            })?,
            scope_histories: each(&ask.scope_histories, |scope| {
                journal::scope_histories(conn, scope, left_out)
            })?,
            positions: each(&ask.positions, |position| {
                let revision = journal::revision_of(conn, position.number());
                left_out.unless_damaged(revision, at_position(position))
            })?,
            notes_at: each(&ask.notes_at, |position| {
                let note = read::note_at(conn, position.number());
                left_out.unless_damaged(note, at_position(position))
            })?,
            holders: match ask.holders.as_slice() {
                [] => Vec::new(),
                contents => read::holders(conn, contents)?,
            },
            resolved: each(&ask.resolved, |session| {
                read::resolved(conn, session, left_out)
            })?,
            last_entries: each(&ask.last_entries, |session| self.last_entry(session))?,
            entries_saying: each(&ask.entries_saying, |(session, kind, content)| {
                self.entry_saying(session, kind, content)
            })?,
            side: each(&ask.side, |space| read::side(conn, space))?,
            about: each(&ask.about, |content| read::about(conn, content))?,
            spaces: when(ask.spaces, || read::spaces(conn))?,
            scope_numbers: each(&ask.scope_numbers, |scope| {
                let id = read::scope_id(conn, scope)?;
                Ok(id.and_then(|id| u32::try_from(id).ok()))
            })?,
            index: when(ask.index, || index::state(conn))?,
            segments: when(ask.segments, || index::segments(conn))?,
            segment_notes: each(&ask.segment_notes, |id| index::segment_notes(conn, *id))?,
            blocks: each(&ask.blocks, |blocks| index::blocks(conn, blocks))?,
            forgotten_after: match ask.forgotten_after {
                Some(position) => feed::is_forgotten_after(conn, position)?,
                None => false,
            },
            journal_rows: match ask.journal_rows {
                Some((after, limit)) => index::journal_rows(conn, after, limit)?,
                None => Vec::new(),
            },
            // Its stores are used from one machine.
            clock: None,
        })
    }

    fn answers(&self, ask: &store::Ask) -> Outcome<Answers> {
        let (conn, left_out) = (self.conn, &self.left_out);
        let pages = each(&ask.pages, |page| recent::page(conn, page, left_out))?;
        let (pages, pages_noted) = pages.into_iter().unzip();
        Ok(Answers {
            notes: each(&ask.notes, |address| {
                self.of_note(address, |at| read::get_in(conn, at))
            })?,
            scopes: each(&ask.scopes, |scope| read::of_scope(conn, scope, left_out))?,
            kinds: each(&ask.kinds, |kind| read::of_kind(conn, *kind, left_out))?,
            pages,
            pages_noted,
            counts: each(&ask.counts, |count| self.count(count))?,
            summaries: each(&ask.summaries, |kind| read::scopes(conn, *kind, left_out))?,
            histories: each(&ask.histories, |address| {
                self.of_note(address, |at| journal::history(conn, at))
            })?,
            noted_before: each(&ask.noted_before, |of| {
                let before = of.iteration;
                self.of_note(&of.address, |at| journal::noted_before(conn, at, before))
            })?,
            journal: each(&ask.journal, |of| {
                journal::before(conn, of.before, of.limit, left_out)
            })?,
            entry_types: each(&ask.entry_types, |session| recent::kinds(conn, session))?,
            last_iterations: each(&ask.last_iterations, |session| {
                recent::last_iteration(conn, session)
            })?,
            events: each(&ask.events, |of| {
                events::page(conn, &of.session, of.before, of.limit)
            })?,
            leases: each(&ask.leases, |session| events::lease(conn, session))?,
            all_leases: when(ask.all_leases, || events::leases(conn, left_out))?,
            event_sessions: when(ask.event_sessions, || events::sessions(conn, left_out))?,
            feed: each(&ask.feed, |of| feed::after(conn, of.after, of.limit))?,
            operations: each(&ask.operations, |of| feed::operation(conn, *of))?,
            steps: each(&ask.steps, |position| feed::step(conn, position.number()))?,
            store_id: when(ask.store_id, || read::store_id(conn))?,
            version: when(ask.version, || recent::version(conn, self.is_lent))?,
            damaged: Vec::new(),
        })
    }

    /// Answers all from one state. One answer can take several statements, but for the version alone, which is asked
    /// before each block.
    fn at_once(&self, ask: &Ask) -> Outcome<Rows> {
        if ask.questions() == 1 && ask.store.version {
            let mut rows = Rows::default();
            rows.store.version = recent::version(self.conn, self.is_lent)?;
            return Ok(rows);
        }
        if !self.conn.is_autocommit() {
            return self.rows(ask);
        }
        let state = rusqlite::Transaction::new_unchecked(self.conn, TransactionBehavior::Deferred)?;
        let rows = self.rows(ask);
        drop(state);
        rows
    }

    pub(in crate::sqlite) fn mapped<T>(&self, outcome: Outcome<T>) -> Result<T> {
        self.named.mapped(outcome)
    }
}

fn at_position(position: &Position) -> String {
    format!("the revision at position {position}")
}

/// The answer to a question that is asked or not.
fn when<A: Default>(is_asked: bool, answer: impl FnOnce() -> Outcome<A>) -> Outcome<A> {
    match is_asked {
        true => answer(),
        false => Ok(A::default()),
    }
}

fn each<Q, A>(questions: &[Q], answer: impl FnMut(&Q) -> Outcome<A>) -> Outcome<Vec<A>> {
    questions.iter().map(answer).collect()
}

impl Read for Handle<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        self.mapped(self.at_once(ask))
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        self.mapped(verify::verify(self.conn, report))
    }
}

impl Transaction for Handle<'_> {
    fn put(&self, rows: &[engine::Row<'_>]) -> Result<()> {
        if self.conn.is_autocommit() {
            // Nothing may be put outside it.
            return Err(Error::engine(
                self.named.path.clone(),
                "the engine has taken the transaction back",
            ));
        }
        self.mapped(put::put(self, rows))
    }

    fn remove_contents(&self, contents: &[Content]) -> Result<()> {
        self.mapped(super::erase::remove_contents(self.conn, contents))
    }

    fn put_side(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()> {
        self.mapped(put::side(self.conn, space, values, removed))
    }

    fn renew_id(&self) -> Result<StoreId> {
        self.mapped(put::renew_id(self.conn))
    }

    fn put_index(&self, changes: &[IndexChange<'_>]) -> Result<()> {
        self.mapped(index::put(self.conn, changes))
    }
}
