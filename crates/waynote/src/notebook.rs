//! Notes by key (source 002): an agent's notebook, or the keyed notes of a place.

use std::cmp::Reverse;

use crate::address::Address;
use crate::change::{Applied, Change, Expect};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::key::{Key, Name};
use crate::limits::Limits;
use crate::note::{Note, Stamp};
use crate::place::Place;
use crate::scope::Scope;
use crate::store::{Filter, Store};

/// The keyed notes of one scope.
pub struct Notebook<'s> {
    store: &'s dyn Store,
    scope: Scope,
}

/// How a note is to be saved; the default is as source 002 does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// The caps.
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

impl<'s> Notebook<'s> {
    /// An agent's notebook.
    pub fn of_agent(store: &'s dyn Store, agent: Name) -> Self {
        Self {
            store,
            scope: Scope::Agent(agent),
        }
    }

    /// The keyed notes of a place, which apply everywhere below it as its own note does.
    pub fn of_place(store: &'s dyn Store, place: Place) -> Self {
        Self {
            store,
            scope: Scope::Place(place),
        }
    }

    /// The scope that the notes belong to.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The address of a key here.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] in no notebook: the signature is that of [`Address::keyed`].
    pub fn address(&self, key: &Key) -> Result<Address> {
        Address::keyed(&self.scope, key.clone())
    }

    /// Saves a note: a new one, or a new revision of the one under that key, which keeps its pin and its
    /// date of creation. Returns the note and whether the key is new.
    ///
    /// # Errors
    /// [`Error::NoteTooLarge`]; [`Error::TooManyNotes`] for a new key; [`Error::Conflict`]; [`Error::HoldsSecret`] and
    /// [`Error::NameHoldsSecret`] for a credential that is not allowed; [`Error::Busy`], [`Error::ReadOnly`],
    /// [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be written.
    pub fn save(
        &self,
        key: &Key,
        content: Content,
        options: SaveOptions,
        stamp: &Stamp,
    ) -> Result<(Note, bool)> {
        let SaveOptions {
            limits,
            pin,
            expect,
        } = options;
        let address = self.address(key)?;
        let change = Change::Save {
            address,
            content,
            pin,
            limits,
            expect,
            origin: None,
        };
        saved(self.store.apply(&[change], stamp)?)
    }

    /// One note.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the
    /// store cannot be read.
    pub fn get(&self, key: &Key) -> Result<Note> {
        let address = self.address(key)?;
        self.store.get(&address)?.ok_or_else(|| Error::NotFound {
            what: address.to_string(),
        })
    }

    /// Every note, the most recently updated first, ties by key.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn list(&self) -> Result<Vec<Note>> {
        let mut notes = self
            .store
            .select(&Filter::Scopes(vec![self.scope.clone()]))?;
        notes.retain(|note| note.address.key().is_some());
        notes.sort_by_cached_key(|note| (Reverse(note.updated_at), note.address.key()));
        Ok(notes)
    }

    /// The pinned notes, in the order of [`Notebook::list`].
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn list_pinned(&self) -> Result<Vec<Note>> {
        let mut notes = self.list()?;
        notes.retain(|note| note.pinned);
        Ok(notes)
    }

    /// Pins or unpins a note, which counts as an update.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`],
    /// [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be written.
    pub fn set_pinned(&self, key: &Key, pinned: bool, stamp: &Stamp) -> Result<Note> {
        let change = Change::Pin {
            address: self.address(key)?,
            pinned,
        };
        saved(self.store.apply(&[change], stamp)?).map(|(note, _)| note)
    }

    /// Deletes a note; whether there was one. Text that is no valid key names no note, so nothing is deleted.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the
    /// store cannot be written.
    pub fn delete(&self, key: &str, stamp: &Stamp) -> Result<bool> {
        let Ok(key) = key.parse::<Key>() else {
            return Ok(false);
        };
        let change = Change::Delete {
            address: self.address(&key)?,
        };
        Ok(self
            .store
            .apply(&[change], stamp)?
            .iter()
            .any(|applied| applied.changed))
    }

    /// How many notes there are: what the count cap counts.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn count(&self) -> Result<u64> {
        self.store.count(&self.scope)
    }
}

/// The note that a single saving change left, and whether it is new.
pub(crate) fn saved(applied: Vec<Applied>) -> Result<(Note, bool)> {
    let last = applied.into_iter().next_back();
    last.and_then(|applied| Some((applied.note?, !applied.existed)))
        .ok_or_else(|| Error::NotFound {
            what: "note after the change".into(),
        })
}
