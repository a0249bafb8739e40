//! Compares a call with an earlier one that has the same operation id: is it the same call again?
//!
//! The expectations, the limits and the author may differ: a caller that sends a call again may know more by then.

use super::apply::Call;
use crate::address::Address;
use crate::change::Change;
use crate::note::{Action, Revision, State};

/// True if two calls of one group are the same.
pub(super) fn calls(one: &Call<'_>, other: &Call<'_>) -> bool {
    match (one, other) {
        (Call::Apply { changes: one, .. }, Call::Apply { changes: other, .. }) => {
            let mut pairs = one.iter().zip(other.iter());
            one.len() == other.len() && pairs.all(|(one, other)| changes(one, other))
        }
        (
            Call::Record {
                session, events, ..
            },
            Call::Record {
                session: of,
                events: other,
                ..
            },
        ) => session == of && events == other,
        _ => false,
    }
}

fn changes(one: &Change, other: &Change) -> bool {
    let is_same = match (one, other) {
        (
            Change::Save { content, pin, .. },
            Change::Save {
                content: of,
                pin: by,
                ..
            },
        ) => content == of && pin == by,
        (
            Change::Append {
                session,
                kind,
                content,
                id,
                ..
            },
            Change::Append {
                session: of,
                kind: by,
                content: other,
                id: with,
                ..
            },
        ) => session == of && kind == by && content == other && id == with,
        (Change::Pin { pinned, .. }, Change::Pin { pinned: of, .. }) => pinned == of,
        (Change::Restore { revision, .. }, Change::Restore { revision: of, .. }) => revision == of,
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    };
    is_same && one.address() == other.address()
}

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
