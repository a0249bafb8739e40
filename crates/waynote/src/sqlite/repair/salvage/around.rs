//! Reading around damage: rows from both ends of a table, and between them in ever smaller ranges.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params_from_iter};

use crate::content::Content;
use crate::scope::Scope;
use crate::sqlite::errors::{Failure, Outcome};
use crate::sqlite::rows::checksum::{self, Checked};
use crate::sqlite::rows::damage::is_corrupt;

/// So many ranges that cannot be read are tried: a table of which not even the first page is whole has no others.
const TRIES: usize = 20_000;

/// The values of a row, with its checksum as the last one.
pub(super) type Values = Vec<Value>;

/// A note: the id of its scope, and its key as it is stored.
pub(super) type NoteKey = (i64, String);

/// The rows that could be read.
#[derive(Default)]
pub(super) struct Found {
    pub(super) scopes: HashMap<i64, Scope>,
    /// Rows of the journal that are whole, by position.
    pub(super) journal: BTreeMap<i64, Values>,
    /// Notes with a damaged row of the journal.
    pub(super) damaged: BTreeSet<NoteKey>,
    /// True if rows of the journal may be missing whose notes are not known.
    pub(super) has_gaps: bool,
    /// Current notes: none where the row is damaged.
    pub(super) notes: BTreeMap<NoteKey, Option<Values>>,
    pub(super) deleted: BTreeSet<NoteKey>,
    pub(super) events: Vec<Values>,
    /// Events that are not whole: the scope's id and the number, where known.
    pub(super) damaged_events: Vec<(Option<i64>, Option<i64>)>,
    pub(super) side: Vec<Values>,
    /// Scopes that have rows and no name that can be trusted.
    pub(super) nameless: BTreeSet<i64>,
}

pub(super) fn read(conn: &Connection) -> Outcome<Found> {
    let mut found = Found::default();
    let mut contents = Contents::new(conn);
    let (rows, has_gaps) = all(conn, &checksum::JOURNAL)?;
    found.has_gaps = has_gaps;
    for row in rows {
        let (position, key) = (integer(&row, 0), note_key(&row, 2, 3));
        if contents.is_whole(&checksum::JOURNAL, &row, 7)? {
            if let Some(position) = position {
                found.journal.insert(position, row);
            }
        } else if let Some(key) = key {
            found.damaged.insert(key);
        } else {
            found.has_gaps = true;
        }
    }
    notes(conn, &mut contents, &mut found)?;
    events(conn, &mut found)?;
    scopes(conn, &mut found)?;
    let (side, _) = all(conn, &checksum::SIDE)?;
    found.side = side
        .into_iter()
        .filter(|row| is_whole(&checksum::SIDE, row, None))
        .collect();
    Ok(found)
}

fn notes(conn: &Connection, contents: &mut Contents<'_>, found: &mut Found) -> Outcome<()> {
    let (rows, _) = all(conn, &checksum::NOTE)?;
    for row in rows {
        if let Some(key) = note_key(&row, 0, 1) {
            let whole = contents.is_whole(&checksum::NOTE, &row, 4)?.then_some(row);
            found.notes.insert(key, whole);
        }
    }
    // Those that lie in the middle of damage are asked for by name.
    let known = found.journal.values().filter_map(|row| note_key(row, 2, 3));
    let known: BTreeSet<NoteKey> = known.chain(found.damaged.iter().cloned()).collect();
    let select = format!(
        "SELECT {}, checksum FROM waynote_note WHERE scope = ?1 AND key = ?2",
        checksum::NOTE.columns
    );
    let mut by_key = conn.prepare(&select)?;
    let mut is_deleted =
        conn.prepare("SELECT 1 FROM waynote_deleted WHERE scope = ?1 AND key = ?2")?;
    for key in known {
        if !found.notes.contains_key(&key) {
            let row = by_key.query_row((key.0, &key.1), values_of).optional();
            match around(row.map_err(Into::into))? {
                Some(Some(row)) => {
                    let whole = contents.is_whole(&checksum::NOTE, &row, 4)?.then_some(row);
                    found.notes.insert(key.clone(), whole);
                }
                Some(None) => {}
                None => {
                    found.notes.insert(key.clone(), None);
                }
            }
        }
        let row = is_deleted.exists((key.0, &key.1));
        if around(row.map_err(Into::into))? == Some(true) {
            found.deleted.insert(key);
        }
    }
    Ok(())
}

fn events(conn: &Connection, found: &mut Found) -> Outcome<()> {
    let (rows, has_gaps) = all(conn, &checksum::EVENT)?;
    for row in rows {
        match is_whole(&checksum::EVENT, &row, None) {
            true => found.events.push(row),
            false => found
                .damaged_events
                .push((integer(&row, 2), integer(&row, 3))),
        }
    }
    if has_gaps {
        found.damaged_events.push((None, None));
    }
    found
        .events
        .sort_by_key(|row| (integer(row, 0), integer(row, 1)));
    Ok(())
}

