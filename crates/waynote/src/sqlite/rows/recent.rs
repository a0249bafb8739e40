//! Reads by index, a page at a time, as a prompt block needs it.

use rusqlite::{Connection, OptionalExtension, ToSql};

use crate::key::Name;
use crate::note::{EntryType, Note, Position};
use crate::scope::Scope;
use crate::store::{Page, Recent, Version};

use super::damage::{self, LeftOut, is_corrupt};
use super::journal;
use super::query::{exactly_one, one};
use super::read::{self, NOTE, NotePlace, note, number, scope_id};
use crate::sqlite::errors::{Failure, Outcome};

/// The condition and the order of a page, as its index has them.
fn clauses(recent: &Recent) -> (&'static str, &'static str) {
    match recent {
        Recent::Keyed { .. } => (
            "n.scope = ?1 AND n.pinned = ?2 AND n.kind IS NULL AND n.key <> '' AND ?3 IS NULL AND ?6 = 0",
            "n.updated_at DESC, n.key",
        ),
        Recent::ByKey { .. } => (
            "n.scope = ?1 AND ?2 IS NULL AND ?3 IS NULL AND ?6 = 0",
            "n.key",
        ),
        Recent::Entries {
            before: Some(_), ..
        } => (
            "n.scope = ?1 AND n.kind = ?2 AND n.kind IS NOT NULL AND n.iteration < ?3
             AND (?6 = 0 OR n.resolved_by IS NULL)",
            "n.iteration DESC, n.key DESC",
        ),
        Recent::Entries { before: None, .. } => (
            "n.scope = ?1 AND n.kind = ?2 AND n.kind IS NOT NULL AND ?3 IS NULL
             AND (?6 = 0 OR n.resolved_by IS NULL)",
            "n.iteration DESC, n.key DESC",
        ),
    }
}

/// The parameters of the condition, beside the scope.
fn wanted(recent: &Recent) -> (rusqlite::types::Value, Option<i64>, bool) {
    match recent {
        Recent::Keyed { pinned, .. } => (i64::from(*pinned).into(), None, false),
        Recent::ByKey { .. } => (rusqlite::types::Value::Null, None, false),
        Recent::Entries {
            kind, before, open, ..
        } => (kind.as_str().to_owned().into(), *before, *open),
    }
}

/// A page, and how often each of its entries was noted before the iteration that it is about.
pub(super) fn page(
    conn: &Connection,
    page: &Page,
    left_out: &LeftOut,
) -> Outcome<(Vec<Note>, Vec<u64>)> {
    let scope = page.of.scope();
    let Some(id) = scope_id(conn, &scope)? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let (condition, order) = clauses(&page.of);
    let (what, before, open) = wanted(&page.of);
    let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let read = |limit: usize, skip: usize| {
        let (limit, skip) = (number(limit), number(skip));
        let params: &[&dyn ToSql] = &[&id, &what, &before, &limit, &skip, &open];
        let rows = format!("WHERE {condition} ORDER BY {order} LIMIT ?4 OFFSET ?5");
        let sql = format!(
            "SELECT {NOTE} FROM waynote_note n LEFT JOIN waynote_content c ON c.id = n.content {rows}"
        );
        match left_out.whole(conn, &sql, params, |row| note(row, &scope)) {
            Err(failure) if is_corrupt(&failure) => {
                let keys = format!("SELECT n.key FROM waynote_note n {rows}");
                read::one_by_one(conn, id, &scope, &keys, params, left_out)
            }
            found => found,
        }
    };
    let known = left_out.len();
    let mut found = read(page.limit, page.skip)?;
    if left_out.len() > known {
        // A short page would be taken for the last one.
        found = read(usize::MAX, 0)?;
        found = found.into_iter().skip(page.skip).take(page.limit).collect();
    }
    let Some(before) = before else {
        return Ok((found, Vec::new()));
    };
    let (mut notes, mut noted) = (Vec::with_capacity(found.len()), Vec::new());
    for note in found {
        // One that was never repeated has no history but itself.
        let times = match note.revision {
            1 => Ok(Some(1)),
            _ => {
                let key = read::stored_key(&note.address);
                let (scope, key) = (&scope, key.as_str());
                journal::noted_before(conn, NotePlace { id, scope, key }, before).map(Some)
            }
        };
        if let Some(times) = left_out.unless_damaged(times, &note.address)? {
            noted.push(times);
            notes.push(note);
        }
    }
    Ok((notes, noted))
}

