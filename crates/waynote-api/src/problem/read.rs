//! From the fields of an error to the library's error.

use std::io;
use std::path::Path;
use std::time::Duration;

use waynote::error::{LoopError, SecondName, SideFileProblem, StorageError, UndoError};
use waynote::{Error, Position};

use super::fields::Fields;
use super::interned::interned;
use super::write::IO;
use crate::malformed::time;
use crate::note::Note;

/// The error; none if its fields cannot be read. `current` is the note that a conflict shows, and `store` stands where a
/// path would.
pub(super) fn error(fields: Fields, current: Option<Note>, store: &Path) -> Option<Error> {
    let path = || store.to_path_buf();
    Some(match fields {
        Fields::InvalidKey { key, suggestion } => Error::InvalidKey {
            key,
            suggestion: suggestion.and_then(|key| key.parse().ok()),
        },
        Fields::InvalidName { name, reason } => Error::InvalidName { name, reason },
        Fields::InvalidPlace { path, reason } => Error::InvalidPlace { path, reason },
        Fields::InvalidAddress { address, reason } => Error::InvalidAddress { address, reason },
        Fields::UnknownType { entry_type: kind } => Error::UnknownType { kind },
        Fields::InvalidIteration { iteration } => Error::InvalidIteration { iteration },
        Fields::InvalidTokenFactor { factor } => Error::InvalidTokenFactor { factor },
        Fields::NotText { what } => Error::NotText { what },
        Fields::HoldsSecret { rule, line, column } => Error::HoldsSecret {
            rule: interned(&rule)?,
            line,
            column,
        },
        Fields::NameHoldsSecret { what, rule } => Error::NameHoldsSecret {
            what: interned(&what)?,
            rule: interned(&rule)?,
        },
        Fields::NoteTooLarge {
            bytes,
            max_bytes,
            limit,
        } => Error::NoteTooLarge {
            bytes,
            max_bytes,
            limit: interned(&limit)?,
        },
        Fields::TooManyNotes { notes, max_notes } => Error::TooManyNotes { notes, max_notes },
        Fields::NotFound { what } => Error::NotFound { what },
        Fields::Conflict { address, expected } => Error::Conflict {
            address: address.parse().ok()?,
            expected,
            current: match current {
                Some(note) => Some(Box::new(note.try_into().ok()?)),
                None => None,
            },
        },
        Fields::AppendOnly { address } => Error::AppendOnly {
            address: address.parse().ok()?,
        },
        Fields::NotResolved { address, reason } => Error::NotResolved {
            address: address.parse().ok()?,
            reason: interned(&reason)?,
        },
        Fields::NoSuchStuck {
            named,
            several,
            candidates,
        } => {
            let candidates = candidates.into_iter();
            let read =
                |(address, preview): (String, String)| Some((address.parse().ok()?, preview));
            Error::NoSuchStuck {
                named,
                several,
                candidates: candidates.map(read).collect::<Option<_>>()?,
            }
        }
        Fields::Empty { what } => Error::Empty {
            what: interned(&what)?,
        },
        Fields::Forgotten { what, at, by } => Error::Forgotten {
            what,
            at: time(&at).ok()?,
            by: by.parse().ok()?,
        },
        Fields::Denied { what, reason } => Error::Denied { what, reason },
        Fields::DamagedStore { reason } => Error::DamagedStore {
            path: path(),
            reason,
        },
        Fields::DamagedNote { what } => Error::DamagedNote { what },
        Fields::DamagedIndex { reason } => Error::DamagedIndex {
            path: path(),
            reason,
        },
        Fields::ForeignStore => Error::ForeignStore { path: path() },
        Fields::NotAStore { reason } => Error::NotAStore {
            path: path(),
            reason,
        },
        Fields::NewerStore { found, known } => Error::NewerStore {
            path: path(),
            found,
            known,
        },
        Fields::StoreLost { reason } => Error::StoreLost {
            path: path(),
            reason,
        },
        Fields::LostWrites {
            acknowledged,
            found,
        } => Error::LostWrites {
            path: path(),
            acknowledged: acknowledged.parse::<Position>().ok()?,
            found: found.parse::<Position>().ok()?,
        },
        Fields::ReadOnly { reason } => Error::ReadOnly {
            path: path(),
            reason,
        },
        Fields::DiskFull => Error::DiskFull { path: path() },
        Fields::Busy { waited_ms, holder } => Error::Busy {
            path: path(),
            waited: Duration::from_millis(waited_ms),
            holder,
        },
        Fields::File { action, what, io } => {
            let known = IO.iter().find(|(word, _)| Some(*word) == io.as_deref());
            let kind = known.map_or(io::ErrorKind::Other, |(_, kind)| *kind);
            Error::file(path(), interned(&action)?, io::Error::new(kind, what))
        }
        Fields::Engine { what } => Error::Engine {
            path: path(),
            source: what.into(),
        },
        Fields::NotBuiltIn { feature } => Error::NotBuiltIn {
            feature: interned(&feature)?,
        },
        Fields::QuotaExceeded => StorageError::QuotaExceeded { path: path() }.into(),
        Fields::FileSizeLimit => StorageError::FileSizeLimit { path: path() }.into(),
        Fields::DiskError { action } => StorageError::DiskError {
            path: path(),
            action: interned(&action)?,
        }
        .into(),
        Fields::SideFile { other_owner } => StorageError::SideFile {
            path: path(),
            file: "a file beside it".into(),
            problem: match other_owner {
                Some((found, owner, group)) => SideFileProblem::OtherOwner {
                    found,
                    owner,
                    group,
                },
                None => SideFileProblem::NotAFile,
            },
        }
        .into(),
        Fields::SecondName { links } => StorageError::SecondName {
            path: path(),
            name: match links {
                Some(links) => SecondName::Link { links, other: None },
                None => SecondName::Mount,
            },
        }
        .into(),
        fields => return of_sessions(fields),
    })
}

