//! The profile of a client: its names, its words and its functions, which every file in `clients/` fills in.

pub(crate) mod answer;
pub(crate) mod findings;
pub(crate) mod reading;
pub(crate) mod setup;
pub(crate) mod target;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;
use waynote_system::text_file;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::NAME;
use crate::formats::source;
use crate::ledger::Channel;
use crate::rights::Rights;

use answer::{Ending, Form};
use findings::Findings;
use reading::{Reading, Switch};
use setup::{ClientFile, InstallScope, Machine, Setup};
use target::EndpointForm;

/// The profile of a client. A new one is a file with such a value in `clients/`, and a row in `clients/mod.rs`.
pub(crate) struct Profile {
    pub(crate) client: Client,
    /// The word that names it on the command line.
    pub(crate) word: &'static str,
    /// Other words for it.
    pub(crate) aliases: &'static [&'static str],
    /// The name that people know.
    pub(crate) title: &'static str,
    /// Its own program, where one is on the path.
    pub(crate) program: &'static str,
    /// The events at which it takes a text from hooks, with its own words for them.
    pub(crate) events: &'static [(Event, &'static str)],
    /// The event at which a session of it gets its block; none where no hook brings it.
    pub(crate) block_event: Option<Event>,
    /// The name under which it greets a server, if it shows the server's whole instructions to its model. No hook brings the
    /// block then.
    pub(crate) shows_instructions: Option<&'static str>,
    /// The form of a hook's answer.
    pub(crate) answer: Form,
    /// The tools with which it reads, changes and runs, and those with which it runs, as its hooks select them. They stay
    /// as they are: some clients want a changed hook to be trusted again.
    pub(crate) tools: [&'static str; 2],
    /// The fields of its input that a hook at a tool takes, where such a hook can be a call of a server's tool.
    pub(crate) call: Option<&'static [(&'static str, &'static str)]>,
    /// The form of an answer that lets the turn go on.
    pub(crate) ending: Ending,
    /// How its file names an MCP endpoint.
    pub(crate) endpoint: EndpointForm,
    /// The variable in which it tells hooks and servers its project's directory.
    pub(crate) project_variable: Option<&'static str>,
    /// The variable that it sets for hooks, among them those that were written for Claude Code, which it runs too.
    pub(crate) hook_variable: Option<&'static str>,
    /// The variable that it sets for the commands that its agent runs, and for no terminal of a person; empty
    /// where there is none.
    pub(crate) shell_variable: &'static str,
    /// The channel by which its hook brings a session the block.
    pub(crate) channel: Channel,
    /// The JSON file that has its server, of the user and of a project, and the member that holds it; an empty name where
    /// there is none.
    pub(crate) server: [&'static str; 3],
    /// A variable that moves a folder of the user, and that folder.
    pub(crate) moved_by: Option<[&'static str; 2]>,
    /// Its files and what each gets, in the order in which they are written; none where it reads no files of a project.
    pub(crate) files: fn(&Setup<'_>) -> Result<Vec<ClientFile>>,
    /// Steps after an installation that only the user can do, in that scope, with hooks or without.
    pub(crate) next_steps: fn(InstallScope, bool) -> Vec<String>,
    /// True if a session that begins for this reason has lost the texts of hooks.
    pub(crate) begins_anew: fn(&str) -> bool,
    /// True if the conversation of this transcript has lost the block, without any event that says so.
    pub(crate) has_lost_block: fn(&Path) -> bool,
    /// Tells from the output of a command that it failed, where the client has no event for that and gives no code. Silent
    /// when unsure.
    pub(crate) reads_failure: Option<fn(&str) -> bool>,
    /// Lets the agent of a loop, whose command has these further words, use our tools. A client that does not run in
    /// loops, or that cannot be told so for one run, gets nothing.
    pub(crate) allow: fn(Machine<'_>, &[OsString], &mut Rights) -> Result,
    /// The further words with which it lets the agent of a loop edit files and run commands.
    pub(crate) may_work: &'static str,
    /// Our plugin, where it is switched on.
    pub(crate) plugin: fn(Machine<'_>) -> Option<InstalledPlugin>,
    /// How it reads its files, where it refuses more than our editors do.
    pub(crate) reads: &'static [Reading],
    /// Settings that switch hooks or the server off.
    pub(crate) switches: &'static [Switch],
    /// The entry as a person adds it by hand, where its file is not edited.
    pub(crate) snippet: Option<fn(&Setup<'_>) -> Result<Snippet>>,
    /// Consent that the client still wants from its user, as far as its files tell.
    pub(crate) trust: fn(&Setup<'_>, &mut Findings) -> Result,
}

impl Profile {
    /// The profile of a client that takes no text from hooks, and has its server in a JSON file.
    pub(crate) const BASE: Self = Self {
        client: Client::ClaudeCode,
        word: "",
        aliases: &[],
        title: "",
        program: "",
        events: &[],
        block_event: None,
        shows_instructions: None,
        answer: Form::None,
        tools: ["", ""],
        call: None,
        ending: Ending::None,
        endpoint: EndpointForm::NONE,
        project_variable: None,
        hook_variable: None,
        shell_variable: "",
        channel: Channel::Hook,
        server: ["", "", "mcpServers"],
        moved_by: None,
        files: |setup| Ok(setup.server_file(false)?.into_iter().collect()),
        next_steps: |_, _| Vec::new(),
        begins_anew: |source| matches!(source, "clear" | "compact"),
        has_lost_block: |_| false,
        reads_failure: None,
        allow: |_, _, _| Ok(()),
        may_work: "",
        plugin: |_| None,
        reads: &[],
        switches: &[],
        snippet: None,
        trust: say_next_steps,
    };

    /// The tools at which a hook of an event runs; none where it runs at no tool.
    pub(crate) fn matcher(&self, event: Event) -> Option<&'static str> {
        let [all, running] = self.tools;
        let tools = match event {
            Event::BeforeTool | Event::AfterTool => all,
            Event::AfterFailure => running,
            _ => "",
        };
        (!tools.is_empty()).then_some(tools)
    }

    /// The client's own word for an event; none where the client has no such event, takes no text there or needs none.
    pub(crate) fn event_word(&self, event: Event) -> Option<&'static str> {
        let mut events = self.events.iter();
        events.find(|(of, _)| *of == event).map(|(_, word)| *word)
    }
}

/// Our plugin, as a client has it: the client's name for it, and the program that it starts, where its files say.
pub(crate) type InstalledPlugin = (String, Option<String>);

/// The plugin of that name whose file has the server's entry.
pub(crate) fn installed_plugin(name: &str, entry: &Path) -> InstalledPlugin {
    let entry = source::read(entry).unwrap_or_default();
    let program = entry["mcpServers"][NAME]["command"].as_str();
    (name.to_owned(), program.map(str::to_owned))
}

/// The plugin's name in settings that switch plugins on: `waynote@MARKETPLACE`.
pub(crate) fn enabled_plugin(settings: &Value) -> Option<&str> {
    let mut plugins = settings["enabledPlugins"].as_object()?.iter();
    let is_ours = |name: &str| name.split('@').next() == Some(NAME);
    let ours = plugins.find(|(name, on)| is_ours(name) && on.as_bool() == Some(true))?;
    Some(ours.0)
}

/// The steps of the user, where a client's files do not show whether they were taken.
pub(crate) fn say_next_steps(setup: &Setup<'_>, findings: &mut Findings) -> Result {
    for step in (setup.profile.next_steps)(setup.reach, setup.has_hooks()) {
        let title = setup.profile.title;
        findings.note(
            format!("{title}: its files do not show whether it is switched on there"),
            step,
        );
    }
    Ok(())
}

/// True if a client's files in that scope have an entry of our server.
pub(crate) fn has_server(
    profile: &'static Profile,
    machine: Machine<'_>,
    reach: InstallScope,
) -> bool {
    let setup = Setup::unchecked(machine, profile, reach);
    let Ok(setup) = setup else {
        return false;
    };
    let mut files = setup.files().unwrap_or_default().into_iter();
    files.any(|file| {
        let text = text_file::read(&file.path).ok().flatten();
        file.part.has_server() && text.is_some_and(|text| file.edit.is_in(&text))
    }) || setup
        .snippet()
        .is_ok_and(|snippet| snippet.is_some_and(|snippet| snippet.entry().is_some()))
}

/// The entry of our server as a person adds it to a file that is not edited.
#[derive(Debug)]
#[non_exhaustive]
pub struct Snippet {
    /// The file.
    pub file: PathBuf,
    /// The member below which the lines go.
    pub below: &'static str,
    /// The lines.
    pub lines: String,
}

impl Snippet {
    /// True if the file has all of the lines, with any indent.
    pub fn is_there(&self) -> bool {
        let text = self.text();
        let there: Vec<&str> = text.lines().map(str::trim).collect();
        self.lines.lines().all(|line| there.contains(&line.trim()))
    }

    /// The entry of our server in the file, as far as its lines are `NAME: JSON`; none without it.
    pub(crate) fn entry(&self) -> Option<Value> {
        let text = self.text();
        let mut lines = text.lines().map(str::trim);
        let head = self.lines.lines().next()?.trim();
        lines.find(|line| *line == head)?;
        let members = lines.map_while(|line| line.split_once(": "));
        let read = members
            .filter_map(|(name, value)| Some((name.to_owned(), serde_json::from_str(value).ok()?)));
        Some(Value::Object(read.collect()))
    }

    fn text(&self) -> String {
        let text = text_file::read(&self.file).ok().flatten();
        text.unwrap_or_default()
    }
}
