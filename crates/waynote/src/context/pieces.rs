//! The pieces of a block: the text of each note in one of three forms, and its tokens.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::stable::Told;
use crate::address::Address;
use crate::key::Name;
use crate::note::Note;

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

/// What a note said when it was counted, with its tokens in each form. Revisions do not tell: one that lies in a file
/// only, or in a transaction that is taken back, may say another thing next time.
#[derive(Default)]
struct Counted {
    said: u64,
    tokens: [Option<usize>; 3],
}

/// A number for all that a piece is made of, beside the address and the reader.
fn said(note: &Note, times: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    note.content.as_bytes().hash(&mut hasher);
    (note.updated_at, note.iteration, times).hash(&mut hasher);
    (note.author.as_str(), &note.kind).hash(&mut hasher);
    hasher.finish()
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
            true => crate::tokens::count(text),
            false => 0,
        }
    }

    /// Tokens of a note; 0 when nobody asks.
    pub(super) fn tokens(&self, note: &Note, times: u64, form: Form) -> usize {
        if !self.counting {
            return 0;
        }
        let said = said(note, times);
        let mut counts = self.counts.borrow_mut();
        if let Some(known) = counts.known.get(&note.address)
            && known.said == said
            && let Some(tokens) = known.tokens[form as usize]
        {
            return tokens;
        }
        let tokens = crate::tokens::count(&self.text(note, times, form));
        let known = counts.known.entry(note.address.clone()).or_default();
        if known.said != said {
            *known = Counted {
                said,
                tokens: [None; 3],
            };
        }
        known.tokens[form as usize] = Some(tokens);
        tokens
    }
}
