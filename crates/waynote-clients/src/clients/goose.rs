//! Goose: an extension in `config.yaml`, which a person adds; the server's instructions hold the notes. It takes no text
//! from hooks.

use serde_json::Value;
use waynote_system::variables::AUTHOR;

use crate::client::Client;
use crate::error::Result;
use crate::formats::entry::NAME;
use crate::profile::setup::Setup;
use crate::profile::target::{EndpointForm, TOKEN_VARIABLE};
use crate::profile::{Profile, Snippet};

pub(super) static PROFILE: Profile = Profile {
    client: Client::Goose,
    word: "goose",
    title: "Goose",
    program: "goose",
    // No hook brings the block: the server's instructions hold it.
    shows_instructions: Some("goose-cli"),
    endpoint: EndpointForm::new(None, "uri", "${WAYNOTE_TOKEN}"),
    server: [".config/goose/config.yaml", "", "extensions"],
    shell_variable: "GOOSE_TERMINAL",
    files: |_| Ok(Vec::new()),
    snippet: Some(snippet),
    next_steps: |_, _| vec!["start a new session of Goose".into()],
    // Goose asks for no consent.
    trust: |_, _| Ok(()),
    ..Profile::BASE
};

/// The lines of our extension. A JSON text is a YAML one.
fn snippet(setup: &Setup<'_>) -> Result<Snippet> {
    let server = setup.server();
    let own = match &server.endpoint {
        Some(url) => format!(
            "    type: streamable_http\n    uri: {}\n    headers: {{ Authorization: \"Bearer ${{{TOKEN_VARIABLE}}}\" }}\n    \
             env_keys: [{TOKEN_VARIABLE}]\n",
            Value::from(url.as_str())
        ),
        None => format!(
            "    type: stdio\n    cmd: {}\n    args: {}\n    envs: {{ {AUTHOR}: {} }}\n",
            Value::from(server.command),
            Value::from(server.args),
            Value::from(server.author)
        ),
    };
    let folder = setup.machine.environment.dot_config()?;
    Ok(Snippet {
        file: folder.join("goose/config.yaml"),
        below: "extensions:",
        lines: format!("  {NAME}:\n    name: {NAME}\n{own}    enabled: true\n    timeout: 300"),
    })
}

#[cfg(test)]
mod tests {
    use waynote_system::Environment;

    use super::*;
    use crate::profile::setup::{InstallScope, Machine};
    use crate::profile::target::Target;

    #[test]
    fn the_lines_that_a_person_added_are_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let environment = Environment::new([("HOME".into(), home.clone().into())])
            .with_working_directory(Ok(home))
            .with_own_program(Ok("/opt/bin/waynote".into()));
        let machine = Machine {
            environment: &environment,
            handed_on: &[],
        };
        let found = || {
            let setup = Setup::new(machine, Client::Goose, InstallScope::User).unwrap();
            let is_there = setup.snippet().unwrap().unwrap().is_there();
            (setup.target, is_there)
        };
        assert_eq!(found(), (Target::default(), false));
        let endpoint = Target::endpoint("https://notes.example/s/team");
        let program = Target::default().with("--agent", "builder");
        for target in [endpoint, program] {
            let mut setup = Setup::new(machine, Client::Goose, InstallScope::User).unwrap();
            setup.target = target.clone();
            let snippet = setup.snippet().unwrap().unwrap();
            std::fs::create_dir_all(snippet.file.parent().unwrap()).unwrap();
            let text = format!("extensions:\n{}\n", snippet.lines);
            std::fs::write(&snippet.file, text).unwrap();
            assert_eq!(found(), (target, true));
        }
    }
}
