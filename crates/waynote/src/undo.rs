//! What an undo takes back.

use std::cmp::Ordering;

use crate::address::Address;
use crate::change::{Applied, Change};
use crate::error::{Error, Result};
use crate::note::{Action, Position, Revision, Stamp};
use crate::store::Store;

/// The last revision whose change still stands: an undo stands for the state before what it took back, so that
/// undoing again goes further back.
///
/// # Errors
/// What `undoes` says; it tells for a revision's number which one it took back, if it is an undo.
pub(crate) fn last_standing(
    last: u64,
    mut undoes: impl FnMut(u64) -> Result<Option<u64>>,
) -> Result<Option<u64>> {
    let mut number = last;
    while number > 0 {
        match undoes(number)? {
            Some(undone) => number = undone.saturating_sub(1),
            None => return Ok(Some(number)),
        }
    }
    Ok(None)
}

/// Takes back the last change of the whole store that still stands.
///
/// # Errors
/// [`Error::NothingToUndo`] when there is none; [`Error::AppendOnly`] when it is an entry of a session's log.
pub fn undo_last(store: &dyn Store, stamp: &Stamp) -> Result<Vec<Applied>> {
    let mut applied = Vec::new();
    // Nobody may change anything between finding it and taking it back.
    store.exclusively(&mut || {
        let address = last_change(store)?;
        applied = store.apply(
            &[Change::Undo {
                address,
                origin: None,
            }],
            stamp,
        )?;
        Ok(())
    })?;
    Ok(applied)
}

/// What the authors of imports begin with, and of what was taken in from a file that is kept in step: nobody who
/// types `undo` means one note of those.
const IMPORT: &str = "import:";

/// The note whose change is the last of the whole store that still stands.
///
/// # Errors
/// [`Error::NothingToUndo`] when there is none; [`Error::AppendOnly`] when it is an entry of a session's log;
/// [`Error::Superseded`] when somebody else has changed that note since.
fn last_change(store: &dyn Store) -> Result<Address> {
    const PAGE: usize = 64;
    let mut before: Option<Position> = None;
    loop {
        let page = store.journal(before, PAGE)?;
        for revision in &page {
            let address = revision.address();
            // Nothing brings back what was forgotten.
            if revision.action == Action::Forget || revision.forgotten().is_some() {
                continue;
            }
            if matches!(address, Address::Session(..)) {
                return Err(Error::AppendOnly {
                    address: address.clone(),
                });
            }
            let from_elsewhere = revision.author().as_str().starts_with(IMPORT);
            if revision.action == Action::Undo || from_elsewhere {
                continue;
            }
            // Later changes of the same note by people were met before this one.
            let Some(standing) = standing(store, address)? else {
                continue;
            };
            match standing.cmp(&revision.number()) {
                Ordering::Less => {}
                Ordering::Equal => return Ok(address.clone()),
                Ordering::Greater => {
                    return Err(Error::Superseded {
                        address: address.clone(),
                    });
                }
            }
        }
        match page.last() {
            Some(last) => before = last.position,
            None => return Err(Error::NothingToUndo { address: None }),
        }
    }
}

/// The number of the revision of a note that stands; 0 when all are taken back. None when that one was forgotten:
/// the note went with it, and nobody who types `undo` means that.
fn standing(store: &dyn Store, address: &Address) -> Result<Option<u64>> {
    let history = store.history(address)?;
    let numbered = |number: u64| history.iter().find(|revision| revision.number() == number);
    let undoes = |number: u64| Ok(numbered(number).and_then(Revision::passes_to));
    let last = history.last().map_or(0, Revision::number);
    let standing = last_standing(last, undoes)?.unwrap_or(0);
    let is_forgotten = numbered(standing).is_some_and(|revision| revision.forgotten().is_some());
    Ok((!is_forgotten).then_some(standing))
}
