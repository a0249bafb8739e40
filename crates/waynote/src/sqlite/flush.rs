//! Keeping the search index: the tail becomes a segment, and segments become fewer.
//!
//! A write adds nothing to the index. Once enough rows of the journal lie behind the last segment, the write that
//! comes next seals them as a segment of its own, inside its transaction. Eight neighbours of a size become one of
//! the next size, up to a cap, so that no write takes long. What is damaged is thrown away and made again.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::search::block::Block;
use crate::search::build::Builder;
use crate::search::damage::{Damage, Sound};
use crate::search::docs::Docs;
use crate::search::merge::{Input, merge};

use super::SqliteStore;
use super::errors::Outcome;
use super::search::{FORMAT, State, each_change, state};

/// When the search index takes in what was written, and how large its segments become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// So many changes are searched as they lie before they become a segment.
    pub tail: u32,
    /// The same within one large call.
    pub bulk: u32,
    /// So many neighbours of one size are merged.
    pub fan_out: usize,
    /// No merge makes a segment of more notes.
    pub most: usize,
}

impl Default for Indexing {
    /// 256 changes, 2,048 in a large call; merged by eights, up to 8,192 notes.
    fn default() -> Self {
        Self {
            tail: 256,
            bulk: 2048,
            fan_out: 8,
            most: 8192,
        }
    }
}

impl Indexing {
    /// Whether a segment of so many notes is left as it is.
    fn is_full(&self, notes: usize) -> bool {
        notes * 4 > self.most * 3
    }
}

/// The most merges after one sealing: one of each size, and some to spare.
const MERGES: usize = 4;

/// Seals what is due after a change whose row is `position`, when `left` more changes follow in the same call.
pub(super) fn keep_up(
    store: &SqliteStore<'_>,
    conn: &Connection,
    position: i64,
    left: usize,
) -> Outcome<()> {
    let indexing = &store.indexing;
    let is_large = left >= indexing.bulk as usize;
    let due = i64::from(if is_large {
        indexing.bulk
    } else {
        indexing.tail
    });
    if store
        .indexed
        .get()
        .is_some_and(|indexed| position - indexed < due)
    {
        return Ok(());
    }
    let State {
        format,
        mut indexed,
        mut segments,
    } = state(conn)?;
    if format != FORMAT {
        reset(conn)?;
        (indexed, segments) = (0, 0);
    }
    // One segment a write: a store that was never indexed catches up over several.
    if position - indexed >= due {
        let sealed = if heads(conn)?.len() == segments {
            seal(conn, indexing, indexed)?
        } else {
            Err(Damage("a segment is missing"))
        };
        indexed = match sealed {
            Ok(last) => last,
            // Found out here, or by whoever searched; searching does without until it is made again.
            Err(Damage(_)) => {
                reset(conn)?;
                0
            }
        };
    }
    store.indexed.set(Some(indexed));
    Ok(())
}

/// Throws the index away; the writes that follow make it again.
fn reset(conn: &Connection) -> Outcome<()> {
    conn.execute_batch(
        "DELETE FROM waynote_search_block; DELETE FROM waynote_search_dead;
         DELETE FROM waynote_search_segment",
    )?;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO waynote_search_state (id, format, indexed, segments) VALUES (1, ?1, 0, 0)",
    )?
    .execute([FORMAT])?;
    Ok(())
}

/// Makes a segment of the rows after `indexed`, and merges what is due. Returns how far the index reaches then.
fn seal(conn: &Connection, indexing: &Indexing, indexed: i64) -> Outcome<Sound<i64>> {
    let mut builder = Builder::new();
    let mut superseded = Vec::new();
    let mut last = indexed;
    each_change(conn, indexed, i64::from(indexing.bulk), &mut |change| {
        last = change.position;
        superseded.extend(change.previous.filter(|previous| *previous <= indexed));
        if change.is_current {
            change.with_document(|document| builder.add(document, &|_| true));
        }
        true
    })?;
    if let Err(damage) = bury(conn, &superseded)? {
        return Ok(Err(damage));
    }
    if builder.len() > 0 {
        match builder.finish() {
            Ok((docs, blocks)) => {
                if let Err(damage) = insert(conn, docs, &blocks)? {
                    return Ok(Err(damage));
                }
            }
            Err(damage) => return Ok(Err(damage)),
        }
    }
    conn.prepare_cached("UPDATE waynote_search_state SET indexed = ?1 WHERE id = 1")?
        .execute([last])?;
    for _ in 0..MERGES {
        let Some(ids) = due_for_merge(&heads(conn)?, indexing) else {
            break;
        };
        if let Err(damage) = combine(conn, &ids, &[])? {
            return Ok(Err(damage));
        }
    }
    count(conn)?;
    Ok(Ok(last))
}

