//! Decides the result of each change; no other code does.
//!
//! A store calls [`decide`] inside its transaction, on top of what is planned there, and writes the result. So all engines
//! follow the same rules.

use super::others;
use super::pending::PendingStore;
use super::undo::{last_standing, last_undone};
use crate::address::Address;
use crate::change::{Change, Expect};
use crate::cites::named_in;
use crate::content::{Content, ContentHash};
use crate::error::{Error, Result, UndoError};
use crate::key::{EntryId, Name};
use crate::model::citation::Citation;
use crate::note::{
    Action, EntryType, Note, Replaces, Revision, Source, Stamp, State, earliest, micros,
};

/// The result of a decision: the next revision of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    /// The journal row.
    pub(crate) revision: Revision,
    /// True if the note existed before.
    pub(crate) existed: bool,
    /// The resulting note if it differs from the revision's own: for a repeated log entry, and a text that stays.
    pub(crate) kept: Option<Note>,
    /// The entry of the same log that it resolves.
    pub(crate) resolves: Option<EntryId>,
}

impl Write {
    /// The resulting note; none if it no longer exists.
    pub(crate) fn note(&self) -> Option<&Note> {
        self.kept.as_ref().or_else(|| self.revision.note())
    }

    /// The same write to this note, with the author of its text: who leaves a text or brings it back has not written it.
    /// The revision has who made the change.
    pub(super) fn to(mut self, before: Option<&Note>, pending: &PendingStore<'_>) -> Result<Self> {
        if let (None, Some(note)) = (&self.kept, self.revision.note()) {
            let author = match (self.revision.action, before) {
                (_, Some(before)) if before.content == note.content => before.author.clone(),
                (Action::Restore | Action::Undo | Action::Redo, _) => {
                    let revision = |number| pending.revision(&note.address, number);
                    self.revision.writer(revision)?
                }
                _ => return Ok(self),
            };
            let note = note.clone();
            self.kept = Some(Note { author, ..note });
        }
        Ok(self)
    }
}

