//! What each note takes in a block: its text in one of three forms, and the tokens of that.

use std::cell::RefCell;
use std::collections::HashMap;

use super::stable::Told;
use crate::address::Address;
use crate::key::Name;
use crate::note::Note;

/// How a note stands in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// All of it.
    Whole,
    /// Its address and a preview, where the whole note has no room.
    Cut,
    /// A line of the index.
    Listed,
}

/// How many counts are kept at most: of more notes than any block shows.
const MOST: usize = 10_000;

/// A revision of a note and how often it was noted, with its tokens in each form.
#[derive(Default)]
struct Counted {
    revision: u64,
    times: u64,
    tokens: [Option<usize>; 3],
}

/// Tokens that were counted once and need not be counted again.
#[derive(Default)]
pub(super) struct Counts {
    /// The agent that reads the block: what a piece says depends on it.
    reader: Option<Name>,
    known: HashMap<Address, Counted>,
}

/// Makes pieces for one reader.
pub(super) struct Pieces<'r> {
    pub(super) reader: &'r Name,
    counts: &'r RefCell<Counts>,
    /// Whether anybody asks for tokens: counting is most of the work of a block.
    counting: bool,
}

impl<'r> Pieces<'r> {
    pub(super) fn new(reader: &'r Name, counts: &'r RefCell<Counts>, counting: bool) -> Self {
        let mut known = counts.borrow_mut();
        if known.reader.as_ref() != Some(reader) || known.known.len() > MOST {
            *known = Counts {
                reader: Some(reader.clone()),
                known: HashMap::new(),
            };
        }
        drop(known);
        Self {
            reader,
            counts,
            counting,
        }
    }

    pub(super) fn text(&self, note: &Note, times: u64, form: Form) -> String {
        let told = Told {
            note,
            times,
            reader: self.reader,
        };
        match form {
            Form::Whole => told.whole(),
            Form::Cut => told.cut(),
            Form::Listed => told.listed(),
        }
    }

    /// Tokens of a text; 0 when nobody asks.
    pub(super) fn count(&self, text: &str) -> usize {
        match self.counting {
            true => waynote_tokens::count(text),
            false => 0,
        }
    }

    /// Tokens of a note; 0 when nobody asks.
    pub(super) fn tokens(&self, note: &Note, times: u64, form: Form) -> usize {
        if !self.counting {
            return 0;
        }
        let mut counts = self.counts.borrow_mut();
        if let Some(known) = counts.known.get(&note.address)
            && (known.revision, known.times) == (note.revision, times)
            && let Some(tokens) = known.tokens[form as usize]
        {
            return tokens;
        }
        let tokens = waynote_tokens::count(&self.text(note, times, form));
        let known = counts.known.entry(note.address.clone()).or_default();
        if (known.revision, known.times) != (note.revision, times) {
            *known = Counted {
                revision: note.revision,
                times,
                tokens: [None; 3],
            };
        }
        known.tokens[form as usize] = Some(tokens);
        tokens
    }
}
