//! What an undo takes back.

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
        applied = store.apply(&[Change::Undo { address }], stamp)?;
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
/// [`Error::NothingToUndo`] when there is none; [`Error::AppendOnly`] when it is an entry of a session's log.
fn last_change(store: &dyn Store) -> Result<Address> {
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
            let from_elsewhere = revision.author().as_str().starts_with(IMPORT);
            if revision.action != Action::Undo && !from_elsewhere && stands(store, revision)? {
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
    let mut history = store.history(revision.address())?;
    // What lies only in a file that is kept in step is no change of the store yet.
    history.retain(|revision| revision.position.is_some());
    let undoes = |number: u64| {
        let of = history.iter().find(|revision| revision.number() == number);
        Ok(of.and_then(|revision| revision.undoes))
    };
    let last = history.last().map_or(0, Revision::number);
    Ok(last_standing(last, undoes)? == Some(revision.number()))
}
