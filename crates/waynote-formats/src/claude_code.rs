//! Claude Code's files: `CLAUDE.md` of a directory and of the user, rules, and what it noted by itself about a project.

use std::path::{Path, PathBuf};

use waynote::{Address, Place, Result};

use crate::files::key;
use crate::format::{Format, Project, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::Folder;

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    name: "claude-code",
    about: "Claude Code's CLAUDE.md, rules and memory of a directory: keyed notes of that directory",
    details: "The user's own CLAUDE.md becomes a keyed note of home.",
    takes: SourceKind::Project(read),
    usual: &[
        "CLAUDE.md",
        ".claude/CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/rules",
    ],
    loaded_by: &["claude-code"],
};

/// Reads what applies in a directory. Its files become keyed notes of its place, and the user's own those of home:
///
/// - `CLAUDE.md`: `claude-md`; `.claude/CLAUDE.md`: `dot-claude-md`; `CLAUDE.local.md`: `claude-local-md`
/// - `.claude/rules/NAME.md`: `claude-rule-NAME`
/// - `CLAUDE.md` of the user's folder of Claude Code: `claude-md` of home
/// - `projects/PROJECT/memory/` there: `memory` (its `MEMORY.md`) and `memory-NAME`
///
/// # Errors
/// [`waynote::Error::File`] when a folder cannot be read.
pub fn read(project: &Project<'_>) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Here)?;
    let of_user = project.claude_folder.map(|folder| folder.join("CLAUDE.md"));
    for directory in project.directories {
        for (file, name) in [
            ("CLAUDE.md", "claude-md"),
            (".claude/CLAUDE.md", "dot-claude-md"),
            ("CLAUDE.local.md", "claude-local-md"),
        ] {
            // At home, this is the user's own, which is read below.
            let root = directory.root_of(file);
            if let Some(root) = root.filter(|root| of_user != Some(root.join(file))) {
                let address = Address::PlaceKey(directory.place.clone(), key(name)?);
                incoming.push_file(&Folder::of(root), &root.join(file), address);
            }
        }
        if let Some(root) = directory.root_of(RULES) {
            let rule = |name: &str| format!("claude-rule-{name}");
            incoming.push_folder(&Folder::of(root), &root.join(RULES), &directory.place, rule)?;
        }
    }
    let (Some(folder), Some(of_user)) = (project.claude_folder, of_user) else {
        incoming.skip("the user's own files", "there is no home directory");
        return Ok(incoming);
    };
    let home = Address::PlaceKey(Place::home(), "claude-md".parse()?);
    // Links to other files of the same user are followed, as in a repository of dotfiles.
    let around = folder.parent().unwrap_or(folder);
    incoming.push_file(&Folder::of(around), &of_user, home);
    for directory in project.directories {
        let real = directory
            .paths
            .iter()
            .filter_map(|path| path.canonicalize().ok());
        let paths = directory.paths.iter().cloned().chain(real);
        let memory = |path: PathBuf| {
            folder
                .join("projects")
                .join(folder_name(&path))
                .join("memory")
        };
        let Some(memory) = paths.map(memory).find(|memory| memory.is_dir()) else {
            continue;
        };
        incoming.push_folder(
            &Folder::of(folder),
            &memory,
            &directory.place,
            |name| match name {
                "MEMORY" => "memory".into(),
                name => format!("memory-{name}"),
            },
        )?;
    }
    Ok(incoming)
}

/// The folder with rules of a project.
const RULES: &str = ".claude/rules";

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
