//! The list of notes of a segment: columns of fixed width, read in place.
//!
//! `count u32 · first position i64 · crc32 of the rest u32`, then for each note, column after column: position less the
//! first `u32`, scope `u32`, words `u32`, last change in seconds `u32`, the entry before it in its log `u32`, flags
//! `u8`. The entry before is given by how many notes further back it is if it is in the same segment, else by its
//! distance in the journal with the highest bit set; 0 means that there is none.

use crate::engine::SegmentHead;

use super::damage::{Damage, IndexResult};
use super::document::Kinds;

const HEAD: usize = 16;
const WIDTH: usize = 21;

/// One note of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Doc {
    /// Its row in the journal.
    pub(crate) position: i64,
    /// The engine's number of its scope.
    pub(crate) scope: u32,
    /// How many words it has.
    pub(crate) words: u32,
    /// When it was last changed, in seconds since 1970.
    pub(crate) time: u32,
    /// The row of the entry before it in the same log, if that is at most an hour older.
    pub(crate) previous: Option<i64>,
    /// Its kind.
    pub(crate) kind: Kinds,
    /// True if it ends in a question.
    pub(crate) asks: bool,
}

const ASKS: u8 = 0x80;

/// Marks that the entry before is in another segment.
const ELSEWHERE: u32 = 1 << 31;

/// The place of the previous entry of the same log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PreviousEntry {
    Nowhere,
    /// This many notes further back in the segment.
    Here(u32),
    /// At this row of the journal.
    Elsewhere(i64),
}

/// Writes the notes of a segment, in the order of their positions.
pub(crate) fn encode(docs: &[Doc]) -> IndexResult<Vec<u8>> {
    let first = docs.first().map_or(0, |doc| doc.position);
    let mut columns = Vec::with_capacity(docs.len() * WIDTH);
    let too_far = |_| Damage("positions lie too far apart");
    for doc in docs {
        let offset = u32::try_from(doc.position - first).map_err(too_far)?;
        columns.extend_from_slice(&offset.to_le_bytes());
    }
    let numbers: [fn(&Doc) -> u32; 3] = [|doc| doc.scope, |doc| doc.words, |doc| doc.time];
    for number in numbers {
        for doc in docs {
            columns.extend_from_slice(&number(doc).to_le_bytes());
        }
    }
    for (index, doc) in docs.iter().enumerate() {
        let before = doc.previous.map_or(0, |previous| {
            match docs[..index].binary_search_by_key(&previous, |doc| doc.position) {
                Ok(found) => u32::try_from(index - found).unwrap_or(0),
                // An entry ever so far back is none that is read together with this one.
                Err(_) => u32::try_from(doc.position - previous)
                    .ok()
                    .filter(|distance| distance & ELSEWHERE == 0)
                    .map_or(0, |distance| distance | ELSEWHERE),
            }
        });
        columns.extend_from_slice(&before.to_le_bytes());
    }
    columns.extend(
        docs.iter()
            .map(|doc| doc.kind.0 | if doc.asks { ASKS } else { 0 }),
    );
    let count = u32::try_from(docs.len()).map_err(too_far)?;
    let mut bytes = Vec::with_capacity(HEAD + columns.len());
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&first.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&columns).to_le_bytes());
    bytes.extend_from_slice(&columns);
    Ok(bytes)
}

/// The notes of a segment.
#[derive(Debug)]
pub(crate) struct Docs {
    bytes: Vec<u8>,
    count: usize,
    first: i64,
    words: u64,
    checksum: u32,
}

