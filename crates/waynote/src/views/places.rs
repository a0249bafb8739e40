//! Notes by directory (as in Zrb): written on a place, applying everywhere below it.

use crate::address::Address;
use crate::change::{Expect, NoteBefore};
use crate::content::Content;
use crate::error::Result;
use crate::limits::Limits;
use crate::note::{Note, Stamp};
use crate::place::Place;
use crate::scope::ScopeKind;
use crate::single::{self, SaveOptions};
use crate::store::{Filter, Store};

/// The notes of places in a store.
pub struct Places<'s> {
    store: &'s dyn Store,
}

impl<'s> Places<'s> {
    /// The places of a store.
    pub fn new(store: &'s dyn Store) -> Self {
        Self { store }
    }

    /// Writes a place's own note, replacing its text, under the default limits. An empty text is stored; it deletes
    /// nothing.
    ///
    /// # Errors
    /// [`crate::Error::NoteTooLarge`]; [`crate::Error::HoldsSecret`] and [`crate::Error::NameHoldsSecret`] for a
    /// credential that is not allowed; [`crate::Error::Busy`], [`crate::Error::ReadOnly`], [`crate::Error::DiskFull`],
    /// [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be written.
    pub fn write(&self, place: &Place, content: Content, stamp: &Stamp) -> Result<Note> {
        let (note, _) = self.save(place, content, Limits::default(), stamp)?;
        Ok(note)
    }

    /// The same with the caller's own limits. Returns the note and whether it is new.
    ///
    /// # Errors
    /// [`crate::Error::NoteTooLarge`]; [`crate::Error::HoldsSecret`] and [`crate::Error::NameHoldsSecret`] for a
    /// credential that is not allowed; [`crate::Error::Busy`], [`crate::Error::ReadOnly`], [`crate::Error::DiskFull`],
    /// [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be written.
    pub fn save(
        &self,
        place: &Place,
        content: Content,
        limits: Limits,
        stamp: &Stamp,
    ) -> Result<(Note, Option<NoteBefore>)> {
        let options = SaveOptions {
            limits,
            ..SaveOptions::default()
        };
        let address = Address::Place(place.clone());
        single::save(self.store, address, content, options, stamp)
    }

    /// The place's own note.
    ///
    /// # Errors
    /// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be
    /// read.
    pub fn read(&self, place: &Place) -> Result<Option<Note>> {
        self.store.get(&Address::Place(place.clone()))
    }

    /// All notes of all places, by place.
    ///
    /// # Errors
    /// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be
    /// read.
    pub fn list(&self) -> Result<Vec<Note>> {
        self.store.select(&Filter::Kind(ScopeKind::Place))
    }

    /// Deletes the place's own note and returns whether it existed.
    ///
    /// # Errors
    /// [`crate::Error::OthersText`] for a careful stamp; [`crate::Error::Busy`], [`crate::Error::ReadOnly`],
    /// [`crate::Error::DiskFull`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be
    /// written.
    pub fn delete(&self, place: &Place, stamp: &Stamp) -> Result<bool> {
        single::delete(
            self.store,
            Address::Place(place.clone()),
            Expect::Any,
            stamp,
        )
    }
}
