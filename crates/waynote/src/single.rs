//! One note by its address: saved, pinned or deleted, whichever scope it is in.
//!
//! [`Notebook`](crate::Notebook) and [`Places`](crate::Places) do their writing here, for a scope that they know.

use crate::address::Address;
use crate::change::{Applied, Change, Expect};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::note::{Note, Stamp};
use crate::store::Store;

/// How a note is to be saved. The default has the default limits, keeps the pin and overwrites any revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// The limits.
    pub limits: Limits,
    /// Pin or unpin in the same change; none: leave as it is.
    pub pin: Option<bool>,
    /// The revision that must be current.
    pub expect: Expect,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            pin: None,
            expect: Expect::Any,
        }
    }
}

/// Saves a note: a new one, or a new revision, which keeps its pin and its date of creation. Returns the note and whether
/// it is new.
///
/// # Errors
/// [`Error::NoteTooLarge`], [`Error::TooManyNotes`] (a new key only), [`Error::Conflict`]; what [`Store::apply`] says.
pub fn save(
    store: &dyn Store,
    address: Address,
    content: Content,
    options: SaveOptions,
    stamp: &Stamp,
) -> Result<(Note, bool)> {
    let SaveOptions {
        limits,
        pin,
        expect,
    } = options;
    let change = Change::Save {
        address,
        content,
        pin,
        limits,
        expect,
        origin: None,
    };
    saved(store.apply(&[change], stamp)?)
}

/// Pins or unpins a note, which counts as an update.
///
/// # Errors
/// [`Error::NotFound`] when there is none; what [`Store::apply`] says.
pub fn set_pinned(
    store: &dyn Store,
    address: Address,
    pinned: bool,
    stamp: &Stamp,
) -> Result<Note> {
    let change = Change::Pin { address, pinned };
    saved(store.apply(&[change], stamp)?).map(|(note, _)| note)
}

/// Deletes a note; whether there was one.
///
/// # Errors
/// What [`Store::apply`] says.
pub fn delete(store: &dyn Store, address: Address, stamp: &Stamp) -> Result<bool> {
    let applied = store.apply(&[Change::Delete { address }], stamp)?;
    Ok(applied.iter().any(|applied| applied.changed))
}

/// The note that a single saving change left, and whether it is new.
pub(crate) fn saved(applied: Vec<Applied>) -> Result<(Note, bool)> {
    let last = applied.into_iter().next_back();
    last.and_then(|applied| Some((applied.note?, !applied.existed)))
        .ok_or_else(|| Error::NotFound {
            what: "note after the change".into(),
        })
}
