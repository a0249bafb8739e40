//! The journal: the revisions of notes, and changes in their order.

use tokio_postgres::Row;
use waynote::engine::Ask;
use waynote::{AddressAt, Revision, Scope};

use super::plan::{Plan, addresses, question, scope_hash, whole};
use crate::error::Outcome;
use crate::row::{REVISION, address, count, get, revision, revision_columns, scope, unreadable};
use crate::trip::{big, bigs, many_bytes};

const HISTORIES: &str = concat!(
    "SELECT u.i, ",
    revision_columns!(),
    " FROM unnest($2, $3) WITH ORDINALITY u (scope, key, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.journal j ON j.store = $1 AND j.scope = s.scope AND j.key = u.key
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = j.content
     ORDER BY u.i, j.revision"
);

const SCOPES: &str = concat!(
    "SELECT u.i, ",
    revision_columns!(),
    " FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.journal j ON j.store = $1 AND j.scope = s.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = j.content
     ORDER BY u.i, j.key, j.revision"
);

const REVISIONS: &str = concat!(
    "SELECT u.i, ", revision_columns!(), " FROM unnest($2, $3, $4) WITH ORDINALITY u (scope, key, revision, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.journal j ON j.store = $1 AND j.scope = s.scope AND j.key = u.key AND j.revision = u.revision
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = j.content"
);

const NOTED: &str =
    "SELECT u.i, count(*) FROM unnest($2, $3, $4) WITH ORDINALITY u (scope, key, before, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.journal j ON j.store = $1 AND j.scope = s.scope AND j.key = u.key
     WHERE j.iteration < u.before AND j.content IS NOT NULL GROUP BY u.i";

const BEFORE: &str = concat!(
    "SELECT ",
    revision_columns!(),
    ", s.kind, s.name FROM (
         SELECT * FROM waynote.journal j WHERE j.store = $1 AND j.position < $2 ORDER BY j.position DESC LIMIT $3
     ) j
     JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = j.content
     ORDER BY j.position DESC"
);

const POSITIONS: &str = concat!(
    "SELECT u.i, ",
    revision_columns!(),
    ", s.kind, s.name FROM unnest($2) WITH ORDINALITY u (position, i)
     JOIN waynote.journal j ON j.store = $1 AND j.position = u.position
     JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = j.content"
);

const HOLDERS: &str = "SELECT j.content, j.key, j.revision, s.kind, s.name FROM waynote.journal j
     JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     WHERE j.store = $1 AND j.content = ANY ($2)";

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    histories(plan, ask);
    scopes(plan, ask);
    revisions(plan, ask);
    noted(plan, ask);
    for (index, of) in ask.store.journal.iter().enumerate() {
        let before = of.before.map_or(i64::MAX, |position| position.number());
        let limit = i64::try_from(of.limit).unwrap_or(i64::MAX);
        plan.rows(BEFORE, vec![big(before), big(limit)], move |row, rows| {
            let revision = whole(anywhere(row, 0), rows)?;
            rows.store.journal[index].extend(revision);
            Ok(())
        });
    }
    let positions = ask.positions.iter().map(|position| position.number());
    let values = vec![bigs(positions)];
    plan.each(&ask.positions, POSITIONS, values, |row, index, rows| {
        rows.positions[index] = whole(anywhere(row, 1), rows)?;
        Ok(())
    });
    holders(plan, ask);
}

/// The revision whose columns begin there, with its scope after them.
pub(super) fn anywhere(row: &Row, at: usize) -> Outcome<Revision> {
    revision(row, at, &scope(row, at + REVISION)?)
}

/// Adds the next revision of a note, which must not be missing.
fn next(history: &mut Vec<Revision>, row: &Row, scope: &Scope) -> Outcome<()> {
    let revision = revision(row, 1, scope)?;
    let expected = history.len() as u64 + 1;
    if revision.number() != expected {
        return Err(unreadable(format_args!(
            "{}@{expected}",
            revision.address()
        )));
    }
    history.push(revision);
    Ok(())
}

fn histories<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.store.histories;
    let values = addresses(asked.iter()).into();
    plan.each(asked, HISTORIES, values, |row, index, rows| {
        next(&mut rows.store.histories[index], row, &asked[index].scope())
    });
}

fn scopes<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.scope_histories;
    if asked.is_empty() {
        return;
    }
    let values = vec![many_bytes(asked.iter().map(scope_hash))];
    plan.ask(SCOPES, values, |found, rows| {
        // The rows of one note follow each other.
        let note = |row: &Row| Some((get::<i64>(row, 0).ok()?, get::<String>(row, 1).ok()?));
        for of_note in found.chunk_by(|one, other| note(one) == note(other)) {
            let index = question(&of_note[0], asked.len())?;
            let mut history = Vec::new();
            let mut revisions = of_note.iter();
            let read = revisions.try_for_each(|row| next(&mut history, row, &asked[index]));
            if whole(read, rows)?.is_some() {
                rows.scope_histories[index].push(history);
            }
        }
        Ok(())
    });
}

fn revisions<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.revisions;
    let [scopes, keys] = addresses(asked.iter().map(|at| &at.address));
    let numbers = asked
        .iter()
        .map(|at| i64::try_from(at.revision.unwrap_or_default()).unwrap_or(i64::MAX));
    let values = vec![scopes, keys, bigs(numbers)];
    plan.each(asked, REVISIONS, values, |row, index, rows| {
        rows.revisions[index] = Some(revision(row, 1, &asked[index].address.scope())?);
        Ok(())
    });
}

fn noted<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.store.noted_before;
    let [scopes, keys] = addresses(asked.iter().map(|of| &of.address));
    let values = vec![scopes, keys, bigs(asked.iter().map(|of| of.iteration))];
    plan.each(asked, NOTED, values, |row, index, rows| {
        rows.store.noted_before[index] = count(row, 1)?;
        Ok(())
    });
}

fn holders<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.holders;
    if asked.is_empty() {
        return;
    }
    let values = vec![many_bytes(asked.iter().map(|content| content.hash().0))];
    plan.rows(HOLDERS, values, move |row, rows| {
        let hash: &[u8] = get(row, 0)?;
        let at = AddressAt::new(address(&scope(row, 3)?, get(row, 1)?)?, count(row, 2)?);
        let of = asked.iter().enumerate();
        for (index, _) in of.filter(|(_, content)| content.hash().0 == hash) {
            rows.holders[index].push(at.clone());
        }
        Ok(())
    });
}
