//! Merges several segments into one, without notes that are no longer needed.

use super::block::{Block, Blocks, Terms};
use super::damage::{Damage, IndexResult};
use super::docs::{self, Docs};
use super::postings::{Reader, Writer};

/// An input of a merge.
pub(crate) struct Input {
    pub(crate) docs: Docs,
    /// For each note in `docs`, whether it is kept.
    pub(crate) stays: Vec<bool>,
    /// Its blocks in the order of their terms.
    pub(crate) blocks: Vec<Vec<u8>>,
}

/// The notes and blocks of the merged segment; none if no note is kept. The inputs are in the order of their positions.
pub(crate) fn merge(inputs: &[Input]) -> IndexResult<Option<(Vec<u8>, Vec<Block>)>> {
    const GONE: u32 = u32::MAX;
    let mut kept = Vec::new();
    let mut numbers = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut renumbered = Vec::with_capacity(input.docs.len());
        for (doc, stays) in input.stays.iter().enumerate().take(input.docs.len()) {
            renumbered.push(if *stays {
                kept.push(input.docs.get(doc));
                kept.len() as u32 - 1
            } else {
                GONE
            });
        }
        numbers.push(renumbered);
    }
    if kept.is_empty() {
        return Ok(None);
    }
    let mut heads = Vec::with_capacity(inputs.len());
    for input in inputs {
        heads.push(Head::new(&input.blocks)?);
    }
    let mut blocks = Blocks::default();
    while let Some(term) = heads.iter().filter_map(Head::term).min() {
        let mut writer = Writer::default();
        for (head, numbers) in heads.iter_mut().zip(&numbers) {
            if head.term() != Some(term) {
                continue;
            }
            let mut reader = Reader::new(head.places())?;
            while let Some(mut posting) = reader.next()? {
                let places = reader.places_whole(posting)?;
                let number = numbers.get(posting.doc as usize);
                posting.doc =
                    *number.ok_or(Damage("it has words of a note that it does not list"))?;
                if posting.doc != GONE {
                    writer.add_whole(posting, places);
                }
            }
            head.advance()?;
        }
        if let Some(places) = writer.finish() {
            blocks.add(term, &places);
        }
    }
    Ok(Some((docs::encode(&kept)?, blocks.take())))
}

/// An iterator over the terms of one input.
struct Head<'b> {
    blocks: std::slice::Iter<'b, Vec<u8>>,
    terms: Option<Terms<'b>>,
    at: Option<(&'b [u8], &'b [u8])>,
}

impl<'b> Head<'b> {
    fn new(blocks: &'b [Vec<u8>]) -> IndexResult<Self> {
        let mut head = Self {
            blocks: blocks.iter(),
            terms: None,
            at: None,
        };
        head.advance()?;
        Ok(head)
    }

    fn term(&self) -> Option<&'b [u8]> {
        self.at.map(|(term, _)| term)
    }

    fn places(&self) -> &'b [u8] {
        self.at.map_or(&[], |(_, places)| places)
    }

    fn advance(&mut self) -> IndexResult<()> {
        let before = self.term();
        loop {
            if let Some(terms) = &mut self.terms {
                self.at = terms.next()?;
                if self.at.is_some() {
                    break;
                }
            }
            match self.blocks.next() {
                Some(block) => {
                    self.terms = Some(Terms::new(block)?.after(self.terms.as_ref())?);
                }
                None => {
                    const NONE: Damage = Damage("it has no terms");
                    self.terms.as_ref().ok_or(NONE)?.is_last()?;
                    self.at = None;
                    break;
                }
            }
        }
        // If terms were out of order, the merge would miss blocks of the same term in other inputs.
        if self.at.is_some() && before >= self.term() {
            return Err(Damage("its terms are out of order"));
        }
        Ok(())
    }
}
