//! Finds the notes that other programs keep about a project, for somebody who begins with waynote. It looks only in the
//! project and at the listed places of the home directory.

use std::path::{Path, PathBuf};

use waynote::{Address, Base, Name, Result, Scope};

use crate::format::{Format, Project, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::{FORMATS, claude_code, server_memory, zrb};

/// The notes that one program keeps.
#[derive(Clone, Debug)]
pub struct FoundSource {
    /// Its name: that of the format; Claude Code's own memory is `claude-memory`.
    pub name: &'static str,
    /// The files and folders that are there.
    pub paths: Vec<PathBuf>,
    /// The clients that load it by themselves, as `waynote install` names them.
    pub loaded_by: &'static [&'static str],
    /// The notes, and those that were left out.
    pub notes: ForeignNotes,
}

/// Files in which a client's MCP servers are entered, and may name a file of server-memory.
const SERVERS: &[&str] = &[
    ".mcp.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    "~/.claude.json",
    "~/.cursor/mcp.json",
    "~/.gemini/settings.json",
    "~/.codex/config.toml",
];

/// The variable that names a file of server-memory.
const MEMORY_FILE: &str = "MEMORY_FILE_PATH";

/// Looks for every format. Notes of a program that has no directories go into the notebook of `agent`. A source that
/// cannot be read has the reason among what it leaves out.
///
/// # Errors
/// [`waynote::Error::InvalidName`], which the name of a format never is.
pub fn find(project: &Project<'_>, agent: &Name, base: &Base) -> Result<Vec<FoundSource>> {
    let notebook = Scope::Agent(agent.clone());
    let mut found = Vec::new();
    for format in FORMATS {
        let usual = || project.existing(format.usual);
        match format.takes {
            SourceKind::Files(files) => {
                let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
                let notes = format.read_project(project);
                add(&mut found, format, project.existing(&paths), notes)?;
            }
            SourceKind::Project(read) => add(&mut found, format, usual(), read(project))?,
            SourceKind::Source { read, .. } => {
                let named = match format.name == server_memory::FORMAT.name {
                    true => memory_files(project),
                    false => Vec::new(),
                };
                for path in usual().into_iter().chain(named) {
                    let notes = read(&path, &notebook);
                    add(&mut found, format, vec![path], notes)?;
                }
            }
            SourceKind::Own => {
                for path in usual() {
                    if let Some(notes) = own(format, &path, agent, base) {
                        add(&mut found, format, vec![path], notes)?;
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Adds a source, if there is anything in it.
fn add(
    found: &mut Vec<FoundSource>,
    format: &Format,
    paths: Vec<PathBuf>,
    notes: Result<ForeignNotes>,
) -> Result<()> {
    let notes = notes.or_else(|error| -> Result<_> {
        let mut failed = ForeignNotes::of(format.name, Precedence::Here)?;
        failed.skip(format.name, error.to_string());
        Ok(failed)
    })?;
    let mut push = |name, paths, notes: ForeignNotes| {
        if !notes.notes().is_empty() || !notes.skipped().is_empty() {
            let loaded_by = format.loaded_by;
            found.push(FoundSource {
                name,
                paths,
                loaded_by,
                notes,
            });
        }
    };
    if format.name != claude_code::FORMAT.name {
        push(format.name, paths, notes);
        return Ok(());
    }
    // Instructions that a person wrote, and what Claude Code noted by itself, are chosen apart.
    let (memory, files) = notes.split(|note| match &note.address {
        Address::PlaceKey(_, key) => {
            key.as_str() == "memory" || key.as_str().starts_with("memory-")
        }
        _ => false,
    });
    push(format.name, paths, files);
    push("claude-memory", Vec::new(), memory);
    Ok(())
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

/// The files of server-memory that entries of MCP servers name.
fn memory_files(project: &Project<'_>) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entries in project.existing(SERVERS) {
        let Ok((bytes, _)) = crate::source::read(&entries) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        for after in text.split(MEMORY_FILE).skip(1) {
            // In JSON `": "VALUE"`, in TOML ` = "VALUE"`.
            let value = after.trim_start_matches(['"', '\'', ' ', ':', '=']);
            let value = value.split(['"', '\'', '\n']).next().unwrap_or("");
            for path in project.existing(&[value]) {
                if path.is_file() && !files.contains(&path) {
                    files.push(path);
                }
            }
        }
    }
    files
}
