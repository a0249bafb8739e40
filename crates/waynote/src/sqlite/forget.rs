//! Forgetting: rows lose their content, contents that nobody says any more go, and then every residue of them.
//!
//! An engine leaves old bytes behind: in the free part of a page after a split, in free pages, in the WAL. So a body is
//! overwritten before it is deleted, and afterwards the file is rebuilt and the WAL emptied, while no other writer
//! can run. On a lent connection the latter two are the application's.

use std::collections::{BTreeSet, HashSet};

use rusqlite::Connection;

use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::error::Result;
use crate::forget::{Erasure, Forget, Forgotten, Holders, Residue, decide};
use crate::note::{Revision, Stamp};

use super::errors::Outcome;
use super::write::{View, put};
use super::{Handle, SqliteStore, flush, migrate, read};

pub(super) fn forget(
    store: &SqliteStore<'_>,
    request: &Forget,
    stamp: &Stamp,
) -> Result<Forgotten> {
    let _turn = store.turn()?;
    let mut forgotten = {
        let _secure = Secure::of(store)?;
        store.transaction(|conn| {
            let view = View::new(store, conn);
            let erasure = decide(request, &view, stamp)?;
            let files = carry_out(&view, &erasure, stamp)?;
            Ok(reply(request, erasure, files))
        })?
    };
    forgotten.residue = clean(store);
    Ok(forgotten)
}

pub(super) fn would_forget(
    store: &SqliteStore<'_>,
    request: &Forget,
    stamp: &Stamp,
) -> Result<Forgotten> {
    let look = || -> Outcome<Forgotten> {
        let conn = store.conn();
        let _one_state = read::one_state(conn)?;
        let erasure = decide(request, &View::new(store, conn), stamp)?;
        let mut files = BTreeSet::new();
        for id in content_ids(conn, &erasure.contents)? {
            let holding = read::holding(conn, &[id])?.into_iter();
            let mut named = holding.filter_map(|(at, _)| Some((at.address, at.revision?)));
            if named.all(|at| erasure.revisions.contains(&at)) {
                files.append(&mut marked(conn, id)?);
            }
        }
        Ok(reply(request, erasure, files.into_iter().collect()))
    };
    store.mapped(look())
}

fn reply(request: &Forget, erasure: Erasure, files: Vec<String>) -> Forgotten {
    let at = |(address, revision): (Address, u64)| AddressAt {
        address,
        revision: Some(revision),
    };
    let gone = erasure.writes.iter().map(|write| &write.revision);
    Forgotten {
        named: request.named(),
        gone: gone.map(|revision| revision.address().clone()).collect(),
        revisions: erasure.revisions.into_iter().map(at).collect(),
        kept: erasure.kept,
        shared: erasure.shared.into_iter().map(at).collect(),
        files,
        residue: None,
    }
}

/// Returns the files that were last known to hold one of the contents.
fn carry_out(view: &View<'_>, erasure: &Erasure, stamp: &Stamp) -> Outcome<Vec<String>> {
    let conn = view.conn;
    let mut positions = Vec::new();
    let notes: BTreeSet<&Address> = erasure.revisions.iter().map(|(note, _)| note).collect();
    for note in notes {
        let history = read::history(conn, note)?;
        let is_meant = |revision: &&Revision| {
            let named = (note.clone(), revision.number());
            erasure.revisions.contains(&named)
        };
        let meant = history.iter().filter(is_meant);
        positions.extend(meant.filter_map(|revision| Some(revision.position?.0)));
    }
    flush::forget(conn, &positions)?;
    for write in &erasure.writes {
        let address = write.revision.address();
        if let Some(scope) = view.scope_id(&address.scope())? {
            // The row goes with the next statement; its preview shall not lie in a free part of the page.
            conn.prepare_cached(
                "UPDATE waynote_note
                 SET preview = substr(hex(zeroblob(octet_length(preview))), 1, octet_length(preview))
                 WHERE scope = ?1 AND key = ?2",
            )?
            .execute((scope, read::stored_key(address)))?;
        }
        put(view, write)?;
    }
    for position in positions {
        conn.prepare_cached(
            "UPDATE waynote_journal SET content = NULL, forgotten_at = ?2, forgotten_by = ?3 WHERE position = ?1",
        )?
        .execute((position, stamp.now.as_microsecond(), stamp.author.as_str()))?;
    }
    let ids = content_ids(conn, &erasure.contents)?;
    let holding = read::holding(conn, &ids)?.into_iter();
    let said: HashSet<i64> = holding.map(|(_, content)| content).collect();
    let mut files = BTreeSet::new();
    for id in ids.into_iter().filter(|id| !said.contains(id)) {
        files.append(&mut erase(conn, id)?);
    }
    Ok(files.into_iter().collect())
}

