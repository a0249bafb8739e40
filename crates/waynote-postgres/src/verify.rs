//! Checking everything there is of a store: every content against its hash, the journal against the notes, events,
//! leases, counts and positions.

use std::collections::BTreeMap;

use tokio_postgres::Row;
use waynote::event::SessionEvent;
use waynote::{Address, Content, Report, Result, Scope, ScopeKind};

use crate::error::Outcome;
use crate::migrate;
use crate::row::get;
use crate::session::{Session, Then};
use crate::trip::{Statement, big, bytes};

/// How many contents are read at a time.
const AT_ONCE: i64 = 256;

/// Checks a store. To be called on one state, so that a writer at work is not taken for damage.
pub(crate) fn verify(session: &Session<'_>, report: &mut Report) -> Result<bool> {
    session.be_patient();
    contents(session, report)?;
    let store = || vec![big(session.engine.which.key)];
    let mut statements = vec![
        Statement::typed(NUMBERS, store()),
        Statement::typed(MIGRATIONS, Vec::new()),
        Statement::typed(ORDER, store()),
        Statement::typed(EVENTS, store()),
    ];
    statements.extend(
        CHECKS
            .iter()
            .map(|(sql, _)| Statement::typed(*sql, store())),
    );
    let answers = session.trip(statements, Then::GoOn)?;
    session.engine.named(judged(&answers, report))?;
    Ok(true)
}

fn judged(answers: &[Vec<Row>], report: &mut Report) -> Outcome<()> {
    let number =
        |row: &Row, column| Ok::<_, crate::error::Failure>(get::<i64>(row, column)?.max(0) as u64);
    if let Some(row) = answers[0].first() {
        report.notes = number(row, 0)?;
        report.revisions = number(row, 1)?;
        match get::<i64>(row, 2)? {
            0 => {}
            unused => report
                .problems
                .push(format!("contents without a revision: {unused}")),
        }
    }
    let mut made = Vec::new();
    for row in &answers[1] {
        made.push((get::<i64>(row, 0)?, get::<Vec<u8>>(row, 1)?));
    }
    for name in migrate::changed(&made) {
        report
            .problems
            .push(format!("migration `{name}` was made by another program"));
    }
    if let Some(row) = answers[2].first() {
        order(row, report)?;
    }
    events(&answers[3], report)?;
    for ((_, says), rows) in CHECKS.iter().zip(&answers[4..]) {
        for row in rows {
            report.problems.push(format!("{} {says}", named_in(row)?));
        }
    }
    Ok(())
}

/// Every content against its hash, a part at a time.
fn contents(session: &Session<'_>, report: &mut Report) -> Result<()> {
    let mut after = Vec::new();
    loop {
        let values = vec![
            big(session.engine.which.key),
            bytes(after.clone()),
            big(AT_ONCE),
        ];
        let rows = session.trip(vec![Statement::typed(CONTENTS, values)], Then::GoOn)?;
        let rows = rows.into_iter().next().unwrap_or_default();
        for row in &rows {
            let (hash, body): (&[u8], &[u8]) = session
                .engine
                .named(get(row, 0).and_then(|hash| Ok((hash, get(row, 1)?))))?;
            report.contents += 1;
            if Content::imported(body).hash().0 != hash {
                let values = vec![big(session.engine.which.key), bytes(hash)];
                let users = session.trip(vec![Statement::typed(USERS, values)], Then::GoOn)?;
                let users: Outcome<Vec<String>> = users.iter().flatten().map(named_at).collect();
                let users = session.engine.named(users)?.join(", ");
                report.problems.push(match users.is_empty() {
                    true => "the content of no note does not match its hash".into(),
                    false => format!("the content of {users} does not match its hash"),
                });
            }
            after = hash.to_vec();
        }
        if rows.is_empty() {
            return Ok(());
        }
    }
}

/// Checks that everything has the positions 1, 2, 3 … up to the head, each once.
fn order(row: &Row, report: &mut Report) -> Outcome<()> {
    let (all, distinct, first): (i64, i64, i64) = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
    let (last, head): (i64, i64) = (get(row, 3)?, get(row, 4)?);
    if distinct != all {
        report
            .problems
            .push(format!("positions used twice: {}", all - distinct));
    }
    if first != 1 || last != distinct {
        report.problems.push(format!(
            "positions missing before {last}: {}",
            last - distinct
        ));
    }
    if head != last {
        report.problems.push(format!(
            "the store says that its last position is {head}, and it is {last}"
        ));
    }
    Ok(())
}

