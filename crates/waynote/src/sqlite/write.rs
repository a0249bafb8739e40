//! Writing: every change one transaction, with its journal row, its content and its current row together.

use std::cell::RefCell;

use rusqlite::Connection;

use crate::address::Address;
use crate::change::{Applied, Before, Change, Write, decide};
use crate::content::{Content, ContentHash};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::key::{EntryId, Name};
use crate::note::{Kind, Note, Revision, Stamp};
use crate::scope::Scope;

use super::SqliteStore;
use super::errors::Outcome;
use super::events;
use super::flush;
use super::read;

pub(super) fn apply(
    store: &SqliteStore<'_>,
    changes: &[Change],
    stamp: &Stamp,
) -> Result<Vec<Applied>> {
    let _turn = store.turn()?;
    let applied = store.transaction(|conn| {
        let view = View::new(store, conn);
        let mut applied = Vec::with_capacity(changes.len());
        for (index, change) in changes.iter().enumerate() {
            let outcome = carry_out(&view, change, stamp)?;
            if outcome.changed {
                let position = conn.last_insert_rowid();
                flush::keep_up(store, conn, position, changes.len() - index - 1)?;
            }
            applied.push(outcome);
        }
        Ok(applied)
    });
    if applied.is_err() {
        // What was sealed on the way was taken back.
        store.indexed.set(None);
    }
    applied
}

pub(super) fn mark_file(
    store: &SqliteStore<'_>,
    file: &str,
    marks: &[(String, Option<ContentHash>)],
) -> Result<()> {
    let _turn = store.turn()?;
    // A mark need not be on disk: one that is lost is found out by comparing again.
    let _relaxed = Relaxed::of(store);
    store.transaction(|conn| {
        for (key, hash) in marks {
            match hash {
                Some(hash) => conn
                    .prepare_cached("INSERT OR REPLACE INTO waynote_file_mark (file, key, hash) VALUES (?1, ?2, ?3)")?
                    .execute((file, key, hash.0))?,
                None => conn
                    .prepare_cached("DELETE FROM waynote_file_mark WHERE file = ?1 AND key = ?2")?
                    .execute((file, key))?,
            };
        }
        Ok(())
    })
}

/// While it lives, commits do not wait for the disk; on a lent connection that is the application's to say.
struct Relaxed<'c>(Option<&'c Connection>);

impl<'c> Relaxed<'c> {
    fn of(store: &'c SqliteStore<'_>) -> Self {
        let own = store.queue.is_some().then(|| store.conn());
        Self(own.filter(|conn| conn.pragma_update(None, "synchronous", "NORMAL").is_ok()))
    }
}

impl Drop for Relaxed<'_> {
    fn drop(&mut self) {
        if let Some(conn) = self.0 {
            let _ = conn.pragma_update(None, "synchronous", "FULL");
        }
    }
}

impl SqliteStore<'_> {
    /// Runs `work` in a transaction, or in a savepoint inside the application's; rolled back unless it succeeds.
    pub(super) fn transaction<T>(&self, work: impl FnOnce(&Connection) -> Outcome<T>) -> Result<T> {
        self.wrote.set(true);
        let conn = self.conn();
        self.mapped(if conn.is_autocommit() {
            in_transaction(conn, work)
        } else {
            in_savepoint(conn, work)
        })
    }
}

fn in_transaction<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> Outcome<T>,
) -> Outcome<T> {
    // Kept prepared, as everything that runs at every write.
    conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let rollback = RollBack(conn);
    let value = work(conn)?;
    conn.prepare_cached("COMMIT")?.execute([])?;
    drop(rollback);
    Ok(value)
}

/// Takes back a transaction that is still open when it goes, whatever the reason.
struct RollBack<'c>(&'c Connection);

impl Drop for RollBack<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // Whatever failed before is the error to tell.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

fn in_savepoint<T>(conn: &Connection, work: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
    conn.execute_batch("SAVEPOINT waynote")?;
    let value = work(conn);
    match &value {
        Ok(_) => conn.execute_batch("RELEASE waynote")?,
        // A full disk has rolled back everything already: the first error is the one to tell.
        Err(_) => drop(conn.execute_batch("ROLLBACK TO waynote; RELEASE waynote")),
    }
    value
}

/// What a decision may ask, answered inside the transaction.
pub(super) struct View<'a> {
    pub(super) store: &'a SqliteStore<'a>,
    pub(super) conn: &'a Connection,
    /// A change asks for the same scope several times.
    last_scope: RefCell<Option<(Scope, i64)>>,
    /// A content that was just looked for, and was not there.
    new_content: RefCell<Option<Content>>,
}

