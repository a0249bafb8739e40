//! Errors of a loop. The program that runs it words the advice.

use std::io;
use std::path::PathBuf;

use waynote::ErrorClass;
use waynote::visible::visible;

/// Errors of a loop. A failing agent is a [`Stop`](crate::Stop).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Errors of the store, and of files that cannot be used.
    #[error(transparent)]
    Store(#[from] waynote::Error),

    /// The agent's command has no words.
    #[error("no agent is named")]
    NoAgent,

    /// The text that ends the loop is blank, or has several lines.
    #[error("the text to wait for is not one line")]
    InvalidUntil,

    /// There is no program of that name.
    #[error("there is no program `{}`", visible(program))]
    NoProgram {
        /// The name, or the path.
        program: String,
    },

    /// The program is there and cannot be run.
    #[error("`{}` is not executable", visible(file))]
    NotExecutable {
        /// The program's file.
        file: String,
    },

    /// The system did not start the agent.
    #[error("`{program}` cannot be started: {reason}")]
    CannotStart {
        /// The program.
        program: String,
        /// Why.
        reason: String,
    },

    /// The prompt does not go where the agent takes it, and why.
    #[error("{0}")]
    PromptUnfit(String),

    /// A template of the user's own does not hold together.
    #[error("{name}{}: {reason}", line.map_or(String::new(), |line| format!(", line {line}")))]
    Template {
        /// The template.
        name: String,
        /// The line, counted from 1, where one is known.
        line: Option<usize>,
        /// The fault, in words.
        reason: String,
        /// The placeholders that there are.
        placeholders: Vec<&'static str>,
    },

    /// A file for the prompt cannot be read.
    #[error("`{file}` cannot be read: {source}")]
    UnreadableSource {
        /// The option and the path.
        file: String,
        /// The directory that relative paths start from.
        directory: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// A file for the prompt is a link that leads out of the working directory: the agent may have made it.
    #[error("`{file}` cannot be read: it is a link to {target}, outside of {}", within.display())]
    LinkedSource {
        /// The option.
        option: String,
        /// The option and the path.
        file: String,
        /// The end of the link.
        target: String,
        /// The folder that it has to lie in.
        within: PathBuf,
    },

    /// The folder of the logs cannot be used.
    #[error("nothing can be logged in `{}`: {source}", visible(folder))]
    Logs {
        /// The option and the path.
        folder: String,
        /// Why.
        source: io::Error,
    },
}

/// A result with the error of a loop.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

impl Error {
    /// A file, or something else of the system's, that cannot be used.
    pub(crate) fn file(path: impl Into<PathBuf>, action: &'static str, source: io::Error) -> Self {
        Self::Store(waynote::Error::file(path, action, source))
    }

    /// A stable word for programs.
    pub fn kind(&self) -> &str {
        match self {
            Self::Store(error) => error.kind(),
            Self::NoAgent | Self::InvalidUntil => "usage",
            Self::NoProgram { .. } | Self::NotExecutable { .. } => "no_agent",
            Self::CannotStart { .. } => "agent_unusable",
            Self::PromptUnfit(_) => "prompt_unfit",
            Self::Template { .. } => "invalid_template",
            Self::UnreadableSource { .. } | Self::LinkedSource { .. } => "no_file",
            Self::Logs { .. } => "no_logs",
        }
    }

    /// The family of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Store(error) => error.class(),
            Self::NoAgent | Self::InvalidUntil => ErrorClass::Invalid,
            _ => ErrorClass::Refused,
        }
    }
}
