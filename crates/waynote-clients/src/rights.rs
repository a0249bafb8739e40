//! What the agent of a loop may do: what [`Rights`] give it, and what it still lacks.

use std::ffi::OsString;

use crate::client::Client;
use crate::error::Result;
use crate::profile::has_server;
use crate::profile::permissions::{Invocation, MissingRight, Rights};
use crate::profile::setup::{Machine, Reach};

/// The rights to use waynote's own tools, for a client that a loop starts with these further words.
///
/// Files that cannot be read say nothing here: the client itself complains about them.
///
/// # Errors
/// [`Error::Library`](crate::Error::Library) where a file of the run cannot be written;
/// [`Error::Environment`](crate::Error::Environment) where a variable cannot be read.
pub fn rights(machine: Machine<'_>, client: Client, words: &[OsString]) -> Result<Rights> {
    let mut rights = Rights::default();
    let call = Invocation::new(machine, words);
    client.profile().allow(&call, &mut rights)?;
    Ok(rights)
}

/// What an agent may not do in a loop that runs its client with these further words.
pub fn missing_rights(
    machine: Machine<'_>,
    client: Client,
    words: &[OsString],
) -> Vec<MissingRight> {
    let profile = client.profile();
    let call = Invocation::new(machine, words);
    let mut missing = Vec::new();
    let is_set_up = has_server(profile, machine, Reach::User)
        || has_server(profile, machine, Reach::Project)
        || profile.has_server_elsewhere(&call);
    if !is_set_up {
        missing.push(MissingRight::new(
            format!(
                "{} has no tools of waynote, so its agent cannot add notes or end the loop",
                client.title()
            ),
            format!("run `waynote install {}`", client.word()),
        ));
    }
    profile.missing(&call, &mut missing);
    missing
}

#[cfg(test)]
mod tests {
    use waynote_system::Environment;

    use super::*;

    #[test]
    fn claude_codes_option_takes_no_further_word() {
        let environment = Environment::new([]);
        let machine = Machine {
            environment: &environment,
            handed_on: &[],
        };
        let rights = rights(machine, Client::ClaudeCode, &[]).unwrap();
        assert_eq!(rights.arguments, ["--allowedTools=mcp__waynote"]);
        assert!(rights.environment.is_empty());
    }
}
