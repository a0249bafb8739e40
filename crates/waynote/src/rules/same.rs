//! Compares a call with an earlier one that has the same operation id: is it the same call again?
//!
//! The expectations, the limits and the author may differ: a caller that sends a call again may know more by then.

use crate::address::Address;
use crate::change::Change;
use crate::note::{Action, Revision, State};

/// True if the change may have made the revision. A forgotten text cannot be compared, and counts as equal.
pub(super) fn made(change: &Change, revision: &Revision) -> bool {
    let is_there = match (change, revision.address()) {
        (Change::Append { session, id, .. }, Address::Session(of, entry)) => {
            session == of && id.is_none_or(|id| id == *entry)
        }
        (change, address) => change.address() == Some(address),
    };
    let note = match &revision.state {
        State::Present(note) => Some(note),
        _ => None,
    };
    let is_made = match (change, revision.action) {
        (Change::Save { content, pin, .. }, Action::Save | Action::Sync) => {
            note.is_none_or(|note| {
                note.content == *content && pin.is_none_or(|pinned| pinned == note.pinned)
            })
        }
        (Change::Append { content, kind, .. }, Action::Save | Action::Repeat) => {
            note.is_none_or(|note| note.content == *content && note.kind.as_ref() == Some(kind))
        }
        (Change::Pin { pinned, .. }, Action::Pin) => *pinned,
        (Change::Pin { pinned, .. }, Action::Unpin) => !*pinned,
        (change, action) => matches!(
            (change, action),
            (Change::Delete { .. }, Action::Delete)
                | (Change::Restore { .. }, Action::Restore)
                | (Change::Undo { .. }, Action::Undo)
                | (Change::Redo { .. }, Action::Redo)
        ),
    };
    is_there && is_made
}
