//! Every directory's own note written to a `notes.json`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use waynote::{Address, Error, Places, Result, Store};

use super::exchange::{self, ReplaceOutcome};
use super::notes_file::{NotesFile, bytes};
#[cfg(doc)]
use crate::error::FormatError;
use crate::report::ExportReport;

/// Every place's own note as the text of a file, and what was left out.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn export(store: &dyn Store) -> Result<(String, ExportReport)> {
    let mut file = NotesFile::default();
    lay_into(store, &mut file, &BTreeSet::new())?;
    let exported = exported(store, &NotesFile::default(), &file)?;
    Ok((file.to_text(), exported))
}

/// Writes every place's own note to a file, in one step, beside its other values. Another program's writes in
/// the meantime stay.
///
/// # Errors
/// [`FormatError::DamagedFile`] for a file that cannot be read as notes, which is left as it is; [`Error::File`] when
/// it cannot be read or written; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be
/// read.
pub fn export_to(store: &dyn Store, path: &Path) -> Result<ExportReport> {
    const ROUNDS: usize = 20;
    let path = waynote_files::followed(path);
    let _lock = exchange::lock(&path)?;
    exchange::remove_empty_leftovers(&path);
    let mut before = bytes(&path)?;
    let mut file = NotesFile::read(before.as_deref().unwrap_or_default(), &path)?;
    let first = file.clone();
    let mut theirs = BTreeSet::new();
    // Removed once what is new in them is in the file.
    let mut overwritten = Vec::new();
    // The file's notes before the other program wrote it.
    let mut held = file.clone();
    for _ in 0..ROUNDS {
        lay_into(store, &mut file, &theirs)?;
        let text = file.to_text().into_bytes();
        match exchange::replace(&path, &text, before.as_deref())? {
            ReplaceOutcome::Clean(_) => {
                overwritten
                    .iter()
                    .try_for_each(|path: &PathBuf| exchange::remove(path))?;
                return exported(store, &first, &file);
            }
            ReplaceOutcome::Overwrote(other, beside, _) => {
                before = Some(text);
                let ours = file.clone();
                for (key, value) in other.notes.changed_since(&held) {
                    theirs.insert(key.clone());
                    file.insert(key.clone(), value.clone());
                }
                held = ours;
                overwritten.push(beside);
            }
            ReplaceOutcome::FileAppeared => {
                before = bytes(&path)?;
                file = NotesFile::read(before.as_deref().unwrap_or_default(), &path)?;
                held = file.clone();
            }
        }
    }
    let busy = std::io::Error::other("other programs keep writing it");
    Err(Error::file(path, "written", busy))
}

/// Puts every place's own note into a file's notes, beside what else is in it; a value that is no text stays, and
/// so does what is under the keys that are `theirs`.
fn lay_into(store: &dyn Store, file: &mut NotesFile, theirs: &BTreeSet<String>) -> Result<()> {
    for note in Places::new(store).list()? {
        let Address::Place(place) = &note.address else {
            continue;
        };
        if !file.holds_other(place) && !theirs.contains(place.as_str()) {
            file.set(place, &note.content);
        }
    }
    Ok(())
}

/// The report of writing a file, from its notes before and now.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub(crate) fn exported(
    store: &dyn Store,
    before: &NotesFile,
    now: &NotesFile,
) -> Result<ExportReport> {
    let mut exported = ExportReport::default();
    for note in Places::new(store).list()? {
        let Address::Place(place) = &note.address else {
            exported.leave_out(
                &note.address,
                "a notes.json holds one note for each directory, and no keyed ones",
            );
            continue;
        };
        if now.get(place).as_ref() == Some(&note.content) {
            match before.get(place) == now.get(place) {
                true => exported.unchanged += 1,
                false => exported.written += 1,
            }
        } else if now.holds_other(place) {
            let reason = "the file holds a value under this key that is no text, which stays";
            exported.leave_out(&note.address, reason);
        } else {
            let reason = "another program wrote this note meanwhile, and its text stays";
            exported.leave_out(&note.address, reason);
        }
    }
    Ok(exported)
}
