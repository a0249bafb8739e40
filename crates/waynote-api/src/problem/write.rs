//! From the library's error to its fields.

use std::io::ErrorKind;

use waynote::error::{LoopError, SecondName, SideFileProblem, StorageError, UndoError, safe};
use waynote::{Error, Name};

use super::fields::Fields;
use crate::note::Note;

/// The words for what the system says about a file: those that the advice depends on.
pub(super) const IO: [(&str, ErrorKind); 8] = [
    ("not_found", ErrorKind::NotFound),
    ("permission_denied", ErrorKind::PermissionDenied),
    ("read_only_filesystem", ErrorKind::ReadOnlyFilesystem),
    ("storage_full", ErrorKind::StorageFull),
    ("quota_exceeded", ErrorKind::QuotaExceeded),
    ("is_a_directory", ErrorKind::IsADirectory),
    ("already_exists", ErrorKind::AlreadyExists),
    ("not_a_directory", ErrorKind::NotADirectory),
];

/// The fields of an error, and the note that a conflict shows; none for an error that has no form: one of a crate that
/// builds on the library, or of a later version of it.
pub(super) fn fields(error: &Error) -> Option<(Fields, Option<Note>)> {
    let fields = match error {
        Error::Conflict {
            address,
            expected,
            current,
        } => {
            let fields = Fields::Conflict {
                address: address.to_string(),
                expected: expected.clone(),
            };
            return Some((fields, current.as_deref().map(Note::from)));
        }
        Error::Storage(error) => of_storage(error)?,
        Error::Loop(error) => of_loop(error)?,
        Error::Undo(error) => of_undo(error)?,
        Error::InvalidKey { .. }
        | Error::InvalidName { .. }
        | Error::InvalidPlace { .. }
        | Error::InvalidAddress { .. }
        | Error::UnknownType { .. }
        | Error::InvalidIteration { .. }
        | Error::InvalidTokenFactor { .. }
        | Error::NotText { .. }
        | Error::HoldsSecret { .. }
        | Error::NameHoldsSecret { .. }
        | Error::NoteTooLarge { .. }
        | Error::TooManyNotes { .. }
        | Error::Empty { .. }
        | Error::NotBuiltIn { .. } => of_request(error)?,
        error => of_store(error)?,
    };
    Some((fields, None))
}

/// What is wrong with the request itself.
fn of_request(error: &Error) -> Option<Fields> {
    Some(match error {
        Error::InvalidKey { key, suggestion } => Fields::InvalidKey {
            key: safe(key),
            suggestion: suggestion.as_ref().map(safe),
        },
        Error::InvalidName { name, reason } => Fields::InvalidName {
            name: safe(name),
            reason: reason.clone(),
        },
        Error::InvalidPlace { path, reason } => Fields::InvalidPlace {
            path: safe(path),
            reason: reason.clone(),
        },
        Error::InvalidAddress { address, reason } => Fields::InvalidAddress {
            address: safe(address),
            reason: reason.clone(),
        },
        Error::UnknownType { kind } => Fields::UnknownType {
            entry_type: safe(kind),
        },
        Error::InvalidIteration { iteration } => Fields::InvalidIteration {
            iteration: *iteration,
        },
        Error::InvalidTokenFactor { factor } => Fields::InvalidTokenFactor { factor: *factor },
        Error::NotText { what } => Fields::NotText { what: what.clone() },
        Error::HoldsSecret { rule, line, column } => Fields::HoldsSecret {
            rule: (*rule).into(),
            line: *line,
            column: *column,
        },
        Error::NameHoldsSecret { what, rule } => Fields::NameHoldsSecret {
            what: (*what).into(),
            rule: (*rule).into(),
        },
        Error::NoteTooLarge {
            bytes,
            max_bytes,
            limit,
        } => Fields::NoteTooLarge {
            bytes: *bytes,
            max_bytes: *max_bytes,
            limit: (*limit).into(),
        },
        Error::TooManyNotes { notes, max_notes } => Fields::TooManyNotes {
            notes: *notes,
            max_notes: *max_notes,
        },
        Error::Empty { what } => Fields::Empty {
            what: (*what).into(),
        },
        Error::NotBuiltIn { feature } => Fields::NotBuiltIn {
            feature: (*feature).into(),
        },
        _ => return None,
    })
}

