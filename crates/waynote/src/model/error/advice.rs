//! Advice for every error, in words that suit every program: it names no command, flag, tool or setting.

use std::io::ErrorKind;
use std::path::Path;

use super::{Error, safe};

impl Error {
    /// The advice for the error, if it does not depend on the program that uses the library.
    pub fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::InvalidKey { suggestion, .. } => {
                let rule = "a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit";
                match suggestion {
                    Some(key) => return Some(format!("{rule}; for example `{}`", safe(key))),
                    None => rule,
                }
            }
            Self::InvalidName { .. } => "a name has 1 to 200 bytes and no control characters",
            Self::InvalidPlace { .. } => {
                "a place is `~`, `~/x`, an absolute path, or `repo:github.com/acme/shop//src`"
            }
            Self::InvalidAddress { .. } => {
                "write `place:~/p`, `place:~/p#key`, `repo:host/name//dir#key`, `agent:name#key` or `session:name#id`, \
                 with `@REVISION` for an older one"
            }
            Self::UnknownType { .. } => "the types are stuck, learning, tip, decision",
            Self::InvalidTokenFactor { .. } => {
                "write a number from 0.1 to 10, for example 1.2: the tokens of your model divided by those of o200k"
            }
            Self::UnknownRepository { .. } => {
                "name the note by its address, or its directory by the path"
            }
            Self::InvalidCitation { .. } => {
                "cite tracked files of the repository: src/pay.rs:40-60, src/pay.rs, or an identifier of its code"
            }
            Self::InvalidIteration { .. } => {
                "iterations are numbered from 1; leave the number out: the next prompt has the entry"
            }
            Self::NotText { .. } => {
                "a note is UTF-8 text without NUL; convert the text first, or encode other data, for example as base64"
            }
            Self::HoldsSecret { .. } => {
                "write where the credential is kept (a variable, a vault), not the credential itself"
            }
            Self::NameHoldsSecret { .. } => "use another name: a name cannot be forgotten later",
            Self::NoteTooLarge { .. } => "shorten it, or split it over several keys",
            Self::IdUsed { .. } => "give each call an id of its own; repeat a call as it was",
            Self::TooMuchAsked { .. } => "ask for less: fewer words, or one page after the other",
            Self::Ended => "ask again, for less at once",
            Self::TooManyNotes { .. } => {
                "save under a key that exists, or add the text to another note"
            }
            Self::Conflict { current, .. } => match current {
                Some(note) => {
                    let revision = note.revision;
                    return Some(format!(
                        "look at the current text, then write again expecting revision {revision}"
                    ));
                }
                None => "expect revision 0 to create it",
            },
            Self::OthersText { revision, .. }
            | Self::OthersNote {
                expect: Some(revision),
                ..
            } => {
                return Some(format!(
                    "give your text a key of its own, or read this one, then expect revision {revision}"
                ));
            }
            Self::OnePersons { holder, .. } => match holder {
                Some(holder) => return Some(format!("yours is `agent:{}`", safe(holder))),
                None => {
                    "name the repository's directory, `repo:HOST/NAME//DIRECTORY`, or keep the note in your own store"
                }
            },
            Self::OthersNote { of_team: true, .. } => "a person changes it in the team's store",
            Self::OthersNote { .. } => "a person changes its file, and commits that",
            Self::AppendOnly { .. } => "add an entry that corrects it",
            Self::NotResolved { .. } => {
                "name a `stuck` entry, and say how it was solved as a learning, a tip or a decision"
            }
            Self::NoSuchStuck { candidates, .. } if candidates.is_empty() => {
                "no stuck note is open in this session"
            }
            Self::NoSuchStuck { candidates, .. } => {
                let named = candidates
                    .iter()
                    .map(|(address, preview)| safe(format_args!("{address}: {preview}")));
                let named = named.collect::<Vec<_>>().join("; ");
                return Some(format!("name one by its address: {named}"));
            }
            Self::Incomplete { advice, .. } => return Some(advice.clone()),
            Self::Empty { what } => return Some(format!("write a text for the {what}")),
            Self::Forgotten { .. } => "it is gone for good",
            Self::Denied { .. } => "ask whoever gave you this access for more of it",
            Self::DamagedStore { path, .. } if is_of_database(path) => {
                "ask whoever runs the database to restore it from a backup"
            }
            Self::StoreLost { path, .. } if is_of_database(path) => {
                "check the name with `waynote stores list`, or start again to use the store that is there now; nothing was written"
            }
            Self::DiskFull { path } if is_of_database(path) => {
                "ask whoever runs the database for more room; everything acknowledged is still there"
            }
            Self::Engine { path, .. } if is_of_database(path) => {
                "look into the log of the database's server, then try again"
            }
            Self::DamagedStore { .. } => {
                "restore the file from a copy, or save what is whole into a new store"
            }
            Self::DamagedNote { .. } => {
                "the other notes can still be read; restore the store from a copy, or save what is whole into a new store"
            }
            Self::DamagedIndex { .. } => "write something: that builds it again",
            Self::StoreLost { .. } => {
                "put the file back, or restart to use the file that is there now; nothing was written"
            }
            Self::LostWrites { .. } => {
                "restore a backup, or accept the loss to go on with what is left; until then it can only be read"
            }
            Self::ForgetsMore { .. } => {
                "look again at what would be forgotten, then decide; nothing was forgotten"
            }
            Self::OtherVersion { .. } => {
                "export its notes as JSON with the program that wrote it, and import them with this one"
            }
            Self::ReadOnly { .. } => "make the file and its folder writable",
            Self::DiskFull { .. } => {
                "free some space and try again; everything acknowledged is still there"
            }
            Self::Busy { .. } => {
                "end or resume the other process, then try again; nothing was written"
            }
            Self::File { source, .. } => of_file(source.kind()),
            Self::Engine { .. } => "check the disk and the file's permissions, then try again",
            Self::NotFound { .. } | Self::ForeignStore { .. } | Self::NotAStore { .. } => {
                return None;
            }
            Self::Storage(error) => return Some(error.advice()),
            Self::Loop(error) => error.advice(),
            Self::Undo(error) => return error.advice(),
            Self::Remote { advice, .. } => return advice.as_ref().map(safe),
            Self::Custom(error) => return error.advice(),
        };
        Some(advice.into())
    }
}

/// True if the store is in a database: its name is an address.
fn is_of_database(store: &Path) -> bool {
    store.to_string_lossy().starts_with("postgres")
}

/// The advice if nothing more is known than the error's text.
const FIX: &str = "fix the cause and try again";

/// The advice for a file that the system does not hand out.
fn of_file(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "check the path",
        ErrorKind::PermissionDenied => "give this user access to it, then try again",
        ErrorKind::ReadOnlyFilesystem => "name a file on a disk that can be written",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space and try again",
        ErrorKind::IsADirectory => "name a file: this is a folder",
        ErrorKind::AlreadyExists => "name another file",
        ErrorKind::NotADirectory => "check the path: a part of it is not a folder",
        _ => FIX,
    }
}
