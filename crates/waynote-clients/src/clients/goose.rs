//! Goose: `config.yaml` for the server, whose instructions hold the notes. It takes no text from hooks.

use std::path::PathBuf;

use waynote_system::Environment;

use crate::client::Client;
use crate::error::Result;
use crate::formats::edit::Edit;
use crate::formats::entry::NAME;
use crate::formats::source::Source;
use crate::profile::Profile;
use crate::profile::check::Check;
use crate::profile::permissions::{Invocation, MissingRight};
use crate::profile::setup::{ClientFile, InstallScope, Part, Setup};
use crate::profile::target::EndpointForm;

pub(super) static PROFILE: Profile = Profile {
    client: Client::Goose,
    word: "goose",
    title: "Goose",
    program: "goose",
    // No hook brings the block: the server's instructions hold it.
    shows_instructions: Some("goose-cli"),
    endpoint: EndpointForm::new(None, "uri", "${WAYNOTE_TOKEN}"),
    server: [".config/goose/config.yaml", "", "extensions"],
    files,
    next_steps: |_, _| vec!["start a new session of Goose".into()],
    missing,
    check: |check| check.goose(),
    // Goose asks for no consent.
    trust: |_, _| Ok(()),
    ..Profile::BASE
};

/// It reads servers only from the user's file.
fn files(setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
    setup.roots()?;
    Ok(match setup.reach {
        InstallScope::Project => Vec::new(),
        InstallScope::User => {
            let path = config(setup.machine.environment)?;
            let edit = Edit::Yaml(setup.server());
            vec![ClientFile::new(path, Part::Server, edit)]
        }
    })
}

/// The file that has the server.
fn config(environment: &Environment) -> Result<PathBuf> {
    Ok(environment.dot_config()?.join("goose/config.yaml"))
}

/// Its mode, and where it is set.
fn mode(environment: &Environment, file: Option<&Source>) -> Option<(String, String)> {
    if let Some(mode) = environment.variable("GOOSE_MODE").ok().flatten() {
        return Some((mode, "GOOSE_MODE in the environment".to_owned()));
    }
    let mode = file?.at(&["GOOSE_MODE"]).as_str()?;
    Some((mode.to_owned(), file?.place(&["GOOSE_MODE"])))
}

/// One mode for all of its tools: our own cannot be allowed alone.
fn missing(call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
    let file = config(call.environment()).ok();
    let file = file.and_then(|path| Source::read(&path));
    let mode = mode(call.environment(), file.as_ref()).map(|(mode, _)| mode);
    let Some(mode) = mode.filter(|mode| mode != "auto") else {
        return;
    };
    let mode = waynote::visible::visible(&mode);
    lines.push(MissingRight::new(
        format!(
            "the agent may use no tools, waynote's neither: in Goose's mode `{mode}` a person confirms them"
        ),
        "start the loop with `GOOSE_MODE=auto`",
    ));
}

impl Check<'_> {
    fn goose(&mut self) -> Result {
        let config = self
            .user
            .iter()
            .find(|path| path.extension().is_some_and(|end| end == "yaml"));
        let file = config.and_then(|path| Source::read(path));
        if let Some(file) = &file {
            self.switched_off(file, &["extensions", NAME, "enabled"]);
            let path = ["extensions", NAME, "available_tools"];
            let tools = file.texts(&path);
            if !tools.is_empty() {
                self.note(
                    &format!("only these tools are offered: {}", tools.join(", ")),
                    &file.place(&path),
                    "take it out to have all",
                );
            }
        }
        match mode(self.environment, file.as_ref()) {
            Some((mode, place)) if mode == "chat" => {
                self.wrong(
                    "in this mode it uses no tools",
                    &place,
                    "set it to \"auto\" or \"smart_approve\"",
                );
            }
            Some((mode, place)) if mode == "approve" => self.note(
                "every tool call needs a confirmation, which nobody gives in `goose run`",
                &place,
                "`waynote loop --with goose` says what to set for its runs",
            ),
            _ => {}
        }
        Ok(())
    }
}
