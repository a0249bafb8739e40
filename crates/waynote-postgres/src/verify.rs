//! Checks of the rows that the rules cannot see: positions, contents that nobody has, rows without their scope.

use tokio_postgres::Row;
use waynote::{Address, Report, Result, Scope, ScopeKind};

use crate::error::Outcome;
use crate::row::get;
use crate::session::{Session, TripEnd};
use crate::trip::{Statement, big};

/// Checks a store. To be called on one state, so that a writer at work is not taken for damage.
pub(crate) fn verify(session: &Session<'_>, report: &mut Report) -> Result<bool> {
    session.be_patient();
    let store = || vec![big(session.engine.which.key)];
    let mut statements = vec![
        Statement::typed(UNUSED, store()),
        Statement::typed(ORDER, store()),
    ];
    statements.extend(
        CHECKS
            .iter()
            .map(|(sql, _)| Statement::typed(*sql, store())),
    );
    let answers = session.trip(statements, TripEnd::GoOn)?;
    session.engine.named(judged(&answers, report))?;
    Ok(true)
}

fn judged(answers: &[Vec<Row>], report: &mut Report) -> Outcome<()> {
    if let Some(row) = answers[0].first() {
        match get::<i64>(row, 0)? {
            0 => {}
            unused => report
                .problems
                .push(format!("contents without a revision: {unused}")),
        }
    }
    if let Some(row) = answers[1].first() {
        order(row, report)?;
    }
    for ((_, says), rows) in CHECKS.iter().zip(&answers[2..]) {
        for row in rows {
            report.problems.push(format!("{} {says}", named_in(row)?));
        }
    }
    Ok(())
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

const UNUSED: &str = "SELECT count(*) FROM waynote.content c WHERE c.store = $1 AND NOT EXISTS (
         SELECT FROM waynote.journal j WHERE j.store = $1 AND j.content = c.hash)";

const ORDER: &str = "SELECT count(*), count(DISTINCT a.position), coalesce(min(a.position), 1),
            coalesce(max(a.position), 0), coalesce((SELECT h.head FROM waynote.store h WHERE h.store = $1), 0)
     FROM (SELECT j.position FROM waynote.journal j WHERE j.store = $1
           UNION ALL SELECT e.position FROM waynote.event e WHERE e.store = $1) a";

/// Each selects the addresses of faulty items.
const CHECKS: [(&str, &str); 4] = [
    (
        "SELECT s.kind, s.name, '' FROM waynote.scope s
         WHERE s.store = $1 AND s.lease IS NOT NULL AND NOT EXISTS (
             SELECT FROM waynote.event e WHERE e.store = $1 AND e.scope = s.scope AND e.number = s.lease)",
        "has the lease of a loop that never began",
    ),
    (
        "SELECT DISTINCT coalesce(s.kind, '?'), coalesce(s.name, 'scope ' || e.scope), ''
         FROM waynote.event e LEFT JOIN waynote.scope s ON s.store = $1 AND s.scope = e.scope
         WHERE e.store = $1 AND e.scope IS NOT NULL AND s.kind IS DISTINCT FROM 'session'",
        "has events but is not a session",
    ),
    (
        "SELECT s.kind, s.name, j.key FROM waynote.journal j
         JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
         WHERE j.store = $1 AND ((j.forgotten_at IS NULL) <> (j.forgotten_by IS NULL)
            OR (j.forgotten_at IS NOT NULL AND j.content IS NOT NULL))",
        "has a revision that is only half forgotten",
    ),
    (
        "SELECT '?', 'scope ' || j.scope, j.key FROM waynote.journal j
         WHERE j.store = $1 AND NOT EXISTS (
             SELECT FROM waynote.scope s WHERE s.store = $1 AND s.scope = j.scope)",
        "belongs to a scope that is missing",
    ),
];
