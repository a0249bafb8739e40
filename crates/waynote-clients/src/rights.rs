//! Rights of a loop's agent, where nobody answers when its client asks for permission.

use std::ffi::OsString;

use tempfile::TempDir;

use crate::client::Client;
use crate::error::Result;
use crate::profile::has_server;
use crate::profile::setup::{InstallScope, Machine};

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

/// The rights to use waynote's own tools, for a client that a loop starts with these further words.
///
/// # Errors
/// [`Error::Library`](crate::Error::Library) where a file of the run cannot be written;
/// [`Error::Environment`](crate::Error::Environment) where a variable cannot be read.
pub fn rights(machine: Machine<'_>, client: Client, words: &[OsString]) -> Result<Rights> {
    let mut rights = Rights::default();
    (client.profile().allow)(machine, words, &mut rights)?;
    Ok(rights)
}

/// What a loop's agent may lack that runs its client with these further words: each with a remedy.
pub fn missing_rights(machine: Machine<'_>, client: Client, words: &[OsString]) -> Vec<String> {
    let (profile, title) = (client.profile(), client.title());
    let mut missing = Vec::new();
    let is_set_up = [InstallScope::User, InstallScope::Project]
        .into_iter()
        .any(|reach| has_server(profile, machine, reach));
    if !is_set_up && (profile.plugin)(machine).is_none() {
        missing.push(format!(
            "{title} is not set up, so its agent cannot add notes or end the loop; run `waynote install {}`",
            client.word()
        ));
    }
    if words.is_empty() && !profile.may_work.is_empty() {
        missing.push(format!(
            "{title} may ask before it edits files or runs commands, and no person answers in a loop; \
             add `-- {}`, or what the agent needs",
            profile.may_work
        ));
    }
    missing
}
