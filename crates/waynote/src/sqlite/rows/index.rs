//! The rows of the search index, and the journal's rows as it takes them.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, ToSql};

use crate::engine::{Blocks, IndexChange, IndexState, JournalRow, SegmentHead};
use crate::scope::ScopeKind;

use super::checksum;
use super::damage::{damaged_index, in_index};
use super::query::{all, exactly_one};
use super::read::number;
use crate::sqlite::errors::Outcome;

const ALTERED: &str = "a row of it does not match its checksum";

pub(super) fn state(conn: &Connection) -> Outcome<IndexState> {
    let mut statement = conn.prepare_cached(
        "SELECT id, format, indexed, segments, checksum FROM waynote_search_state WHERE id = 1",
    )?;
    let state = statement.query_row([], |row| {
        if !checksum::is_whole(row, 4)? {
            return Err(damaged_index(ALTERED));
        }
        Ok(IndexState {
            format: row.get(1)?,
            indexed: row.get(2)?,
            segments: row.get(3)?,
        })
    });
    in_index(state.optional().map_err(Into::into)).map(Option::unwrap_or_default)
}

/// The heads of all segments, by first position.
pub(super) fn segments(conn: &Connection) -> Outcome<Vec<SegmentHead>> {
    in_index(read_segments(conn))
}

fn read_segments(conn: &Connection) -> Outcome<Vec<SegmentHead>> {
    all(
        conn,
        "SELECT d.segment, d.notes, d.bits, d.checksum, s.id, s.first, s.last, s.notes, s.checksum
         FROM waynote_search_segment s
         LEFT JOIN waynote_search_dead d ON d.segment = s.id ORDER BY s.first",
        [],
        |row| {
            // Without a row none of its notes is dead.
            let has_dead = row.get_ref(0)? != ValueRef::Null;
            if has_dead && !checksum::is_whole(row, 3)? {
                return Err(damaged_index(ALTERED));
            }
            Ok(SegmentHead {
                id: row.get(4)?,
                first: row.get(5)?,
                last: row.get(6)?,
                notes: row.get(7)?,
                checksum: row.get(8)?,
                dead: row.get::<_, Option<u32>>(1)?.unwrap_or_default(),
                dead_bits: row.get::<_, Option<Vec<u8>>>(2)?.unwrap_or_default(),
            })
        },
    )
}

pub(super) fn segment_notes(conn: &Connection, segment: i64) -> Outcome<Vec<u8>> {
    let mut statement =
        conn.prepare_cached("SELECT docs FROM waynote_search_segment WHERE id = ?1")?;
    let found = statement.query_row([segment], |row| row.get(0)).optional();
    in_index(found.map_err(Into::into))?.ok_or_else(|| damaged_index("a segment is missing").into())
}

type BlockRows = Vec<(Vec<u8>, Vec<u8>)>;

fn block(row: &Row<'_>) -> rusqlite::Result<(Vec<u8>, Vec<u8>)> {
    Ok((row.get(0)?, row.get(1)?))
}

pub(super) fn blocks(conn: &Connection, wanted: &Blocks) -> Outcome<BlockRows> {
    in_index(read_blocks(conn, wanted))
}

fn read_blocks(conn: &Connection, wanted: &Blocks) -> Outcome<BlockRows> {
    match wanted {
        Blocks::All { segment } => {
            let mut statement = conn.prepare_cached(
                "SELECT term, terms FROM waynote_search_block WHERE segment = ?1 ORDER BY term",
            )?;
            let rows = statement.query_map([segment], block)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }
        Blocks::Holding { segment, terms } => holding(conn, *segment, terms),
        Blocks::WithPrefix { segment, prefix } => {
            let mut found = holding(conn, *segment, std::slice::from_ref(prefix))?;
            // No term is UTF-8 with this byte in it.
            let mut end = prefix.clone();
            end.push(0xff);
            let mut statement = conn.prepare_cached(
                "SELECT term, terms FROM waynote_search_block
                 WHERE segment = ?1 AND term > ?2 AND term < ?3 ORDER BY term",
            )?;
            for row in statement.query_map((segment, prefix, end), block)? {
                found.push(row?);
            }
            Ok(found)
        }
    }
}

/// The blocks of a segment that would hold some terms, each once.
fn holding(conn: &Connection, segment: i64, terms: &[Vec<u8>]) -> Outcome<BlockRows> {
    let mut statement = conn.prepare_cached(
        "SELECT term, terms FROM waynote_search_block WHERE segment = ?1 AND term <= ?2
         ORDER BY term DESC LIMIT 1",
    )?;
    let mut terms: Vec<&Vec<u8>> = terms.iter().collect();
    terms.sort_unstable();
    // From the last term back: the block that was found last also holds every term that is not before its first one.
    let mut found = BlockRows::new();
    for term in terms.into_iter().rev() {
        if found.last().is_none_or(|(first, _)| term < first) {
            found.extend(statement.query_row((segment, term), block).optional()?);
        }
    }
    found.reverse();
    Ok(found)
}

