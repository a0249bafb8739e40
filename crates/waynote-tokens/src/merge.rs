//! Byte-pair merging of one piece: again and again the two neighbours whose union has the lowest rank become one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::rank;

/// How many tokens a piece becomes.
pub(crate) fn count(piece: &[u8]) -> usize {
    if piece.is_empty() {
        return 0;
    }
    if piece.len() == 1 || rank(piece).is_some() {
        return 1;
    }
    merged(piece)
}

/// Parts as a linked list over the piece, candidates in a heap: lowest rank first, then leftmost, as the vocabulary was
/// made. A candidate is stale when one of its parts has changed since.
fn merged(piece: &[u8]) -> usize {
    const NONE: usize = usize::MAX;
    let length = piece.len();
    let mut end: Vec<usize> = (1..=length).collect();
    let mut previous: Vec<usize> = (0..length).map(|at| at.wrapping_sub(1)).collect();
    let mut alive = vec![true; length];
    let mut heap = BinaryHeap::new();
    let union = |start: usize, middle: usize, end: usize| {
        rank(&piece[start..end]).map(|rank| Reverse((rank, start, middle, end)))
    };
    heap.extend((0..length - 1).filter_map(|at| union(at, at + 1, at + 2)));
    let mut parts = length;
    while let Some(Reverse((_, start, middle, stop))) = heap.pop() {
        let fresh = alive[start] && end[start] == middle && alive[middle] && end[middle] == stop;
        if !fresh {
            continue;
        }
        alive[middle] = false;
        end[start] = stop;
        parts -= 1;
        if stop < length {
            previous[stop] = start;
            heap.extend(union(start, stop, end[stop]));
        }
        let before = previous[start];
        if before != NONE {
            heap.extend(union(before, start, stop));
        }
    }
    parts
}