/// Notes how many segments there are, so that one which is lost is missed.
fn count(conn: &Connection) -> Outcome<()> {
    conn.prepare_cached(
        "UPDATE waynote_search_state SET segments = (SELECT count(*) FROM waynote_search_segment) WHERE id = 1",
    )?
    .execute([])?;
    Ok(())
}

fn insert(conn: &Connection, docs: Vec<u8>, blocks: &[Block]) -> Outcome<Sound<()>> {
    let docs = match Docs::new(docs) {
        Ok(docs) => docs,
        Err(damage) => return Ok(Err(damage)),
    };
    let Some(last) = docs.len().checked_sub(1) else {
        return Ok(Ok(()));
    };
    conn.prepare_cached(
        "INSERT INTO waynote_search_segment (first, last, notes, checksum, docs)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute((
        docs.position(0),
        docs.position(last),
        docs.len() as i64,
        docs.checksum(),
        docs.as_bytes(),
    ))?;
    let id = conn.last_insert_rowid();
    let mut statement = conn.prepare_cached(
        "INSERT INTO waynote_search_block (segment, term, terms) VALUES (?1, ?2, ?3)",
    )?;
    for block in blocks {
        statement.execute((id, &block.first, &block.bytes))?;
    }
    Ok(Ok(()))
}

/// Notes in their segments that those rows' notes are no longer.
fn bury(conn: &Connection, superseded: &[i64]) -> Outcome<Sound<()>> {
    let mut buried: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for position in superseded {
        let segment = conn
            .prepare_cached(
                "SELECT id FROM waynote_search_segment WHERE first <= ?1 AND last >= ?1",
            )?
            .query_row([position], |row| row.get(0));
        match segment {
            Ok(id) => buried.entry(id).or_default().push(*position),
            // It was superseded before it was ever indexed.
            Err(rusqlite::Error::QueryReturnedNoRows) => {}
            Err(error) => return Err(error.into()),
        }
    }
    for (id, positions) in buried {
        let docs = match docs(conn, id)? {
            Ok(docs) => docs,
            Err(damage) => return Ok(Err(damage)),
        };
        let mut bits = dead_bits(conn, id)?;
        bits.resize(docs.len().div_ceil(8), 0);
        for position in positions {
            if let Some(doc) = docs.find(position) {
                bits[doc / 8] |= 1 << (doc % 8);
            }
        }
        let count: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
        if count > 0 {
            conn.prepare_cached(
                "INSERT OR REPLACE INTO waynote_search_dead (segment, notes, bits) VALUES (?1, ?2, ?3)",
            )?
            .execute((id, count, bits))?;
        }
    }
    Ok(Ok(()))
}

pub(super) fn docs(conn: &Connection, id: i64) -> Outcome<Sound<Docs>> {
    let bytes: Vec<u8> = conn
        .prepare_cached("SELECT docs FROM waynote_search_segment WHERE id = ?1")?
        .query_row([id], |row| row.get(0))?;
    Ok(Docs::new(bytes))
}

pub(super) fn dead_bits(conn: &Connection, id: i64) -> Outcome<Vec<u8>> {
    use rusqlite::OptionalExtension;
    let bits = conn
        .prepare_cached("SELECT bits FROM waynote_search_dead WHERE segment = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    Ok(bits.unwrap_or_default())
}

/// A segment as merging sees it.
struct Head {
    id: i64,
    notes: u32,
    dead: u32,
}

/// The segments in their order.
fn heads(conn: &Connection) -> Outcome<Vec<Head>> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.notes, coalesce(d.notes, 0) FROM waynote_search_segment s
         LEFT JOIN waynote_search_dead d ON d.segment = s.id ORDER BY s.first",
    )?;
    let heads = statement.query_map([], |row| {
        Ok(Head {
            id: row.get(0)?,
            notes: row.get(1)?,
            dead: row.get(2)?,
        })
    })?;
    Ok(heads.collect::<rusqlite::Result<_>>()?)
}

