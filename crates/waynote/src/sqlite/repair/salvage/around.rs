//! Reading around damage: each row by its key, so that of a damaged page only the rows on it are lost.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Params, Row, ffi};

use crate::engine::{NoteState, Step};
use crate::event::SessionsEvent;
use crate::note::{Position, Revision};
use crate::scope::Scope;
use crate::sqlite::errors::Outcome;
use crate::sqlite::rows::events::{self, EVENT};
use crate::sqlite::rows::journal::{self, AT_POSITION};
use crate::sqlite::rows::read::{self, ONE_NOTE};
use crate::sqlite::rows::scopes::SCOPE;
use crate::sqlite::rows::{checksum, damage, feed};
use crate::store::{Cursor, FeedContent, FeedEntry, SideValue};

/// A note: the id of its scope, and its key as it is stored.
pub(super) type NoteKey = (i64, String);

/// A revision, and the position of the one before it.
pub(super) type Link = (Option<i64>, Revision);

/// The rows that could be read.
#[derive(Default)]
pub(super) struct ReadableRows {
    pub(super) scopes: HashMap<i64, Scope>,
    /// The revisions that are whole, by note and position.
    pub(super) chains: BTreeMap<NoteKey, Vec<Link>>,
    /// Notes with a damaged row of the journal.
    pub(super) damaged: BTreeSet<NoteKey>,
    /// True if rows of the journal may be missing whose notes are not known.
    pub(super) has_gaps: bool,
    /// Current notes: none where the row is damaged.
    pub(super) notes: BTreeMap<NoteKey, Option<NoteState>>,
    pub(super) deleted: BTreeSet<NoteKey>,
    /// Events and forgettings, in order.
    pub(super) others: Vec<FeedEntry>,
    /// The names of events that are not whole.
    pub(super) damaged_events: BTreeSet<String>,
    /// The calls that wrote rows.
    pub(super) steps: HashMap<Position, Step>,
    /// Values of side data, by space and key.
    pub(super) side: BTreeMap<(String, String), SideValue>,
}

pub(super) fn read(conn: &Connection) -> Outcome<ReadableRows> {
    let mut found = ReadableRows::default();
    let highest = highest(conn)?;
    for id in 1..=highest {
        if let Some(scope) = scope(conn, id)? {
            found.scopes.insert(id, scope);
        }
    }
    for position in 0..=highest {
        found.revision(conn, position)?;
        found.events(conn, position)?;
        // A call whose id is lost is only not recognized if it is made again.
        if let Ok(Some(step)) = feed::step(conn, position) {
            found.steps.insert(Position::new(position), step);
        }
    }
    found.notes(conn)?;
    for order in ["space, key", "space DESC, key DESC"] {
        let sql =
            format!("SELECT space, key, value, about, checksum FROM waynote_side ORDER BY {order}");
        until_damage(conn, &sql, [], |row| {
            let space: String = row.get(0)?;
            let value = read::side_value(row)?;
            found.side.insert((space, value.key.clone()), value);
            Ok(())
        })?;
    }
    Ok(found)
}

impl ReadableRows {
    fn revision(&mut self, conn: &Connection, position: i64) -> Outcome<()> {
        let key = "SELECT scope, key, previous FROM waynote_journal WHERE position = ?1";
        let key = one(conn, key, [position], |row| {
            Ok(((row.get(0)?, row.get(1)?), row.get(2).ok()))
        })?;
        let (key, previous): (NoteKey, Option<Option<i64>>) = match key {
            Ok(None) => return Ok(()),
            Ok(Some(key)) => key,
            Err(_) => {
                self.has_gaps = true;
                return Ok(());
            }
        };
        let revision = match self.scopes.get(&key.0) {
            Some(scope) => one(conn, &AT_POSITION, [position], |row| {
                journal::revision(row, scope)
            })?,
            None => Ok(None),
        };
        match (revision, previous) {
            (Ok(Some(revision)), Some(previous)) => {
                let chain = self.chains.entry(key).or_default();
                chain.push((previous, revision));
            }
            _ => {
                self.damaged.insert(key);
            }
        }
        Ok(())
    }

    fn events(&mut self, conn: &Connection, position: i64) -> Outcome<()> {
        let sql =
            format!("SELECT {EVENT} FROM waynote_event e WHERE e.position = ?1 ORDER BY e.ordinal");
        let (scopes, others, damaged) = (&self.scopes, &mut self.others, &mut self.damaged_events);
        let is_read = until_damage(conn, &sql, [position], |row| {
            let scope = row.get::<_, Option<i64>>(2)?;
            let entry = match scope.map(|id| (id, scopes.get(&id))) {
                None => feed::other_than_a_change(row),
                Some((_, Some(Scope::Session(session)))) => events::recorded(row, session)
                    .and_then(|recorded| {
                        let session = session.clone();
                        Ok(FeedEntry {
                            at: Cursor {
                                position: recorded.position,
                                ordinal: row.get(1)?,
                            },
                            happened: FeedContent::Event(SessionsEvent { session, recorded }),
                        })
                    }),
                Some((id, _)) => Err(damage::damaged(format_args!(
                    "an event of scope number {id}"
                ))),
            };
            match entry {
                Ok(entry) => others.push(entry),
                Err(error) => {
                    damaged.insert(damage::named(&error).unwrap_or("an event").to_owned());
                }
            }
            Ok(())
        })?;
        if !is_read {
            self.damaged_events.insert("events".to_owned());
        }
        Ok(())
    }

