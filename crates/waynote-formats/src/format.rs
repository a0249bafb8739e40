//! Formats as data: enough for a program to offer each as a command.

use std::path::{Path, PathBuf};

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
    /// The arguments of reading it.
    pub takes: SourceKind,
    /// Where it usually lies, relative to a project or with `~/` before it. Formats of [`SourceKind::Files`] name their
    /// files themselves.
    pub usual: &'static [&'static str],
    /// The clients that load it by themselves, as `waynote install` names them.
    pub loaded_by: &'static [&'static str],
}

impl Format {
    /// A format with one line of help, which lies nowhere by itself.
    pub(crate) const fn new(name: &'static str, about: &'static str, takes: SourceKind) -> Self {
        Self {
            name,
            about,
            takes,
            usual: &[],
            loaded_by: &[],
        }
    }

    /// Reads the notes of a directory. A format that is no [`SourceKind::Files`] or [`SourceKind::Project`] has none.
    ///
    /// # Errors
    /// [`waynote::Error::File`] when a folder cannot be read.
    pub fn read_project(&self, project: &Project<'_>) -> Result<ForeignNotes> {
        match self.takes {
            SourceKind::Files(files) => text_files::read(self.name, files, project),
            SourceKind::Project(read) => read(project),
            SourceKind::Source(_) | SourceKind::Own => {
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
    Source(fn(&Path, &Scope) -> Result<ForeignNotes>),
    /// Something else: see `read` in the format's module.
    Own,
}

/// The directories whose files apply where agents work.
#[derive(Clone, Debug)]
pub struct Project<'p> {
    /// From the root of the repository inwards.
    pub directories: &'p [Directory],
    /// The user's folder of Claude Code, `~/.claude` as a rule; none where there is no home directory.
    pub claude_folder: Option<&'p Path>,
    /// The home directory, if there is one.
    pub home: Option<&'p Path>,
}

/// A directory that agents work in.
#[derive(Clone, Debug)]
pub struct Directory {
    /// Where its files may be: in a linked worktree there, and then in the main checkout, which has files that git does
    /// not know.
    pub paths: Vec<PathBuf>,
    /// The place that its notes are kept under.
    pub place: Place,
}

impl Project<'_> {
    /// The paths that exist, of those that are relative to the project or begin with `~/`.
    pub(crate) fn existing(&self, paths: &[&str]) -> Vec<PathBuf> {
        let mut existing = Vec::new();
        for path in paths {
            match path.strip_prefix("~/") {
                Some(path) => existing.extend(self.home.map(|home| home.join(path))),
                None => {
                    let roots = self.directories.iter().filter_map(|of| of.root_of(path));
                    existing.extend(roots.map(|root| root.join(path)));
                }
            }
        }
        existing.retain(|path| path.exists());
        existing
    }
}

impl Directory {
    /// The first of its paths where there is such a file or folder.
    pub(crate) fn root_of(&self, path: &str) -> Option<&Path> {
        let mut roots = self.paths.iter().map(PathBuf::as_path);
        roots.find(|root| root.join(path).symlink_metadata().is_ok())
    }
}
