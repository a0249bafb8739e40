//! A segment's terms in their order, some kilobytes a block: `term · places` after one another, each with its length
//! before it, and a checksum over all of them at the end.

use super::damage::{Damage, Sound};
use super::postings::{put, take_bytes};

/// A block is full when it has this many bytes; one term alone may have more.
const FULL: usize = 4000;

/// A block under the first of its terms.
pub(crate) struct Block {
    pub(crate) first: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
}

/// Takes terms in their order and gives blocks.
#[derive(Default)]
pub(crate) struct Blocks {
    done: Vec<Block>,
    open: Option<Block>,
}

impl Blocks {
    pub(crate) fn add(&mut self, term: &[u8], places: &[u8]) {
        let open = self.open.get_or_insert_with(|| Block {
            first: term.to_vec(),
            bytes: Vec::with_capacity(FULL + 200),
        });
        put(&mut open.bytes, term.len() as u64);
        open.bytes.extend_from_slice(term);
        put(&mut open.bytes, places.len() as u64);
        open.bytes.extend_from_slice(places);
        if open.bytes.len() >= FULL {
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(mut block) = self.open.take() {
            let sum = crc32fast::hash(&block.bytes);
            block.bytes.extend_from_slice(&sum.to_le_bytes());
            self.done.push(block);
        }
    }

    pub(crate) fn take(mut self) -> Vec<Block> {
        self.close();
        self.done
    }
}

/// The terms of a block with their places, in order.
pub(crate) struct Terms<'b> {
    rest: &'b [u8],
}

impl<'b> Terms<'b> {
    pub(crate) fn new(block: &'b [u8]) -> Sound<Self> {
        let (rest, sum) = block
            .split_last_chunk()
            .ok_or(Damage("a block of terms is cut off"))?;
        if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
            return Err(Damage("a block of terms does not match its checksum"));
        }
        Ok(Self { rest })
    }

    pub(crate) fn next(&mut self) -> Sound<Option<(&'b [u8], &'b [u8])>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let term = take_bytes(&mut self.rest)?;
        Ok(Some((term, take_bytes(&mut self.rest)?)))
    }
}

/// What a block says of a term.
pub(crate) enum Looked<'b> {
    /// Its places.
    There(&'b [u8]),
    /// It would be here.
    Nowhere,
    /// It comes after all that is here, and may be in another block.
    Beyond,
}

/// Looks a term up in the block that would hold it, or one before that.
pub(crate) fn look<'b>(block: &'b [u8], term: &[u8]) -> Sound<Looked<'b>> {
    let mut terms = Terms::new(block)?;
    while let Some((here, places)) = terms.next()? {
        match here.cmp(term) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => return Ok(Looked::There(places)),
            std::cmp::Ordering::Greater => return Ok(Looked::Nowhere),
        }
    }
    Ok(Looked::Beyond)
}