    /// The notes as they are now: those of the table, and those that the journal names.
    fn notes(&mut self, conn: &Connection) -> Outcome<()> {
        let mut keys: BTreeSet<NoteKey> = self.chains.keys().cloned().collect();
        keys.extend(self.damaged.iter().cloned());
        let mut key = |row: &Row<'_>| {
            keys.insert((row.get(0)?, row.get(1)?));
            Ok(())
        };
        let select = "SELECT scope, key FROM waynote_note";
        for order in ["scope, key", "scope DESC, key DESC"] {
            until_damage(conn, &format!("{select} ORDER BY {order}"), [], &mut key)?;
        }
        for id in self.scopes.keys() {
            for order in ["key", "key DESC"] {
                let sql = format!("{select} WHERE scope = ?1 ORDER BY {order}");
                until_damage(conn, &sql, [id], &mut key)?;
            }
        }
        for key in keys {
            let note = match self.scopes.get(&key.0) {
                Some(scope) => one(conn, &ONE_NOTE, (key.0, &key.1), |row| {
                    read::noted(row, scope)
                })?,
                None => Err(None),
            };
            match note {
                Ok(None) => {}
                note => {
                    self.notes.insert(key.clone(), note.ok().flatten());
                }
            }
            let deleted = "SELECT 1 FROM waynote_deleted WHERE scope = ?1 AND key = ?2";
            if let Ok(Some(())) = one(conn, deleted, (key.0, &key.1), |_| Ok(()))? {
                self.deleted.insert(key);
            }
        }
        Ok(())
    }
}

/// The scope with an id, if its row is whole, or if the table and its index say the same.
fn scope(conn: &Connection, id: i64) -> Outcome<Option<Scope>> {
    let sql = format!("SELECT {SCOPE} FROM waynote_scope s WHERE s.id = ?1");
    let found = one(conn, &sql, [id], |row| {
        let (kind, name): (String, String) = (row.get(1)?, row.get(2)?);
        let scope = kind.parse().and_then(|kind| Scope::from_parts(kind, &name));
        Ok((scope.ok(), checksum::is_whole(row, 6)?))
    })?;
    let Ok(Some((Some(scope), is_whole))) = found else {
        return Ok(None);
    };
    let by_name = "SELECT id FROM waynote_scope WHERE kind = ?1 AND name = ?2";
    let by_name = (!is_whole)
        .then(|| {
            one(
                conn,
                by_name,
                (scope.kind().as_str(), scope.name()),
                |row| row.get(0),
            )
        })
        .transpose()?;
    let is_sure = by_name.is_none_or(|found| found == Ok(Some(id)));
    Ok(is_sure.then_some(scope))
}

/// A value that was read; an error, which may have the name of the thing, if its row or page is damaged.
type SalvageRead<T> = Result<T, Option<String>>;

fn seen<T>(read: rusqlite::Result<T>) -> Outcome<SalvageRead<T>> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(rusqlite::Error::SqliteFailure(failure, why))
            if failure.extended_code & 0xff != ffi::SQLITE_CORRUPT =>
        {
            Err(rusqlite::Error::SqliteFailure(failure, why).into())
        }
        Err(error) => Ok(Err(damage::named(&error).map(str::to_owned))),
    }
}

/// The first row of a query.
fn one<T>(
    conn: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Outcome<SalvageRead<Option<T>>> {
    let found = conn
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(parameters, read).optional());
    seen(found)
}

/// Reads the rows of a query until one lies on a damaged page; rows that are damaged themselves are passed over.
/// Returns true if there was no damaged page.
fn until_damage(
    conn: &Connection,
    sql: &str,
    parameters: impl Params,
    mut each: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> Outcome<bool> {
    let Ok(mut statement) = seen(conn.prepare_cached(sql))? else {
        return Ok(false);
    };
    let mut rows = statement.query(parameters)?;
    loop {
        match seen(rows.next())? {
            Ok(Some(row)) => {
                let _ = seen(each(row))?;
            }
            Ok(None) => return Ok(true),
            Err(_) => return Ok(false),
        }
    }
}

/// An upper bound of positions and of the ids of scopes, as far as it can be read.
fn highest(conn: &Connection) -> Outcome<i64> {
    let mut highest = 1;
    for sql in [
        "SELECT max(position) FROM waynote_journal",
        "SELECT max(position) FROM waynote_event",
        "SELECT max(position) FROM waynote_note",
        "SELECT max(head) FROM waynote_scope",
        "SELECT max(id) FROM waynote_scope",
    ] {
        if let Ok(Some(found)) = one(conn, sql, [], |row| row.get::<_, i64>(0))? {
            highest = highest.max(found);
        }
    }
    // Of a table whose end cannot be read, the rows before it may say more.
    for table in ["journal", "event"] {
        let sql = format!("SELECT position FROM waynote_{table} ORDER BY position");
        until_damage(conn, &sql, [], |row| {
            if let ValueRef::Integer(position) = row.get_ref(0)? {
                highest = highest.max(position);
            }
            Ok(())
        })?;
    }
    // A damaged row says any number; but positions and the ids of scopes follow one another, so that there are no more
    // than rows fit into the file.
    const SMALLEST_ROW: i64 = 16;
    let bytes: i64 = conn.query_row(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        [],
        |row| row.get(0),
    )?;
    Ok(highest.min(bytes / SMALLEST_ROW))
}