/// Decides the result of a change: the revision to write, or none if nothing changes.
///
/// # Errors
/// [`Error::HoldsSecret`] and [`Error::NameHoldsSecret`] for a credential that is not allowed; [`Error::NoteTooLarge`]
/// and [`Error::TooManyNotes`] over a limit; [`Error::Conflict`] when another revision was expected;
/// [`Error::OthersText`] when a careful writer has not read what another author wrote;
/// [`Error::NotFound`], [`Error::NotResolved`], [`Error::AppendOnly`] and [`Error::Forgotten`], depending on the
/// change; [`UndoError::NothingToUndo`] and [`UndoError::NothingToRedo`]; [`Error::Busy`], [`Error::DamagedStore`] or
/// [`Error::Engine`] when the store cannot be read.
pub(crate) fn decide(
    change: &Change,
    before: &PendingStore<'_>,
    stamp: &Stamp,
) -> Result<Option<Write>> {
    Citation::check(stamp.cites.as_deref().unwrap_or_default())?;
    Citation::check(&stamp.named)?;
    match change {
        Change::Save {
            address,
            content,
            pin,
            limits,
            expect,
            origin,
        } => {
            not_in_log(address)?;
            limits.check_bytes(address, content)?;
            change.check_secrets(stamp)?;
            let current = before.current(address)?;
            check_expected(address, *expect, current.as_ref())?;
            if let Some(current) = current.as_ref().filter(|of| of.content != *content) {
                others::check(current, *expect, before, stamp)?;
            }
            if current.is_none() && address.key().is_some() {
                let scope = address.scope();
                let notes = before.count(&scope)?;
                limits.check_notes(scope, notes)?;
            }
            let origin = origin.as_ref();
            let cites = match origin {
                Some(origin) => {
                    Citation::check(&origin.cites)?;
                    origin.cites.clone()
                }
                None => cited(stamp, content, current.as_ref()),
            };
            let created_at = origin.map_or(stamp.now, |origin| micros(origin.created_at));
            let author = origin
                .and_then(|origin| origin.author.as_ref())
                .unwrap_or(&stamp.author);
            let note = Note {
                address: address.clone(),
                preview: content.preview(),
                content: content.clone(),
                kind: None,
                iteration: None,
                resolved_by: None,
                cites,
                pinned: pin.unwrap_or_else(|| current.as_ref().is_some_and(|note| note.pinned)),
                revision: next_revision(address, current.as_ref(), before)?,
                author: author.clone(),
                created_at: current.as_ref().map_or(created_at, |note| note.created_at),
                updated_at: origin.map_or(stamp.now, |origin| micros(origin.updated_at)),
                source: Source::Own,
            };
            let is_synced = origin.is_some_and(|origin| origin.is_synced);
            Ok(Some(write(
                if is_synced {
                    Action::Sync
                } else {
                    Action::Save
                },
                State::Present(note),
                current.is_some(),
                stamp,
            )))
        }
        Change::Append {
            session,
            kind,
            iteration,
            content,
            resolves,
            id,
            created_at,
        } => {
            change.check_secrets(stamp)?;
            if let Some(entry) = resolves {
                may_resolve(&Address::Session(session.clone(), *entry), kind, before)?;
            }
            let next = match id {
                Some(id) => *id,
                None => {
                    if let Some(entry) = before.entry_saying(session, kind, content)? {
                        return Ok(Some(Write {
                            resolves: *resolves,
                            ..repeat(entry, *iteration, stamp)
                        }));
                    }
                    EntryId::next(before.last_entry(session)?, stamp.now, salt(session, stamp))
                }
            };
            let address = Address::Session(session.clone(), next);
            // An id that is made here is larger than every other. One from elsewhere may be that of an entry which
            // was forgotten here: it is not brought back.
            if id.is_some() && before.last_revision(&address)? > 0 {
                return Ok(None);
            }
            let note = Note {
                preview: content.preview(),
                content: content.clone(),
                kind: Some(kind.clone()),
                iteration: *iteration,
                resolved_by: None,
                // One from elsewhere is not what the caller means.
                cites: match id {
                    None => cited(stamp, content, None),
                    Some(_) => Vec::new(),
                },
                pinned: false,
                revision: 1,
                author: stamp.author.clone(),
                created_at: created_at.map_or(stamp.now, micros),
                updated_at: created_at.map_or(stamp.now, micros),
                source: Source::Own,
                address,
            };
            Ok(Some(Write {
                resolves: *resolves,
                ..write(Action::Save, State::Present(note), false, stamp)
            }))
        }
        Change::Pin {
            address,
            pinned,
            expect,
        } => {
            not_in_log(address)?;
            let current = before.current(address)?;
            check_expected(address, *expect, current.as_ref())?;
            let note = current.ok_or_else(|| not_found(address))?;
            let state = State::Present(Note {
                pinned: *pinned,
                revision: note.revision + 1,
                author: stamp.author.clone(),
                updated_at: stamp.now,
                ..note
            });
            let action = if *pinned { Action::Pin } else { Action::Unpin };
            Ok(Some(write(action, state, true, stamp)))
        }
        Change::Delete { address, expect } => {
            not_in_log(address)?;
            let current = before.current(address)?;
            check_expected(address, *expect, current.as_ref())?;
            let Some(note) = current else {
                return Ok(None);
            };
            // Who moves a note may not have seen it.
            let read = match stamp.replaces {
                Replaces::Own => Expect::Any,
                _ => *expect,
            };
            others::check(&note, read, before, stamp)?;
            let state = deleted(address, note.revision + 1, stamp);
            Ok(Some(write(Action::Delete, state, true, stamp)))
        }
        Change::Restore {
            address,
            revision,
            last,
        } => {
            not_in_log(address)?;
            if last.is_some() {
                check_last(address, *last, before.last_revision(address)?, before)?;
            }
            let target = before
                .revision(address, *revision)?
                .ok_or_else(|| Error::not_found(format!("{address}@{revision}")))?;
            let is_the_same = |of: &Note| target.note().is_some_and(|to| to.content == of.content);
            if let Some(current) = before.current(address)?.filter(|of| !is_the_same(of)) {
                others::check(&current, (*last).into(), before, stamp)?;
            }
            bring_back(Action::Restore, target.state, address, before, stamp).map(Some)
        }
        Change::Undo {
            address,
            origin,
            last: expected,
        } => {
            not_in_log(address)?;
            let last = before.last_revision(address)?;
            check_last(address, *expected, last, before)?;
            let undoes = |number| {
                Ok(before
                    .revision(address, number)?
                    .and_then(|revision| revision.passes_to()))
            };
            let undone = last_standing(last, undoes)?.ok_or_else(|| nothing_to_undo(address))?;
            let mut write = take_back(Action::Undo, undone, address, before, stamp)?;
            if let (State::Present(note), Some(origin)) = (&mut write.revision.state, origin) {
                note.author = origin.author.clone().unwrap_or_else(|| note.author.clone());
                note.updated_at = micros(origin.updated_at);
            }
            Ok(Some(write))
        }
        Change::Redo {
            address,
            last: expected,
        } => {
            not_in_log(address)?;
            let last = before.last_revision(address)?;
            check_last(address, *expected, last, before)?;
            let undo = last_undone(last, |number| before.revision(address, number))?;
            let undo = undo.ok_or_else(|| UndoError::NothingToRedo {
                address: Some(address.clone()),
            })?;
            take_back(Action::Redo, undo, address, before, stamp).map(Some)
        }
    }
}

