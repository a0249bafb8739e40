//! Numbers of notes, and lists of scopes and types.

use waynote::EntryType;
use waynote::store::{Ask, Count, ScopeSummary};

use super::plan::{Plan, scope_hash, session_hash, whole};
use crate::row::{count, get, kind_key, scope};
use crate::trip::{bytes, flag, many_bytes, maybe_big, text, texts};

/// A statement over the types of a session's entries. They are read from one type to the next in the index, however
/// many entries each has.
macro_rules! types {
    ($select:literal) => {
        concat!(
            "WITH RECURSIVE types AS (
                 (SELECT n.scope, n.kind_key, n.kind FROM waynote.note n
                  WHERE n.store = $1 AND n.kind_key IS NOT NULL
                        AND n.scope = (SELECT s.scope FROM waynote.scope s WHERE s.store = $1 AND s.hash = $2)
                  ORDER BY n.kind_key LIMIT 1)
                 UNION ALL
                 SELECT t.scope, m.kind_key, m.kind FROM types t CROSS JOIN LATERAL (
                     SELECT n.kind_key, n.kind FROM waynote.note n
                     WHERE n.store = $1 AND n.scope = t.scope AND n.kind_key > t.kind_key AND n.kind_key IS NOT NULL
                     ORDER BY n.kind_key LIMIT 1
                 ) m
             )
             ",
            $select
        )
    };
}

const TYPES: &str = types!("SELECT kind FROM types");

const COUNTED: &str = "SELECT u.i, s.notes FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope";

/// Only the pinned notes are counted, because they are few; the others are the rest of the scope's count.
const KEYED: &str = "SELECT CASE WHEN $3 THEN p.pinned ELSE s.notes - p.pinned END FROM waynote.scope s
     CROSS JOIN LATERAL (
         SELECT count(*) AS pinned FROM waynote.note n
         WHERE n.store = $1 AND n.scope = s.scope AND n.pinned AND n.kind_key IS NULL AND n.key <> ''
     ) p
     WHERE s.store = $1 AND s.hash = $2";

const ENTRIES: &str = "SELECT count(*) FROM waynote.scope s
     JOIN waynote.note n ON n.store = $1 AND n.scope = s.scope AND n.kind_key = $3 AND n.kind_key IS NOT NULL
          AND ($4 IS NULL OR n.iteration < $4) AND (NOT $5 OR n.resolved_by IS NULL)
     WHERE s.store = $1 AND s.hash = $2";

/// Only the entries of this iteration and later ones are counted, and the resolved ones, because they are few; the
/// others are the rest of the scope's count.
const ALL_ENTRIES: &str = types!(
    "SELECT greatest(0, s.notes - late.count - (
         SELECT count(*) FROM waynote.note n WHERE $4
         AND n.store = $1 AND n.scope = s.scope AND n.resolved_by IS NOT NULL AND ($3 IS NULL OR n.iteration < $3)
     ))
     FROM waynote.scope s CROSS JOIN (
         SELECT coalesce(sum(
             (SELECT count(*) FROM waynote.note n WHERE n.store = $1 AND n.scope = t.scope
              AND n.kind_key = t.kind_key AND n.kind_key IS NOT NULL AND n.iteration >= $3)
             + (SELECT count(*) FROM waynote.note n WHERE $3 IS NOT NULL AND n.store = $1 AND n.scope = t.scope
                AND n.kind_key = t.kind_key AND n.kind_key IS NOT NULL AND n.iteration IS NULL)
         ), 0)::bigint AS count FROM types t
     ) late
     WHERE s.store = $1 AND s.hash = $2"
);

const SUMMARIES: &str =
    "SELECT u.i, s.kind, s.name, s.notes + (SELECT count(*) FROM waynote.note n
        WHERE n.store = $1 AND n.scope = s.scope AND n.key = '') FROM unnest($2) WITH ORDINALITY u (kind, i)
     JOIN waynote.scope s ON s.store = $1 AND s.kind = u.kind
     WHERE EXISTS (SELECT FROM waynote.note n WHERE n.store = $1 AND n.scope = s.scope)
     ORDER BY u.i, s.name";

/// From the largest iteration down to one of an entry that is still there.
const LAST: &str = "SELECT u.i, j.iteration FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     CROSS JOIN LATERAL (
         SELECT j.iteration FROM waynote.journal j
         WHERE j.store = $1 AND j.scope = s.scope AND j.iteration IS NOT NULL
               AND EXISTS (SELECT FROM waynote.note n WHERE n.store = $1 AND n.scope = j.scope AND n.key = j.key)
         ORDER BY j.iteration DESC LIMIT 1
     ) j";

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    counts(plan, ask);
    let kinds = ask.summaries.iter().map(|kind| kind.as_str());
    let values = vec![texts(kinds)];
    plan.each(&ask.summaries, SUMMARIES, values, |row, index, rows| {
        if let Some(scope) = whole(scope(row, 1), rows)? {
            let notes = count(row, 3)?;
            rows.store.summaries[index].push(ScopeSummary { scope, notes });
        }
        Ok(())
    });
    for (index, session) in ask.entry_types.iter().enumerate() {
        let values = vec![bytes(session_hash(session))];
        plan.ask(TYPES, values, move |found, rows| {
            let kinds = found
                .iter()
                .map(|row| get::<&str>(row, 0).map(EntryType::stored));
            let mut kinds = kinds.collect::<Result<Vec<_>, _>>()?;
            kinds.sort_by(|one, other| one.as_str().cmp(other.as_str()));
            rows.store.entry_types[index] = kinds;
            Ok(())
        });
    }
    let sessions = &ask.last_iterations;
    let values = vec![many_bytes(sessions.iter().map(session_hash))];
    plan.each(sessions, LAST, values, |row, index, rows| {
        rows.store.last_iterations[index] = get(row, 1)?;
        Ok(())
    });
}

fn counts<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let mut counted = Vec::new();
    for (index, asked) in ask.counts.iter().enumerate() {
        let (sql, values) = match asked {
            Count::Counted(scope) => {
                counted.push((index, scope_hash(scope)));
                continue;
            }
            Count::Keyed { scope, pinned } => {
                (KEYED, vec![bytes(scope_hash(scope)), flag(*pinned)])
            }
            Count::Entries {
                session,
                kind,
                before,
                open,
            } => {
                let mut values = vec![bytes(session_hash(session))];
                let kind = kind.as_ref().map(|kind| text(kind_key(kind.as_str())));
                let sql = if kind.is_some() { ENTRIES } else { ALL_ENTRIES };
                values.extend(kind);
                values.extend([maybe_big(*before), flag(*open)]);
                (sql, values)
            }
        };
        plan.rows(sql, values, move |row, rows| {
            rows.store.counts[index] = count(row, 0)?;
            Ok(())
        });
    }
    let values = vec![many_bytes(counted.iter().map(|(_, hash)| hash.as_slice()))];
    let indexes: Vec<usize> = counted.into_iter().map(|(index, _)| index).collect();
    plan.each(
        &indexes.clone(),
        COUNTED,
        values,
        move |row, index, rows| {
            rows.store.counts[indexes[index]] = count(row, 1)?;
            Ok(())
        },
    );
}
