//! Writing: every change one transaction, with its journal row, its content and its current row together.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use crate::address::Address;
use crate::change::{Applied, Before, Change, Write, decide};
use crate::content::{Content, ContentHash};
use crate::error::Result;
use crate::key::{EntryId, Name};
use crate::note::{Note, Revision, Stamp};
use crate::scope::Scope;

use super::SqliteStore;
use super::errors::Outcome;
use super::read;

pub(super) fn apply(store: &SqliteStore<'_>, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
    let _turn = store.turn()?;
    store.transaction(|conn| {
        let view = View { store, conn };
        changes.iter().map(|change| carry_out(&view, change, stamp)).collect()
    })
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

fn in_transaction<T>(conn: &Connection, work: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
    let transaction = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

fn in_savepoint<T>(conn: &Connection, work: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
    conn.execute_batch("SAVEPOINT waynote")?;
    let value = work(conn);
    match &value {
        Ok(_) => conn.execute_batch("RELEASE waynote")?,
        Err(_) => conn.execute_batch("ROLLBACK TO waynote; RELEASE waynote")?,
    }
    value
}

/// What a decision may ask, answered inside the transaction.
struct View<'a> {
    store: &'a SqliteStore<'a>,
    conn: &'a Connection,
}

impl Before for View<'_> {
    fn current(&self, address: &Address) -> Result<Option<Note>> {
        self.store.mapped(read::get(self.conn, address))
    }

    fn last_revision(&self, address: &Address) -> Result<u64> {
        self.store.mapped(read::last_revision(self.conn, address))
    }

    fn revision(&self, address: &Address, number: u64) -> Result<Option<Revision>> {
        self.store.mapped(read::one_revision(self.conn, address, number))
    }

    fn count(&self, scope: &Scope) -> Result<u64> {
        self.store.mapped(read::count(self.conn, scope))
    }

    fn last_entry(&self, session: &Name) -> Result<Option<EntryId>> {
        let last = self.store.mapped(read::last_key(self.conn, &Scope::Session(session.clone())))?;
        last.map(|id| id.parse()).transpose()
    }
}

fn carry_out(view: &View<'_>, change: &Change, stamp: &Stamp) -> Outcome<Applied> {
    if let Some(write) = decide(change, view, stamp)? {
        put(view.conn, &write)?;
        let note = write.revision.note().cloned();
        let address = write.revision.address().clone();
        return Ok(Applied { address, note, existed: write.existed, changed: true });
    }
    let address = match change {
        Change::Save { address, .. }
        | Change::Pin { address, .. }
        | Change::Delete { address }
        | Change::Restore { address, .. }
        | Change::Undo { address } => address.clone(),
        Change::Append { session, id, .. } => {
            // Only an id that came from elsewhere can be there already.
            let id = id.map_or_else(|| EntryId::next(None, stamp.now, Content::imported("").hash()), |id| id);
            Address::Session(session.clone(), id)
        }
    };
    let note = read::get(view.conn, &address)?;
    Ok(Applied { existed: note.is_some(), note, address, changed: false })
}

/// Writes a revision: content, journal row, current row, and the scope's count and head.
fn put(conn: &Connection, write: &Write) -> Outcome<()> {
    let Write { revision, existed } = write;
    let address = revision.address();
    let scope_id = scope_row(conn, &address.scope())?;
    let key = read::stored_key(address);
    let number = i64::try_from(revision.number()).unwrap_or(i64::MAX);
    let note = revision.note();
    let content = note.map(|note| content_row(conn, &note.content)).transpose()?;
    let recorded_at = revision.recorded_at.as_microsecond();
    conn.prepare_cached(
        "INSERT INTO waynote_journal (scope, key, revision, action, undoes, content, kind, iteration, pinned,
                                      author, recorded_at, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?
    .execute((
        scope_id,
        &key,
        number,
        revision.action.as_str(),
        revision.undoes.map(|undone| i64::try_from(undone).unwrap_or(i64::MAX)),
        content,
        note.and_then(|note| note.kind.as_ref()).map(crate::note::Kind::as_str),
        note.and_then(|note| note.iteration),
        note.is_some_and(|note| note.pinned),
        revision.author().as_str(),
        recorded_at,
        note.map_or(recorded_at, |note| note.created_at.as_microsecond()),
        note.map_or(recorded_at, |note| note.updated_at.as_microsecond()),
    ))?;
    let position = conn.last_insert_rowid();
    match note {
        Some(note) => conn
            .prepare_cached(
                "INSERT OR REPLACE INTO waynote_note (scope, key, revision, content, preview, kind, iteration,
                                                      pinned, author, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute((
                scope_id,
                &key,
                number,
                content,
                &note.preview,
                note.kind.as_ref().map(crate::note::Kind::as_str),
                note.iteration,
                note.pinned,
                note.author.as_str(),
                note.created_at.as_microsecond(),
                note.updated_at.as_microsecond(),
            ))?,
        None => conn
            .prepare_cached("DELETE FROM waynote_note WHERE scope = ?1 AND key = ?2")?
            .execute((scope_id, &key))?,
    };
    let counted = i64::from(!key.is_empty());
    let change = counted * (i64::from(note.is_some()) - i64::from(*existed));
    conn.prepare_cached("UPDATE waynote_scope SET notes = notes + ?2, head = ?3 WHERE id = ?1")?
        .execute((scope_id, change, position))?;
    Ok(())
}

fn scope_row(conn: &Connection, scope: &Scope) -> Outcome<i64> {
    if let Some(id) = read::scope_id(conn, scope)? {
        return Ok(id);
    }
    conn.prepare_cached("INSERT INTO waynote_scope (kind, name) VALUES (?1, ?2)")?
        .execute((scope.kind().as_str(), scope.name()))?;
    Ok(conn.last_insert_rowid())
}

/// The row of a content, made when it is new: equal contents are kept once.
fn content_row(conn: &Connection, content: &Content) -> Outcome<i64> {
    let hash = content.hash();
    let new: Option<i64> = conn
        .prepare_cached(
            "INSERT INTO waynote_content (hash, body) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING RETURNING id",
        )?
        .query_row((hash.0, content.as_bytes()), |row| row.get(0))
        .optional()?;
    match new {
        Some(id) => Ok(id),
        None => Ok(conn
            .prepare_cached("SELECT id FROM waynote_content WHERE hash = ?1")?
            .query_row([hash.0], |row| row.get(0))?),
    }
}