fn content_ids(conn: &Connection, contents: &[Content]) -> Outcome<Vec<i64>> {
    let ids = contents
        .iter()
        .filter_map(|content| read::content_id(conn, content).transpose());
    ids.collect()
}

/// The hash of a content.
fn hash(conn: &Connection, id: i64) -> Outcome<Vec<u8>> {
    let sql = "SELECT hash FROM waynote_content WHERE id = ?1";
    Ok(conn.query_row(sql, [id], |row| row.get(0))?)
}

/// The files that were last known to hold a content.
fn marked(conn: &Connection, id: i64) -> Outcome<BTreeSet<String>> {
    let mut marked = conn.prepare("SELECT file FROM waynote_file_mark WHERE hash = ?1")?;
    let files = marked.query_map([hash(conn, id)?], |row| row.get(0))?;
    Ok(files.collect::<rusqlite::Result<_>>()?)
}

/// Deletes a content, and the marks of files that would give its hash away. Returns those files.
fn erase(conn: &Connection, id: i64) -> Outcome<BTreeSet<String>> {
    let (hash, files) = (hash(conn, id)?, marked(conn, id)?);
    conn.execute(
        "UPDATE waynote_file_mark SET hash = zeroblob(32) WHERE hash = ?1",
        [&hash],
    )?;
    conn.execute(
        "DELETE FROM waynote_file_mark WHERE hash = zeroblob(32)",
        [],
    )?;
    conn.execute(
        "UPDATE waynote_content SET body = zeroblob(length(body)), hash = zeroblob(32) WHERE id = ?1",
        [id],
    )?;
    conn.execute("DELETE FROM waynote_content WHERE id = ?1", [id])?;
    Ok(files)
}

impl Holders for View<'_> {
    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        self.store.mapped(read::history(self.conn, address))
    }

    fn holding(&self, contents: &[Content]) -> Result<Vec<AddressAt>> {
        let ids = content_ids(self.conn, contents);
        let holding = self
            .store
            .mapped(ids.and_then(|ids| read::holding(self.conn, &ids)))?;
        Ok(holding.into_iter().map(|(at, _)| at).collect())
    }
}

/// While it lives, what the engine frees is overwritten with zeros.
struct Secure<'c> {
    conn: &'c Connection,
    before: i64,
}

impl<'c> Secure<'c> {
    fn of(store: &'c SqliteStore<'_>) -> Result<Self> {
        let conn = store.conn();
        let set = || -> Outcome<i64> {
            let before = conn.query_row("PRAGMA secure_delete", [], |row| row.get(0))?;
            conn.query_row("PRAGMA secure_delete = ON", [], |_| Ok(()))?;
            Ok(before)
        };
        let before = store.mapped(set())?;
        Ok(Self { conn, before })
    }
}

impl Drop for Secure<'_> {
    fn drop(&mut self) {
        let before = match self.before {
            0 => "OFF",
            1 => "ON",
            _ => "FAST",
        };
        let sql = format!("PRAGMA secure_delete = {before}");
        let _ = self.conn.query_row(&sql, [], |_| Ok(()));
    }
}

/// Rebuilds the file without what it once held, and empties the WAL. What keeps it from that is no error: the text is
/// out of the notes, and the same command again finishes the work.
fn clean(store: &SqliteStore<'_>) -> Option<Residue> {
    if matches!(store.handle, Handle::Lent(_)) {
        return Some(Residue::Lent);
    }
    match rebuild(store.conn()) {
        Ok(residue) => residue,
        Err(failure) => {
            let error = failure.at(&store.path, store.wait);
            Some(Residue::Failed(error.to_string()))
        }
    }
}

fn rebuild(conn: &Connection) -> Outcome<Option<Residue>> {
    if !migrate::is_ours(conn)? {
        return Ok(Some(Residue::Foreign));
    }
    conn.execute_batch("VACUUM")?;
    let is_blocked: bool =
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(is_blocked.then_some(Residue::Read))
}
