//! Finds the notes that other programs keep about a project, for somebody who begins with waynote. It looks only in the
//! project and at the listed places of the home directory.

use std::path::{Path, PathBuf};

use waynote::{Base, Name, Result, Scope};

use crate::format::{Format, Project, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::{FORMATS, zrb};

/// The notes that one program keeps.
#[derive(Clone, Debug)]
pub struct FoundSource {
    /// Its name: that of the format.
    pub name: &'static str,
    /// The files and folders that are there.
    pub paths: Vec<PathBuf>,
    /// The clients that load it by themselves, as `waynote install` names them.
    pub loaded_by: &'static [&'static str],
    /// The notes, and those that were left out.
    pub notes: ForeignNotes,
}

/// Looks for every format. Notes of a program that has no directories go into the notebook of `agent`. A source that
/// cannot be read has the reason among what it leaves out.
///
/// # Errors
/// [`waynote::Error::InvalidName`], which the name of a format never is.
pub fn find(project: &Project<'_>, agent: &Name, base: &Base) -> Result<Vec<FoundSource>> {
    let notebook = Scope::Agent(agent.clone());
    let mut found = Vec::new();
    for format in FORMATS {
        let usual = project.existing(format.usual);
        match format.takes {
            SourceKind::Files(files) => {
                let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
                let notes = format.read_project(project);
                found.extend(source(format, project.existing(&paths), notes)?);
            }
            SourceKind::Project(read) => found.extend(source(format, usual, read(project))?),
            SourceKind::Source(read) => {
                for path in usual {
                    let notes = read(&path, &notebook);
                    found.extend(source(format, vec![path], notes)?);
                }
            }
            SourceKind::Own => {
                for path in usual {
                    if let Some(notes) = own(format, &path, agent, base) {
                        found.extend(source(format, vec![path], notes)?);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// A source, if there is anything in it.
fn source(
    format: &Format,
    paths: Vec<PathBuf>,
    notes: Result<ForeignNotes>,
) -> Result<Option<FoundSource>> {
    let notes = notes.or_else(|error| -> Result<_> {
        let mut failed = ForeignNotes::of(format.name, Precedence::Here)?;
        failed.skip(format.name, error.to_string());
        Ok(failed)
    })?;
    let is_empty = notes.notes().is_empty() && notes.skipped().is_empty();
    Ok((!is_empty).then_some(FoundSource {
        name: format.name,
        paths,
        loaded_by: format.loaded_by,
        notes,
    }))
}

/// Reads a format with arguments of its own; none for a file that holds no notes of it.
fn own(format: &Format, path: &Path, agent: &Name, base: &Base) -> Option<Result<ForeignNotes>> {
    if format.name == zrb::FORMAT.name {
        let file = zrb::NotesFile::open(path).transpose()?;
        return Some(file.and_then(|file| zrb::read(&file, base)));
    }
    #[cfg(feature = "openotters")]
    if format.name == crate::openotters::FORMAT.name {
        let notebooks = crate::openotters::Notebooks::Each(agent);
        return crate::openotters::read(path, notebooks).ok().map(Ok);
    }
    let _ = agent;
    None
}
