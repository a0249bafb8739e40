//! The journal's rows in their order, as the search index takes them.

use jiff::Timestamp;
use tokio_postgres::Row;
use waynote::ScopeKind;
use waynote::engine::{Ask, JournalRow};

use super::plan::Plan;
use crate::error::Outcome;
use crate::row::{count, get};
use crate::trip::big;

/// The columns of an entry are followed by two of the previous entry of its log: the position of its first revision,
/// and its creation time.
const ROWS: &str = "SELECT j.position, j.previous, s.kind, s.name, j.scope, j.key, j.revision, j.action = 'repeat',
            n.position = j.position, p.content IS DISTINCT FROM j.content, c.body, j.created_at, j.updated_at,
            b.position, b.created_at
     FROM (
         SELECT j.* FROM waynote.journal j
         WHERE j.store = $1 AND j.position > $2
               AND EXISTS (SELECT FROM waynote.scope s WHERE s.store = $1 AND s.scope = j.scope)
         ORDER BY j.position LIMIT $3
     ) j
     JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     LEFT JOIN waynote.note n ON n.store = $1 AND n.scope = j.scope AND n.key = j.key
     LEFT JOIN waynote.journal p ON p.store = $1 AND p.position = j.previous
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = j.content
     LEFT JOIN LATERAL (
         SELECT f.position, l.created_at FROM (
             SELECT l.key, l.created_at FROM waynote.note l
             WHERE l.store = $1 AND l.scope = j.scope AND l.key < j.key ORDER BY l.key DESC LIMIT 1
         ) l
         -- With a limit it is looked up by its key, also where the tables have no statistics yet.
         CROSS JOIN LATERAL (
             SELECT f.position FROM waynote.journal f
             WHERE f.store = $1 AND f.scope = j.scope AND f.key = l.key AND f.revision = 1 LIMIT 1
         ) f
         WHERE s.kind = 'session' AND j.content IS NOT NULL AND j.action <> 'repeat'
     ) b ON TRUE
     ORDER BY j.position";

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    if ask.clock {
        let now = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $1::bigint";
        plan.rows(now, Vec::new(), |row, rows| {
            rows.clock = Timestamp::from_millisecond(get(row, 0)?).ok();
            Ok(())
        });
    }
    if let Some((after, limit)) = ask.journal_rows {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        plan.rows(ROWS, vec![big(after), big(limit)], |row, rows| {
            rows.journal_rows.extend(journal_row(row)?);
            Ok(())
        });
    }
}

/// None for a row whose scope cannot be read.
fn journal_row(row: &Row) -> Outcome<Option<JournalRow>> {
    let Ok(kind) = get::<&str>(row, 2)?.parse::<ScopeKind>() else {
        return Ok(None);
    };
    let before: (Option<i64>, Option<i64>) = (get(row, 13)?, get(row, 14)?);
    Ok(Some(JournalRow {
        position: get(row, 0)?,
        previous: get(row, 1)?,
        kind,
        name: get::<&str>(row, 3)?.to_owned(),
        scope: i64::from(get::<i32>(row, 4)?),
        key: get::<&str>(row, 5)?.to_owned(),
        revision: count(row, 6)?,
        is_repeat: get(row, 7)?,
        now: get(row, 8)?,
        has_new_content: get(row, 9)?,
        content: get::<Option<&[u8]>>(row, 10)?.map(<[u8]>::to_vec),
        created_at: get(row, 11)?,
        updated_at: get(row, 12)?,
        entry_before: before.0.zip(before.1),
    }))
}
