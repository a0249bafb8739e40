//! Rights of a loop's agent, where nobody answers when its client asks for permission.

use std::ffi::OsString;

use tempfile::TempDir;

use crate::client::Client;
use crate::error::Result;
use crate::profile::setup::{InstallScope, Machine};
use crate::profile::{has_server, target};

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
    } else if let Some(url) = endpoint_alone(client, machine) {
        missing.push(format!(
            "{title} has the MCP endpoint of a server, which does not know the loop, so its agent cannot end it; \
             run `waynote install {} --store {url}`",
            client.word()
        ));
    }
    if words.is_empty() && !profile.may_work.is_empty() {
        missing.push(format!(
            "{title} may ask before it edits files or runs commands, and nobody answers in a loop; \
             add `-- {}`, or what the agent needs",
            profile.may_work
        ));
    }
    missing
}

/// The store of the endpoint that a client has, where it has no program of ours.
fn endpoint_alone(client: Client, machine: Machine<'_>) -> Option<String> {
    let mut url = None;
    for reach in [InstallScope::User, InstallScope::Project] {
        match target(client.profile(), machine, reach) {
            Some(target) if target.is_endpoint() => url = target.store().map(str::to_owned),
            Some(_) => return None,
            None => {}
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use waynote_system::Environment;

    use super::*;
    use crate::install::plan::Installation;
    use crate::profile::setup::Setup;
    use crate::profile::target::Target;

    #[test]
    fn an_endpoint_is_no_server_for_a_loop() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let project = home.join("project");
        std::fs::create_dir(&project).unwrap();
        let environment = Environment::new([("HOME".into(), home.into())])
            .with_working_directory(Ok(project))
            .with_own_program(Ok("/opt/bin/waynote".into()));
        let machine = Machine {
            environment: &environment,
            handed_on: &[],
        };
        let install = |target: Target| {
            let setup = Setup::new(machine, Client::Opencode, InstallScope::User, false).unwrap();
            let setup = setup.to(target);
            let installation = Installation::plan(&setup, false).unwrap();
            installation.carry_out().unwrap();
        };
        let missing = || missing_rights(machine, Client::Opencode, &[]).join("\n");
        let url = "https://notes.example/s/team";
        install(Target::endpoint(url));
        assert_eq!(
            missing(),
            "opencode has the MCP endpoint of a server, which does not know the loop, so its agent cannot end it; \
             run `waynote install opencode --store https://notes.example/s/team`"
        );
        install(Target::default().with("--store", url));
        assert_eq!(missing(), "");
    }
}
