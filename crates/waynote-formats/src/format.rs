//! What is known of a format before anything is read: what a program needs to offer it as a command.

use std::path::Path;

use waynote::{Place, Result, Scope};

use crate::incoming::Incoming;

/// A format that can be imported.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, as in `waynote import NAME`. The author of what is imported is `import:NAME`.
    pub name: &'static str,
    /// What is imported and what it becomes, in a line without a final full stop.
    pub about: &'static str,
    /// What else its help says; empty: nothing.
    pub details: &'static str,
    /// What reading it takes.
    pub takes: Takes,
}

/// What reading a format takes, and the function that reads it.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A directory that agents work in. Its files become keyed notes of that directory.
    Project(fn(&Project<'_>) -> Result<Incoming>),
    /// A file or folder, which becomes keyed notes of a notebook: an agent's or a directory's.
    Source {
        /// What the file or folder is, in a line of the help.
        help: &'static str,
        /// Reads it.
        read: fn(&Path, &Scope) -> Result<Incoming>,
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
