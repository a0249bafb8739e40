//! `AGENTS.md`: what a project tells every agent.

use std::path::Path;

use super::texts::Read;
use crate::address::Address;
use crate::error::Result;
use crate::place::Place;

/// The author of what is imported from here.
pub const AUTHOR: &str = "import:agents-md";

/// Reads the `AGENTS.md` of a directory, which becomes the note `agents-md` of that place: it applies there and below, as
/// the file does.
///
/// # Errors
/// [`crate::Error::InvalidKey`], which `agents-md` never is.
pub fn read(directory: &Path, place: &Place) -> Result<Read> {
    let mut read = Read::default();
    let address = Address::PlaceKey(place.clone(), "agents-md".parse()?);
    read.push_file(&directory.join("AGENTS.md"), address);
    Ok(read)
}
