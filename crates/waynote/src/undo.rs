//! What an undo takes back.

use crate::address::Address;
use crate::error::{Error, Result};
use crate::note::{Action, Position, Revision};
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

/// The note whose change is the last of the whole store that still stands.
///
/// # Errors
/// [`Error::NothingToUndo`] when there is none; [`Error::AppendOnly`] when it is an entry of a session's log.
pub fn last_change(store: &dyn Store) -> Result<Address> {
    const PAGE: usize = 64;
    let mut before: Option<Position> = None;
    loop {
        let page = store.journal(before, PAGE)?;
        for revision in &page {
            if matches!(revision.address(), Address::Session(..)) {
                return Err(Error::AppendOnly {
                    address: revision.address().clone(),
                });
            }
            if revision.action != Action::Undo && stands(store, revision)? {
                return Ok(revision.address().clone());
            }
        }
        match page.last() {
            Some(last) => before = last.position,
            None => return Err(Error::NothingToUndo { address: None }),
        }
    }
}

fn stands(store: &dyn Store, revision: &Revision) -> Result<bool> {
    let history = store.history(revision.address())?;
    let undoes = |number: u64| {
        let of = history.iter().find(|revision| revision.number() == number);
        Ok(of.and_then(|revision| revision.undoes))
    };
    let last = history.last().map_or(0, Revision::number);
    Ok(last_standing(last, undoes)? == Some(revision.number()))
}
