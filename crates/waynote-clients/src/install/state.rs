//! How a client is set up on this machine.

use waynote_system::text_file;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::profile::setup::{ClientFile, InstallScope, Machine, Setup};

/// How one file of a setup is.
#[derive(Debug)]
#[non_exhaustive]
pub enum State {
    /// It has all that it should have.
    There,
    /// It lacks some of our entries, or starts the program by another path.
    Outdated,
    /// It has nothing of ours.
    Missing,
    /// It is not edited, for that reason.
    Refused(Error),
}

impl ClientFile {
    /// How the file is.
    pub fn state(&self) -> State {
        let text = match text_file::read(&self.path) {
            Ok(text) => text.unwrap_or_default(),
            Err(error) => return State::Refused(error.into()),
        };
        match (self.edit.add(&text), self.edit.take_back(&text)) {
            (Ok(_), Ok(without)) if without == text => State::Missing,
            (Ok(with), _) if with == text => State::There,
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
    let setup = Setup::new(machine, client, reach)?;
    let by_hand = setup.snippet()?.map(|snippet| match snippet.is_there() {
        true => State::There,
        false => State::Missing,
    });
    let states = setup.files()?.into_iter().map(|file| file.state());
    Ok(states.chain(by_hand).collect())
}

/// True if an entry of ours is in a client's files.
pub fn is_set_up(machine: Machine<'_>, client: Client, reach: InstallScope) -> bool {
    let is_there = |state: &State| !matches!(state, State::Missing | State::Refused(_));
    states(machine, client, reach).is_ok_and(|all| all.iter().any(is_there))
}
