//! Checks that the search index agrees with the notes.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::engine::{Blocks, Read, SegmentHead};
use crate::error::{Error, Result};
use crate::model::report::Report;

use super::analyze::Analyzer;
use super::block::Terms;
use super::build::each_term;
use super::damage::{Damage, IndexResult, SearchFailure, SearchResult};
use super::docs::Docs;
use super::draft::segment_docs;
use super::indexed::{Entry, FORMAT};
use super::postings::Reader;

/// A current note as a segment has it: the number of words, and one hash over all terms with their places.
type NoteDigest = (u32, u64);

/// Adds the faults of the index to the report.
pub(crate) fn verify(rows: &dyn Read, report: &mut Report) -> Result<()> {
    let (state, heads) = match rows.segments() {
        Err(Error::DamagedIndex { reason, .. }) => {
            report.problems.push(format!("search index: {reason}"));
            return Ok(());
        }
        found => found?,
    };
    if state.is_new(&heads) {
        return Ok(());
    }
    if state.format != FORMAT {
        let problem = "search index: its format is unknown; it is not used, and the next writes build it again";
        report.problems.push(problem.into());
        return Ok(());
    }
    let mut said: HashMap<i64, NoteDigest> = HashMap::new();
    let mut reached = i64::MIN;
    for head in &heads {
        let id = head.id;
        if head.first <= reached || head.last > state.indexed {
            let problem = format!("search index: segment {id} is out of place");
            report.problems.push(problem);
        }
        reached = head.last;
        match segment(rows, head, &mut said) {
            Ok(()) => {}
            Err(SearchFailure::Damaged(Damage(what))) => {
                let problem = format!("search index: segment {id} is damaged: {what}");
                report.problems.push(problem);
                return Ok(());
            }
            Err(SearchFailure::Failed(error)) => return Err(error),
        }
    }
    let (met, wanted) = (heads.len(), state.segments);
    if met != wanted as usize {
        let problem = format!("search index: segments found: {met}, expected: {wanted}");
        report.problems.push(problem);
    }
    let mut analyzer = Analyzer::new();
    let mut wrong = Vec::new();
    rows.each_row(0, usize::MAX, &mut |row| {
        let entry = Entry::of(row);
        if entry.is_passed_over() {
            return;
        }
        if row.position > state.indexed {
            // Not removed from its segment yet; searches take that into account.
            row.previous.map(|previous| said.remove(&previous));
            return;
        }
        if entry.is_current() {
            entry.with_document(|document| {
                let mut all = 0;
                let words = each_term(&mut analyzer, document, &mut |term, place, exact| {
                    all = added(all, term.as_bytes(), place, exact);
                });
                if said.remove(&row.position) != Some((words, all)) {
                    wrong.push(row.position);
                }
            });
        }
    })?;
    for (positions, says) in [
        (
            wrong,
            "is missing from the search index, or its text there is out of date",
        ),
        (
            said.into_keys().collect(),
            "is in the search index, but is not a current note",
        ),
    ] {
        for position in positions.into_iter().take(10) {
            let revision = rows.positions(&[position])?.pop().flatten();
            let name = revision.map_or_else(
                || format!("row {position} of the journal"),
                |revision| revision.address().to_string(),
            );
            report.problems.push(format!("{name} {says}"));
        }
    }
    Ok(())
}

/// A sum that does not depend on the order of its terms.
fn added(sum: u64, term: &[u8], place: u32, exact: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    (term, place, exact).hash(&mut hasher);
    sum.wrapping_add(hasher.finish())
}

fn segment(
    rows: &dyn Read,
    head: &SegmentHead,
    said: &mut HashMap<i64, NoteDigest>,
) -> SearchResult<()> {
    let docs = segment_docs(rows, head.id)?;
    let bits = &head.dead_bits;
    let dead: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
    let fits = docs.len() == head.notes as usize
        && docs.checksum() == head.checksum
        && docs.positions().next() == Some(head.first)
        && docs.positions().last() == Some(head.last)
        && head.dead == dead
        && (bits.is_empty() || bits.len() == docs.len().div_ceil(8));
    if !fits {
        return Err(Damage("it is not what its head says").into());
    }
    let mut sums = vec![0; docs.len()];
    let mut last = Vec::new();
    for (first, block) in rows.blocks(Blocks::All { segment: head.id })? {
        each_place(&first, &block, &mut last, &mut sums)?;
    }
    keep_live(&docs, bits, &sums, said);
    Ok(())
}

fn each_place(first: &[u8], block: &[u8], last: &mut Vec<u8>, sums: &mut [u64]) -> IndexResult<()> {
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

fn keep_live(docs: &Docs, bits: &[u8], sums: &[u64], said: &mut HashMap<i64, NoteDigest>) {
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