impl<'a> View<'a> {
    pub(super) fn new(store: &'a SqliteStore<'a>, conn: &'a Connection) -> Self {
        Self {
            store,
            conn,
            last_scope: RefCell::default(),
            new_content: RefCell::default(),
        }
    }

    pub(super) fn scope_id(&self, scope: &Scope) -> Outcome<Option<i64>> {
        if let Some((last, id)) = &*self.last_scope.borrow()
            && last == scope
        {
            return Ok(Some(*id));
        }
        let id = read::scope_id(self.conn, scope)?;
        if let Some(id) = id {
            self.last_scope.replace(Some((scope.clone(), id)));
        }
        Ok(id)
    }

    /// The row of a scope, made when it is new.
    pub(super) fn scope_row(&self, scope: &Scope) -> Outcome<i64> {
        if let Some(id) = self.scope_id(scope)? {
            return Ok(id);
        }
        self.conn
            .prepare_cached("INSERT INTO waynote_scope (kind, name) VALUES (?1, ?2)")?
            .execute((scope.kind().as_str(), scope.name()))?;
        Ok(self.conn.last_insert_rowid())
    }

    fn head(&self, address: &Address) -> Outcome<Option<i64>> {
        match self.scope_id(&address.scope())? {
            Some(id) => read::head(self.conn, id, &read::stored_key(address)),
            None => Ok(None),
        }
    }

    fn note(&self, address: &Address) -> Outcome<Option<Note>> {
        let scope = address.scope();
        match self.scope_id(&scope)? {
            Some(id) => read::get_in(self.conn, id, &scope, &read::stored_key(address)),
            None => Ok(None),
        }
    }
}

impl Before for View<'_> {
    fn current(&self, address: &Address) -> Result<Option<Note>> {
        self.store.mapped(self.note(address))
    }

    fn last_revision(&self, address: &Address) -> Result<u64> {
        let last = self
            .head(address)
            .and_then(|head| head.map_or(Ok(0), |head| read::revision_at(self.conn, head)));
        self.store.mapped(last)
    }

    fn revision(&self, address: &Address, number: u64) -> Result<Option<Revision>> {
        let found = self.head(address).and_then(|head| match head {
            Some(head) => read::one_revision(self.conn, &address.scope(), head, number),
            None => Ok(None),
        });
        self.store.mapped(found)
    }

    fn count(&self, scope: &Scope) -> Result<u64> {
        self.store.mapped(read::count(self.conn, scope))
    }

    fn last_entry(&self, session: &Name) -> Result<Option<EntryId>> {
        let last = self
            .scope_id(&Scope::Session(session.clone()))
            .and_then(|id| match id {
                Some(id) => read::last_key(self.conn, id),
                None => Ok(None),
            });
        self.store.mapped(last)?.map(|id| id.parse()).transpose()
    }

    fn entry_saying(&self, session: &Name, kind: &Kind, content: &Content) -> Result<Option<Note>> {
        let scope = Scope::Session(session.clone());
        let look = || -> Outcome<Option<Note>> {
            let Some(content_id) = read::content_id(self.conn, content)? else {
                self.new_content.replace(Some(content.clone()));
                return Ok(None);
            };
            match self.scope_id(&scope)? {
                Some(id) => read::first_saying(self.conn, id, &scope, kind, content_id),
                None => Ok(None),
            }
        };
        self.store.mapped(look())
    }
}

fn carry_out(view: &View<'_>, change: &Change, stamp: &Stamp) -> Outcome<Applied> {
    if let Some(write) = decide(change, view, stamp)? {
        put(view, &write)?;
        let note = write.note().cloned();
        let address = write.revision.address().clone();
        return Ok(Applied {
            address,
            note,
            existed: write.existed,
            changed: true,
        });
    }
    let address = match (change, change.address()) {
        (
            Change::Append {
                session,
                id: Some(id),
                ..
            },
            _,
        ) => Address::Session(session.clone(), *id),
        (_, Some(address)) => address.clone(),
        // An id that the store makes is never there already.
        (_, None) => {
            return Err(Error::NotFound {
                what: "id for the entry".into(),
            }
            .into());
        }
    };
    let note = view.note(&address)?;
    Ok(Applied {
        existed: note.is_some(),
        note,
        address,
        changed: false,
    })
}