/// A new revision that takes back the one with this number. In a store of several people, each takes back only their own
/// and their agents'.
fn take_back(
    action: Action,
    number: u64,
    address: &Address,
    before: &PendingStore<'_>,
    stamp: &Stamp,
) -> Result<Write> {
    let taken = before.revision(address, number)?;
    if let Some(taken) = taken.as_ref().filter(|of| of.token != stamp.token)
        && before.is_of_several()
    {
        let (address, by) = (address.clone(), taken.author().clone());
        return Err(UndoError::Superseded { address, by }.into());
    }
    let earlier = before.revision(address, number - 1)?;
    let state = earlier.map_or_else(|| deleted(address, 0, stamp), |of| of.state);
    let mut write = bring_back(action, state, address, before, stamp)?;
    write.revision.undoes = Some(number);
    // A note that went because it was forgotten cannot be made to go.
    let is_gone = action == Action::Undo && !write.existed && write.revision.note().is_none();
    match taken.and_then(|of| of.forgotten()) {
        Some(_) if is_gone => Err(nothing_to_undo(address)),
        _ => Ok(write),
    }
}

/// A new revision with an older state. Restoring counts as an update.
fn bring_back(
    action: Action,
    state: State,
    address: &Address,
    before: &PendingStore<'_>,
    stamp: &Stamp,
) -> Result<Write> {
    let current = before.current(address)?;
    let revision = next_revision(address, current.as_ref(), before)?;
    let state = match state {
        State::Present(note) => State::Present(Note {
            revision,
            author: stamp.author.clone(),
            updated_at: stamp.now,
            ..note
        }),
        State::Deleted { .. } => deleted(address, revision, stamp),
        State::Forgotten {
            revision,
            forgotten_at,
            forgotten_by,
            ..
        } => {
            return Err(Error::Forgotten {
                what: format!("{address}@{revision}"),
                at: forgotten_at,
                by: forgotten_by,
            });
        }
    };
    Ok(write(action, state, current.is_some(), stamp))
}

impl Change {
    /// Refuses a text with a credential that this change would write. A note from elsewhere is kept as it is.
    ///
    /// # Errors
    /// [`Error::HoldsSecret`], [`Error::NameHoldsSecret`].
    pub fn check_secrets(&self, stamp: &Stamp) -> Result<()> {
        match self {
            Self::Save {
                address,
                content,
                origin: None,
                ..
            } => may_write(&address.to_string(), content, stamp),
            Self::Append {
                session,
                content,
                id: None,
                ..
            } => may_write(session.as_str(), content, stamp),
            _ => Ok(()),
        }
    }
}

/// Refuses a credential, in the text or in the name of a note.
fn may_write(address: &str, content: &Content, stamp: &Stamp) -> Result<()> {
    stamp.secrets.check(content)?;
    stamp.secrets.check_name("address", address)?;
    stamp.secrets.check_name("author", stamp.author.as_str())
}

/// The code that a note cites which is written here. If the caller does not say: what the text names, and what the note
/// cited before, unless only its old text named that.
fn cited(stamp: &Stamp, content: &Content, before: Option<&Note>) -> Vec<Citation> {
    if let Some(given) = &stamp.cites {
        return given.clone();
    }
    let mut cites = stamp.named.clone();
    let Some(before) = before.filter(|note| !note.cites.is_empty()) else {
        return cites;
    };
    let (old, new) = (
        named_in(&before.content.shown()),
        named_in(&content.shown()),
    );
    for cited in &before.cites {
        let is_left = !old.contains(&cited.code) || new.contains(&cited.code);
        let is_new = cites.iter().all(|of| of.code != cited.code);
        if is_left && is_new && cites.len() < Citation::MOST {
            cites.push(cited.clone());
        }
    }
    cites
}

