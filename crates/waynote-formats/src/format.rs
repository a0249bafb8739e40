//! Formats as data: enough for a program to offer each as a command.

use std::path::Path;

use waynote::{Place, Result, Scope};

use crate::incoming::ForeignNotes;

/// A format that can be imported.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, as in `waynote import NAME`. The author of what is imported is `import:NAME`.
    pub name: &'static str,
    /// The source and the result of an import, in a line without a final full stop.
    pub about: &'static str,
    /// Further lines of its help; empty: none.
    pub details: &'static str,
    /// The arguments of reading it.
    pub takes: SourceKind,
}

/// The arguments of reading a format, and the function that reads it.
#[derive(Clone, Copy, Debug)]
pub enum SourceKind {
    /// A directory that agents work in. Its files become keyed notes of that directory.
    Project(fn(&Project<'_>) -> Result<ForeignNotes>),
    /// A file or folder, which becomes keyed notes of a notebook: an agent's or a directory's.
    Source {
        /// The file or folder, in a line of the help.
        help: &'static str,
        /// Reads it.
        read: fn(&Path, &Scope) -> Result<ForeignNotes>,
    },
    /// Something else: see `read` in the format's module.
    Own,
}

/// A directory that agents work in.
#[derive(Clone, Debug)]
pub struct Project<'p> {
    /// The directory.
    pub directory: &'p Path,
    /// The place that its notes are kept under.
    pub place: &'p Place,
    /// The user's folder of Claude Code, `~/.claude` as a rule; none where there is no home directory.
    pub claude_folder: Option<&'p Path>,
}
