//! Checking everything there is: the engine's own structures, every content against its hash, the journal
//! against the current notes, the counts.

use rusqlite::{Connection, Row, Transaction, TransactionBehavior};

use crate::content::Content;
use crate::scope::Scope;
use crate::verify::Report;

use super::errors::Outcome;

pub(super) fn verify(conn: &Connection) -> Outcome<Report> {
    // One snapshot, so that a writer at work is not taken for damage.
    let transaction = conn
        .is_autocommit()
        .then(|| Transaction::new_unchecked(conn, TransactionBehavior::Deferred))
        .transpose()?;
    let mut report = Report::default();
    engine(conn, &mut report)?;
    if report.is_clean() {
        contents(conn, &mut report)?;
        journal(conn, &mut report)?;
        previews(conn, &mut report)?;
        for name in super::migrate::changed(conn)? {
            report
                .problems
                .push(format!("migration `{name}` was made by another program"));
        }
        for (check, says) in CHECKS {
            named(conn, check, says, &mut report)?;
        }
        super::verify_search::verify(conn, &mut report)?;
    }
    drop(transaction);
    Ok(report)
}

fn engine(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let mut statement = conn.prepare("PRAGMA integrity_check")?;
    let mut rows = statement.query([])?;
    loop {
        match rows.next() {
            Ok(Some(row)) => {
                let line: String = row.get(0)?;
                if line != "ok" {
                    report.problems.push(format!("database: {line}"));
                }
            }
            Ok(None) => return Ok(()),
            Err(error) => {
                report.problems.push(format!("database: {error}"));
                return Ok(());
            }
        }
    }
}

fn contents(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let mut statement = conn.prepare("SELECT id, hash, body FROM waynote_content")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        report.contents += 1;
        let id: i64 = row.get(0)?;
        let stored = row.get_ref(1)?.as_bytes().unwrap_or_default();
        let body = row.get_ref(2)?.as_bytes().unwrap_or_default();
        if stored != Content::imported(body).hash().0 {
            let used = users(conn, id)?;
            report
                .problems
                .push(format!("the content of {used} does not match its hash"));
        }
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

fn journal(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let count = |table: &str| -> Outcome<u64> {
        let count: i64 = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })?;
        Ok(u64::try_from(count).unwrap_or(0))
    };
    report.notes = count("waynote_note")?;
    report.revisions = count("waynote_journal")?;
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
        if row.get_ref(3)?.as_str().unwrap_or_default() != Content::imported(body).preview() {
            report.problems.push(format!(
                "{} has a preview that is not its own",
                named_in(row)?
            ));
        }
    }
    Ok(())
}

/// Each selects the addresses of what is wrong.
const CHECKS: [(&str, &str); 8] = [
    (
        "SELECT s.kind, s.name, n.key FROM waynote_note n JOIN waynote_scope s ON s.id = n.scope
         LEFT JOIN waynote_journal j ON j.position = n.position
         WHERE j.position IS NULL OR j.scope IS NOT n.scope OR j.key IS NOT n.key
            OR j.revision IS NOT n.revision OR j.content IS NOT n.content OR j.pinned IS NOT n.pinned
            OR j.kind IS NOT n.kind OR j.iteration IS NOT n.iteration OR j.author IS NOT n.author
            OR j.created_at IS NOT n.created_at OR j.updated_at IS NOT n.updated_at",
        "is not what its journal comes to",
    ),
    (
        "SELECT s.kind, s.name, d.key FROM waynote_deleted d JOIN waynote_scope s ON s.id = d.scope
         LEFT JOIN waynote_journal j ON j.position = d.position
         WHERE j.position IS NULL OR j.scope IS NOT d.scope OR j.key IS NOT d.key OR j.content IS NOT NULL
            OR EXISTS (SELECT 1 FROM waynote_note n WHERE n.scope = d.scope AND n.key = d.key)",
        "is deleted, but not in its journal",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_journal p ON p.position = j.previous
         WHERE iif(j.revision = 1, j.previous IS NOT NULL,
                   p.scope IS NOT j.scope OR p.key IS NOT j.key OR p.revision IS NOT j.revision - 1)",
        "has a gap in its revisions",
    ),
    (
        "WITH ends (position) AS (SELECT position FROM waynote_note UNION ALL SELECT position FROM waynote_deleted),
              linked (position) AS (SELECT position FROM ends UNION ALL
                                    SELECT previous FROM waynote_journal WHERE previous IS NOT NULL)
         SELECT s.kind, s.name, j.key FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
         WHERE j.position NOT IN (SELECT position FROM linked)",
        "has revisions in the journal that no note leads to",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.content IS NOT NULL AND c.id IS NULL GROUP BY j.scope, j.key",
        "has a revision whose content is missing",
    ),
    (
        "SELECT s.kind, s.name, '' FROM waynote_scope s
         WHERE s.notes <> (SELECT count(*) FROM waynote_note n WHERE n.scope = s.id AND n.key <> '')",
        "counts other notes than it has",
    ),
    (
        "SELECT s.kind, s.name, '' FROM waynote_scope s
         JOIN (SELECT scope, max(position) AS head FROM waynote_journal GROUP BY scope) j ON j.scope = s.id
         WHERE s.head <> j.head",
        "does not know its last change",
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
        report.problems.push(format!("{} {says}", named_in(row)?));
    }
    Ok(())
}

/// The note or the scope in the first three columns, as its address; as it is stored where that is damaged.
fn named_in(row: &Row<'_>) -> rusqlite::Result<String> {
    let (kind, name, key): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let key = (!key.is_empty()).then_some(key);
    let scope = kind.parse().and_then(|kind| Scope::from_parts(kind, &name));
    Ok(match (scope, key) {
        (Ok(scope), None) => scope.to_string(),
        (Ok(scope), Some(key)) => format!("{scope}#{}", crate::address::encode(&key)),
        (Err(_), key) => format!("{kind}:{name:?}#{:?}", key.unwrap_or_default()),
    })
}
