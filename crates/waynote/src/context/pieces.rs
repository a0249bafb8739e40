//! The pieces of a block: the text of each note in one of three forms, and its tokens.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Request;
use super::stable::NoteText;
use crate::address::Address;
use crate::key::Name;
use crate::note::Note;
use crate::place::Place;

/// The form of a note in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// All of it.
    Whole,
    /// Its address and a preview, because there is no room for the whole note.
    Cut,
    /// A line of the index.
    Listed,
}

/// How many counts are kept at most: of more notes than any block shows.
const MOST: usize = 10_000;

/// The tokens of a note in each form, with a hash of its contents when it was counted. The revision number is no key: a
/// revision in a file alone, or in a transaction that is rolled back, may come again with another text.
#[derive(Default)]
struct NoteSizes {
    said: u64,
    sizes: [Option<Size>; 3],
}

/// A number for all that a piece is made of, beside the address and the reader.
fn said(note: &Note, times: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    note.content.as_bytes().hash(&mut hasher);
    (note.iteration, times).hash(&mut hasher);
    (note.author.as_str(), &note.kind, note.is_stale()).hash(&mut hasher);
    (note.source as u8).hash(&mut hasher);
    hasher.finish()
}

/// Tokens that were counted once and need not be counted again.
#[derive(Default)]
pub(super) struct Counts {
    /// Who reads the block and in which repository: the text of a piece depends on them.
    reader: Option<Reader>,
    known: HashMap<Address, NoteSizes>,
}

/// The agent, the author that it writes as, and the repository.
type Reader = (Name, Option<Name>, Option<Place>);

/// Makes pieces for one reader.
pub(super) struct Pieces<'r> {
    request: &'r Request,
    counts: &'r RefCell<Counts>,
    /// True if a budget has to be counted: counting is most of the work of a block.
    counting: bool,
    /// True if notes without room are counted to the end as well: an explanation says how much each takes.
    exactly: bool,
}

impl<'r> Pieces<'r> {
    pub(super) fn new(request: &'r Request, counts: &'r RefCell<Counts>) -> Self {
        let repository = request.lineage.repository().cloned();
        let reader = Some((request.agent.clone(), request.author.clone(), repository));
        let mut known = counts.borrow_mut();
        if known.reader != reader || known.known.len() > MOST {
            *known = Counts {
                reader,
                known: HashMap::new(),
            };
        }
        drop(known);
        Self {
            request,
            counts,
            counting: request.counts(),
            exactly: request.explain,
        }
    }

    pub(super) fn text(&self, note: &Note, times: u64, form: Form) -> String {
        let told = NoteText {
            note,
            times,
            request: self.request,
        };
        told.text(form)
    }

    /// Tokens of a text; 0 when nobody asks.
    pub(super) fn count(&self, text: &str) -> usize {
        match self.counting {
            true => crate::tokens::count(text),
            false => 0,
        }
    }

    /// The room that a note takes in a form. Counting stops above `most`; nothing is counted if there is no budget.
    ///
    /// The time that this takes is bounded by `most`, not by the note: a text that cannot fit is neither cleaned nor
    /// masked, and counting stops where there is no more room.
    pub(super) fn size(&self, note: &Note, times: u64, form: Form, most: usize) -> Size {
        if !self.counting {
            return Size::exact(0, 0);
        }
        let most = if self.exactly { usize::MAX } else { most };
        let least = match form {
            Form::Whole => least_room(note.content.len().saturating_sub(UNSEEN_BYTES)),
            Form::Cut | Form::Listed => 0,
        };
        if least > most {
            return Size::more_than(most, least);
        }
        let said = said(note, times);
        let mut counts = self.counts.borrow_mut();
        if let Some(known) = counts.known.get(&note.address)
            && known.said == said
            && let Some(size) = known.sizes[form as usize]
        {
            return size;
        }
        let text = self.text(note, times, form);
        let least = least.max(least_room(text.len()));
        if least > most {
            return Size::more_than(most, least);
        }
        let Some(tokens) = crate::tokens::count_to(&text, most) else {
            return Size::more_than(most, least);
        };
        let size = Size::exact(tokens, least);
        let known = counts.known.entry(note.address.clone()).or_default();
        if known.said != said {
            *known = NoteSizes {
                said,
                sizes: [None; 3],
            };
        }
        known.sizes[form as usize] = Some(size);
        size
    }

    /// The text of a note in a form, if it takes no more than `most` tokens.
    pub(super) fn whole_in(told: &NoteText<'_>, form: Form, most: usize) -> Option<String> {
        let bytes = told.note.content.len().saturating_sub(UNSEEN_BYTES);
        if form == Form::Whole && least_room(bytes) > most {
            return None;
        }
        let text = told.text(form);
        crate::tokens::count_to(&text, most).map(|_| text)
    }
}

/// The room that a note takes in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Its tokens; 0 when they were not counted to the end.
    pub(super) tokens: usize,
    /// An upper bound of its room in the budget: its tokens, or more for a text with very few tokens for its length.
    pub(super) room: usize,
    /// True if the whole note was counted; false if counting stopped above the limit.
    pub(super) is_exact: bool,
}

impl Size {
    fn exact(tokens: usize, least: usize) -> Self {
        Self {
            tokens,
            room: tokens.max(least),
            is_exact: true,
        }
    }

    fn more_than(most: usize, least: usize) -> Self {
        Self {
            tokens: 0,
            room: least.max(most.saturating_add(1)),
            is_exact: false,
        }
    }
}

/// The bytes of a text that take the room of one token, at the least. Prose and code have 3 to 6 bytes in a token; a
/// run of blanks or equals signs has up to 128, and is what takes longest to count.
const BYTES_OF_A_TOKEN: usize = 16;

/// So much of a note may be credentials, which a block does not show. The rest is in the text.
const UNSEEN_BYTES: usize = 16 * 1024;

const fn least_room(bytes: usize) -> usize {
    bytes / BYTES_OF_A_TOKEN
}
