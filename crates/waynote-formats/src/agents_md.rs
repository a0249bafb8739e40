//! `AGENTS.md`: a project's instructions for every agent.

use waynote::{Address, Result};

use crate::format::{Format, Project, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::Folder;

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    name: "agents-md",
    about: "The AGENTS.md of a directory: a keyed note of that directory",
    details: "",
    takes: SourceKind::Project(read),
};

/// Reads the `AGENTS.md` of a directory, which becomes the note `agents-md` of that place: it applies there and below,
/// as the file does.
///
/// # Errors
/// [`waynote::Error::InvalidKey`], which `agents-md` never is.
pub fn read(project: &Project<'_>) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Here)?;
    let address = Address::PlaceKey(project.place.clone(), "agents-md".parse()?);
    let folder = Folder::of(project.directory);
    incoming.push_file(&folder, &project.directory.join("AGENTS.md"), address);
    Ok(incoming)
}
