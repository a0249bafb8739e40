//! Keys of their own for notes whose key is another note's: a note of another source or another name is never a
//! conflict, and never lost.

use std::collections::HashMap;

use waynote::{Address, Name, Note};

use crate::files::hashed_key;
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

/// The address that a note gets where its own is another note's; none if it keeps its own. Those that are no keepers have
/// one of their own for each name.
pub(crate) fn of_its_own(note: &IncomingNote, importer: &Name, is_keeper: bool) -> Option<Address> {
    let name = note.name.as_deref()?;
    beside(&note.address, importer, Some(name).filter(|_| !is_keeper))
}

/// The address that a note of another import gets when a note that keeps its key takes its place; none for one that a
/// person or an agent wrote, or that keeps its key as well.
pub(crate) fn gives_way(there: &ExistingNote) -> Option<Address> {
    const KEEP_KEYS: [&str; 3] = ["import:zrb", "import:xs", "import:openotters"];
    let gives_way = |author: &Name| {
        author.as_str().starts_with("import:") && !KEEP_KEYS.contains(&author.as_str())
    };
    let note = there.current.as_ref()?;
    let mut history = there.history.iter();
    let is_foreign =
        gives_way(&note.author) && history.all(|revision| gives_way(revision.author()));
    is_foreign.then(|| beside(&note.address, &note.author, None))?
}

/// A keyed note's address with a few characters of the hash of its source and its name, else its key, behind the key.
fn beside(address: &Address, importer: &Name, name: Option<&str>) -> Option<Address> {
    let key = address.key()?;
    let name = name.unwrap_or(&key);
    let key = hashed_key(&key, &format!("{importer} {name}")).ok()?;
    Address::keyed(&address.scope(), key).ok()
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
