//! Checking that the search index says what the notes say.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rusqlite::Connection;

use crate::search::analyze::Analyzer;
use crate::search::block::Terms;
use crate::search::build::each_term;
use crate::search::damage::{Damage, Sound};
use crate::search::docs::Docs;
use crate::search::postings::Reader;
use crate::verify::Report;

use super::errors::Outcome;
use super::flush;
use super::search::{FORMAT, State, each_change, state};

/// What a segment says of a current note: how many words it has, and all its terms with their places as one number.
type Said = (u32, u64);

pub(super) fn verify(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let State {
        format,
        indexed,
        segments,
    } = state(conn)?;
    if format != FORMAT {
        let problem =
            "search index: its format is unknown; it is not used, and the next writes make it anew";
        report.problems.push(problem.into());
        return Ok(());
    }
    let mut said: HashMap<i64, Said> = HashMap::new();
    let mut statement = conn.prepare(
        "SELECT id, first, last, notes, checksum FROM waynote_search_segment ORDER BY first",
    )?;
    let mut rows = statement.query([])?;
    let mut reached = i64::MIN;
    let mut met = 0;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let head = Head {
            first: row.get(1)?,
            last: row.get(2)?,
            notes: row.get(3)?,
            checksum: row.get(4)?,
        };
        if head.first <= reached || head.last > indexed {
            let problem = format!("search index: segment {id} is not where it belongs");
            report.problems.push(problem);
        }
        reached = head.last;
        met += 1;
        if let Err(Damage(what)) = segment(conn, id, &head, &mut said)? {
            let problem = format!("search index: segment {id} is damaged: {what}");
            report.problems.push(problem);
            return Ok(());
        }
    }
    if met != segments {
        let problem = format!("search index: it has {met} segments and should have {segments}");
        report.problems.push(problem);
    }
    let mut analyzer = Analyzer::new();
    let mut wrong = Vec::new();
    each_change(conn, 0, i64::MAX, &mut |entry| {
        if entry.position > indexed {
            // Not taken out of its segment yet; whoever searches knows.
            entry.previous.map(|previous| said.remove(&previous));
            return true;
        }
        if entry.is_current {
            entry.with_document(|document| {
                let mut all = 0;
                let words = each_term(&mut analyzer, document, &mut |term, place, exact| {
                    all = added(all, term.as_bytes(), place, exact);
                });
                if said.remove(&entry.position) != Some((words, all)) {
                    wrong.push(entry.position);
                }
            });
        }
        true
    })?;
    for (positions, says) in [
        (wrong, "is not in the search index as it is"),
        (
            said.into_keys().collect(),
            "is in the search index, but is no current note",
        ),
    ] {
        for position in positions.into_iter().take(10) {
            let name = super::read::revision_of(conn, position)?.map_or_else(
                || format!("row {position} of the journal"),
                |revision| revision.address().to_string(),
            );
            report.problems.push(format!("{name} {says}"));
        }
    }
    Ok(())
}

struct Head {
    first: i64,
    last: i64,
    notes: i64,
    checksum: u32,
}

/// A sum that does not depend on the order of its terms.
fn added(sum: u64, term: &[u8], place: u32, exact: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    (term, place, exact).hash(&mut hasher);
    sum.wrapping_add(hasher.finish())
}

fn segment(
    conn: &Connection,
    id: i64,
    head: &Head,
    said: &mut HashMap<i64, Said>,
) -> Outcome<Sound<()>> {
    let docs = match flush::docs(conn, id)? {
        Ok(docs) => docs,
        Err(damage) => return Ok(Err(damage)),
    };
    let bits = flush::dead_bits(conn, id)?;
    let dead: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
    let counted: i64 = conn.query_row(
        "SELECT coalesce(sum(notes), 0) FROM waynote_search_dead WHERE segment = ?1",
        [id],
        |row| row.get(0),
    )?;
    let fits = docs.len() as i64 == head.notes
        && docs.checksum() == head.checksum
        && docs.positions().next() == Some(head.first)
        && docs.positions().last() == Some(head.last)
        && counted == i64::from(dead)
        && (bits.is_empty() || bits.len() == docs.len().div_ceil(8));
    if !fits {
        return Ok(Err(Damage("it is not what its head says")));
    }
    let mut sums = vec![0; docs.len()];
    let mut statement = conn.prepare_cached(
        "SELECT term, terms FROM waynote_search_block WHERE segment = ?1 ORDER BY term",
    )?;
    let mut rows = statement.query([id])?;
    let mut last = Vec::new();
    while let Some(row) = rows.next()? {
        let (first, block) = (row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?);
        if let Err(damage) = each_place(first, block, &mut last, &mut sums) {
            return Ok(Err(damage));
        }
    }
    keep_live(&docs, &bits, &sums, said);
    Ok(Ok(()))
}

fn each_place(first: &[u8], block: &[u8], last: &mut Vec<u8>, sums: &mut [u64]) -> Sound<()> {
    const LOST: Damage = Damage("a block of terms is not where it belongs");
    let mut terms = Terms::new(block)?;
    if terms.first() != first {
        return Err(LOST);
    }
    let mut places = Vec::new();
    while let Some((term, list)) = terms.next()? {
        if term < first || (!last.is_empty() && last.as_slice() >= term) {
            return Err(LOST);
        }
        last.clear();
        last.extend_from_slice(term);
        let mut reader = Reader::new(list)?;
        while let Some(posting) = reader.next()? {
            reader.places(posting, &mut places)?;
            let sum = sums.get_mut(posting.doc as usize).ok_or(LOST)?;
            for (place, exact) in &places {
                *sum = added(*sum, term, *place, *exact);
            }
        }
    }
    Ok(())
}

fn keep_live(docs: &Docs, bits: &[u8], sums: &[u64], said: &mut HashMap<i64, Said>) {
    for (doc, sum) in sums.iter().enumerate() {
        if bits
            .get(doc / 8)
            .is_none_or(|bits| bits >> (doc % 8) & 1 == 0)
        {
            let doc = docs.get(doc);
            said.insert(doc.position, (doc.words, *sum));
        }
    }
}
