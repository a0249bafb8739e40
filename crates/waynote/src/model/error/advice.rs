//! What would be right, in words that hold for every program: no command, flag, tool or setting is named here.

use std::io::ErrorKind;

use super::{Error, safe};

impl Error {
    /// What would be right, where that can be said without knowing the program that asks.
    pub fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::InvalidKey { suggestion, .. } => {
                let rule = "a key is 1 to 64 of a-z, 0-9, `_`, `-`, the first a letter or a digit";
                match suggestion {
                    Some(key) => return Some(format!("{rule}; `{}` would do", safe(key))),
                    None => rule,
                }
            }
            Self::InvalidName { .. } => "a name is 1 to 200 bytes without control characters",
            Self::InvalidPlace { .. } => {
                "a place is `~`, `~/x`, an absolute path, or a relative one"
            }
            Self::InvalidAddress { .. } => {
                "write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, \
                 with `@REVISION` for an older one"
            }
            Self::UnknownType { .. } => "the types are stuck, learning, tip, decision",
            Self::InvalidTokenFactor { .. } => {
                "write a number from 0.1 to 10: your model's tokens over those of o200k, as 1.2"
            }
            Self::InvalidIteration { .. } => {
                "iterations are counted from 1; an entry without one belongs to none"
            }
            Self::NotText { .. } => {
                "a note is UTF-8 text without NUL; convert it first, or encode other data, for instance as base64"
            }
            Self::HoldsSecret { .. } => {
                "write where it is kept (a variable, a vault) instead of the credential itself"
            }
            Self::NameHoldsSecret { .. } => "use another name: one cannot be forgotten",
            Self::NoteTooLarge { .. } => "shorten it, or split it over several keys",
            Self::TooManyNotes { .. } => "delete or merge notes, or save under a key that exists",
            Self::Conflict { current, .. } => match current {
                Some(note) => {
                    let revision = note.revision;
                    return Some(format!(
                        "look at the current text, then write again expecting revision {revision}"
                    ));
                }
                None => "expect revision 0 to create it",
            },
            Self::AppendOnly { .. } => "add an entry that corrects it",
            Self::NotResolved { .. } => {
                "name a `stuck` entry, and say how it was solved as a learning, a tip or a decision"
            }
            Self::NoSuchStuck { candidates, .. } if candidates.is_empty() => {
                "nothing is open there"
            }
            Self::NoSuchStuck { candidates, .. } => {
                let named = candidates
                    .iter()
                    .map(|(address, preview)| safe(format_args!("{address}: {preview}")));
                let named = named.collect::<Vec<_>>().join("; ");
                return Some(format!("name one by its address: {named}"));
            }
            Self::Empty { what } => return Some(format!("say what the {what} is")),
            Self::Forgotten { .. } => "it is gone for good",
            Self::Denied { .. } => "ask whoever gave you this access for more of it",
            Self::DamagedStore { .. } => {
                "restore the file from a copy; what can be read of it can be exported first"
            }
            Self::StoreLost { .. } => {
                "put it back, or start again with what is there now; nothing was written"
            }
            Self::NewerStore { .. } => "update waynote; nothing was changed",
            Self::ReadOnly { .. } => "make the file and its folder writable",
            Self::DiskFull { .. } => {
                "free some space and try again; all that was acknowledged is still there"
            }
            Self::Busy { .. } => {
                "end or resume the other process, then try again; nothing was written"
            }
            Self::File { source, .. } => of_file(source.kind()),
            Self::Engine { .. } => FIX,
            Self::NotFound { .. } | Self::ForeignStore { .. } | Self::NotAStore { .. } => {
                return None;
            }
            Self::NotBuiltIn { feature } => {
                return Some(format!("build it with waynote's feature `{feature}`"));
            }
            Self::Loop(error) => return error.advice(),
            Self::Undo(error) => return error.advice(),
            Self::Custom(error) => return error.advice(),
        };
        Some(advice.into())
    }
}

/// Where nothing more is known than what the error says.
const FIX: &str = "fix the cause and try again";

/// What to do about a file that the system does not hand out.
fn of_file(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "check the path",
        ErrorKind::PermissionDenied => "give this user access to it, then try again",
        ErrorKind::ReadOnlyFilesystem => "name a file on a disk that can be written",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space and try again",
        ErrorKind::IsADirectory => "name a file: this is a folder",
        ErrorKind::NotADirectory => "check the path: a part of it is not a folder",
        _ => FIX,
    }
}