pub(super) fn put(conn: &Connection, changes: &[IndexChange<'_>]) -> Outcome<()> {
    for change in changes {
        match change {
            // Also other rows of a damaged index.
            IndexChange::Cleared => conn.execute_batch(
                "DELETE FROM waynote_search_block; DELETE FROM waynote_search_dead; DELETE FROM waynote_search_segment;",
            )?,
            IndexChange::Removed(ids) => remove_segments(conn, ids)?,
            IndexChange::Segment {
                head,
                notes,
                blocks,
            } => put_segment(conn, head, notes, blocks)?,
            IndexChange::Dead(head) => {
                checksum::SEARCH_DEAD.insert(conn, &[&head.id, &head.dead, &head.dead_bits])?;
            }
            IndexChange::State(state) => {
                let columns: [&dyn ToSql; 4] = [&1, &state.format, &state.indexed, &state.segments];
                checksum::SEARCH_STATE.insert(conn, &columns)?;
            }
        }
    }
    Ok(())
}

fn put_segment(
    conn: &Connection,
    head: &SegmentHead,
    notes: &[u8],
    blocks: &[(&[u8], &[u8])],
) -> Outcome<()> {
    conn.prepare_cached(
        "INSERT INTO waynote_search_segment (first, last, notes, checksum, docs)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute((head.first, head.last, head.notes, head.checksum, notes))?;
    let id = conn.last_insert_rowid();
    let mut statement = conn.prepare_cached(
        "INSERT INTO waynote_search_block (segment, term, terms) VALUES (?1, ?2, ?3)",
    )?;
    for (first, bytes) in blocks {
        statement.execute((id, first, bytes))?;
    }
    Ok(())
}

fn remove_segments(conn: &Connection, ids: &[i64]) -> Outcome<()> {
    for id in ids {
        for sql in [
            "DELETE FROM waynote_search_block WHERE segment = ?1",
            "DELETE FROM waynote_search_dead WHERE segment = ?1",
            "DELETE FROM waynote_search_segment WHERE id = ?1",
        ] {
            conn.prepare_cached(sql)?.execute([id])?;
        }
    }
    Ok(())
}

/// The position of the revision that made an entry whose last one is this.
fn first_position(conn: &Connection, last: i64) -> Outcome<i64> {
    exactly_one(conn, "WITH RECURSIVE chain (position, previous) AS (
             SELECT position, previous FROM waynote_journal WHERE position = ?1
             UNION ALL
             SELECT j.position, j.previous FROM waynote_journal j JOIN chain ON j.position = chain.previous
         )
         SELECT min(position) FROM chain", [last], |row| row.get(0))
}

/// Of an entry, the one before it by id in its log: where its first revision stands, and when it was made.
fn entry_before(conn: &Connection, scope: i64, key: &str) -> Outcome<Option<(i64, i64)>> {
    let mut statement = conn.prepare_cached(
        "SELECT position, created_at, revision FROM waynote_note WHERE scope = ?1 AND key < ?2
         ORDER BY key DESC LIMIT 1",
    )?;
    let found = statement.query_row((scope, key), |row| {
        Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?))
    });
    Ok(match found.optional()? {
        Some((position, created, revision)) if revision > 1 => {
            Some((first_position(conn, position)?, created))
        }
        found => found.map(|(position, created, _)| (position, created)),
    })
}

/// The journal's rows after a position, at most so many.
pub(super) fn journal_rows(
    conn: &Connection,
    after: i64,
    limit: usize,
) -> Outcome<Vec<JournalRow>> {
    let mut statement = conn.prepare_cached(
        "SELECT j.position, j.previous, n.position = j.position, p.content IS NOT j.content, j.scope, s.kind, s.name,
                j.key, j.created_at, j.updated_at, c.body, j.action = 'repeat', j.revision
         FROM waynote_journal j
         CROSS JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_note n ON n.scope = j.scope AND n.key = j.key
         LEFT JOIN waynote_journal p ON p.position = j.previous
         LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.position > ?1 ORDER BY j.position",
    )?;
    let mut found = Vec::new();
    let mut rows = statement.query([after])?;
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        // A row that `verify` reports as damaged cannot be found by a search. It is no reason to refuse a write.
        let Ok(kind) = row.get_ref(5)?.as_str()?.parse::<ScopeKind>() else {
            continue;
        };
        let (scope, key): (i64, &str) = (row.get(4)?, row.get_ref(7)?.as_str()?);
        let content = match row.get_ref(10)? {
            ValueRef::Null => None,
            body => Some(body.as_bytes()?.to_owned()),
        };
        let is_repeat: bool = row.get(11)?;
        let is_entry = kind == ScopeKind::Session && content.is_some() && !is_repeat;
        found.push(JournalRow {
            position: row.get(0)?,
            previous: row.get(1)?,
            kind,
            name: row.get(6)?,
            scope,
            key: key.to_owned(),
            revision: number(row, 12)?,
            is_repeat,
            now: row.get(2)?,
            has_new_content: row.get(3)?,
            content,
            created_at: row.get(8)?,
            updated_at: row.get(9)?,
            entry_before: match is_entry {
                true => entry_before(conn, scope, key)?,
                false => None,
            },
        });
    }
    Ok(found)
}