/// The number of pinned keyed notes, or of all others. Only the pinned ones are counted, because they are few; the
/// others are the rest of the scope's count.
pub(super) fn count_keyed(conn: &Connection, scope: &Scope, pinned: bool) -> Outcome<u64> {
    let Some(id) = scope_id(conn, scope)? else {
        return Ok(0);
    };
    // Without statistics the engine would rather go through the whole scope.
    let sql = "SELECT count(*) FROM waynote_note INDEXED BY waynote_note_recent
               WHERE scope = ?1 AND pinned = 1 AND kind IS NULL AND key <> ''";
    let of_pinned = exactly_one(conn, sql, [id], |row| number(row, 0))?;
    match pinned {
        true => Ok(of_pinned),
        false => Ok(read::count(conn, scope)?.saturating_sub(of_pinned)),
    }
}

pub(super) fn count_entries(
    conn: &Connection,
    session: &Name,
    kind: Option<&EntryType>,
    before: Option<i64>,
    open: bool,
) -> Outcome<u64> {
    let Some(id) = scope_id(conn, &Scope::Session(session.clone()))? else {
        return Ok(0);
    };
    let all = match kind {
        Some(kind) => count_of_kind(conn, id, kind, before)?,
        None => count_all(conn, id, session, before)?,
    };
    match open {
        true => Ok(all.saturating_sub(count_resolved(conn, id, kind, before)?)),
        false => Ok(all),
    }
}

/// The number of entries before an iteration. Only those of this iteration and later ones are counted, because they are
/// few; the others are the rest of the scope's count.
fn count_all(conn: &Connection, id: i64, session: &Name, before: Option<i64>) -> Outcome<u64> {
    let scope = Scope::Session(session.clone());
    let all = read::count(conn, &scope)?;
    let Some(before) = before else {
        return Ok(all);
    };
    let mut statement = conn.prepare_cached(
        "SELECT (SELECT count(*) FROM waynote_note
                 WHERE scope = ?1 AND kind = ?2 AND kind IS NOT NULL AND iteration >= ?3)
              + (SELECT count(*) FROM waynote_note
                 WHERE scope = ?1 AND kind = ?2 AND kind IS NOT NULL AND iteration IS NULL)",
    )?;
    let mut left = all;
    for kind in kinds(conn, session)? {
        let unseen = statement.query_row((id, kind.as_str(), before), |row| number(row, 0))?;
        left = left.saturating_sub(unseen);
    }
    Ok(left)
}

fn count_of_kind(
    conn: &Connection,
    id: i64,
    kind: &EntryType,
    before: Option<i64>,
) -> Outcome<u64> {
    let sql = "SELECT count(*) FROM waynote_note
               WHERE scope = ?1 AND kind = ?2 AND kind IS NOT NULL AND (?3 IS NULL OR iteration < ?3)";
    exactly_one(conn, sql, (id, kind.as_str(), before), |row| number(row, 0))
}

/// Few are resolved.
fn count_resolved(
    conn: &Connection,
    id: i64,
    kind: Option<&EntryType>,
    before: Option<i64>,
) -> Outcome<u64> {
    // Without statistics the engine would rather go through the whole log.
    let sql = "SELECT count(*) FROM waynote_note INDEXED BY waynote_note_resolved
               WHERE scope = ?1 AND resolved_by IS NOT NULL AND (?2 IS NULL OR kind = ?2)
                     AND (?3 IS NULL OR iteration < ?3)";
    let kind = kind.map(EntryType::as_str);
    exactly_one(conn, sql, (id, kind, before), |row| number(row, 0))
}

