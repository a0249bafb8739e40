//! The postings of a term: the notes that contain it, how often, and at which words.
//!
//! `number of notes · length of the first stream · first stream · second stream`; all numbers are varints. The first
//! stream has for each note `(distance from the note before) << 2 | more than once << 1 | as a word of its own`, and
//! the count if it is more than one. The second stream has for each place `(distance from the place before) << 1 | as a
//! word of its own`.

use super::damage::{Damage, IndexResult};

const CUT: Damage = Damage("a list of places is cut off");

/// A note that contains a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    /// The note's number in its segment.
    pub(crate) doc: u32,
    /// How often it contains the term.
    pub(crate) times: u32,
    /// True if it contains the term as a word of its own, not only as a stem.
    pub(crate) exact: bool,
}

pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn take(bytes: &mut &[u8]) -> IndexResult<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(CUT)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(CUT)
}

pub(crate) fn take_bytes<'b>(bytes: &mut &'b [u8]) -> IndexResult<&'b [u8]> {
    let length = usize::try_from(take(bytes)?).map_err(|_| CUT)?;
    let (taken, rest) = bytes.split_at_checked(length).ok_or(CUT)?;
    *bytes = rest;
    Ok(taken)
}

fn take_u32(bytes: &mut &[u8]) -> IndexResult<u32> {
    u32::try_from(take(bytes)?).map_err(|_| CUT)
}

/// Writes the places of a term. Notes and places are added in order.
#[derive(Default)]
pub(crate) struct Writer {
    notes: u32,
    last_doc: u32,
    /// The current note.
    open: Option<Posting>,
    last_place: u32,
    first: Vec<u8>,
    second: Vec<u8>,
}

impl Writer {
    /// Adds a place.
    pub(crate) fn add(&mut self, doc: u32, place: u32, exact: bool) {
        match &mut self.open {
            Some(open) if open.doc == doc => {
                open.times += 1;
                open.exact |= exact;
            }
            _ => {
                self.close();
                self.open = Some(Posting {
                    doc,
                    times: 1,
                    exact,
                });
                self.last_place = 0;
            }
        }
        let distance = place.saturating_sub(self.last_place);
        put(
            &mut self.second,
            u64::from(distance) << 1 | u64::from(exact),
        );
        self.last_place = place;
    }

    /// Adds a note with its places, copied from another list.
    pub(crate) fn add_whole(&mut self, posting: Posting, places: &[u8]) {
        self.close();
        self.open = Some(posting);
        self.close();
        self.second.extend_from_slice(places);
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let distance = u64::from(open.doc - self.last_doc);
        let more = u64::from(open.times > 1);
        put(
            &mut self.first,
            distance << 2 | more << 1 | u64::from(open.exact),
        );
        if open.times > 1 {
            put(&mut self.first, u64::from(open.times));
        }
        self.last_doc = open.doc;
        self.notes += 1;
    }

    /// The number of bytes.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        self.close();
        if self.notes == 0 {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.first.len() + self.second.len() + 8);
        put(&mut bytes, u64::from(self.notes));
        put(&mut bytes, self.first.len() as u64);
        bytes.extend_from_slice(&self.first);
        bytes.extend_from_slice(&self.second);
        Some(bytes)
    }
}

/// Reads the places of a term.
pub(crate) struct Reader<'b> {
    left: u32,
    doc: u32,
    first: &'b [u8],
    second: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(crate) fn new(mut bytes: &'b [u8]) -> IndexResult<Self> {
        let left = take_u32(&mut bytes)?;
        let first = take_bytes(&mut bytes)?;
        Ok(Self {
            left,
            doc: 0,
            first,
            second: bytes,
        })
    }

    /// The number of notes that are left.
    pub(crate) fn len(&self) -> usize {
        self.left as usize
    }

    /// The next note. Its places must be read or skipped before those of a later note.
    pub(crate) fn next(&mut self) -> IndexResult<Option<Posting>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let head = take(&mut self.first)?;
        let distance = u32::try_from(head >> 2).map_err(|_| CUT)?;
        self.doc = self.doc.checked_add(distance).ok_or(CUT)?;
        let times = if head & 2 == 0 {
            1
        } else {
            take_u32(&mut self.first)?
        };
        Ok(Some(Posting {
            doc: self.doc,
            times,
            exact: head & 1 != 0,
        }))
    }

    /// The places of the note that was just read: the number of the word, and whether it is a word of its own.
    pub(crate) fn places(
        &mut self,
        posting: Posting,
        out: &mut Vec<(u32, bool)>,
    ) -> IndexResult<()> {
        out.clear();
        let mut place = 0_u32;
        for _ in 0..posting.times {
            let next = take(&mut self.second)?;
            let distance = u32::try_from(next >> 1).map_err(|_| CUT)?;
            place = place.checked_add(distance).ok_or(CUT)?;
            out.push((place, next & 1 != 0));
        }
        Ok(())
    }

    /// The same as stored bytes.
    pub(crate) fn places_whole(&mut self, posting: Posting) -> IndexResult<&'b [u8]> {
        let mut left = posting.times;
        let mut end = 0;
        while left > 0 {
            let byte = self.second.get(end).ok_or(CUT)?;
            left -= u32::from(byte & 0x80 == 0);
            end += 1;
        }
        let (places, rest) = self.second.split_at(end);
        self.second = rest;
        Ok(places)
    }
}
