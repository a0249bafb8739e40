//! Forgetting: the one exception to "nothing is destroyed".
//!
//! What a note said goes: from the journal, from the notes as they are now, from whatever is derived from it, and from
//! the bytes of the store's files. Left is a tombstone for each revision, which says that something was forgotten,
//! when and by whom: no hash and no length, because those could be guessed from.
//!
//! A content is kept once for all the notes that say it, and goes with the last of them. [`Forgotten::shared`] names
//! where it still stands; [`Forget::everywhere`] forgets it there too.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::address::{Address, AddressAt};
use crate::error::Error;

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forget {
    /// The note.
    pub address: Address,
    /// One revision of it; none: all of them. An entry of a log says one text in all its revisions, which are its
    /// repeats: with any of them goes the entry.
    pub revision: Option<u64>,
    /// What they say is forgotten in every other note and revision too.
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

    /// One revision alone; none: all of them.
    pub fn revision(self, revision: impl Into<Option<u64>>) -> Self {
        Self {
            revision: revision.into(),
            ..self
        }
    }

    /// Whether what they say is forgotten in every other note and revision too.
    pub fn everywhere(self, everywhere: bool) -> Self {
        Self { everywhere, ..self }
    }

    /// What was named, with the revision when one was.
    pub fn named(&self) -> AddressAt {
        AddressAt {
            address: self.address.clone(),
            revision: self.revision,
        }
    }

    /// The refusal when there never was such a note or revision.
    pub fn not_found(&self) -> Error {
        Error::NotFound {
            what: self.named().to_string(),
        }
    }
}

/// What was forgotten, and what is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// What was named.
    pub named: AddressAt,
    /// The revisions that this call forgot; none when they were forgotten already.
    pub revisions: Vec<AddressAt>,
    /// The notes among them that were there and are not any more.
    pub gone: Vec<Address>,
    /// How many revisions of the named note still say something.
    pub kept: u64,
    /// Revisions of this and other notes that say the same text still.
    pub shared: Vec<AddressAt>,
    /// The spaces of [side data](crate::SideData) that had a value about a text that is gone, by name. The value went
    /// with it; what the program behind the space keeps outside the store did not.
    #[serde(skip)]
    pub spaces: Vec<String>,
    /// Why old bytes of it may still be in the store's files; none: they are clean.
    pub residue: Option<Residue>,
}

impl Forgotten {
    /// What a request comes to that forgets nothing.
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

    /// Adds what a further call forgot, of a text that was brought back meanwhile.
    pub fn and(&mut self, other: Self) {
        self.revisions.extend(other.revisions);
        self.spaces.extend(other.spaces);
        self.spaces.sort();
        self.spaces.dedup();
        self.residue = other.residue;
    }
}

/// Why old bytes of what was forgotten may still be in the store's files, though no note holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Residue {
    /// An application lends the connection: it cleans its free pages and its WAL.
    Lent,
    /// The database holds another program's tables, which are not rebuilt behind its back.
    Foreign,
    /// Another process reads the store as it was before.
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