/// Which neighbours to make one segment; or one that is dead for the greater part, to be written anew.
fn due_for_merge(heads: &[Head], indexing: &Indexing) -> Option<Vec<i64>> {
    let ids = |run: &[Head]| run.iter().map(|head| head.id).collect();
    if let Some(head) = heads.iter().find(|head| head.dead * 2 > head.notes) {
        return Some(vec![head.id]);
    }
    let live = |run: &[Head]| -> usize { run.iter().map(Head::live).sum() };
    let sizes: Vec<u32> = heads.iter().map(|head| head.size(indexing)).collect();
    let fan_out = indexing.fan_out.max(2);
    for end in (1..=heads.len()).rev() {
        // Neighbours of a size: as many as one merge takes, or as fill a segment.
        let same = sizes[..end]
            .iter()
            .rev()
            .take_while(|size| **size == sizes[end - 1]);
        let run = &heads[end - same.count().min(fan_out)..end];
        let fills = indexing.is_full(live(run));
        let is_full = sizes[end - 1] == u32::MAX;
        if run.len() > 1
            && !is_full
            && (run.len() == fan_out || fills)
            && live(run) <= indexing.most
        {
            return Some(ids(run));
        }
        // Smaller ones before a larger one have no more to wait for.
        let Some(after) = sizes.get(end) else {
            continue;
        };
        let smaller = sizes[..end]
            .iter()
            .rev()
            .take_while(|size| *size < after)
            .count();
        let start = end - smaller.min(fan_out);
        let with_next = &heads[start..(end + 1).min(heads.len())];
        let run = &heads[start..end];
        if let Some(run) = [run, with_next]
            .into_iter()
            .find(|run| smaller > 0 && run.len() > 1 && live(run) <= indexing.most)
        {
            return Some(ids(run));
        }
    }
    None
}

impl Head {
    fn live(&self) -> usize {
        self.notes.saturating_sub(self.dead) as usize
    }

    /// Its size class: each is as many times the one before it as are merged. The largest is full.
    fn size(&self, indexing: &Indexing) -> u32 {
        if indexing.is_full(self.live()) {
            return u32::MAX;
        }
        let (mut size, mut holds) = (0, 2 * indexing.tail as usize);
        while self.live() > holds {
            holds = holds.saturating_mul(indexing.fan_out.max(2));
            size += 1;
        }
        size
    }
}

/// Makes one segment of neighbours, without their dead notes and without those rows.
fn combine(conn: &Connection, ids: &[i64], without: &[i64]) -> Outcome<Sound<()>> {
    let mut inputs = Vec::with_capacity(ids.len());
    for id in ids {
        let docs = match docs(conn, *id)? {
            Ok(docs) => docs,
            Err(damage) => return Ok(Err(damage)),
        };
        let dead = dead_bits(conn, *id)?;
        let is_dead = |doc: usize| {
            dead.get(doc / 8)
                .is_some_and(|bits| bits >> (doc % 8) & 1 != 0)
        };
        let stays = docs
            .positions()
            .enumerate()
            .map(|(doc, position)| !is_dead(doc) && !without.contains(&position))
            .collect();
        let mut statement = conn.prepare_cached(
            "SELECT terms FROM waynote_search_block WHERE segment = ?1 ORDER BY term",
        )?;
        let blocks = statement.query_map([id], |row| row.get(0))?;
        inputs.push(Input {
            docs,
            stays,
            blocks: blocks.collect::<rusqlite::Result<_>>()?,
        });
    }
    let merged = match merge(&inputs) {
        Ok(merged) => merged,
        Err(damage) => return Ok(Err(damage)),
    };
    drop(inputs);
    for id in ids {
        for sql in [
            "DELETE FROM waynote_search_block WHERE segment = ?1",
            "DELETE FROM waynote_search_dead WHERE segment = ?1",
            "DELETE FROM waynote_search_segment WHERE id = ?1",
        ] {
            conn.prepare_cached(sql)?.execute([id])?;
        }
    }
    match merged {
        Some((docs, blocks)) => insert(conn, docs, &blocks),
        None => Ok(Ok(())),
    }
}

