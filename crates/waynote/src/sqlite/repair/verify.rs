//! Checks of pages and rows that the rules cannot see: SQLite's structures, checksums, contents, previews, positions.

use rusqlite::{Connection, Row};

use crate::content::Content;
use crate::model::report::Report;
use crate::scope::Scope;
use crate::secrets;

use super::verify_rows;
use crate::sqlite::errors::Outcome;

/// Returns whether the rows can be read any further. To be called on one state, so that a writer at work is not taken for
/// damage.
pub(in crate::sqlite) fn verify(conn: &Connection, report: &mut Report) -> Outcome<bool> {
    engine(conn, report)?;
    if !report.is_clean() {
        // SQLite names pages. The notes on them are found by reading all notes.
        verify_rows::unreadable(conn, report);
        return Ok(false);
    }
    contents(conn, report)?;
    unused(conn, report)?;
    previews(conn, report)?;
    for (check, says) in CHECKS {
        named(conn, check, says, report)?;
    }
    one_order(conn, report)?;
    verify_rows::checksums(conn, report)?;
    Ok(true)
}

fn engine(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let mut statement = conn.prepare("PRAGMA integrity_check")?;
    // After an error there are no more lines.
    for line in statement.query_map([], |row| row.get::<_, String>(0))? {
        let line = line.unwrap_or_else(|error| error.to_string());
        if line != "ok" {
            report.add(format!("database: {line}"));
        }
    }
    Ok(())
}

fn contents(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let mut statement = conn.prepare("SELECT id, hash, body FROM waynote_content")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let stored = row.get_ref(1)?.as_bytes().unwrap_or_default();
        let body = row.get_ref(2)?.as_bytes().unwrap_or_default();
        if stored != Content::imported(body).hash().0 {
            let used = users(conn, id)?;
            report.add(format!("the content of {used} does not match its hash"));
        }
    }
    Ok(())
}

/// Checks that each content belongs to a revision: forgetting removes contents.
fn unused(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let unused: i64 = conn.query_row(
        "SELECT count(*) FROM waynote_content
         WHERE id NOT IN (SELECT content FROM waynote_journal WHERE content IS NOT NULL)",
        [],
        |row| row.get(0),
    )?;
    if unused > 0 {
        report.add(format!("contents without a revision: {unused}"));
    }
    Ok(())
}

/// The notes that a content is in, as addresses.
fn users(conn: &Connection, content: i64) -> Outcome<String> {
    let mut statement = conn.prepare(
        "SELECT s.kind, s.name, j.key, j.revision
         FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
         WHERE j.content = ?1 ORDER BY j.position LIMIT 10",
    )?;
    let rows = statement.query_map([content], |row| {
        Ok(format!("{}@{}", named_in(row)?, row.get::<_, i64>(3)?))
    })?;
    let users: Vec<String> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(if users.is_empty() {
        "no note".into()
    } else {
        users.join(", ")
    })
}

