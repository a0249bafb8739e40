//! Rights of an agent in a loop, where nobody answers when its client asks for permission.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use waynote_system::{Environment, text_file};

use super::Profile;
use super::setup::{InstallScope, Machine, Roots};
use super::words::Words;
use crate::error::Result;
use crate::formats::json;

/// Rights to use waynote's own tools in one run of a loop, and nothing else: by arguments and variables of that run,
/// never by a change of its client's configuration.
#[derive(Debug, Default)]
pub struct Rights {
    /// Arguments that stand before the user's own.
    pub arguments: Vec<OsString>,
    /// Variables of the agent's environment.
    pub environment: Vec<(String, OsString)>,
    /// Has the files that the arguments name, and goes with the loop.
    pub(crate) folder: Option<TempDir>,
}

impl Rights {
    pub(crate) fn argument(&mut self, word: impl Into<OsString>) {
        self.arguments.push(word.into());
    }
}

/// A right that an agent lacks in a loop, and a remedy for its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingRight {
    /// The right, and the reason.
    pub what: String,
    /// The remedy.
    pub next: String,
}

impl MissingRight {
    pub(crate) fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            next: next.into(),
        }
    }
}

/// In one line.
impl fmt::Display for MissingRight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.next)
    }
}

/// A client as a loop starts it: in the working directory, with the words that the user adds.
pub(crate) struct Invocation<'e> {
    pub(crate) machine: Machine<'e>,
    pub(crate) words: Words,
}

impl<'e> Invocation<'e> {
    pub(crate) fn new(machine: Machine<'e>, words: &[OsString]) -> Self {
        Self {
            machine,
            words: Words::new(words),
        }
    }

    pub(crate) fn environment(&self) -> &'e Environment {
        self.machine.environment
    }

    /// The base folder of the user's files, or the project's.
    pub(crate) fn roots(&self, reach: InstallScope) -> Result<Roots<'e>> {
        Roots::of(self.environment(), reach)
    }

    /// A variable; one that cannot be read counts as not set: the client itself complains about it.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.environment().variable(name).ok().flatten()
    }

    /// The working directory.
    pub(crate) fn directory(&self) -> Option<&'e Path> {
        self.environment().working_directory().ok()
    }
}

/// The text of a file; none where it is not there or cannot be read: the client itself complains about it.
pub(crate) fn text(path: &Path) -> Option<String> {
    text_file::read(path).ok().flatten()
}

/// The value of a file of JSON with comments.
pub(crate) fn read_json(path: &Path) -> Option<Value> {
    json::read(&text(path)?)
}

/// Rights of the agent beside using our tools.
pub(crate) struct May {
    pub(crate) edit: bool,
    pub(crate) run: bool,
}

impl May {
    pub(crate) const BOTH: Self = Self {
        edit: true,
        run: true,
    };

    /// The right that it lacks; none where it has both.
    pub(crate) fn lacks(&self) -> Option<&'static str> {
        match (self.edit, self.run) {
            (true, true) => None,
            (true, false) => Some("run commands"),
            (false, true) => Some("edit files"),
            (false, false) => Some("edit files or run commands"),
        }
    }

    /// The right that it lacks where the client asks; `edit` and `run` are the additions to the command line.
    pub(crate) fn missing(&self, profile: &Profile, edit: &str, run: &str) -> Option<MissingRight> {
        let what = self.lacks()?;
        let how = match (self.edit, self.run) {
            (true, _) => run.to_owned(),
            (false, true) => edit.to_owned(),
            (false, false) => format!("{edit} {run}"),
        };
        Some(MissingRight::new(
            format!(
                "the agent may not {what}: {} asks, and nobody is there to answer",
                profile.title
            ),
            format!("add `-- {how}` or what it needs"),
        ))
    }
}