/// Takes out of the index what those rows of the journal said, whether it is still current or not: no term of theirs
/// stays in a segment, unless another note has it. To be called in the transaction that forgets them.
pub(super) fn forget(conn: &Connection, positions: &[i64]) -> Outcome<()> {
    for head in heads(conn)? {
        let rewritten = match docs(conn, head.id)? {
            Ok(docs)
                if !positions
                    .iter()
                    .any(|position| docs.find(*position).is_some()) =>
            {
                continue;
            }
            Ok(_) => combine(conn, &[head.id], positions)?,
            Err(damage) => Err(damage),
        };
        // What cannot be read cannot be cleaned.
        if rewritten.is_err() {
            return reset(conn);
        }
    }
    count(conn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Change, Content, Expect, Limits, Options, SearchRequest, Stamp, Store};

    fn save(store: &SqliteStore<'_>, key: &str, text: &str) {
        let change = Change::Save {
            address: Address::Agent("a".parse().unwrap(), key.parse().unwrap()),
            content: Content::text(text).unwrap(),
            pin: None,
            limits: Limits::NONE,
            expect: Expect::Any,
            origin: None,
        };
        let stamp = Stamp::new(jiff::Timestamp::UNIX_EPOCH, "person".parse().unwrap());
        store.apply(&[change], &stamp).unwrap();
    }

    /// Whether any row of the index holds those bytes.
    fn holds(conn: &Connection, term: &str) -> bool {
        let mut statement = conn
            .prepare("SELECT CAST(term || terms AS BLOB) FROM waynote_search_block UNION ALL SELECT docs FROM waynote_search_segment")
            .unwrap();
        let rows = statement
            .query_map([], |row| row.get::<_, Vec<u8>>(0))
            .unwrap();
        rows.map(Result::unwrap).any(|row| {
            row.windows(term.len())
                .any(|bytes| bytes == term.as_bytes())
        })
    }

    #[test]
    fn what_is_forgotten_leaves_no_term_behind() {
        let folder = tempfile::tempdir().unwrap();
        let indexing = Indexing {
            tail: 4,
            bulk: 4,
            fan_out: 8,
            most: 100,
        };
        let store = SqliteStore::open(&folder.path().join("notes.db"), &Options::default())
            .unwrap()
            .with_indexing(indexing);
        save(&store, "dead", "superseded xyzzyone shared");
        save(&store, "alive", "current xyzzytwo shared");
        for number in 0..6 {
            save(&store, &format!("k{number}"), "kept shared words");
        }
        // Sealed, so that the first is dead in its segment and still there.
        for (key, text) in [
            ("dead", "fresh words"),
            ("l", "more"),
            ("m", "more"),
            ("n", "more"),
        ] {
            save(&store, key, text);
        }
        let conn = store.conn();
        assert!(holds(conn, "xyzzyone") && holds(conn, "xyzzytwo"));
        forget(conn, &[1, 2]).unwrap();
        for gone in ["xyzzyone", "xyzzytwo", "superseded", "supersed", "current"] {
            assert!(!holds(conn, gone), "{gone}");
        }
        assert!(holds(conn, "kept") && holds(conn, "shared"));
        assert!(
            store
                .search(&SearchRequest::new("xyzzytwo"))
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            store.search(&SearchRequest::new("shared")).unwrap().len(),
            6
        );
    }

    #[test]
    fn segments_stay_few_and_none_grows_past_the_cap() {
        let conn = Connection::open_in_memory().unwrap();
        let indexing = Indexing {
            tail: 2,
            bulk: 8,
            fan_out: 4,
            most: 40,
        };
        let store = SqliteStore::attach(&conn).unwrap().with_indexing(indexing);
        for number in 0..500 {
            save(&store, &format!("k{number}"), "some words");
            let heads = heads(&conn).unwrap();
            assert!(heads.iter().all(|head| head.notes <= 40));
            assert!(heads.len() <= 500 / 30 + 3 * 4, "{}", heads.len());
        }
        for number in 0..490 {
            save(&store, &format!("k{number}"), "other words");
        }
        let heads = heads(&conn).unwrap();
        assert!(heads.iter().all(|head| head.dead * 2 <= head.notes));
        assert!(store.verify().unwrap().is_clean());
    }
}
