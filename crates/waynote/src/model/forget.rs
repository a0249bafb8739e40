//! Forgetting: the one exception to "nothing is destroyed".
//!
//! The text of a note is removed from the journal, from the current notes, from everything derived from it, and from
//! the bytes of the store's files. A tombstone is left for each revision: it says that something was forgotten, when
//! and by whom. It holds no hash and no length, because the text could be guessed from them.
//!
//! A text is stored once for all notes that have it, and is removed with the last of them. [`Forgotten::shared`] lists
//! where it remains; [`Forget::everywhere`] forgets it there too.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::address::{Address, AddressAt};
use crate::error::Error;

/// A request to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forget {
    /// The note.
    pub address: Address,
    /// One revision of the note; none: all of them. All revisions of a log entry have the same text (they are its
    /// repeats), so forgetting one of them forgets the entry.
    pub revision: Option<u64>,
    /// Whether to forget the text in every other note and revision too.
    pub everywhere: bool,
}

impl Forget {
    /// All revisions of a note.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            revision: None,
            everywhere: false,
        }
    }

    /// Only one revision; none: all of them.
    pub fn revision(self, revision: impl Into<Option<u64>>) -> Self {
        Self {
            revision: revision.into(),
            ..self
        }
    }

    /// Whether to forget the text in every other note and revision too.
    pub fn everywhere(self, everywhere: bool) -> Self {
        Self { everywhere, ..self }
    }

    /// The note of the request, with its revision if one was given.
    pub fn named(&self) -> AddressAt {
        AddressAt {
            address: self.address.clone(),
            revision: self.revision,
        }
    }

    /// The error when such a note or revision never existed.
    pub fn not_found(&self) -> Error {
        Error::NotFound {
            what: self.named().to_string(),
        }
    }
}

/// What was forgotten, and what is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// The note of the request, with its revision if one was given.
    pub named: AddressAt,
    /// The revisions that this call forgot; empty if they were already forgotten.
    pub revisions: Vec<AddressAt>,
    /// The notes that no longer exist as a result.
    pub gone: Vec<Address>,
    /// How many revisions of the note still have a text.
    pub kept: u64,
    /// Revisions of this and other notes that still have the same text.
    pub shared: Vec<AddressAt>,
    /// The names of the [side data](crate::SideData) spaces that had a value about a text that is gone. The value was
    /// removed; what the program behind the space keeps outside the store was not.
    #[serde(skip)]
    pub spaces: Vec<String>,
    /// Why old bytes of the text may still be in the store's files; none if the files are clean.
    pub residue: Option<Residue>,
}

impl Forgotten {
    /// The result of a request that forgets nothing.
    pub fn nothing(request: &Forget) -> Self {
        Self {
            named: request.named(),
            revisions: Vec::new(),
            gone: Vec::new(),
            kept: 0,
            shared: Vec::new(),
            spaces: Vec::new(),
            residue: None,
        }
    }

    /// Adds the result of a further call, which forgot a text that was brought back meanwhile.
    pub fn and(&mut self, other: Self) {
        self.revisions.extend(other.revisions);
        self.spaces.extend(other.spaces);
        self.spaces.sort();
        self.spaces.dedup();
        self.residue = other.residue;
    }
}

/// Why old bytes of a forgotten text may still be in the store's files, although no note holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Residue {
    /// The connection belongs to an application, which has to clean its free pages and its WAL itself.
    Lent,
    /// The database holds another program's tables, so waynote does not rebuild it.
    Foreign,
    /// Another process is still reading an older state of the store.
    Read,
    /// Rebuilding the file failed.
    Failed(String),
}

impl fmt::Display for Residue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lent => f.write_str("its free pages and its WAL are the application's to clean"),
            Self::Foreign => {
                f.write_str("it holds tables of another program, so it was not rebuilt")
            }
            Self::Read => f.write_str("another process still reads it as it was before"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl Serialize for Residue {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