/// The largest iteration in which an entry was noted. The row has only the earliest one; the others are in the note's
/// chain.
pub(super) fn last_iteration(conn: &Connection, session: &Name) -> Outcome<Option<i64>> {
    let Some(id) = scope_id(conn, &Scope::Session(session.clone()))? else {
        return Ok(None);
    };
    let mut statement = conn.prepare_cached(
        "SELECT max(iteration) FROM waynote_note WHERE scope = ?1 AND kind = ?2 AND kind IS NOT NULL",
    )?;
    let mut last = None;
    for kind in kinds(conn, session)? {
        let of_kind = statement.query_row((id, kind.as_str()), |row| row.get(0))?;
        last = last.max(of_kind);
    }
    let mut repeated = conn.prepare_cached(
        "WITH RECURSIVE chain (previous, iteration) AS (
             SELECT j.previous, j.iteration FROM waynote_note n JOIN waynote_journal j ON j.position = n.position
             WHERE n.scope = ?1 AND n.revision > 1
             UNION ALL
             SELECT j.previous, j.iteration FROM waynote_journal j JOIN chain ON j.position = chain.previous
         )
         SELECT max(iteration) FROM chain",
    )?;
    Ok(last.max(repeated.query_row([id], |row| row.get(0))?))
}

pub(super) fn kinds(conn: &Connection, session: &Name) -> Outcome<Vec<EntryType>> {
    let Some(id) = scope_id(conn, &Scope::Session(session.clone()))? else {
        return Ok(Vec::new());
    };
    // From one type to the next in the index, however many entries each has.
    let mut next = conn.prepare_cached(
        "SELECT kind FROM waynote_note WHERE scope = ?1 AND kind > ?2 AND kind IS NOT NULL ORDER BY kind LIMIT 1",
    )?;
    let sql =
        "SELECT kind FROM waynote_note WHERE scope = ?1 AND kind = '' AND kind IS NOT NULL LIMIT 1";
    let none_before: Option<String> = one(conn, sql, [id], |row| row.get(0))?;
    let mut kinds: Vec<EntryType> = none_before
        .as_deref()
        .map(EntryType::stored)
        .into_iter()
        .collect();
    let mut last = String::new();
    while let Some(word) = next
        .query_row((id, &last), |row| row.get::<_, String>(0))
        .optional()?
    {
        // Read from the index alone: a word that is none of ours is taken from a note that has it.
        let kind = EntryType::stored(&word);
        if !matches!(kind, EntryType::Other(_)) || has_one(conn, id, session, &word)? {
            kinds.push(kind);
        }
        last = word;
    }
    Ok(kinds)
}

/// True if a note really has this type, not only the index. A damaged note counts: its page leaves it out and reports it.
fn has_one(conn: &Connection, id: i64, session: &Name, kind: &str) -> Outcome<bool> {
    let scope = Scope::Session(session.clone());
    let sql = format!(
        "SELECT {NOTE} FROM waynote_note n LEFT JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 AND n.kind = ?2 AND n.kind IS NOT NULL LIMIT 1"
    );
    match one(conn, &sql, (id, kind), |row| note(row, &scope)) {
        Ok(Some(note)) => Ok(note.kind.is_some_and(|of| of.as_str() == kind)),
        Ok(None) => Ok(false),
        // Its page leaves it out, and says so.
        Err(Failure::Engine(error)) if damage::named(&error).is_some() => Ok(true),
        Err(failure) => Err(failure),
    }
}

/// A value that differs after every change. On a connection that an application lends, positions are given out again
/// after a rollback: there SQLite's own change counts are part of it.
pub(super) fn version(conn: &Connection, is_lent: bool) -> Outcome<Version> {
    let (position, ours): (Option<i64>, i64) = conn
        .prepare_cached(
            "SELECT nullif(max(coalesce((SELECT max(position) FROM waynote_journal), 0),
                               coalesce((SELECT max(position) FROM waynote_event), 0)), 0), total_changes()",
        )?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut changes = 0;
    if is_lent {
        let others: i64 = conn
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        // The lower halves of both: neither is counted so far between two looks.
        changes = ours.cast_unsigned() << 32 | (others.cast_unsigned() & u64::from(u32::MAX));
    }
    Ok(Version {
        position: position.map(Position::new),
        changes,
        written_at: None,
    })
}
