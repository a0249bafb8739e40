//! Matching the parts of two texts, in linear time for texts of any kind.

use std::collections::HashMap;

/// How often the gaps between unique words are aligned by the words that are unique in them.
const DEPTH: usize = 16;

/// Gaps without unique words are compared word by word up to this many pairs.
const PAIRS: usize = 1 << 16;

/// For each part of `new` the part of `old` that it is, if any: in the order of both. Equal numbers are equal parts.
///
/// As in a patience diff: what both begin and end with is the same, and so are words that each has once, as many as
/// stand in the same order; the same again between those.
pub(super) fn aligned(old: &[usize], new: &[usize]) -> Vec<Option<usize>> {
    let mut found = vec![None; new.len()];
    align(old, new, 0, &mut found, DEPTH);
    found
}

/// Aligns a gap. `offset` is where `old` begins in the whole; `found` has the parts of `new`.
fn align(old: &[usize], new: &[usize], offset: usize, found: &mut [Option<usize>], depth: usize) {
    let first = old
        .iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count();
    let rest = (&old[first..], &new[first..]);
    let last = rest.0.iter().rev().zip(rest.1.iter().rev());
    let last = last.take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - last, new.len() - last);
    for (at, found) in found.iter_mut().enumerate().take(first) {
        *found = Some(offset + at);
    }
    for at in 0..last {
        found[new_end + at] = Some(offset + old_end + at);
    }
    let (old, new, offset) = (&old[first..old_end], &new[first..new_end], offset + first);
    let found = &mut found[first..new_end];
    if old.is_empty() || new.is_empty() || depth == 0 {
        return;
    }
    let anchors = anchors(old, new);
    if anchors.is_empty() {
        if old.len().saturating_mul(new.len()) <= PAIRS {
            for (old, new) in common(old, new) {
                found[new] = Some(offset + old);
            }
        }
        return;
    }
    let (mut old_from, mut new_from) = (0, 0);
    for (old_at, new_at) in anchors.into_iter().chain([(old.len(), new.len())]) {
        align(
            &old[old_from..old_at],
            &new[new_from..new_at],
            offset + old_from,
            &mut found[new_from..new_at],
            depth - 1,
        );
        if let Some(found) = found.get_mut(new_at) {
            *found = Some(offset + old_at);
        }
        (old_from, new_from) = (old_at + 1, new_at + 1);
    }
}

/// The longest row of parts that each has once, in the order of both.
fn anchors(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    /// A part that was met: where, unless more than once.
    fn once(parts: &[usize]) -> HashMap<usize, Option<usize>> {
        let mut met = HashMap::new();
        for (at, part) in parts.iter().enumerate() {
            met.entry(*part)
                .and_modify(|at| *at = None)
                .or_insert(Some(at));
        }
        met
    }
    let (in_old, in_new) = (once(old), once(new));
    let pairs: Vec<(usize, usize)> = old
        .iter()
        .enumerate()
        .filter_map(|(at, part)| {
            in_old[part]?;
            Some((at, (*in_new.get(part)?)?))
        })
        .collect();
    // For each length the row that ends earliest in `new`, and for each pair the one before it in its row.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *new);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut row: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |at| before[*at])
            .map(|at| pairs[at])
            .collect();
    row.reverse();
    row
}

/// The longest common row of parts.
fn common(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    // The length of the longest row of what begins at each pair.
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for (i, part) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            lengths[i * width + j] = match part == other {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut row, mut i, mut j) = (Vec::new(), 0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            row.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each letter of `new`, its position in `old`.
    fn of(old: &str, new: &str) -> String {
        let parts = |text: &str| text.chars().map(|char| char as usize).collect::<Vec<_>>();
        let found = aligned(&parts(old), &parts(new));
        let digit = |at: &Option<usize>| at.map_or('-', |at| char::from(b'0' + at as u8));
        found.iter().map(digit).collect()
    }

    #[test]
    fn the_same_parts_are_found() {
        assert_eq!(of("abc", "abc"), "012");
        assert_eq!(of("abc", "axc"), "0-2");
        assert_eq!(of("abc", "bc"), "12");
        assert_eq!(of("abcd", "xbxcx"), "-1-2-");
        assert_eq!(of("aXbXc", "dXbXe"), "-123-");
        // Nothing is unique.
        assert_eq!(of("xabab", "yaabb"), "--124");
        assert_eq!(of("", "a"), "-");
    }
}