impl Docs {
    pub(crate) fn new(bytes: Vec<u8>) -> IndexResult<Self> {
        const SHORT: Damage = Damage("a list of notes is cut off");
        let count = u32::from_le_bytes(part(&bytes, 0).ok_or(SHORT)?) as usize;
        let first = i64::from_le_bytes(part(&bytes, 4).ok_or(SHORT)?);
        let sum = u32::from_le_bytes(part(&bytes, 12).ok_or(SHORT)?);
        if bytes.len() != HEAD + count * WIDTH {
            return Err(SHORT);
        }
        if crc32fast::hash(&bytes[HEAD..]) != sum {
            return Err(Damage("a list of notes does not match its checksum"));
        }
        let mut docs = Self {
            bytes,
            count,
            first,
            words: 0,
            checksum: sum,
        };
        docs.words = docs.column(2).map(u64::from).sum();
        Ok(docs)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn checksum(&self) -> u32 {
        self.checksum
    }

    /// True if the head of a segment matches.
    pub(crate) fn is_headed(&self, head: &SegmentHead) -> bool {
        let last = self.count.checked_sub(1).map(|last| self.position(last));
        self.checksum == head.checksum
            && self.count == head.notes as usize
            && self.first == head.first
            && last == Some(head.last)
    }

    /// The total number of words.
    pub(crate) fn all_words(&self) -> u64 {
        self.words
    }

    fn column(&self, column: usize) -> impl Iterator<Item = u32> + '_ {
        let start = HEAD + column * self.count * 4;
        let bytes = &self.bytes[start..start + self.count * 4];
        bytes
            .chunks_exact(4)
            .map(|number| u32::from_le_bytes([number[0], number[1], number[2], number[3]]))
    }

    fn number(&self, column: usize, doc: usize) -> u32 {
        let at = HEAD + (column * self.count + doc) * 4;
        u32::from_le_bytes(part(&self.bytes, at).unwrap_or_default())
    }

    /// The number of words of each note.
    pub(crate) fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.column(2)
    }

    /// For each note, where the entry before it is.
    pub(crate) fn befores(&self) -> impl Iterator<Item = PreviousEntry> + '_ {
        self.column(4)
            .enumerate()
            .map(|(doc, before)| self.before(doc, before))
    }

    fn before(&self, doc: usize, before: u32) -> PreviousEntry {
        match before {
            0 => PreviousEntry::Nowhere,
            _ if before & ELSEWHERE == 0 => PreviousEntry::Here(before),
            _ => PreviousEntry::Elsewhere(self.position(doc) - i64::from(before & !ELSEWHERE)),
        }
    }

    pub(crate) fn position(&self, doc: usize) -> i64 {
        self.first + i64::from(self.number(0, doc))
    }

    pub(crate) fn positions(&self) -> impl Iterator<Item = i64> + '_ {
        self.column(0).map(|offset| self.first + i64::from(offset))
    }

    pub(crate) fn scope(&self, doc: usize) -> u32 {
        self.number(1, doc)
    }

    pub(crate) fn time(&self, doc: usize) -> u32 {
        self.number(3, doc)
    }

    fn flags(&self, doc: usize) -> u8 {
        self.bytes[HEAD + 5 * 4 * self.count + doc]
    }

    pub(crate) fn kind(&self, doc: usize) -> Kinds {
        Kinds(self.flags(doc) & !ASKS)
    }

    pub(crate) fn asks(&self, doc: usize) -> bool {
        self.flags(doc) & ASKS != 0
    }

    pub(crate) fn get(&self, doc: usize) -> Doc {
        let position = self.position(doc);
        let previous = match self.before(doc, self.number(4, doc)) {
            PreviousEntry::Nowhere => None,
            PreviousEntry::Here(back) => {
                doc.checked_sub(back as usize).map(|doc| self.position(doc))
            }
            PreviousEntry::Elsewhere(position) => Some(position),
        };
        Doc {
            position,
            scope: self.scope(doc),
            words: self.number(2, doc),
            time: self.time(doc),
            previous,
            kind: self.kind(doc),
            asks: self.asks(doc),
        }
    }

    /// The note with that row in the journal.
    pub(crate) fn find(&self, position: i64) -> Option<usize> {
        let offset = u32::try_from(position.checked_sub(self.first)?).ok()?;
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            match self.number(0, middle).cmp(&offset) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}
