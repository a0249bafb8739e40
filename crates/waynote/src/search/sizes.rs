//! Chooses the segments to merge: eight neighbours of one size become one of the next size, up to a limit, so that no
//! merge takes long.

use crate::engine::SegmentHead;

use super::Indexing;

impl Indexing {
    /// True if a segment of so many notes is left as it is.
    fn is_full(&self, notes: usize) -> bool {
        notes * 4 > self.most * 3
    }
}

/// The neighbouring segments to merge, or the segment to rewrite because most of its notes are dead.
pub(super) fn due_for_merge<'h>(
    heads: &'h [SegmentHead],
    indexing: &Indexing,
) -> Option<&'h [SegmentHead]> {
    if let Some(head) = heads.iter().find(|head| head.dead * 2 > head.notes) {
        return Some(std::slice::from_ref(head));
    }
    let live = |run: &[SegmentHead]| -> usize { run.iter().map(live).sum() };
    let sizes: Vec<u32> = heads.iter().map(|head| size(head, indexing)).collect();
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
            return Some(run);
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
            return Some(run);
        }
    }
    None
}

fn live(head: &SegmentHead) -> usize {
    head.notes.saturating_sub(head.dead) as usize
}

/// The size class of a segment. Each class is `fan_out` times as large as the one before; a full segment has the last.
fn size(head: &SegmentHead, indexing: &Indexing) -> u32 {
    if indexing.is_full(live(head)) {
        return u32::MAX;
    }
    let (mut size, mut holds) = (0, 2 * indexing.tail as usize);
    while live(head) > holds {
        holds = holds.saturating_mul(indexing.fan_out.max(2));
        size += 1;
    }
    size
}
