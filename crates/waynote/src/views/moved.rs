//! Notes that get another address.

use crate::address::Address;
use crate::change::{Applied, Change, Expect, Origin};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::citation::Citation;
use crate::note::{Note, Replaces, Stamp};
use crate::place::Place;
use crate::places::Places;
use crate::store::{Store, check_own};

/// How notes are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveOptions {
    /// Whether the notes stay where they are, too.
    pub copy: bool,
    /// At which revision a note at the new address is overwritten; none: it is not.
    pub over: Option<Expect>,
    /// Whether their directory has moved, or has another name: what they cite in it is cited there.
    pub is_directory: bool,
    /// The limits of the notes at their new addresses.
    pub limits: Limits,
}

/// Moves or copies notes in one transaction: all of them or none. The text keeps its times and its pin; its history
/// stays at the old address. An entry of a log can only be copied, to a note elsewhere.
///
/// # Errors
/// [`Error::NotFound`] for a note that is not there; [`Error::Conflict`] for one that is in the way; [`Error::AppendOnly`]
/// for a log; [`Error::OthersText`] for a text that a careful caller may not move; [`Error::OthersNote`] for a note of
/// others; otherwise as [`Store::apply`].
pub fn relocate(
    store: &dyn Store,
    pairs: &[(Address, Address)],
    options: MoveOptions,
    stamp: &Stamp,
) -> Result<Vec<Applied>> {
    let notes = store.get_all(pairs.iter().map(|(from, _)| from.clone()).collect())?;
    let (mut deletions, mut saves) = (Vec::new(), Vec::new());
    for ((from, to), note) in pairs.iter().zip(notes) {
        let note = note.ok_or_else(|| Error::not_found(from.to_string()))?;
        if !options.copy {
            check_own(store, &note)?;
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
    // The revisions above were read here, not by the caller.
    let moving = Stamp {
        replaces: Replaces::AnyOrOwn,
        ..stamp.clone()
    };
    let stamp = match stamp.replaces {
        Replaces::Any => moving,
        _ => moving.careful(),
    };
    let mut applied = store.apply(&deletions, &stamp)?;
    Ok(applied.split_off(first_save))
}

fn saved_at(to: &Address, note: &Note, options: MoveOptions) -> Change {
    Change::Save {
        address: to.clone(),
        content: note.content.clone(),
        pin: Some(note.pinned),
        limits: options.limits,
        expect: options.over.unwrap_or(Expect::Revision(0)),
        origin: Some(Origin {
            author: None,
            created_at: note.created_at,
            updated_at: note.updated_at,
            is_synced: false,
            cites: match options.is_directory {
                true => cited_there(note, to),
                false => note.cites.clone(),
            },
        }),
    }
}

/// The citations of a note, once its repository has moved with it.
fn cited_there(note: &Note, to: &Address) -> Vec<Citation> {
    let mut cites = note.cites.clone();
    for repository in cites.iter_mut().filter_map(|of| of.repository.as_mut()) {
        let there = || {
            let (from, to) = (note.address.place()?, to.place()?);
            let inside = from.below(repository)?;
            let mut above = std::iter::successors(Some(to.clone()), Place::parent);
            above.find(|above| above.join(inside) == *to)
        };
        if let Some(there) = there() {
            *repository = there;
        }
    }
    cites
}

/// The notes on a directory and on those below it, each with its address after the directory has moved.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn below(store: &dyn Store, old: &Place, new: &Place) -> Result<Vec<(Address, Address)>> {
    let notes = Places::new(store).list()?.into_iter();
    let pair = |note: Note| {
        let new = new.join(note.address.place()?.below(old)?);
        let key = note.address.key().and_then(|key| key.parse().ok());
        Some((note.address, Address::on(new, key)))
    };
    Ok(notes.filter_map(pair).collect())
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::content::Content;
    use crate::{Options, SqliteStore};

    #[test]
    fn what_a_directory_s_notes_cite_moves_with_their_repository() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("n.db"), &Options::default()).unwrap();
        let place = |text: &str| text.parse::<Place>().unwrap();
        for (from, to, cited, there) in [
            ("~/api", "~/new", "~/api", "~/new"),
            ("~/api/src", "~/new/src", "~/api", "~/new"),
            ("~/api/src", "repo:a/api//src", "~/api", "repo:a/api"),
            // Within its repository, and of another one.
            ("~/api/src", "~/api/lib", "~/api", "~/api"),
            ("~/api/src", "~/new/src", "~/other", "~/other"),
            ("~/api", "~/new", "repo:a/api", "repo:a/api"),
        ] {
            let stamp = Stamp::new(jiff::Timestamp::UNIX_EPOCH, "person".parse().unwrap());
            let citation = Citation {
                repository: Some(place(cited)),
                ..Citation::new("x.rs")
            };
            let citing = stamp.clone().citing(vec![citation]);
            let content = Content::text("x").unwrap();
            Places::new(&store)
                .write(&place(from), content, &citing)
                .unwrap();
            let options = MoveOptions {
                is_directory: true,
                over: Some(Expect::Any),
                ..MoveOptions::default()
            };
            let pairs = below(&store, &place(from), &place(to)).unwrap();
            relocate(&store, &pairs, options, &stamp).unwrap();
            let note = Places::new(&store).read(&place(to)).unwrap().unwrap();
            assert_eq!(note.cites[0].repository, Some(place(there)), "{from} {to}");
            Places::new(&store).delete(&place(to), &stamp).unwrap();
        }
    }
}
