//! Every directory's own note written to a `notes.json`.

use std::path::Path;

#[cfg(doc)]
use waynote::Error;
use waynote::{Address, Places, Result, Store};

use super::exchange;
use super::notes_file::NotesFile;
#[cfg(doc)]
use crate::error::FormatError;
use crate::report::ExportReport;

/// Every place's own note as the text of a file, and what was left out.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn export(store: &dyn Store) -> Result<(String, ExportReport)> {
    let mut file = NotesFile::default();
    let exported = lay_into(store, &mut file)?;
    Ok((file.to_text(), exported))
}

/// Writes every place's own note to a file, in one step, beside its other values.
///
/// # Errors
/// [`FormatError::DamagedFile`] for a file that cannot be read as notes, which is left as it is; [`Error::File`] when
/// it cannot be read or written, or when another program wrote it in the same moment; [`Error::Busy`],
/// [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn export_to(store: &dyn Store, path: &Path) -> Result<ExportReport> {
    let path = waynote_files::followed(path);
    let _lock = exchange::lock(&path)?;
    let read = exchange::read(&path, exchange::WRITER_RETRIES)?;
    let (notes, bytes) = read.map(|file| (file.notes, file.bytes)).unzip();
    let mut notes: NotesFile = notes.unwrap_or_default();
    let exported = lay_into(store, &mut notes)?;
    let text = notes.to_text().into_bytes();
    let is_same = bytes.as_ref() == Some(&text);
    if !is_same && exchange::replace(&path, &text, bytes.as_deref())?.is_none() {
        // What it wrote is in the file, or beside it.
        return Err(exchange::busy(&path));
    }
    Ok(exported)
}

/// Puts every place's own note into a file's notes, beside what else is in it; a value that is no text stays.
fn lay_into(store: &dyn Store, file: &mut NotesFile) -> Result<ExportReport> {
    let mut exported = ExportReport::default();
    for note in Places::new(store).list()? {
        match &note.address {
            Address::Place(place) if place.in_repository().is_some() => exported.leave_out(
                &note.address,
                "a notes.json knows paths alone, and no repositories",
            ),
            Address::Place(place) if file.holds_other(place) => exported.leave_out(
                &note.address,
                "the file holds a value under this key that is no text, which stays",
            ),
            Address::Place(place) if file.get(place).as_ref() == Some(&note.content) => {
                exported.unchanged += 1;
            }
            Address::Place(place) => {
                file.set(place, &note.content);
                exported.written += 1;
            }
            _ => exported.leave_out(
                &note.address,
                "a notes.json holds one note for each directory, and no keyed ones",
            ),
        }
    }
    Ok(exported)
}
