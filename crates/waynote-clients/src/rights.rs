//! Rights of a loop's agent: those that [`Rights`] give it, and those that it still lacks.

use std::ffi::OsString;

use crate::client::Client;
use crate::error::Result;
use crate::profile::permissions::{Invocation, MissingRight, Rights};
use crate::profile::setup::{InstallScope, Machine};
use crate::profile::{Profile, has_server, target};

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
    (client.profile().allow)(&call, &mut rights)?;
    Ok(rights)
}

/// Rights that an agent lacks in a loop that runs its client with these further words.
pub fn missing_rights(
    machine: Machine<'_>,
    client: Client,
    words: &[OsString],
) -> Vec<MissingRight> {
    let profile = client.profile();
    let call = Invocation::new(machine, words);
    let mut missing = Vec::new();
    let is_set_up = has_server(profile, machine, InstallScope::User)
        || has_server(profile, machine, InstallScope::Project)
        || (profile.has_server_elsewhere)(&call)
        || (profile.plugin)(&call).is_some();
    if !is_set_up {
        missing.push(MissingRight::new(
            format!(
                "{} has no tools of waynote, so its agent cannot add notes or end the loop",
                client.title()
            ),
            format!("run `waynote install {}`", client.word()),
        ));
    } else if let Some(url) = endpoint_alone(profile, machine) {
        missing.push(MissingRight::new(
            format!(
                "{} has the MCP endpoint of a server, which does not know the loop, so its agent cannot end it",
                client.title()
            ),
            format!("run `waynote install {} --store {url}`", client.word()),
        ));
    }
    (profile.missing)(&call, &mut missing);
    missing
}

/// The store of the endpoint that a client has, where it has no program of ours.
fn endpoint_alone(profile: &'static Profile, machine: Machine<'_>) -> Option<String> {
    let mut url = None;
    for reach in [InstallScope::User, InstallScope::Project] {
        match target(profile, machine, reach) {
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
    fn claude_codes_option_takes_no_further_word() {
        let environment = Environment::new([]);
        let machine = Machine {
            environment: &environment,
            handed_on: &[],
        };
        let rights = rights(machine, Client::ClaudeCode, &[]).unwrap();
        assert_eq!(
            rights.arguments,
            ["--allowedTools=mcp__waynote,mcp__plugin_waynote_waynote"]
        );
        assert!(rights.environment.is_empty());
    }

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
        let missing = || {
            let missing = missing_rights(machine, Client::Opencode, &[]);
            let lines: Vec<String> = missing.iter().map(ToString::to_string).collect();
            lines.join("\n")
        };
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
