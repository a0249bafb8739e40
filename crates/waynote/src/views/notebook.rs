//! Notes by key (as in openotters): an agent's notebook, or the keyed notes of a place.

use crate::address::Address;
use crate::change::{Expect, NoteBefore};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::key::{Key, Name};
use crate::limits::Limits;
use crate::model::lists::latest_first;
use crate::note::{Note, Stamp};
use crate::scope::Scope;
use crate::single::{self, SaveOptions};
use crate::store::{Filter, Recent, Store};

/// The keyed notes of one scope.
pub struct Notebook<'s> {
    store: &'s dyn Store,
    scope: Scope,
}

impl<'s> Notebook<'s> {
    /// The keyed notes of any scope.
    pub fn of(store: &'s dyn Store, scope: Scope) -> Self {
        Self { store, scope }
    }

    /// An agent's notebook.
    pub fn of_agent(store: &'s dyn Store, agent: Name) -> Self {
        Self::of(store, Scope::Agent(agent))
    }

    /// The scope that the notes belong to.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The address of a key in this notebook.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] in a session's log, whose entries have no keys.
    pub fn address(&self, key: &Key) -> Result<Address> {
        Address::keyed(&self.scope, key.clone())
    }

    /// Saves a note: creates it, or adds a revision to the note under this key, which keeps its pin and its creation
    /// date. Returns the note and whether the key is new.
    ///
    /// # Errors
    /// [`Error::NoteTooLarge`]; [`Error::TooManyNotes`] for a new key; [`Error::Conflict`]; [`Error::OthersText`] for a
    /// careful stamp; [`Error::HoldsSecret`] and [`Error::NameHoldsSecret`] for a credential that is not allowed;
    /// [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the
    /// store cannot be written.
    pub fn save(
        &self,
        key: &Key,
        content: Content,
        options: SaveOptions,
        stamp: &Stamp,
    ) -> Result<(Note, Option<NoteBefore>)> {
        single::save(self.store, self.address(key)?, content, options, stamp)
    }

    /// One note.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the
    /// store cannot be read.
    pub fn get(&self, key: &Key) -> Result<Note> {
        let address = self.address(key)?;
        self.store
            .get(&address)?
            .ok_or_else(|| Error::not_found(address.to_string()))
    }

    /// All notes, most recently updated first; notes of the same time by key.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn list(&self) -> Result<Vec<Note>> {
        let mut notes = self
            .store
            .select(&Filter::Scopes(vec![self.scope.clone()]))?;
        notes.retain(|note| note.address.key().is_some());
        latest_first(&mut notes);
        Ok(notes)
    }

    /// The first notes of [`Notebook::list`], up to a maximum number. No others are read.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn latest(&self, most: usize) -> Result<Vec<Note>> {
        let mut notes = Vec::new();
        for pinned in [true, false] {
            notes.extend(self.store.recent(&keyed(&self.scope, pinned), 0, most)?);
        }
        latest_first(&mut notes);
        notes.truncate(most);
        Ok(notes)
    }

    /// The first keys of [`Notebook::list`] and the number of others, as a sentence for a caller who asked for a
    /// missing key; none if there are no notes.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn there_are(&self, most: usize) -> Result<Option<String>> {
        let notes = self.latest(most)?;
        let keys: Vec<String> = notes.iter().filter_map(|note| note.address.key()).collect();
        let more = self.count()?.saturating_sub(keys.len() as u64);
        Ok(match more {
            _ if keys.is_empty() => None,
            0 => Some(format!("there are: {}", keys.join(", "))),
            more => Some(format!("there are: {}, and {more} more", keys.join(", "))),
        })
    }

    /// Pins or unpins a note, which counts as an update.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`],
    /// [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be written.
    pub fn set_pinned(&self, key: &Key, pinned: bool, stamp: &Stamp) -> Result<Note> {
        single::set_pinned(self.store, self.address(key)?, pinned, Expect::Any, stamp)
    }

    /// Deletes a note and returns whether it existed. A text that is not a valid key deletes nothing.
    ///
    /// # Errors
    /// [`Error::OthersText`] for a careful stamp; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`],
    /// [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be written.
    pub fn delete(&self, key: &str, stamp: &Stamp) -> Result<bool> {
        let Ok(key) = key.parse::<Key>() else {
            return Ok(false);
        };
        single::delete(self.store, self.address(&key)?, Expect::Any, stamp)
    }

    /// The number of notes, as the limit counts them.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn count(&self) -> Result<u64> {
        self.store.count(&self.scope)
    }

    /// The number of notes and their limit, if more than four fifths of the limit are used.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn nearly_full(&self, limits: Limits) -> Result<Option<(u64, u64)>> {
        let Ok(most @ 1..) = u64::try_from(limits.max_notes) else {
            return Ok(None);
        };
        let notes = self.count()?;
        Ok((notes * 5 > most * 4).then_some((notes, most)))
    }
}

fn keyed(scope: &Scope, pinned: bool) -> Recent {
    let scope = scope.clone();
    Recent::Keyed { scope, pinned }
}
