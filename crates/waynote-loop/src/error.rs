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

    /// The text that ends the loop is blank.
    #[error("the text to wait for is empty")]
    EmptyUntil,

    /// The text that ends the loop has several lines.
    #[error("the text to wait for has several lines")]
    LongUntil,

    /// There is no program of that name.
    #[error("there is no program `{}`", visible(program))]
    NoProgram {
        /// The name, or the path.
        program: String,
        /// True if it was named by a path, so that PATH does not matter.
        is_path: bool,
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
        reason: StartProblem,
    },

    /// The prompt does not go where the agent takes it.
    #[error("{0}")]
    PromptUnfit(PromptProblem),

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

    /// A file that must not be cut is too long.
    #[error("`{file}` has {size}")]
    SourceTooLarge {
        /// The option and the path.
        file: String,
        /// Its size in words.
        size: String,
        /// The limit in words.
        limit: String,
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

/// Why the system did not start an agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartProblem {
    /// Its working directory is gone.
    #[error("its working directory is gone")]
    NoDirectory,
    /// There is no such program.
    #[error("there is no such program")]
    NoProgram,
    /// It is not executable.
    #[error("it may not be executed")]
    NotAllowed,
    /// Something else.
    #[error("{0}")]
    Other(io::Error),
}

/// Why a prompt does not go where an agent takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptProblem {
    /// It is to be an argument, and has a NUL byte.
    #[error("the prompt holds a NUL byte, which no argument can")]
    NulByte,
    /// It makes an argument that is too long.
    #[error("the prompt makes an argument of {bytes} bytes, and {limit} are the most")]
    LongArgument {
        /// The argument's length.
        bytes: usize,
        /// The system's limit.
        limit: usize,
    },
    /// It makes the whole command line too long.
    #[error("the prompt makes the agent's command line too long")]
    LongCommandLine,
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
            Self::NoAgent | Self::EmptyUntil | Self::LongUntil => "usage",
            Self::NoProgram { .. } | Self::NotExecutable { .. } => "no_agent",
            Self::CannotStart { .. } => "agent_unusable",
            Self::PromptUnfit(_) => "prompt_unfit",
            Self::Template { .. } => "invalid_template",
            Self::UnreadableSource { .. } | Self::LinkedSource { .. } => "no_file",
            Self::SourceTooLarge { .. } => "file_too_large",
            Self::Logs { .. } => "no_logs",
        }
    }

    /// The family of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Store(error) => error.class(),
            Self::NoAgent | Self::EmptyUntil | Self::LongUntil => ErrorClass::Invalid,
            _ => ErrorClass::Refused,
        }
    }
}