/// Checks that events are whole and without gaps, and that leases are those that the events give.
fn events(rows: &[Row], report: &mut Report) -> Outcome<()> {
    /// The state of a session as its events give it.
    #[derive(Default)]
    struct Seen {
        last: i64,
        held: Option<i64>,
        lease: Option<i64>,
        is_damaged: bool,
    }
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for row in rows {
        let scope = named_in(row)?;
        let (number, event): (Option<i64>, Option<&str>) = (get(row, 3)?, get(row, 4)?);
        let of = seen.entry(scope.clone()).or_default();
        of.lease = get(row, 5)?;
        let (Some(number), Some(event)) = (number, event) else {
            continue;
        };
        if number != of.last + 1 {
            report
                .problems
                .push(format!("{scope} has a gap in its events"));
        }
        of.last = number;
        match serde_json::from_str(event) {
            Ok(SessionEvent::LoopStarted { .. }) => of.held = Some(number),
            Ok(SessionEvent::LoopEnded { .. }) => of.held = None,
            Ok(_) => {}
            Err(error) => {
                of.is_damaged = true;
                report
                    .problems
                    .push(format!("{scope} has a damaged event: {error}"));
            }
        }
    }
    for (scope, of) in seen {
        if !of.is_damaged && of.held != of.lease {
            report.problems.push(format!(
                "{scope} has the lease of another loop than its events say"
            ));
        }
    }
    Ok(())
}

/// The note or the scope in the first three columns, as its address; as it is stored where that is damaged.
fn named_in(row: &Row) -> Outcome<String> {
    let (kind, name, key): (&str, &str, &str) = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
    let scope = kind
        .parse()
        .and_then(|kind: ScopeKind| Scope::from_parts(kind, name));
    Ok(match (scope, key) {
        (Ok(scope), "") => scope.to_string(),
        (Ok(scope), key) => match Address::from_parts(scope.clone(), Some(key)) {
            Ok(address) => address.to_string(),
            Err(_) => format!("{scope}#{key:?}"),
        },
        (Err(_), key) => format!("{kind}:{name:?}#{key:?}"),
    })
}

fn named_at(row: &Row) -> Outcome<String> {
    Ok(format!("{}@{}", named_in(row)?, get::<i64>(row, 3)?))
}

const CONTENTS: &str = "SELECT c.hash, c.body FROM waynote.content c
     WHERE c.store = $1 AND c.hash > $2 ORDER BY c.hash LIMIT $3";

const USERS: &str = "SELECT s.kind, s.name, j.key, j.revision FROM waynote.journal j
     JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     WHERE j.store = $1 AND j.content = $2 ORDER BY j.position LIMIT 10";

const NUMBERS: &str = "SELECT (SELECT count(*) FROM waynote.note n WHERE n.store = $1),
            (SELECT count(*) FROM waynote.journal j WHERE j.store = $1),
            (SELECT count(*) FROM waynote.content c WHERE c.store = $1 AND NOT EXISTS (
                SELECT FROM waynote.journal j WHERE j.store = $1 AND j.content = c.hash))";

const MIGRATIONS: &str = "SELECT version, hash FROM waynote.migration ORDER BY version";

const ORDER: &str = "SELECT count(*), count(DISTINCT a.position), coalesce(min(a.position), 1),
            coalesce(max(a.position), 0), coalesce((SELECT h.head FROM waynote.store h WHERE h.store = $1), 0)
     FROM (SELECT j.position FROM waynote.journal j WHERE j.store = $1
           UNION ALL SELECT e.position FROM waynote.event e WHERE e.store = $1 AND e.ordinal = 0) a";

/// The events of every session, and every session with a lease.
const EVENTS: &str = "SELECT coalesce(s.kind, '?'), coalesce(s.name, 'scope ' || e.scope), '', e.number, e.event, s.lease
     FROM waynote.event e LEFT JOIN waynote.scope s ON s.store = $1 AND s.scope = e.scope
     WHERE e.store = $1 AND e.scope IS NOT NULL
     UNION ALL
     SELECT s.kind, s.name, '', NULL, NULL, s.lease FROM waynote.scope s
     WHERE s.store = $1 AND s.lease IS NOT NULL
           AND NOT EXISTS (SELECT FROM waynote.event e WHERE e.store = $1 AND e.scope = s.scope)
     ORDER BY 1, 2, 4";

