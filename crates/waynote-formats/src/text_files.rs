//! Text files that agents and their plugins keep: instructions, rules, memories. Each becomes a keyed note.

use std::path::Path;

use waynote::{Address, Place, Result};

use crate::files::key;
use crate::format::{Format, Project, SourceKind};
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

const fn at(path: &'static str, key: &'static str) -> TextFile {
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
        name,
        about,
        details: "",
        takes: SourceKind::Files(files),
        usual: &[],
        loaded_by,
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
    for file in files {
        match (file.path.strip_prefix("~/"), project.home) {
            (None, _) => {
                for directory in project.directories {
                    if let Some(root) = directory.root_of(file.path) {
                        push(&mut incoming, root, file.path, &directory.place, file.key)?;
                    }
                }
            }
            (Some(path), Some(home)) => {
                push(&mut incoming, home, path, &Place::home(), file.key)?;
            }
            (Some(_), None) => {}
        }
    }
    Ok(incoming)
}

fn push(
    incoming: &mut ForeignNotes,
    root: &Path,
    path: &str,
    place: &Place,
    of_key: &str,
) -> Result<()> {
    let folder = Folder::of(root);
    if path.ends_with('/') {
        return incoming.push_folder(&folder, &root.join(path), place, |name| {
            format!("{of_key}{name}")
        });
    }
    let address = Address::PlaceKey(place.clone(), key(of_key)?);
    incoming.push_file(&folder, &root.join(path), address);
    Ok(())
}

/// The files with a project's instructions, each with the format that reads it. People link one to another.
const INSTRUCTIONS: [(&str, &str, &str); 6] = [
    ("AGENTS.md", "agents-md", "agents-md"),
    ("CLAUDE.md", "claude-md", "claude-code"),
    (".claude/CLAUDE.md", "dot-claude-md", "claude-code"),
    ("GEMINI.md", "gemini-md", "gemini-md"),
    (
        ".github/copilot-instructions.md",
        "copilot-instructions",
        "copilot",
    ),
    (".cursorrules", "cursorrules", "cursor-rules"),
];

/// The instructions of a directory that a link leads to, and the format that reads them; none if it is no such link.
pub(crate) fn linked(directory: &Path, path: &Path) -> Option<(&'static str, &'static str)> {
    let is_link = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|found| found.is_symlink())
    };
    let real = is_link(path).then(|| path.canonicalize().ok())??;
    let known = INSTRUCTIONS.iter().find(|(file, ..)| {
        let file = directory.join(file);
        !is_link(&file) && file.canonicalize().is_ok_and(|file| file == real)
    })?;
    Some((known.0, known.2))
}

/// The keys of the notes that imports make of a file of instructions, under each name that it has in its directory.
pub(crate) fn keys_of(directory: &Path, file: &Path) -> Vec<&'static str> {
    let real = file.canonicalize().ok();
    let is_it = |name: &str| {
        let path = directory.join(name);
        path == file || real.is_some() && path.canonicalize().ok() == real
    };
    let known = INSTRUCTIONS.iter().filter(|(file, ..)| is_it(file));
    known.map(|(_, key, _)| *key).collect()
}