/// Checks that changes, events and forgettings have the positions 1, 2, 3 …, each once.
fn one_order(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let (all, distinct, first, last): (i64, i64, i64, i64) = conn.query_row(
        "SELECT count(*), count(DISTINCT position), coalesce(min(position), 1), coalesce(max(position), 0)
         FROM (SELECT position FROM waynote_journal
               UNION ALL SELECT position FROM waynote_event)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    if distinct != all {
        let twice = all - distinct;
        report.add(format!("positions used twice: {twice}"));
    }
    if first != 1 || last != distinct {
        let missing = last - distinct;
        report.add(format!("positions missing before {last}: {missing}"));
    }
    Ok(())
}

fn previews(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let mut statement = conn.prepare(
        "SELECT s.kind, s.name, n.key, n.preview, c.body
         FROM waynote_note n JOIN waynote_scope s ON s.id = n.scope JOIN waynote_content c ON c.id = n.content",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let body = row.get_ref(4)?.as_bytes().unwrap_or_default();
        let (stored, content) = (
            row.get_ref(3)?.as_str().unwrap_or_default(),
            Content::imported(body),
        );
        // Rules for credentials come and go: one that was stored plain is right too, and a mask is taken as it is.
        let is_its_own = stored.contains(secrets::MASK)
            || stored == content.preview()
            || stored == content.plain_preview();
        if !is_its_own {
            report.add(format!("{} has a wrong preview", named_in(row)?));
        }
    }
    Ok(())
}

/// Each selects the addresses of faulty items.
const CHECKS: [(&str, &str); 8] = [
    (
        "SELECT kind, name, '' FROM waynote_scope WHERE lease IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM waynote_event e WHERE e.scope = id AND e.number = lease)",
        "has the lease of a loop that never began",
    ),
    (
        "SELECT coalesce(s.kind, '?'), coalesce(s.name, 'scope ' || e.scope), ''
         FROM waynote_event e LEFT JOIN waynote_scope s ON s.id = e.scope
         WHERE e.scope IS NOT NULL AND s.kind IS NOT 'session' GROUP BY e.scope",
        "has events but is not a session",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
         WHERE (j.forgotten_at IS NULL) <> (j.forgotten_by IS NULL)
            OR (j.forgotten_at IS NOT NULL AND j.content IS NOT NULL)",
        "has a revision that is only half forgotten",
    ),
    (
        "SELECT s.kind, s.name, d.key FROM waynote_deleted d JOIN waynote_scope s ON s.id = d.scope
         LEFT JOIN waynote_journal j ON j.position = d.position
         WHERE j.position IS NULL OR j.scope IS NOT d.scope OR j.key IS NOT d.key OR j.content IS NOT NULL
            OR j.forgotten_at IS NOT NULL
            OR EXISTS (SELECT 1 FROM waynote_note n WHERE n.scope = d.scope AND n.key = d.key)",
        "is deleted, but not according to its journal",
    ),
    (
        "WITH ends (position) AS (SELECT position FROM waynote_note UNION ALL SELECT position FROM waynote_deleted),
              linked (position) AS (SELECT position FROM ends UNION ALL
                                    SELECT previous FROM waynote_journal WHERE previous IS NOT NULL)
         SELECT s.kind, s.name, j.key FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
         WHERE j.position NOT IN (SELECT position FROM linked)",
        "has revisions in the journal that belong to no note",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.content IS NOT NULL AND c.id IS NULL GROUP BY j.scope, j.key",
        "has a revision whose content is missing",
    ),
    (
        "SELECT s.kind, s.name, '' FROM waynote_scope s
         JOIN (SELECT scope, max(position) AS head FROM waynote_journal GROUP BY scope) j ON j.scope = s.id
         WHERE s.head <> j.head",
        "has a wrong position of its last change",
    ),
    (
        "SELECT '?', 'scope ' || j.scope, j.key FROM waynote_journal j
         WHERE NOT EXISTS (SELECT 1 FROM waynote_scope s WHERE s.id = j.scope)",
        "belongs to a scope that is missing",
    ),
];

fn named(conn: &Connection, check: &str, says: &str, report: &mut Report) -> Outcome<()> {
    let mut statement = conn.prepare(check)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        report.add(format!("{} {says}", named_in(row)?));
    }
    Ok(())
}

/// The note or the scope in the first three columns, as its address; as it is stored where that is damaged.
pub(super) fn named_in(row: &Row<'_>) -> rusqlite::Result<String> {
    let (kind, name, key): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let key = (!key.is_empty()).then_some(key);
    let scope = kind.parse().and_then(|kind| Scope::from_parts(kind, &name));
    Ok(match (scope, key) {
        (Ok(scope), None) => scope.to_string(),
        (Ok(scope), Some(key)) => format!("{scope}#{}", crate::address::encode(&key)),
        (Err(_), key) => format!("{kind}:{name:?}#{:?}", key.unwrap_or_default()),
    })
}
