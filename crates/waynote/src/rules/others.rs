//! No text of another is replaced unread.
//!
//! A tool, an API call or an agent's command that would replace or remove a text which another author wrote last has to
//! expect its revision. That is another person, an import, or another holder of a token with his agents.
//! Another agent of the same person is not: one person's agents share their notes.

use super::pending::PendingStore;
use crate::author::Author;
use crate::change::Expect;
use crate::error::{Error, Result};
use crate::key::Name;
use crate::note::{Note, Replaces, Revision, Stamp};

/// Refuses a change that would replace or remove the text of this note, unless the stamp and the expected revision
/// allow it. Whether the expected revision is the current one was checked before.
///
/// # Errors
/// [`Error::OthersText`]; those of reading the store.
pub(super) fn check(
    note: &Note,
    expect: Expect,
    before: &PendingStore<'_>,
    stamp: &Stamp,
) -> Result<()> {
    match (stamp.replaces, expect) {
        (Replaces::Any, _) | (Replaces::Read, Expect::Revision(_)) => return Ok(()),
        (Replaces::Read, Expect::Any) | (Replaces::Own, _) => {}
    }
    let holder = holder_of_text(note, before)?;
    // An author is a claim; the holder is known.
    let is_agents = matches!(Author::of(&note.author), Author::Agent(_));
    if holder == stamp.token && (is_agents || note.author == stamp.author) {
        return Ok(());
    }
    Err(Error::OthersText {
        address: note.address.clone(),
        author: note.author.clone(),
        holder,
        revision: note.revision,
        current: Some(Box::new(note.clone())),
    })
}

/// The holder of the token with which the text of a note was written: pinning leaves it.
fn holder_of_text(note: &Note, before: &PendingStore<'_>) -> Result<Option<Name>> {
    let revision = |number| before.revision(&note.address, number);
    let mut last = revision(note.revision)?;
    while let Some(pin) = last.as_ref().filter(|of| of.action.is_pin()) {
        last = revision(pin.number() - 1)?;
    }
    Ok(last.and_then(|Revision { token, .. }| token))
}
