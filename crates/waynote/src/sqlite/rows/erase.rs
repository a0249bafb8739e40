//! Erasing: an engine leaves old bytes behind, in the free part of a page after a split, in free pages, in the WAL. So a
//! body is overwritten before it is deleted, and afterwards the file is rebuilt and the WAL emptied, while no other
//! writer can run. On a lent connection the latter two are the application's.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, ToSql};

use crate::address::AddressAt;
use crate::content::Content;
use crate::engine::Step;
use crate::error::Error;
use crate::event::RecordedEvent;
use crate::forget::Residue;
use crate::key::Name;
use crate::note::Position;

use super::checksum;
use super::events;
use super::feed::Forgetting;
use super::read::unreadable;
use crate::sqlite::errors::{Failure, Outcome};
use crate::sqlite::file::open::{self, side_files::beside};
use crate::sqlite::options::StoreName;
use crate::sqlite::schema;

/// Takes the contents out of revisions and the texts out of events, and says so at the position of the forgetting.
pub(super) fn forgotten(
    conn: &Connection,
    position: Position,
    at: Timestamp,
    by: &Name,
    revisions: &[(AddressAt, Position)],
    events: &[(Name, RecordedEvent)],
    step: Option<Step>,
) -> Outcome<()> {
    events::replace(conn, events)?;
    for (_, revision) in revisions {
        conn.prepare_cached(
            "UPDATE waynote_journal SET content = NULL, cites = NULL, forgotten_at = ?2, forgotten_by = ?3
             WHERE position = ?1",
        )?
        .execute((revision.number(), at.as_microsecond(), by.as_str()))?;
        checksum::JOURNAL.renew(conn, &[&revision.number()])?;
    }
    let forgetting = Forgetting {
        revisions: revisions.iter().map(|(at, _)| at.clone()).collect(),
        events: events
            .iter()
            .map(|(session, recorded)| recorded.address(session))
            .collect(),
    };
    let text = serde_json::to_string(&forgetting).map_err(|error| unreadable(4, error))?;
    let none: Option<i64> = None;
    let columns: [&dyn ToSql; 8] = [
        &position.number(),
        &none,
        &none,
        &by.as_str(),
        &at.as_microsecond(),
        &text,
        &step.as_ref().map(|step| step.operation.bytes()),
        &step.map(|step| step.step),
    ];
    checksum::EVENT.insert(conn, &columns)
}

/// Deletes contents, and the side data about them, which would give their hashes away.
pub(super) fn remove_contents(conn: &Connection, contents: &[Content]) -> Outcome<()> {
    for content in contents {
        let hash = content.hash().0;
        for sql in [
            "UPDATE waynote_side SET about = zeroblob(32), value = zeroblob(length(value)) WHERE about = ?1",
            "UPDATE waynote_content SET body = zeroblob(length(body)) WHERE hash = ?1",
            "UPDATE waynote_content SET hash = zeroblob(32) WHERE hash = ?1",
        ] {
            conn.execute(sql, [hash])?;
        }
        for sql in [
            "DELETE FROM waynote_side WHERE about = zeroblob(32)",
            "DELETE FROM waynote_content WHERE hash = zeroblob(32)",
        ] {
            conn.execute(sql, [])?;
        }
    }
    Ok(())
}

/// While it lives, SQLite overwrites freed bytes with zeros.
pub(in crate::sqlite) struct SecureDeleteGuard<'c> {
    conn: &'c Connection,
    before: i64,
}

impl<'c> SecureDeleteGuard<'c> {
    pub(in crate::sqlite) fn of(conn: &'c Connection) -> Outcome<Self> {
        let before = conn.query_row("PRAGMA secure_delete", [], |row| row.get(0))?;
        conn.query_row("PRAGMA secure_delete = ON", [], |_| Ok(()))?;
        Ok(Self { conn, before })
    }
}

impl Drop for SecureDeleteGuard<'_> {
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

/// Rebuilds the file without the bytes that it once held, and empties the WAL. A failure is no error of the call: the
/// text is out of the notes, and the same command again finishes the work.
pub(in crate::sqlite) fn scrub(
    named: &StoreName,
    file: &Path,
    conn: &Connection,
) -> Option<Residue> {
    match rebuild(file, conn) {
        Ok(residue) => residue,
        Err(failure) => {
            let error = failure.at(&named.path, named.wait);
            Some(Residue::Failed(error.to_string()))
        }
    }
}

fn rebuild(file: &Path, conn: &Connection) -> Outcome<Option<Residue>> {
    if !schema::is_ours(conn)? {
        return Ok(Some(Residue::Foreign));
    }
    conn.execute_batch("VACUUM")?;
    if !open::empty_wal(conn)? {
        return Ok(Some(Residue::Read));
    }
    sync_wal(file)?;
    Ok(None)
}

/// The engine does not sync that the WAL is empty now: after a power cut the text would be in it again.
fn sync_wal(file: &Path) -> Outcome<()> {
    let wal = beside(file, "-wal");
    let synced = File::open(&wal).and_then(|wal| wal.sync_all());
    match synced {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::Ours(Error::file(wal, "synced", error)))
        }
        _ => Ok(()),
    }
}
