//! One note by its address, in any scope: read, saved, pinned or deleted.
//!
//! [`Notebook`](crate::Notebook) and [`Places`](crate::Places) write through these functions.

use crate::address::Address;
use crate::change::{Applied, Change, Expect, NoteBefore};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::note::{Note, NoteAsOf, Stamp};
use crate::rules::erasure::gone_by_forgetting;
use crate::store::{Reader, Store, check_own};

/// The most attempts after a conflict with other writers.
const TRIES: usize = 20;

/// Options for saving a note. The default has the default limits, keeps the pin and overwrites any revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SaveOptions {
    /// The limits.
    pub limits: Limits,
    /// `true` pins the note in the same change, `false` unpins it; none: leave it as it is.
    pub pin: Option<bool>,
    /// The revision that must be current.
    pub expect: Expect,
}

impl SaveOptions {
    setters! {
        exact {
            /// The limits.
            limits: Limits;
            /// The revision that must be current.
            expect: Expect;
        }
        or_none {
            /// Pins (`true`) or unpins (`false`) the note in the same change; none: leave it as it is.
            pin: bool;
        }
    }

    /// The change that saves a note with these options.
    pub fn change(self, address: Address, content: Content) -> Change {
        Change::Save {
            address,
            content,
            pin: self.pin,
            limits: self.limits,
            expect: self.expect,
            origin: None,
        }
    }
}

/// Reads a note, as it is or as it was.
///
/// # Errors
/// [`Error::NotFound`] when it does not exist; [`Error::Forgotten`] when its text was forgotten; [`Error::Busy`],
/// [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn get(store: &dyn Reader, address: &Address, as_of: Option<NoteAsOf>) -> Result<Note> {
    let Some(as_of) = as_of else {
        if let Some(note) = store.get(address)? {
            return Ok(note);
        }
        let what = address.to_string();
        let forgotten = gone_by_forgetting(&store.history(address)?);
        return Err(forgotten.unwrap_or(Error::NotFound { what }));
    };
    let note = as_of.note(&store.history(address)?)?;
    note.ok_or_else(|| {
        Error::not_found(match as_of {
            NoteAsOf::Revision(revision) => format!("{address}@{revision}"),
            NoteAsOf::Time(time) => format!("{address} at {time}"),
        })
    })
}

/// The note of others in whose place an own one stands; none for any other note.
///
/// # Errors
/// As [`Reader::others`].
pub fn replaced(store: &dyn Reader, own: &Note) -> Result<Option<Note>> {
    let is_in_place = own.source.is_own() && own.source.theirs().is_some();
    let others = is_in_place
        .then(|| store.others(&own.address))
        .transpose()?;
    Ok(others.flatten().map(|(note, _)| note))
}

/// Saves a note: creates it, or adds a revision, which keeps the pin and the creation date. Returns the note and
/// what it was before.
///
/// # Errors
/// [`Error::NoteTooLarge`]; [`Error::TooManyNotes`] for a new key; [`Error::Conflict`]; [`Error::OthersText`] and
/// [`Error::OthersNote`] for a careful stamp; [`Error::HoldsSecret`] and [`Error::NameHoldsSecret`] for a credential
/// that is not allowed; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or
/// [`Error::Engine`] when the store cannot be written.
pub fn save(
    store: &dyn Store,
    address: Address,
    content: Content,
    options: SaveOptions,
    stamp: &Stamp,
) -> Result<(Note, Option<NoteBefore>)> {
    saved(store.apply(&[options.change(address, content)], stamp)?)
}

/// Adds a text to the end of a note, on a line of its own; a note that is not there is created. Keeps
/// what others write meanwhile: it reads the note again. Ignores `options.expect`.
///
/// # Errors
/// Those of [`save`]; [`Error::NotText`] when the note is not a text; [`Error::OthersNote`] for a note of others.
pub fn append(
    store: &dyn Store,
    address: &Address,
    added: &Content,
    options: SaveOptions,
    stamp: &Stamp,
) -> Result<(Note, Option<NoteBefore>)> {
    let mut tries = 0;
    loop {
        let before = store.get(address)?;
        if let Some(note) = &before {
            check_own(store, note)?;
        }
        let text = before
            .as_ref()
            .map_or(&[][..], |note| note.content.as_bytes());
        let between: &[u8] = match text.last() {
            None | Some(b'\n') => b"",
            Some(_) => b"\n",
        };
        let content = Content::written([text, between, added.as_bytes()].concat())?;
        let revision = before.as_ref().map_or(0, |note| note.revision);
        let guarded = options.expect(Expect::Revision(revision));
        match save(store, address.clone(), content, guarded, stamp) {
            Err(Error::Conflict { .. }) if tries < TRIES => tries += 1,
            result => return result,
        }
    }
}

/// Pins or unpins a note, which counts as an update.
///
/// # Errors
/// [`Error::Conflict`] when another revision was expected; [`Error::NotFound`] when there is no such note;
/// [`Error::OthersNote`] for a note of others; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`],
/// [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be written.
pub fn set_pinned(
    store: &dyn Store,
    address: Address,
    pinned: bool,
    expect: Expect,
    stamp: &Stamp,
) -> Result<Note> {
    let change = Change::Pin {
        address,
        pinned,
        expect,
    };
    saved(store.apply(&[change], stamp)?).map(|(note, _)| note)
}

/// Deletes a note and returns whether it existed.
///
/// # Errors
/// [`Error::Conflict`] when another revision was expected; [`Error::OthersText`] for a careful stamp;
/// [`Error::OthersNote`] for a note of others; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`],
/// [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be written.
pub fn delete(store: &dyn Store, address: Address, expect: Expect, stamp: &Stamp) -> Result<bool> {
    let applied = store.apply(&[Change::Delete { address, expect }], stamp)?;
    Ok(applied.iter().any(|applied| applied.changed))
}

/// The result of a single save: the note, and what it was before.
///
/// # Errors
/// [`Error::NotFound`] when the change left no note, as a deletion does.
pub fn saved(applied: Vec<Applied>) -> Result<(Note, Option<NoteBefore>)> {
    let last = applied.into_iter().next_back();
    last.and_then(|applied| Some((applied.note?, applied.before)))
        .ok_or_else(|| Error::not_found("note after the change"))
}