/// Only a `stuck` entry can be resolved, and not by another `stuck` entry.
fn may_resolve(entry: &Address, by: &EntryType, before: &PendingStore<'_>) -> Result<()> {
    let reason = match before.current(entry)? {
        None => return Err(not_found(entry)),
        Some(note) if note.kind != Some(EntryType::Stuck) => "it is no `stuck` entry",
        Some(_) if *by == EntryType::Stuck => "a `stuck` entry resolves nothing",
        Some(_) => return Ok(()),
    };
    Err(Error::NotResolved {
        address: entry.clone(),
        reason: reason.into(),
    })
}

/// An entry that is noted again: a new revision, which counts the repeats. The entry keeps its first text. It belongs
/// to the earliest iteration that noted it, so that every later iteration sees it.
fn repeat(entry: Note, iteration: Option<i64>, stamp: &Stamp) -> Write {
    let kept = Note {
        revision: entry.revision + 1,
        iteration: earliest(entry.iteration, iteration),
        // The same wall again: it was not resolved after all.
        resolved_by: None,
        cites: cited(stamp, &entry.content, Some(&entry)),
        ..entry
    };
    let again = Note {
        iteration,
        author: stamp.author.clone(),
        updated_at: stamp.now,
        ..kept.clone()
    };
    Write {
        kept: Some(kept),
        ..write(Action::Repeat, State::Present(again), true, stamp)
    }
}

/// Makes ids differ if several stores add entries to one session in the same millisecond. It does not use the text:
/// an id stays when the text is forgotten, and a text could be guessed from its hash.
fn salt(session: &Name, stamp: &Stamp) -> ContentHash {
    let micros = stamp.now.as_microsecond();
    Content::imported(format!("{session}\0{}\0{micros}", stamp.author)).hash()
}

pub(crate) fn write(action: Action, state: State, existed: bool, stamp: &Stamp) -> Write {
    let revision = Revision {
        position: None,
        action,
        undoes: None,
        recorded_at: stamp.now,
        token: stamp.token.clone(),
        state,
    };
    Write {
        revision,
        existed,
        kept: None,
        resolves: None,
    }
}

pub(crate) fn deleted(address: &Address, revision: u64, stamp: &Stamp) -> State {
    State::Deleted {
        address: address.clone(),
        revision,
        author: stamp.author.clone(),
    }
}

/// Numbers continue after a deletion, so that each number means one revision.
fn next_revision(
    address: &Address,
    current: Option<&Note>,
    before: &PendingStore<'_>,
) -> Result<u64> {
    match current {
        Some(note) => Ok(note.revision + 1),
        None => Ok(before.last_revision(address)? + 1),
    }
}

pub(crate) fn check_expected(address: &Address, expect: Expect, now: Option<&Note>) -> Result<()> {
    let Expect::Revision(expected) = expect else {
        return Ok(());
    };
    if now.map_or(0, |note| note.revision) == expected {
        return Ok(());
    }
    Err(Error::Conflict {
        address: address.clone(),
        expected: if expected == 0 {
            "no such note".into()
        } else {
            format!("revision {expected}")
        },
        current: now.cloned().map(Box::new),
    })
}

/// Refuses to take a change back when the note has changed since the caller looked.
fn check_last(
    address: &Address,
    expected: Option<u64>,
    last: u64,
    before: &PendingStore<'_>,
) -> Result<()> {
    match expected {
        Some(expected) if expected != last => Err(Error::Conflict {
            address: address.clone(),
            expected: format!("revision {expected}"),
            current: before.current(address)?.map(Box::new),
        }),
        _ => Ok(()),
    }
}

fn not_in_log(address: &Address) -> Result<()> {
    match address {
        Address::Session(..) => Err(Error::AppendOnly {
            address: address.clone(),
        }),
        _ => Ok(()),
    }
}

fn nothing_to_undo(address: &Address) -> Error {
    let address = Some(address.clone());
    UndoError::NothingToUndo { address }.into()
}

fn not_found(address: &Address) -> Error {
    Error::not_found(address.to_string())
}
