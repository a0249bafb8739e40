//! Keys of their own for notes whose key is another note's: a note of another source or another name is never a
//! conflict, and never lost.

use std::collections::HashMap;

use waynote::key::KEY_CHARS;
use waynote::{Address, Content, Name, Note};

use crate::incoming_note::IncomingNote;
use crate::merge::ExistingNote;

/// The note that has an address, of several notes of one import: the one whose name is the key, else the first.
pub(crate) fn keepers(notes: &[IncomingNote]) -> HashMap<&Address, &IncomingNote> {
    let mut keepers = HashMap::new();
    for note in notes {
        let keeper = keepers.entry(&note.address).or_insert(note);
        if note.name.is_some() && note.name == note.address.key() {
            *keeper = note;
        }
    }
    keepers
}

/// The address that a note gets where its own is another note's; none if it keeps its own: a key with a few characters
/// of the hash of its source and its name.
pub(crate) fn of_its_own(note: &IncomingNote, importer: &Name) -> Option<Address> {
    const HASH_CHARS: usize = 8;
    let (name, key) = (note.name.as_ref()?, note.address.key()?);
    let hash = Content::imported(format!("{importer} {name}")).hash();
    let room = KEY_CHARS - HASH_CHARS - 1;
    let start: String = key.chars().take(room).collect();
    let start = start.trim_end_matches('-');
    let key = format!("{start}-{}", &hash.to_string()[..HASH_CHARS]);
    Address::keyed(&note.address.scope(), key.parse().ok()?).ok()
}

/// True if a note gets its own address, and not the one [`of_its_own`]: no earlier import gave it that one, and what is
/// there is of the same source, says the same, or may have said it before it was forgotten.
pub(crate) fn fits(
    note: &IncomingNote,
    importer: &Name,
    there: &ExistingNote,
    of_its_own: &ExistingNote,
) -> bool {
    let is_own = |existing: &ExistingNote| {
        let mut history = existing.history.iter();
        history.any(|revision| revision.author() == importer)
    };
    let is_forgotten = |existing: &ExistingNote| {
        let mut history = existing.history.iter();
        history.any(|revision| revision.forgotten().is_some())
    };
    let is_other = |current: &Note| current.content != note.content;
    !is_own(of_its_own)
        && (!there.current.as_ref().is_some_and(is_other) || is_forgotten(there) || is_own(there))
}