/// Each selects the addresses of faulty items.
const CHECKS: [(&str, &str); 8] = [
    (
        // An entry that was repeated stays as the row before its repeats made it, in the earliest iteration of all.
        "SELECT s.kind, s.name, n.key FROM waynote.note n
         JOIN waynote.scope s ON s.store = $1 AND s.scope = n.scope
         LEFT JOIN waynote.journal j ON j.store = $1 AND j.position = n.position
         LEFT JOIN LATERAL (
             SELECT f.* FROM waynote.journal f
             WHERE f.store = $1 AND f.scope = n.scope AND f.key = n.key AND f.action <> 'repeat'
             ORDER BY f.revision DESC LIMIT 1
         ) f ON TRUE
         LEFT JOIN LATERAL (
             SELECT min(e.iteration) AS iteration FROM waynote.journal e
             WHERE e.store = $1 AND e.scope = n.scope AND e.key = n.key AND e.revision >= f.revision
         ) e ON TRUE
         WHERE n.store = $1 AND (j.position IS NULL OR j.scope <> n.scope OR j.key <> n.key
            OR j.revision <> n.revision OR j.content IS DISTINCT FROM n.content OR j.pinned <> n.pinned
            OR j.kind IS DISTINCT FROM n.kind OR e.iteration IS DISTINCT FROM n.iteration
            OR f.author IS DISTINCT FROM n.author OR f.created_at IS DISTINCT FROM n.created_at
            OR f.updated_at IS DISTINCT FROM n.updated_at)",
        "does not match its journal",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote.journal j
         JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
         LEFT JOIN waynote.journal p ON p.store = $1 AND p.position = j.previous
         WHERE j.store = $1 AND j.action = 'repeat'
           AND (s.kind <> 'session' OR j.content IS DISTINCT FROM p.content
                -- A copy does not know these of what is forgotten.
                OR j.forgotten_at IS NULL AND (j.kind IS DISTINCT FROM p.kind
                                               OR j.created_at IS DISTINCT FROM p.created_at))",
        "has a repeat that does not match it",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote.journal j
         JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
         WHERE j.store = $1 AND ((j.forgotten_at IS NULL) <> (j.forgotten_by IS NULL)
            OR (j.forgotten_at IS NOT NULL AND j.content IS NOT NULL))",
        "has a revision that is only half forgotten",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote.journal j
         JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
         LEFT JOIN waynote.journal p ON p.store = $1 AND p.position = j.previous
         WHERE j.store = $1 AND CASE j.revision WHEN 1 THEN j.previous IS NOT NULL
             ELSE p.scope IS DISTINCT FROM j.scope OR p.key IS DISTINCT FROM j.key
                  OR p.revision IS DISTINCT FROM j.revision - 1 END",
        "has a gap in its revisions",
    ),
    (
        // The last row of a note says whether there is one.
        "SELECT s.kind, s.name, j.key FROM waynote.journal j
         JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
         WHERE j.store = $1
           AND NOT EXISTS (SELECT FROM waynote.journal l WHERE l.store = $1 AND l.scope = j.scope
                           AND l.key = j.key AND l.revision > j.revision)
           AND (j.content IS NOT NULL) <> EXISTS (SELECT FROM waynote.note n WHERE n.store = $1
                                                  AND n.scope = j.scope AND n.key = j.key)",
        "is deleted, but not according to its journal",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote.journal j
         JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
         WHERE j.store = $1 AND j.content IS NOT NULL
           AND NOT EXISTS (SELECT FROM waynote.content c WHERE c.store = $1 AND c.hash = j.content)
         GROUP BY s.kind, s.name, j.key",
        "has a revision whose content is missing",
    ),
    (
        "SELECT s.kind, s.name, '' FROM waynote.scope s
         WHERE s.store = $1 AND s.notes <> (
             SELECT count(*) FROM waynote.note n WHERE n.store = $1 AND n.scope = s.scope AND n.key <> '')",
        "has a wrong count of notes",
    ),
    (
        "SELECT '?', 'scope ' || j.scope, j.key FROM waynote.journal j
         WHERE j.store = $1 AND NOT EXISTS (
             SELECT FROM waynote.scope s WHERE s.store = $1 AND s.scope = j.scope)",
        "belongs to a scope that is missing",
    ),
];
