//! The blocks of a segment: its terms in order, some kilobytes per block.
//!
//! A block begins with the first term of its range and the first term of the next block's range, so that a missing
//! block is noticed. Then come the pairs `term · places`, each part after its length, and a checksum. The range of the
//! first block begins with the empty term, and that of the last block has no end. Every segment has at least one block.

use super::damage::{Damage, IndexResult};
use super::postings::{put, take_bytes};

/// The size in bytes at which a block is full. A single term may be larger.
const FULL: usize = 4000;

const MISSING: Damage = Damage("a block of terms is missing");

/// A block, with the first term of its range.
pub(crate) struct Block {
    pub(crate) first: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
}

/// Makes blocks from terms, which are added in order.
#[derive(Default)]
pub(crate) struct Blocks {
    done: Vec<Block>,
    first: Vec<u8>,
    terms: Vec<u8>,
}

impl Blocks {
    pub(crate) fn add(&mut self, term: &[u8], places: &[u8]) {
        if self.terms.len() >= FULL {
            self.close(term);
        }
        for part in [term, places] {
            put(&mut self.terms, part.len() as u64);
            self.terms.extend_from_slice(part);
        }
    }

    fn close(&mut self, next: &[u8]) {
        let mut bytes = Vec::with_capacity(self.terms.len() + self.first.len() + next.len() + 16);
        for part in [&self.first, next] {
            put(&mut bytes, part.len() as u64);
            bytes.extend_from_slice(part);
        }
        bytes.append(&mut self.terms);
        let sum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        let first = std::mem::replace(&mut self.first, next.to_vec());
        self.done.push(Block { first, bytes });
    }

    pub(crate) fn take(mut self) -> Vec<Block> {
        self.close(&[]);
        self.done
    }
}

/// The terms of a block with their places, in order.
pub(crate) struct Terms<'b> {
    /// The first terms of the ranges of this block and of the next one.
    first: &'b [u8],
    next: &'b [u8],
    rest: &'b [u8],
}

impl<'b> Terms<'b> {
    pub(crate) fn new(block: &'b [u8]) -> IndexResult<Self> {
        let (mut rest, sum) = block
            .split_last_chunk()
            .ok_or(Damage("a block of terms is cut off"))?;
        if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
            return Err(Damage("a block of terms does not match its checksum"));
        }
        Ok(Self {
            first: take_bytes(&mut rest)?,
            next: take_bytes(&mut rest)?,
            rest,
        })
    }

    /// Checks that a block follows another one directly, or is the first of its segment.
    pub(crate) fn after(self, before: Option<&Self>) -> IndexResult<Self> {
        let follows = match before {
            None => self.first.is_empty(),
            Some(before) => !before.next.is_empty() && before.next == self.first,
        };
        if follows { Ok(self) } else { Err(MISSING) }
    }

    /// Checks that this is the last block.
    pub(crate) fn is_last(&self) -> IndexResult<()> {
        if self.next.is_empty() {
            Ok(())
        } else {
            Err(MISSING)
        }
    }

    pub(crate) fn next(&mut self) -> IndexResult<Option<(&'b [u8], &'b [u8])>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let term = take_bytes(&mut self.rest)?;
        Ok(Some((term, take_bytes(&mut self.rest)?)))
    }
}

/// Checks that no block with terms of this prefix is missing after the last one that was read.
pub(crate) fn ends(last: Option<&Terms<'_>>, prefix: &[u8]) -> IndexResult<()> {
    let next = last.ok_or(MISSING)?.next;
    if next.is_empty() || (next > prefix && !next.starts_with(prefix)) {
        Ok(())
    } else {
        Err(MISSING)
    }
}

/// The result of looking up a term in a block.
pub(crate) enum TermLookup<'b> {
    /// Its places.
    There(&'b [u8]),
    /// The term is in the range of this block, but not in the block.
    Nowhere,
    /// The term is in the range of another block.
    Elsewhere,
}

impl<'b> TermLookup<'b> {
    /// The places, if the term is in the range of this block.
    pub(crate) fn here(self) -> IndexResult<Option<&'b [u8]>> {
        match self {
            Self::There(places) => Ok(Some(places)),
            Self::Nowhere => Ok(None),
            Self::Elsewhere => Err(MISSING),
        }
    }
}

/// Looks up a term in a block.
pub(crate) fn look<'b>(block: Option<&'b [u8]>, term: &[u8]) -> IndexResult<TermLookup<'b>> {
    let mut terms = Terms::new(block.ok_or(MISSING)?)?;
    if term < terms.first || (!terms.next.is_empty() && term >= terms.next) {
        return Ok(TermLookup::Elsewhere);
    }
    while let Some((here, places)) = terms.next()? {
        match here.cmp(term) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => return Ok(TermLookup::There(places)),
            std::cmp::Ordering::Greater => break,
        }
    }
    Ok(TermLookup::Nowhere)
}