/// The names of scopes: from rows that are whole, or where the table and its index say the same.
fn scopes(conn: &Connection, found: &mut Found) -> Outcome<()> {
    let named = |kind: &str, name: &str| Scope::from_parts(kind.parse().ok()?, name).ok();
    let of_row = |row: &Values| match (row.get(1), row.get(2)) {
        (Some(Value::Text(kind)), Some(Value::Text(name))) => named(kind, name),
        _ => None,
    };
    let mut unsure = Vec::new();
    let (rows, _) = all(conn, &checksum::SCOPE)?;
    for row in rows {
        let (Some(id), Some(scope)) = (integer(&row, 0), of_row(&row)) else {
            continue;
        };
        match is_whole(&checksum::SCOPE, &row, None) {
            true => {
                found.scopes.insert(id, scope);
            }
            false => unsure.push((id, scope)),
        }
    }
    let mut in_index =
        conn.prepare("SELECT id FROM waynote_scope WHERE kind = ?1 AND name = ?2")?;
    for (id, scope) in unsure {
        let said = in_index
            .query_row((scope.kind().as_str(), scope.name()), |row| {
                row.get::<_, i64>(0)
            })
            .optional();
        if around(said.map_err(Into::into))?.flatten() == Some(id) {
            found.scopes.entry(id).or_insert(scope);
        }
    }
    let of_journal = found.journal.values().filter_map(|row| integer(row, 2));
    let of_notes = found.notes.keys().map(|(scope, _)| *scope);
    let of_events = found.events.iter().filter_map(|row| integer(row, 2));
    let used: BTreeSet<i64> = of_journal.chain(of_notes).chain(of_events).collect();
    found.nameless = used
        .into_iter()
        .filter(|id| !found.scopes.contains_key(id))
        .collect();
    Ok(())
}

/// The value that was read; none if its page is damaged.
fn around<T>(read: Outcome<T>) -> Outcome<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(failure) if is_corrupt(&failure) => Ok(None),
        Err(failure) => Err(failure),
    }
}

pub(super) fn integer(row: &[Value], column: usize) -> Option<i64> {
    match row.get(column) {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    }
}

