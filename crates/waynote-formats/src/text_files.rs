//! Text files that agents and their plugins keep: instructions, rules, memories. Each becomes a keyed note.

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

/// `AGENTS.md`: a project's instructions for every agent.
pub const AGENTS_MD: Format = Format {
    name: "agents-md",
    about: "The AGENTS.md of a directory: a keyed note of that directory",
    details: "",
    takes: SourceKind::Files(&[at("AGENTS.md", "agents-md")]),
    usual: &[],
    loaded_by: &["codex", "cursor", "opencode", "goose", "vscode"],
};

/// `GEMINI.md`: a project's instructions for Gemini CLI.
pub const GEMINI_MD: Format = Format {
    name: "gemini-md",
    about: "The GEMINI.md of a directory: a keyed note of that directory",
    details: "",
    takes: SourceKind::Files(&[at("GEMINI.md", "gemini-md")]),
    usual: &[],
    loaded_by: &["gemini"],
};

/// Cursor's rules.
pub const CURSOR_RULES: Format = Format {
    name: "cursor-rules",
    about: "Cursor's .cursor/rules and .cursorrules: keyed notes of that directory",
    details: "",
    takes: SourceKind::Files(&[
        at(".cursor/rules/", "cursor-rule-"),
        at(".cursorrules", "cursorrules"),
    ]),
    usual: &[],
    loaded_by: &["cursor"],
};

/// Copilot's instructions.
pub const COPILOT: Format = Format {
    name: "copilot",
    about: "Copilot's instructions in .github: keyed notes of that directory",
    details: "",
    takes: SourceKind::Files(&[
        at(".github/copilot-instructions.md", "copilot-instructions"),
        at(".github/instructions/", "copilot-"),
    ]),
    usual: &[],
    loaded_by: &["vscode"],
};

/// What Codex noted by itself, about all projects.
pub const CODEX_MEMORIES: Format = Format {
    name: "codex-memories",
    about: "Codex's own memories: keyed notes of home",
    details: "",
    takes: SourceKind::Files(&[
        at("~/.codex/memories/MEMORY.md", "codex-memory"),
        at(
            "~/.codex/memories/memory_summary.md",
            "codex-memory-summary",
        ),
    ]),
    usual: &[],
    loaded_by: &["codex"],
};

/// Serena's memories of a project.
pub const SERENA: Format = Format {
    name: "serena",
    about: "Serena's memories of a directory: keyed notes of that directory",
    details: "",
    takes: SourceKind::Files(&[at(".serena/memories/", "serena-")]),
    usual: &[],
    loaded_by: &[],
};

/// The memory bank that Cline keeps in a project.
pub const CLINE: Format = Format {
    name: "cline",
    about: "Cline's memory bank in a directory: keyed notes of that directory",
    details: "",
    takes: SourceKind::Files(&[at("memory-bank/", "cline-")]),
    usual: &[],
    loaded_by: &[],
};

/// Reads the files of a format that are there. A file of the home directory becomes a note of home.
pub(crate) fn read(
    format: &str,
    files: &[TextFile],
    project: &Project<'_>,
) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(format, Precedence::Here)?;
    for file in files {
        let (root, place, path) = match file.path.strip_prefix("~/") {
            None => (project.directory, project.place.clone(), file.path),
            Some(path) => match project.home {
                Some(home) => (home, Place::home(), path),
                None => continue,
            },
        };
        let note = |name: &str| -> Result<_> { Ok(Address::PlaceKey(place.clone(), key(name)?)) };
        let (path, root) = (root.join(path), Folder::of(root));
        if !file.path.ends_with('/') {
            incoming.push_file(&root, &path, note(file.key)?);
            continue;
        }
        incoming.push_folder(&root, &path, |name| note(&format!("{}{name}", file.key)))?;
    }
    Ok(incoming)
}
