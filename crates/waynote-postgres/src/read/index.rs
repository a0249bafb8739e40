//! The rows of the search index.

use waynote::Error;
use waynote::engine::{Ask, Blocks, SegmentHead};

use super::plan::{Plan, question};
use crate::cells::Cell::{Big, Bytes};
use crate::cells::arrays;
use crate::error::Failure;
use crate::row::get;
use crate::trip::bigs;

const SEGMENTS: &str = "SELECT g.segment, g.first, g.last, g.notes, g.checksum, g.dead, g.dead_bits
     FROM waynote.segment g WHERE g.store = $1 ORDER BY g.first";

const NOTES: &str = "SELECT u.i, g.docs FROM unnest($2) WITH ORDINALITY u (segment, i)
     JOIN waynote.segment g ON g.store = $1 AND g.segment = u.segment";

const ALL: &str = "SELECT u.i, b.term, b.terms FROM unnest($2, $3) u (i, segment)
     JOIN waynote.block b ON b.store = $1 AND b.segment = u.segment ORDER BY u.i, b.term";

/// Terms share blocks: each block is read once.
const HOLDING: &str = "SELECT f.i, b.term, b.terms FROM (
         SELECT DISTINCT u.i, u.segment, h.term FROM unnest($2, $3, $4) u (i, segment, term)
         CROSS JOIN LATERAL (
             SELECT b.term FROM waynote.block b
             WHERE b.store = $1 AND b.segment = u.segment AND b.term <= u.term
             ORDER BY b.term DESC LIMIT 1
         ) h
     ) f
     JOIN waynote.block b ON b.store = $1 AND b.segment = f.segment AND b.term = f.term
     ORDER BY f.i, b.term";

const PREFIXED: &str = "SELECT u.i, b.term, b.terms FROM unnest($2, $3, $4, $5) u (i, segment, first, past)
     JOIN waynote.block b ON b.store = $1 AND b.segment = u.segment AND b.term > u.first AND b.term < u.past
     ORDER BY u.i, b.term";

fn damaged(reason: &str) -> Failure {
    Failure::Ours(Error::DamagedIndex {
        path: "".into(),
        reason: reason.to_owned(),
    })
}

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    if ask.segments {
        plan.rows(SEGMENTS, Vec::new(), |row, rows| {
            let number = |number: i64| {
                u32::try_from(number).map_err(|_| damaged("a number is out of range"))
            };
            rows.segments.push(SegmentHead {
                id: get(row, 0)?,
                first: get(row, 1)?,
                last: get(row, 2)?,
                notes: number(get(row, 3)?)?,
                checksum: number(get(row, 4)?)?,
                dead: number(get(row, 5)?)?,
                dead_bits: get(row, 6)?,
            });
            Ok(())
        });
    }
    if !ask.segment_notes.is_empty() {
        let values = vec![bigs(ask.segment_notes.iter().copied())];
        plan.ask(NOTES, values, |found, rows| {
            for row in found {
                let index = question(row, ask.segment_notes.len())?;
                rows.segment_notes[index] = get(row, 1)?;
            }
            match found.len() == ask.segment_notes.len() {
                true => Ok(()),
                false => Err(damaged("a segment is missing")),
            }
        });
    }
    blocks(plan, &ask.blocks);
}

fn blocks<'a>(plan: &mut Plan<'a>, asked: &'a [Blocks]) {
    let (mut all, mut holding, mut prefixed) = (Vec::new(), Vec::new(), Vec::new());
    for (number, blocks) in (1..).zip(asked) {
        let of = |segment: &i64| [Big(Some(number)), Big(Some(*segment))];
        let with = |segment, term: &[u8]| {
            let cells = of(segment).into_iter();
            cells
                .chain([Bytes(Some(term.to_vec()))])
                .collect::<Vec<_>>()
        };
        match blocks {
            Blocks::All { segment } => all.push(of(segment).into()),
            Blocks::Holding { segment, terms } => {
                holding.extend(terms.iter().map(|term| with(segment, term)));
            }
            Blocks::WithPrefix { segment, prefix } => {
                holding.push(with(segment, prefix));
                let mut row = with(segment, prefix);
                // No term is UTF-8 with this byte in it.
                row.push(Bytes(Some([prefix.as_slice(), &[0xff]].concat())));
                prefixed.push(row);
            }
        }
    }
    // Those before the prefix come first.
    for (sql, rows) in [(ALL, all), (HOLDING, holding), (PREFIXED, prefixed)] {
        if !rows.is_empty() {
            plan.rows(sql, arrays(rows), |row, rows| {
                let index = question(row, asked.len())?;
                rows.blocks[index].push((get(row, 1)?, get(row, 2)?));
                Ok(())
            });
        }
    }
}