pub(super) fn text(row: &[Value], column: usize) -> Option<&str> {
    match row.get(column) {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

pub(super) fn note_key(row: &[Value], scope: usize, key: usize) -> Option<NoteKey> {
    Some((integer(row, scope)?, text(row, key)?.to_owned()))
}

/// True if a row, which ends with its checksum, is as it was written.
fn is_whole(table: &Checked, row: &[Value], hash: Option<&Value>) -> bool {
    let Some((Value::Integer(checksum), values)) = row.split_last() else {
        return false;
    };
    let values = values.iter().chain(hash);
    let values: Vec<&dyn ToSql> = values.map(|value| value as &dyn ToSql).collect();
    table.of(&values).is_ok_and(|of| of == *checksum)
}

fn values_of(row: &Row<'_>) -> rusqlite::Result<Values> {
    let columns = row.as_ref().column_count();
    // A text that is not UTF-8 is damage, and no reason to stop.
    Ok((0..columns)
        .map(|column| row.get::<_, Value>(column).unwrap_or(Value::Null))
        .collect())
}

/// The rows of a table that can be read, and true if some cannot.
fn all(conn: &Connection, table: &Checked) -> Outcome<(Vec<Values>, bool)> {
    let select = format!("SELECT {}, checksum FROM {}", table.columns, table.table);
    let mut rows = Vec::new();
    let order = |direction: &str| {
        let keys: Vec<String> = table
            .key
            .split(',')
            .map(|key| format!("{key} {direction}"))
            .collect();
        format!("{select} ORDER BY {}", keys.join(", "))
    };
    if until_damage(conn, &order("ASC"), &[], &mut rows)? {
        return Ok((rows, false));
    }
    let forward = rows.len();
    let mut backward = Vec::new();
    until_damage(conn, &order("DESC"), &[], &mut backward)?;
    // The first column of the key is a number in all but one table, which is asked for by name.
    let column = table.key.split(',').next().unwrap_or_default().trim();
    let place = table.columns.split(',').position(|of| of.trim() == column);
    if let Some(place) = place {
        let last = |rows: &[Values]| rows.last().and_then(|row| integer(row, place));
        let from = last(&rows[..forward]).unwrap_or(-1);
        let to = match last(&backward) {
            Some(to) => to.min(highest(conn)?),
            None => highest(conn)?,
        };
        if from < to {
            between(conn, &select, column, from, to, &mut rows)?;
        }
    }
    rows.extend(backward);
    // Rows that were read from both ends are there twice.
    let mut seen = BTreeSet::new();
    let keys: Vec<usize> = table
        .key
        .split(',')
        .filter_map(|key| {
            let mut columns = table.columns.split(',');
            columns.position(|of| of.trim() == key.trim())
        })
        .collect();
    rows.retain(|row| {
        let key: Vec<String> = keys
            .iter()
            .map(|of| format!("{:?}", row.get(*of)))
            .collect();
        seen.insert(key)
    });
    Ok((rows, true))
}

/// Adds the rows of a query until one cannot be read. Returns true if all could.
fn until_damage(
    conn: &Connection,
    sql: &str,
    parameters: &[i64],
    rows: &mut Vec<Values>,
) -> Outcome<bool> {
    let mut statement = match around(conn.prepare_cached(sql).map_err(Failure::from))? {
        Some(statement) => statement,
        None => return Ok(false),
    };
    let mut found = statement.query(params_from_iter(parameters))?;
    loop {
        match around(found.next().map_err(Failure::from))? {
            Some(Some(row)) => rows.push(values_of(row)?),
            Some(None) => return Ok(true),
            None => return Ok(false),
        }
    }
}

/// Reads the rows between two numbers, in halves where they cannot be read at once.
fn between(
    conn: &Connection,
    select: &str,
    column: &str,
    from: i64,
    to: i64,
    rows: &mut Vec<Values>,
) -> Outcome<()> {
    let sql = format!("{select} WHERE {column} BETWEEN ?1 AND ?2 ORDER BY {column}");
    let mut left = vec![(from, to)];
    let mut tries = 0;
    while let Some((from, to)) = left.pop() {
        let known = rows.len();
        if until_damage(conn, &sql, &[from, to], rows)? {
            continue;
        }
        rows.truncate(known);
        tries += 1;
        if tries > TRIES {
            break;
        }
        if from < to {
            let middle = from.midpoint(to);
            left.push((middle + 1, to));
            left.push((from, middle));
        }
    }
    Ok(())
}

/// An upper bound of the numbers of rows, as far as it can be read.
fn highest(conn: &Connection) -> Outcome<i64> {
    let mut highest = 1;
    for sql in [
        "SELECT max(position) FROM waynote_journal",
        "SELECT max(position) FROM waynote_event",
        "SELECT max(position) FROM waynote_note",
        "SELECT max(head) FROM waynote_scope",
        "SELECT max(id) FROM waynote_scope",
    ] {
        let found = conn.query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
        let found = around(found.map_err(Failure::from))?.flatten();
        highest = highest.max(found.unwrap_or_default());
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

/// The texts of the store, checked once each.
struct Contents<'c> {
    conn: &'c Connection,
    hashes: HashMap<i64, Option<Value>>,
}

impl<'c> Contents<'c> {
    fn new(conn: &'c Connection) -> Self {
        Self {
            conn,
            hashes: HashMap::new(),
        }
    }

    /// True if a row is as it was written, and so is its text, if it has one: `column` has the id of the text.
    fn is_whole(&mut self, table: &Checked, row: &[Value], column: usize) -> Outcome<bool> {
        let null = Value::Null;
        match row.get(column) {
            Some(Value::Null) => Ok(is_whole(table, row, Some(&null))),
            Some(Value::Integer(id)) => {
                let hash = self.hash(*id)?;
                Ok(hash.is_some_and(|hash| is_whole(table, row, Some(&hash))))
            }
            _ => Ok(false),
        }
    }

    /// The hash of a text that matches it.
    fn hash(&mut self, id: i64) -> Outcome<Option<Value>> {
        if let Some(known) = self.hashes.get(&id) {
            return Ok(known.clone());
        }
        let hash = body(self.conn, id)?.map(|(hash, _)| Value::Blob(hash));
        self.hashes.insert(id, hash.clone());
        Ok(hash)
    }
}

/// A text with its hash, if they match.
pub(super) fn body(conn: &Connection, id: i64) -> Outcome<Option<(Vec<u8>, Vec<u8>)>> {
    let mut statement =
        conn.prepare_cached("SELECT hash, body FROM waynote_content WHERE id = ?1")?;
    let found = statement.query_row([id], |row| {
        let blob = |column| match row.get::<_, Value>(column) {
            Ok(Value::Blob(blob)) => Some(blob),
            _ => None,
        };
        Ok(blob(0).zip(blob(1)))
    });
    let found = around(found.optional().map_err(Into::into))?;
    let found = found.flatten().flatten();
    Ok(found.filter(|(hash, body)| Content::imported(body.as_slice()).hash().0 == hash.as_slice()))
}
