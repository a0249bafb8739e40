//! Formats as data: enough for a program to offer each as a command.

use std::path::Path;

use waynote::{Place, Result, Scope};

use crate::incoming::{ForeignNotes, Precedence};
use crate::text_files::{self, TextFile};

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
    /// Where it usually lies, relative to a project or with `~/` before it. Formats of [`SourceKind::Files`] name their
    /// files themselves.
    pub usual: &'static [&'static str],
    /// The clients that load it by themselves, as `waynote install` names them.
    pub loaded_by: &'static [&'static str],
}

impl Format {
    /// Reads the notes of a directory. A format that is no [`SourceKind::Files`] or [`SourceKind::Project`] has none.
    ///
    /// # Errors
    /// [`waynote::Error::File`] when a folder cannot be read.
    pub fn read_project(&self, project: &Project<'_>) -> Result<ForeignNotes> {
        match self.takes {
            SourceKind::Files(files) => text_files::read(self.name, files, project),
            SourceKind::Project(read) => read(project),
            SourceKind::Source { .. } | SourceKind::Own => {
                ForeignNotes::of(self.name, Precedence::Here)
            }
        }
    }
}

/// The arguments of reading a format, and the function that reads it.
#[derive(Clone, Copy, Debug)]
pub enum SourceKind {
    /// Text files of a directory that agents work in, each a keyed note of that directory.
    Files(&'static [TextFile]),
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
    /// The home directory, if there is one.
    pub home: Option<&'p Path>,
}
