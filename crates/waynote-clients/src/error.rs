//! Why clients' files are not changed, or a hook has no answer.

use std::path::PathBuf;

use thiserror::Error;
use waynote_system::{EnvironmentError, FileError};

use crate::client::Client;
use crate::formats::refusal::Refusal;

/// Errors of this crate.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The environment lacks something.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is not edited.
    #[error("{} {refusal}", .path.display())]
    NotEdited {
        /// The file.
        path: PathBuf,
        /// Why.
        refusal: Refusal,
    },
    /// A folder for the plugin has other things in it.
    #[error("{} has other files in it", .folder.display())]
    NotOurs {
        /// The folder.
        folder: PathBuf,
    },
    /// The home directory is none.
    #[error("HOME is no directory: {home}")]
    NoHome {
        /// The value of `HOME`.
        home: String,
    },
    /// The working directory is home or the root.
    #[error("{} is no project's directory", .directory.display())]
    NoProject {
        /// The working directory.
        directory: PathBuf,
    },
    /// The client has no part that an option of an installation is about.
    #[error("{} {part}", .client.title())]
    Lacks {
        /// The client.
        client: Client,
        /// The part.
        part: Lacking,
    },
    /// The standard input of a hook is not a client's message.
    #[error("the input is not a hook's: {0}")]
    Payload(#[from] serde_json::Error),
    /// The client takes no text at this event.
    #[error("{} takes no text at `{event}`", .client.title())]
    NoEvent {
        /// The client.
        client: Client,
        /// The event, as the hook was told it.
        event: String,
    },
    /// The store refuses, or the system does ([`waynote::Error::File`]).
    #[error(transparent)]
    Library(#[from] waynote::Error),
}

/// A part that some clients lack, in words about one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[non_exhaustive]
pub enum Lacking {
    /// A text at prompts.
    #[strum(to_string = "takes no notes at prompts")]
    Prompts,
    /// Hooks that call a server.
    #[strum(to_string = "has no hooks that call a server")]
    Calls,
    /// A hook at the end of a turn.
    #[strum(to_string = "lets no hook ask its agent at the end of a turn")]
    Ending,
    /// A reference to a variable, in the entry of an endpoint.
    #[strum(to_string = "cannot read an endpoint's token from a variable")]
    Endpoint,
    /// Files of a project.
    #[strum(to_string = "reads servers only from the user's file")]
    ProjectFiles,
    /// Files that are not a plugin's.
    #[strum(to_string = "takes hooks only from a plugin")]
    Files,
}

/// The result of this crate.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;