/// The errors of loops, and of undoing.
fn of_sessions(fields: Fields) -> Option<Error> {
    Some(match fields {
        Fields::LoopRunning {
            session,
            holder,
            since,
        } => LoopError::LoopRunning {
            session: session.parse().ok()?,
            holder,
            since: time(&since).ok()?,
        }
        .into(),
        Fields::LeaseLost { session, held } => LoopError::LeaseLost {
            session: session.parse().ok()?,
            held: match held {
                Some((holder, since)) => Some((holder, time(&since).ok()?)),
                None => None,
            },
        }
        .into(),
        Fields::NoLiveIteration { session, iteration } => LoopError::NoLiveIteration {
            session: session.parse().ok()?,
            iteration,
        }
        .into(),
        Fields::Unanswered { session, question } => LoopError::Unanswered {
            session: session.parse().ok()?,
            question,
        }
        .into(),
        Fields::AlreadySaid {
            iteration,
            has_asked,
        } => LoopError::AlreadySaid {
            iteration,
            has_asked,
        }
        .into(),
        Fields::AlreadyAnswered { session, by, at } => LoopError::AlreadyAnswered {
            session: session.parse().ok()?,
            by: by.parse().ok()?,
            at: at.parse().ok()?,
        }
        .into(),
        Fields::NothingAsked { session } => LoopError::NothingAsked {
            session: session.parse().ok()?,
        }
        .into(),
        Fields::NothingToUndo { address, last } => UndoError::NothingToUndo {
            address: address.map(|address| address.parse()).transpose().ok()?,
            last: match last {
                Some((address, by)) => Some(Box::new((address.parse().ok()?, by.parse().ok()?))),
                None => None,
            },
        }
        .into(),
        Fields::NothingToRedo { address } => UndoError::NothingToRedo {
            address: address.map(|address| address.parse()).transpose().ok()?,
        }
        .into(),
        Fields::Superseded { what, address, by } => UndoError::Superseded {
            what: interned(&what)?,
            address: address.parse().ok()?,
            by: by.parse().ok()?,
        }
        .into(),
        _ => return None,
    })
}
