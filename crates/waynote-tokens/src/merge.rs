//! Byte-pair merging of one piece: again and again the two neighbours whose union has the lowest rank become one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::rank;

/// How many tokens a piece becomes, if no more than `most`.
pub(crate) fn count_to(piece: &[u8], most: usize) -> Option<usize> {
    let count = if piece.is_empty() {
        0
    } else if piece.len() == 1 || rank(piece).is_some() {
        1
    } else if piece.len() <= WINDOW {
        ends(piece).len()
    } else {
        match in_windows(piece, most) {
            Windows::Counted(count) => count,
            Windows::More => return None,
            Windows::NotJoined => ends(piece).len(),
        }
    };
    (count <= most).then_some(count)
}

/// The most bytes that are merged at once: merging takes up some forty times what it merges.
const WINDOW: usize = 8 * 1024;

/// Bytes at the end of a window whose tokens may change with the next one: two of the longest tokens.
const EDGE: usize = 256;

/// How many tokens more are given back before a piece is merged whole after all.
const TRIES: usize = 32;

/// The result of counting in windows.
#[derive(Debug, PartialEq, Eq)]
enum Windows {
    Counted(usize),
    /// There are more tokens than were asked for.
    More,
    /// The windows do not join.
    NotJoined,
}

/// The number of tokens of a piece of any length, a window at a time, until there are more than `most`.
///
/// A text's tokens are right when merging any two neighbours gives those two. So a window is merged, the tokens at its
/// end are given back, and where the next one, which begins there, fits on, the tokens before are those of the whole.
fn in_windows(piece: &[u8], most: usize) -> Windows {
    let mut count = 0;
    let mut start = 0;
    let mut tokens = ends(&piece[..WINDOW]);
    while start + WINDOW < piece.len() {
        let mut kept = tokens.partition_point(|end| *end as usize <= WINDOW - EDGE);
        let lowest = kept.saturating_sub(TRIES);
        let (cut, next) = loop {
            if kept <= lowest.max(1) {
                return Windows::NotJoined;
            }
            let (before, cut) = (tokens[kept - 2] as usize, tokens[kept - 1] as usize);
            let rest = &piece[start + cut..];
            let next = ends(&rest[..rest.len().min(WINDOW)]);
            let beside = &piece[start + before..start + cut + next[0] as usize];
            if ends(beside)[..] == [(cut - before) as u32, beside.len() as u32] {
                break (cut, next);
            }
            kept -= 1;
        };
        count += kept;
        if count > most {
            return Windows::More;
        }
        start += cut;
        tokens = next;
    }
    Windows::Counted(count + tokens.len())
}

/// The ends of the tokens of a text that is merged at once.
///
/// Parts are a linked list over the text, candidates lie in a heap: lowest rank first, then leftmost, as the
/// vocabulary was made. A candidate is stale when its first part has another one now.
fn ends(text: &[u8]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let length = text.len() as u32;
    let union = |start: u32, stop: u32| rank(&text[start as usize..stop as usize]).unwrap_or(NONE);
    // Of each part: where it ends, where the one before it begins, and the rank of its union with the one after it.
    let mut end: Vec<u32> = (1..=length).collect();
    let mut previous: Vec<u32> = (0..length).map(|at| at.wrapping_sub(1)).collect();
    let mut candidate = vec![NONE; text.len()];
    let mut heap = Vec::with_capacity(text.len());
    for at in 0..length.saturating_sub(1) {
        candidate[at as usize] = union(at, at + 2);
        if candidate[at as usize] != NONE {
            heap.push(Reverse((candidate[at as usize], at)));
        }
    }
    let mut heap = BinaryHeap::from(heap);
    while let Some(Reverse((rank, start))) = heap.pop() {
        if candidate[start as usize] != rank {
            continue;
        }
        let middle = end[start as usize];
        let stop = end[middle as usize];
        candidate[middle as usize] = NONE;
        end[start as usize] = stop;
        if stop < length {
            previous[stop as usize] = start;
        }
        let before = previous[start as usize];
        let after = (stop < length).then(|| end[stop as usize]);
        for (part, last) in [(start, after), (before, Some(stop))] {
            if part == NONE {
                continue;
            }
            let rank = last.map_or(NONE, |last| union(part, last));
            candidate[part as usize] = rank;
            if rank != NONE {
                heap.push(Reverse((rank, part)));
            }
        }
    }
    let mut ends = Vec::new();
    let mut at = 0;
    while at < length {
        at = end[at as usize];
        ends.push(at);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look like chance and are the same each time.
    fn noise(state: &mut u64) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 33) as usize
    }

    #[test]
    fn windows_join_as_the_whole_does() {
        let alphabets = [
            "a",
            "ab",
            "=-",
            "abcdefghijklmnopqrstuvwxyz",
            "etaoin",
            "漢字かな",
            "ACGT",
            "аеио",
            "hélo",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        ];
        let mut state = 88_172_645_463_325_252;
        for alphabet in alphabets {
            let letters: Vec<char> = alphabet.chars().collect();
            for length in [WINDOW + 1, 3 * WINDOW, 50_000] {
                let text = std::iter::repeat_with(|| letters[noise(&mut state) % letters.len()]);
                let text: String = text.take(length).collect();
                assert_eq!(
                    in_windows(text.as_bytes(), usize::MAX),
                    Windows::Counted(ends(text.as_bytes()).len()),
                    "{alphabet} {length}"
                );
            }
            let text = alphabet.repeat(40_000 / alphabet.len());
            assert_eq!(
                in_windows(text.as_bytes(), usize::MAX),
                Windows::Counted(ends(text.as_bytes()).len()),
                "{alphabet}"
            );
        }
    }

    #[test]
    fn counting_stops_where_there_are_more() {
        let piece = "ab".repeat(WINDOW);
        let whole = count_to(piece.as_bytes(), usize::MAX).unwrap();
        assert_eq!(count_to(piece.as_bytes(), whole), Some(whole));
        assert_eq!(count_to(piece.as_bytes(), whole - 1), None);
        assert_eq!(in_windows(piece.as_bytes(), 10), Windows::More);
        assert_eq!(count_to(b"ab", 0), None);
        assert_eq!(count_to(b"", 0), Some(0));
    }
}
