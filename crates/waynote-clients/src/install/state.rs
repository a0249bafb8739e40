//! How a client is set up on this machine.

use waynote_system::{Environment, text_file};

use super::record::Record;
use crate::client::Client;
use crate::error::{Error, Result};
use crate::profile::setup::{ClientFile, InstallScope, Machine, Setup};

/// How one file of a setup is.
#[derive(Debug)]
#[non_exhaustive]
pub enum State {
    /// It has all that it should have.
    There,
    /// It has all, with another path of the program.
    Outdated,
    /// It is as an earlier version wrote it; these are the differences.
    Older(Vec<String>),
    /// It is as a person changed it, and lacks what this version writes.
    Changed(Vec<String>),
    /// It has nothing of ours.
    Missing,
    /// It is not edited, for that reason.
    Refused(Error),
}

impl ClientFile {
    /// How the file is.
    pub fn state(&self, environment: &Environment) -> State {
        let text = match text_file::read(&self.path) {
            Ok(text) => text.unwrap_or_default(),
            Err(error) => return State::Refused(error.into()),
        };
        let record = Record::load(environment, &self.path).ok().flatten();
        let renewed = self.edit.renew(&text, record.as_ref());
        match (renewed, self.edit.take_back(&text)) {
            (Ok(_), Ok(without)) if without == text => State::Missing,
            (Ok(renewed), _) if !renewed.older.is_empty() => State::Older(renewed.older),
            (Ok(renewed), _) if !renewed.kept.is_empty() => State::Changed(renewed.kept),
            (Ok(renewed), _) if renewed.text == text => State::There,
            (Ok(_), Ok(_)) => State::Outdated,
            (Err(refusal), _) | (_, Err(refusal)) => State::Refused(Error::NotEdited {
                path: self.path.clone(),
                refusal,
            }),
        }
    }
}

/// How each file of a client is.
///
/// # Errors
/// Those of [`Setup::new`]: a directory that is no project has no project's files.
pub fn states(machine: Machine<'_>, client: Client, reach: InstallScope) -> Result<Vec<State>> {
    let files = Setup::new(machine, client, reach, false)?.files()?;
    let states = files.iter().map(|file| file.state(machine.environment));
    Ok(states.collect())
}

/// True if an entry of ours is in a client's files.
pub fn is_set_up(machine: Machine<'_>, client: Client, reach: InstallScope) -> bool {
    let is_there = |state: &State| !matches!(state, State::Missing | State::Refused(_));
    states(machine, client, reach).is_ok_and(|all| all.iter().any(is_there))
}
