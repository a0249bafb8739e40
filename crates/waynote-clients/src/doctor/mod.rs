//! Checking that the agents of a client get the notes: its files, its server, its hook, its settings. The result is
//! data; the caller words it, but for settings of a client, which its own file words.

mod load;
pub mod probe;
pub(crate) mod trial;

use std::path::PathBuf;
use std::process::Command;

use jiff::Timestamp;
use waynote_system::text_file;

use crate::client::Event;
use crate::error::Result;
use crate::install::state::State;
use crate::profile::check::{Check, Findings};
use crate::profile::permissions::MissingRight;
use crate::profile::setup::{InstallScope, Part, Setup};
use crate::rights::missing_rights;

use probe::{Reason, round_trip};
use trial::HookTime;

/// The examination of a client, in the order of the report.
#[derive(Debug)]
#[non_exhaustive]
pub struct Examination {
    /// Its files; none where it has none of this reach, or a plugin in their place.
    pub files: Vec<FileCheck>,
    /// True if its files start waynote by its name, and it is not on the path.
    pub is_not_on_path: bool,
    /// Its server, where its files have one that can be started.
    pub server: Option<ServerCheck>,
    /// How long its hook takes, or why it gives no notes; none where it has none.
    pub hook: Option<std::result::Result<HookTime, Reason>>,
    /// Whether its hook at tools gives notes; none where it has none.
    pub action: Option<std::result::Result<(), Reason>>,
    /// Settings that keep the notes or the tools from its model, and what it still wants from its user.
    pub settings: Findings,
    /// Rights that its agent lacks in a loop.
    pub missing_rights: Vec<MissingRight>,
}

/// One of a client's files.
#[derive(Debug)]
#[non_exhaustive]
pub struct FileCheck {
    /// The file.
    pub path: PathBuf,
    /// The parts of the setup that it should hold.
    pub part: Part,
    /// How it is.
    pub state: State,
}

/// A client's server, started as the client starts it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ServerCheck {
    /// The words with which it is started.
    pub command: Vec<String>,
    /// How many tools it has.
    pub tools: std::result::Result<usize, Reason>,
    /// The check of the notes in its instructions, where no hook brings them.
    pub instructions: Option<std::result::Result<(), Reason>>,
}

/// Examines a client: its server and its hook run on a store of their own, which has one note of the time `now`.
///
/// # Errors
/// [`Error::Environment`](crate::Error::Environment), where its files cannot be named.
pub fn examine(setup: &Setup<'_>, now: Timestamp) -> Result<Examination> {
    let client = setup.client();
    let environment = setup.machine.environment;
    let mut files = Vec::new();
    let mut command = None;
    let (mut has_hook, mut is_there) = (false, false);
    for file in setup.files()? {
        let state = file.state(environment);
        // Another program's entry is not started.
        if !matches!(state, State::Missing | State::Refused(_)) {
            is_there = true;
            if let Ok(Some(text)) = text_file::read(&file.path) {
                command = command.or_else(|| file.edit.server_command(&text));
                has_hook |= file.part.has_hooks();
            }
        }
        files.push(FileCheck {
            path: file.path,
            part: file.part,
            state,
        });
    }
    let has_plugin = setup.has_plugin();
    if has_plugin && !is_there {
        // They would only repeat what the plugin brings.
        files.clear();
    }
    let starts_by_name = is_there && !setup.program.contains('/');
    let is_not_on_path = starts_by_name && environment.on_path(&setup.program).is_none();
    if is_not_on_path {
        (command, has_hook) = (None, false);
    }
    let brings_by_hook = client.block_event().is_some();
    let server = command.and_then(|command| {
        let (program, args) = command.split_first()?;
        let mut server = Command::new(program);
        server.args(args);
        let tools = round_trip(server);
        let instructed = || trial::instructions(setup, &command, now);
        Some(ServerCheck {
            tools,
            instructions: (!brings_by_hook).then(instructed),
            command,
        })
    });
    let hook = (brings_by_hook && has_hook).then(|| trial::hook(setup, now));
    let events = [Event::BeforeTool, Event::AfterTool];
    let is_at_tools = events
        .iter()
        .any(|event| client.event_word(*event).is_some());
    let action = (is_at_tools && has_hook).then(|| trial::action(setup, now));
    let mut settings = Findings::default();
    let mut missing = Vec::new();
    // Missing files need no trust.
    if is_there || has_plugin {
        settings = self::settings(setup)?;
        missing = missing_rights(setup.machine, client, &[]);
    }
    Ok(Examination {
        files,
        is_not_on_path,
        server,
        hook,
        action,
        settings,
        missing_rights: missing,
    })
}

fn settings(setup: &Setup<'_>) -> Result<Findings> {
    let user = Setup::new(setup.machine, setup.client(), InstallScope::User, false)?.files()?;
    let user = user.into_iter().map(|file| file.path).collect();
    let mut check = Check::new(setup, user)?;
    (setup.profile.check)(&mut check)?;
    (setup.profile.trust)(setup, &mut check.findings)?;
    Ok(check.findings)
}
