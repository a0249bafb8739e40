//! Checks of the rows that the rules cannot see: positions, contents that nobody has, rows without their scope.

use waynote::{Report, Result};

use crate::row::get;
use crate::session::{Session, TripEnd};
use crate::trip::{Statement, big};

/// Checks a store. To be called on one state, so that a writer at work is not taken for damage.
pub(crate) fn verify(session: &Session<'_>, report: &mut Report) -> Result<bool> {
    session.be_patient();
    let check = |sql| Statement::typed(sql, vec![big(session.engine.which.key)]);
    let answers = session.trip(CHECKS.map(check).into(), TripEnd::GoOn)?;
    for row in answers.iter().flatten() {
        let problem = session.engine.named(get(row, 0))?;
        report.problems.push(problem);
    }
    Ok(true)
}

/// Each selects problems in words. Everything has the positions 1, 2, 3 … up to the head, each once.
const CHECKS: [&str; 4] = [
    "SELECT 'contents without a revision: ' || count(*) FROM waynote.content c
     WHERE c.store = $1 AND NOT EXISTS (
         SELECT FROM waynote.journal j WHERE j.store = $1 AND j.content = c.hash)
     HAVING count(*) > 0",
    "SELECT format('the store says that its last position is %s: there are %s rows with %s positions, up to %s',
            h.head, a.rows, a.positions, a.last)
     FROM waynote.store h CROSS JOIN (
         SELECT count(*) AS rows, count(DISTINCT a.position) AS positions, coalesce(max(a.position), 0) AS last
         FROM (SELECT j.position FROM waynote.journal j WHERE j.store = $1
               UNION ALL SELECT e.position FROM waynote.event e WHERE e.store = $1) a
     ) a
     WHERE h.store = $1 AND NOT (a.rows = h.head AND a.positions = h.head AND a.last = h.head)",
    "SELECT DISTINCT format('%s:%s#%s has a revision that is only half forgotten', s.kind, s.name, j.key)
     FROM waynote.journal j JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     WHERE j.store = $1 AND ((j.forgotten_at IS NULL) <> (j.forgotten_by IS NULL)
        OR (j.forgotten_at IS NOT NULL AND j.content IS NOT NULL))",
    "SELECT DISTINCT format('scope %s is missing, and %s belongs to it', j.scope, j.key) FROM waynote.journal j
     WHERE j.store = $1 AND NOT EXISTS (
         SELECT FROM waynote.scope s WHERE s.store = $1 AND s.scope = j.scope)",
];