/// What the store says.
fn of_store(error: &Error) -> Option<Fields> {
    Some(match error {
        Error::NotFound { what } => Fields::NotFound { what: safe(what) },
        Error::AppendOnly { address } => Fields::AppendOnly {
            address: address.to_string(),
        },
        Error::NotResolved { address, reason } => Fields::NotResolved {
            address: address.to_string(),
            reason: (*reason).into(),
        },
        Error::NoSuchStuck {
            named,
            several,
            candidates,
        } => Fields::NoSuchStuck {
            named: safe(named),
            several: *several,
            candidates: candidates
                .iter()
                .map(|(address, preview)| (address.to_string(), safe(preview)))
                .collect(),
        },
        Error::Forgotten { what, at, by } => Fields::Forgotten {
            what: safe(what),
            at: at.to_string(),
            by: by.to_string(),
        },
        Error::Denied { what, reason } => Fields::Denied {
            what: safe(what),
            reason: safe(reason),
        },
        Error::DamagedStore { reason, .. } => Fields::DamagedStore {
            reason: safe(reason),
        },
        Error::DamagedNote { what } => Fields::DamagedNote { what: safe(what) },
        Error::DamagedIndex { reason, .. } => Fields::DamagedIndex {
            reason: safe(reason),
        },
        Error::ForeignStore { .. } => Fields::ForeignStore,
        Error::NotAStore { reason, .. } => Fields::NotAStore {
            reason: safe(reason),
        },
        Error::NewerStore { found, known, .. } => Fields::NewerStore {
            found: *found,
            known: *known,
        },
        Error::StoreLost { reason, .. } => Fields::StoreLost {
            reason: safe(reason),
        },
        Error::LostWrites {
            acknowledged,
            found,
            ..
        } => Fields::LostWrites {
            acknowledged: acknowledged.to_string(),
            found: found.to_string(),
        },
        Error::ReadOnly { reason, .. } => Fields::ReadOnly {
            reason: safe(reason),
        },
        Error::DiskFull { .. } => Fields::DiskFull,
        Error::Busy { waited, holder, .. } => Fields::Busy {
            waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            holder: *holder,
        },
        Error::File { action, source, .. } => Fields::File {
            action: (*action).into(),
            what: safe(source),
            io: IO
                .iter()
                .find(|(_, kind)| *kind == source.kind())
                .map(|(word, _)| (*word).to_owned()),
        },
        Error::Engine { source, .. } => Fields::Engine { what: safe(source) },
        _ => return None,
    })
}

fn of_storage(error: &StorageError) -> Option<Fields> {
    Some(match error {
        StorageError::QuotaExceeded { .. } => Fields::QuotaExceeded,
        StorageError::FileSizeLimit { .. } => Fields::FileSizeLimit,
        StorageError::DiskError { action, .. } => Fields::DiskError {
            action: (*action).into(),
        },
        StorageError::SecondName { name, .. } => Fields::SecondName {
            links: match name {
                SecondName::Link { links, .. } => Some(*links),
                _ => None,
            },
        },
        StorageError::SideFile { problem, .. } => Fields::SideFile {
            other_owner: match problem {
                SideFileProblem::OtherOwner {
                    found,
                    owner,
                    group,
                } => Some((*found, *owner, *group)),
                _ => None,
            },
        },
        _ => return None,
    })
}

fn of_loop(error: &LoopError) -> Option<Fields> {
    Some(match error {
        LoopError::LoopRunning {
            session,
            holder,
            since,
        } => Fields::LoopRunning {
            session: session.to_string(),
            holder: safe(holder),
            since: since.to_string(),
        },
        LoopError::LeaseLost { session, held } => Fields::LeaseLost {
            session: session.to_string(),
            held: held
                .as_ref()
                .map(|(holder, since)| (safe(holder), since.to_string())),
        },
        LoopError::NoLiveIteration { session, iteration } => Fields::NoLiveIteration {
            session: session.to_string(),
            iteration: *iteration,
        },
        LoopError::Unanswered { session, question } => Fields::Unanswered {
            session: session.to_string(),
            question: safe(question),
        },
        LoopError::AlreadySaid {
            iteration,
            has_asked,
        } => Fields::AlreadySaid {
            iteration: *iteration,
            has_asked: *has_asked,
        },
        LoopError::AlreadyAnswered { session, by, at } => Fields::AlreadyAnswered {
            session: session.to_string(),
            by: by.to_string(),
            at: at.to_string(),
        },
        LoopError::NothingAsked { session } => Fields::NothingAsked {
            session: session.to_string(),
        },
        _ => return None,
    })
}

fn of_undo(error: &UndoError) -> Option<Fields> {
    let named = |address: &Option<waynote::Address>| address.as_ref().map(ToString::to_string);
    let change = |(address, by): &(waynote::Address, Name)| (address.to_string(), by.to_string());
    Some(match error {
        UndoError::NothingToUndo { address, last } => Fields::NothingToUndo {
            address: named(address),
            last: last.as_deref().map(change),
        },
        UndoError::NothingToRedo { address } => Fields::NothingToRedo {
            address: named(address),
        },
        UndoError::Superseded { what, address, by } => Fields::Superseded {
            what: (*what).into(),
            address: address.to_string(),
            by: by.to_string(),
        },
        _ => return None,
    })
}