/// Writes a revision: content, journal row, current row, and the scope's count and head.
pub(super) fn put(view: &View<'_>, write: &Write) -> Outcome<()> {
    let Write {
        revision, existed, ..
    } = write;
    let conn = view.conn;
    let address = revision.address();
    let scope_id = view.scope_row(&address.scope())?;
    let key = read::stored_key(address);
    let number = i64::try_from(revision.number()).unwrap_or(i64::MAX);
    // A first revision has nothing before it.
    let previous = if number > 1 {
        read::head(conn, scope_id, &key)?
    } else {
        None
    };
    let note = revision.note();
    let kind = note
        .and_then(|note| note.kind.as_ref())
        .map(crate::note::Kind::as_str);
    let content = note
        .map(|note| content_row(view, scope_id, &note.content))
        .transpose()?;
    let recorded_at = revision.recorded_at.as_microsecond();
    let created_at = note.map_or(recorded_at, |note| note.created_at.as_microsecond());
    let updated_at = note.map_or(recorded_at, |note| note.updated_at.as_microsecond());
    conn.prepare_cached(
        "INSERT INTO waynote_journal (previous, scope, key, revision, action, undoes, content, kind, iteration,
                                      pinned, author, recorded_at, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute((
        previous,
        scope_id,
        &key,
        number,
        revision.action.as_str(),
        revision.undoes.map(|undone| i64::try_from(undone).unwrap_or(i64::MAX)),
        content,
        kind,
        note.and_then(|note| note.iteration),
        note.is_some_and(|note| note.pinned),
        revision.author().as_str(),
        recorded_at,
        created_at,
        updated_at,
    ))?;
    let position = conn.last_insert_rowid();
    match write.note() {
        Some(note) => {
            if !existed && number > 1 {
                conn.prepare_cached("DELETE FROM waynote_deleted WHERE scope = ?1 AND key = ?2")?
                    .execute((scope_id, &key))?;
            }
            conn.prepare_cached(
                "INSERT OR REPLACE INTO waynote_note (scope, key, position, revision, content, preview, kind,
                                                      iteration, pinned, author, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute((
                scope_id,
                &key,
                position,
                number,
                content,
                &note.preview,
                kind,
                note.iteration,
                note.pinned,
                note.author.as_str(),
                note.created_at.as_microsecond(),
                note.updated_at.as_microsecond(),
            ))?;
        }
        None => {
            conn.prepare_cached("DELETE FROM waynote_note WHERE scope = ?1 AND key = ?2")?
                .execute((scope_id, &key))?;
            conn.prepare_cached(
                "INSERT OR REPLACE INTO waynote_deleted (scope, key, position) VALUES (?1, ?2, ?3)",
            )?
            .execute((scope_id, &key, position))?;
        }
    }
    if let (Some(entry), Address::Session(_, by)) = (write.resolves, address) {
        let event = Event::Resolved { entry, by: *by };
        events::insert(conn, scope_id, &event, recorded_at, revision.author())?;
        conn.prepare_cached(
            "UPDATE waynote_note SET resolved_by = ?3 WHERE scope = ?1 AND key = ?2",
        )?
        .execute((scope_id, entry.to_string(), &key))?;
    }
    let counted = i64::from(!key.is_empty());
    let change = counted * (i64::from(note.is_some()) - i64::from(*existed));
    conn.prepare_cached("UPDATE waynote_scope SET notes = notes + ?2, head = ?3 WHERE id = ?1")?
        .execute((scope_id, change, position))?;
    Ok(())
}

/// The row of a content, made when it is new: equal contents are kept once. A new one lies with the others of
/// the scope that brings it, so that reading a scope reads few pages however much the store holds.
fn content_row(view: &View<'_>, scope_id: i64, content: &Content) -> Outcome<i64> {
    const SCOPE_SHIFT: u32 = 32;
    let conn = view.conn;
    let is_new = view.new_content.take().as_ref() == Some(content);
    if !is_new && let Some(id) = read::content_id(conn, content)? {
        return Ok(id);
    }
    let (first, end) = (scope_id << SCOPE_SHIFT, (scope_id + 1) << SCOPE_SHIFT);
    let last: Option<i64> = conn
        .prepare_cached("SELECT max(id) FROM waynote_content WHERE id >= ?1 AND id < ?2")?
        .query_row((first, end), |row| row.get(0))?;
    let id = last.map_or(first, |last| last + 1);
    conn.prepare_cached("INSERT INTO waynote_content (id, hash, body) VALUES (?1, ?2, ?3)")?
        .execute((id, content.hash().0, content.as_bytes()))?;
    Ok(id)
}
