//! Pages of notes, as a prompt block needs them.

use tokio_postgres::Row;
use waynote::engine::Rows;
use waynote::store::{Ask, Page, Recent};

use super::plan::{Plan, scope_hash, whole};
use crate::error::Outcome;
use crate::row::{NOTE, count, kind_key, note, note_columns};
use crate::trip::{big, bytes, flag, text};

/// The scope is a value of its own, so that the index gives the notes in their order and the limit ends the reading.
macro_rules! page {
    ($more:literal, $which:literal, $order:literal) => {
        concat!(
            "SELECT ",
            note_columns!(),
            $more,
            " FROM (
                 SELECT * FROM waynote.note n
                 WHERE n.store = $1
                       AND n.scope = (SELECT s.scope FROM waynote.scope s WHERE s.store = $1 AND s.hash = $2)",
            $which,
            " ORDER BY ",
            $order,
            " LIMIT $3 OFFSET $4
             ) n
             LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content ORDER BY ",
            $order
        )
    };
}

const KEYED: &str = page!(
    "",
    " AND n.pinned = $5 AND n.kind_key IS NULL AND n.key <> ''",
    "n.updated_at DESC, n.key"
);

const BY_KEY: &str = page!("", "", "n.key");

const ENTRIES: &str = page!(
    "",
    " AND n.kind_key = $5 AND (NOT $6 OR n.resolved_by IS NULL)",
    "n.iteration DESC NULLS LAST, n.key DESC"
);

/// With how often each was noted before the iteration.
const BEFORE: &str = page!(
    ", CASE n.revision WHEN 1 THEN 1 ELSE (
         SELECT count(*) FROM waynote.journal j
         WHERE j.store = $1 AND j.scope = n.scope AND j.key = n.key AND j.iteration < $7 AND j.content IS NOT NULL
     ) END",
    " AND n.kind_key = $5 AND (NOT $6 OR n.resolved_by IS NULL) AND n.iteration < $7",
    "n.iteration DESC NULLS LAST, n.key DESC"
);

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    for (index, page) in ask.pages.iter().enumerate() {
        let number = |number: usize| big(i64::try_from(number).unwrap_or(i64::MAX));
        let hash = bytes(scope_hash(&page.of.scope()));
        let (sql, which, before) = match &page.of {
            Recent::Entries {
                kind, before, open, ..
            } => {
                let mut which = vec![text(kind_key(kind.as_str())), flag(*open)];
                which.extend(before.map(big));
                let sql = if before.is_some() { BEFORE } else { ENTRIES };
                (sql, which, before.is_some())
            }
            Recent::Keyed { pinned, .. } => (KEYED, vec![flag(*pinned)], false),
            // All notes by key.
            _ => (BY_KEY, Vec::new(), false),
        };
        let mut values = vec![hash, number(page.limit), number(page.skip)];
        values.extend(which);
        plan.rows(sql, values, move |row, rows| {
            keep(row, page, index, before, rows)
        });
    }
}

fn keep(row: &Row, page: &Page, index: usize, before: bool, rows: &mut Rows) -> Outcome<()> {
    let scope = page.of.scope();
    if let Some(note) = whole(note(row, 0, &scope), rows)? {
        rows.store.pages[index].push(note);
        if before {
            rows.store.pages_noted[index].push(count(row, NOTE)?);
        }
    }
    Ok(())
}
