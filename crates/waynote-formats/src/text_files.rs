//! Text files that agents and their plugins keep: instructions, rules, memories. Each becomes a keyed note.

use std::path::Path;

use waynote::{Address, Place, Result};

use crate::files::key;
use crate::format::{Directory, Format, Project, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::Folder;

/// A file, or a folder of Markdown files when `path` ends with `/`.
#[derive(Clone, Copy, Debug)]
pub struct TextFile {
    /// Relative to the project; with `~/` before it, to the home directory.
    pub path: &'static str,
    /// The key of its note; for a folder, the beginning of the keys.
    pub key: &'static str,
}

pub(crate) const fn at(path: &'static str, key: &'static str) -> TextFile {
    TextFile { path, key }
}

/// A format of text files in a directory, which become its keyed notes.
const fn format(
    name: &'static str,
    about: &'static str,
    files: &'static [TextFile],
    loaded_by: &'static [&'static str],
) -> Format {
    Format {
        loaded_by,
        ..Format::new(name, about, SourceKind::Files(files))
    }
}

/// `AGENTS.md`: a project's instructions for every agent.
pub const AGENTS_MD: Format = format(
    "agents-md",
    "The AGENTS.md of a directory: a keyed note of that directory",
    &[at("AGENTS.md", "agents-md")],
    &["codex", "cursor", "opencode", "goose", "vscode"],
);

/// `GEMINI.md`: a project's instructions for Gemini CLI.
pub const GEMINI_MD: Format = format(
    "gemini-md",
    "The GEMINI.md of a directory: a keyed note of that directory",
    &[at("GEMINI.md", "gemini-md")],
    &["gemini"],
);

/// Cursor's rules.
pub const CURSOR_RULES: Format = format(
    "cursor-rules",
    "Cursor's .cursor/rules and .cursorrules: keyed notes of that directory",
    &[
        at(".cursor/rules/", "cursor-rule-"),
        at(".cursorrules", "cursorrules"),
    ],
    &["cursor"],
);

/// Copilot's instructions.
pub const COPILOT: Format = format(
    "copilot",
    "Copilot's instructions in .github: keyed notes of that directory",
    &[
        at(".github/copilot-instructions.md", "copilot-instructions"),
        at(".github/instructions/", "copilot-"),
    ],
    &["vscode"],
);

/// What Codex noted by itself, about all projects.
pub const CODEX_MEMORIES: Format = format(
    "codex-memories",
    "Codex's own memories: keyed notes of home",
    &[
        at("~/.codex/memories/MEMORY.md", "codex-memory"),
        at(
            "~/.codex/memories/memory_summary.md",
            "codex-memory-summary",
        ),
    ],
    &["codex"],
);

/// Serena's memories of a project.
pub const SERENA: Format = format(
    "serena",
    "Serena's memories of a directory: keyed notes of that directory",
    &[at(".serena/memories/", "serena-")],
    &[],
);

/// The memory bank that Cline keeps in a project.
pub const CLINE: Format = format(
    "cline",
    "Cline's memory bank in a directory: keyed notes of that directory",
    &[at("memory-bank/", "cline-")],
    &[],
);

/// Reads the files of a format that are there. A file of the home directory becomes a note of home.
pub(crate) fn read(
    format: &str,
    files: &[TextFile],
    project: &Project<'_>,
) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(format, Precedence::Here)?;
    let home = [Directory {
        paths: project.home.map(Path::to_owned).into_iter().collect(),
        place: Place::home(),
    }];
    for TextFile { path, key: of_key } in files {
        let (directories, path) = match path.strip_prefix("~/") {
            Some(path) => (&home[..], path),
            None => (project.directories, *path),
        };
        for directory in directories {
            let Some(root) = directory.root_of(path) else {
                continue;
            };
            let (folder, found) = (Folder::of(root), root.join(path));
            let place = directory.place.clone();
            if path.ends_with('/') {
                let of_name = |name: &str| format!("{of_key}{name}");
                incoming.push_folder(&folder, &found, &place, of_name)?;
            } else {
                incoming.push_file(&folder, &found, Address::PlaceKey(place, key(of_key)?));
            }
        }
    }
    Ok(incoming)
}

/// The files with a project's instructions. People link one to another.
const INSTRUCTIONS: [&str; 6] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
];

/// The instructions of a directory that a link leads to; none if it is no such link.
pub(crate) fn linked(directory: &Path, path: &Path) -> Option<&'static str> {
    let is_link = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|found| found.is_symlink())
    };
    let real = is_link(path).then(|| path.canonicalize().ok())??;
    INSTRUCTIONS.into_iter().find(|file| {
        let file = directory.join(file);
        !is_link(&file) && file.canonicalize().is_ok_and(|file| file == real)
    })
}
