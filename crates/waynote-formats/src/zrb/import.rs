//! The notes of a `notes.json` as incoming notes.

use waynote::{Address, Base, Result};

use super::notes_file::NotesFile;
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, IncomingNote, Precedence, Times};

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    usual: &["~/.zrb/notes.json"],
    ..Format::new(
        "zrb",
        "Zrb's notes.json: notes by directory",
        SourceKind::Own,
    )
};

/// Reads the notes of a file, which become the directories' own notes. Of a note that both sides changed, the imported
/// text is current: the file does not say when a note was written.
///
/// # Errors
/// [`waynote::Error::InvalidName`], which the author of imports never is.
pub fn read(file: &NotesFile, base: &Base) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Imported)?;
    for (key, reason) in file.others(base) {
        incoming.skip(key, reason);
    }
    for (place, content) in file.notes(base) {
        incoming.push(IncomingNote {
            address: Address::Place(place),
            name: None,
            content,
            pin: None,
            times: Times::Unknown,
        });
    }
    Ok(incoming)
}
