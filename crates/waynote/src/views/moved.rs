//! Notes that get another address.

use crate::address::Address;
use crate::change::{Applied, Change, Expect, Origin};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::note::{Note, Replaces, Stamp};
use crate::place::Place;
use crate::places::Places;
use crate::store::{Ask, Store};

/// How notes are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveOptions {
    /// Whether the notes stay where they are, too.
    pub copy: bool,
    /// Whether a note that is there is overwritten.
    pub force: bool,
    /// The limits of the notes at their new addresses.
    pub limits: Limits,
}

/// Moves or copies notes in one transaction: all of them or none. The text keeps its times and its pin; its history
/// stays at the old address. An entry of a log can only be copied, to a note elsewhere.
///
/// # Errors
/// [`Error::NotFound`] for a note that is not there; [`Error::Conflict`] for one that is in the way; [`Error::AppendOnly`]
/// for a log; [`Error::OthersText`] for a text that a careful caller may not move; otherwise as [`Store::apply`].
pub fn relocate(
    store: &dyn Store,
    pairs: &[(Address, Address)],
    options: MoveOptions,
    stamp: &Stamp,
) -> Result<Vec<Applied>> {
    let ask = Ask {
        notes: pairs.iter().map(|(from, _)| from.clone()).collect(),
        ..Ask::default()
    };
    let notes = store.read(&ask)?.notes;
    let (mut deletions, mut saves) = (Vec::new(), Vec::new());
    for ((from, to), note) in pairs.iter().zip(notes) {
        let note = note.ok_or_else(|| Error::not_found(from.to_string()))?;
        if !options.copy {
            deletions.push(Change::Delete {
                address: from.clone(),
                expect: Expect::Revision(note.revision),
            });
        }
        saves.push(saved_at(to, &note, options));
    }
    // A directory may move to one below it: the old notes go first.
    let first_save = deletions.len();
    deletions.extend(saves);
    let mut stamp = stamp.clone();
    if stamp.replaces == Replaces::Read {
        // The revisions above were read here, not by the caller.
        stamp.replaces = Replaces::Own;
    }
    let mut applied = store.apply(&deletions, &stamp)?;
    Ok(applied.split_off(first_save))
}

fn saved_at(to: &Address, note: &Note, options: MoveOptions) -> Change {
    Change::Save {
        address: to.clone(),
        content: note.content.clone(),
        pin: Some(note.pinned),
        limits: options.limits,
        expect: match options.force {
            true => Expect::Any,
            false => Expect::Revision(0),
        },
        origin: Some(Origin {
            author: None,
            created_at: note.created_at,
            updated_at: note.updated_at,
            is_synced: false,
            cites: note.cites.clone(),
        }),
    }
}

/// The notes on a directory and on those below it, each with its address after the directory has moved.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn below(store: &dyn Store, old: &Place, new: &Place) -> Result<Vec<(Address, Address)>> {
    let notes = Places::new(store).list()?.into_iter();
    let moved = |address: &Address| match address {
        Address::Place(place) => Some(Address::Place(new.join(place.below(old)?))),
        Address::PlaceKey(place, key) => {
            Some(Address::PlaceKey(new.join(place.below(old)?), key.clone()))
        }
        _ => None,
    };
    let pairs = notes.filter_map(|note| Some((note.address.clone(), moved(&note.address)?)));
    Ok(pairs.collect())
}
