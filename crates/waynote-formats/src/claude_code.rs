//! Claude Code's files: `CLAUDE.md` of a directory and of the user, rules, and what it noted by itself about a project.

use std::path::Path;

use waynote::{Address, Place, Result};

use crate::format::{Format, Project, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::Folder;
use crate::text_files::{self, TextFile, at};

/// What people wrote for it.
pub const FORMAT: Format = Format {
    usual: &[
        "CLAUDE.md",
        ".claude/CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/rules",
    ],
    loaded_by: &["claude-code"],
    ..Format::new(
        "claude-code",
        "Claude Code's CLAUDE.md and rules of a directory: keyed notes of that directory",
        SourceKind::Project(read),
    )
};

/// What it noted by itself.
pub const MEMORY: Format = Format {
    loaded_by: &["claude-code"],
    ..Format::new(
        "claude-memory",
        "Claude Code's own memory of a directory: keyed notes of that directory",
        SourceKind::Project(read_memory),
    )
};

const FILES: &[TextFile] = &[
    at("CLAUDE.md", "claude-md"),
    at(".claude/CLAUDE.md", "dot-claude-md"),
    at("CLAUDE.local.md", "claude-local-md"),
    at(".claude/rules/", "claude-rule-"),
];

/// Reads what applies in a directory. Its files become keyed notes of its place, and `CLAUDE.md` of the user's folder of
/// Claude Code `claude-md` of home.
///
/// # Errors
/// [`waynote::Error::File`] when a folder cannot be read.
pub fn read(project: &Project<'_>) -> Result<ForeignNotes> {
    let mut incoming = text_files::read(FORMAT.name, FILES, project)?;
    let Some(folder) = project.claude_folder else {
        incoming.skip("the user's own files", "there is no home directory");
        return Ok(incoming);
    };
    // At home, this is the user's own, which is read below.
    let own: Address = Address::PlaceKey(Place::home(), "dot-claude-md".parse()?);
    incoming.leave_out(|note| (note.address == own).then(|| "it is the user's own".into()));
    let home = Address::PlaceKey(Place::home(), "claude-md".parse()?);
    // Links to other files of the same user are followed, as in a repository of dotfiles.
    let around = Folder::of(folder.parent().unwrap_or(folder));
    incoming.push_file(&around, &folder.join("CLAUDE.md"), home);
    Ok(incoming)
}

/// Reads `projects/PROJECT/memory/` of the user's folder: keyed notes `memory` (its `MEMORY.md`) and `memory-NAME`.
///
/// # Errors
/// [`waynote::Error::File`] when a folder cannot be read.
pub fn read_memory(project: &Project<'_>) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(MEMORY.name, Precedence::Here)?;
    let Some(folder) = project.claude_folder else {
        return Ok(incoming);
    };
    for directory in project.directories {
        let paths = directory.paths.iter();
        let real = paths.clone().filter_map(|path| path.canonicalize().ok());
        let memory = |path| {
            let project = folder.join("projects").join(folder_name(path));
            Some(project.join("memory")).filter(|memory| memory.is_dir())
        };
        let paths: Vec<_> = paths.cloned().chain(real).collect();
        if let Some(memory) = paths.iter().find_map(|path| memory(path)) {
            let key = |name: &str| match name {
                "MEMORY" => "memory".into(),
                name => format!("memory-{name}"),
            };
            incoming.push_folder(&Folder::of(folder), &memory, &directory.place, key)?;
        }
    }
    Ok(incoming)
}

/// The name under which Claude Code files a project: its path, every character but letters and digits a dash.
fn folder_name(directory: &Path) -> String {
    let path = directory.to_string_lossy();
    path.replace(|char: char| !char.is_ascii_alphanumeric(), "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_filed_by_their_path() {
        assert_eq!(
            folder_name(Path::new("/home/u/my_shop.api")),
            "-home-u-my-shop-api"
        );
    }
}
