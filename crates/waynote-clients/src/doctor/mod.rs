//! Checking that the agents of a client get the notes: its files, its server, its hook, its settings. The result is
//! findings, in words.

pub mod probe;
pub(crate) mod trial;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use jiff::Timestamp;
use waynote::secrets::masked;
use waynote_system::program::is_executable;
use waynote_system::shell::quoted;
use waynote_system::text_file;

use crate::client::Event;
use crate::error::{Error, Lacking, Result};
use crate::formats::hook_command;
use crate::install::state::State;
use crate::profile::InstalledPlugin;
use crate::profile::findings::Findings;
use crate::profile::setup::{ClientFile, Setup};
use crate::rights::missing_rights;

use probe::{Reason, round_trip};

/// Examines a client: its files, its server and its hooks, which run on a store of their own with one note of the time
/// `now`. `hook_limit` says how long a hook may take, and `refused` words an error and the way out of it.
///
/// # Errors
/// [`Error::Environment`](crate::Error::Environment), where its files cannot be named.
pub fn examine(
    setup: &Setup<'_>,
    now: Timestamp,
    hook_limit: impl Fn(&mut Findings) -> Duration,
    refused: impl Fn(Error) -> (String, String),
) -> Result<Findings> {
    let (client, title) = (setup.client(), setup.profile.title);
    let environment = setup.machine.environment;
    let mut findings = Findings::default();
    let mut files = Vec::new();
    let mut command = None;
    let (mut has_hook, mut is_there) = (false, false);
    for file in setup.files()? {
        let state = file.state();
        // Another program's entry is not started.
        if !matches!(state, State::Missing | State::Refused(_)) {
            is_there = true;
            if let Ok(Some(text)) = text_file::read(&file.path) {
                command = command.or_else(|| file.edit.server_command(&text));
                has_hook |= file.part.has_hooks();
            }
        }
        if file.wanted(setup.has_hooks()).is_some() {
            files.push((file, state));
        }
    }
    let plugin = setup.plugin();
    let has_plugin = plugin.is_some();
    if has_plugin && !is_there {
        // They would only repeat what the plugin brings.
        files.clear();
    } else if client.lacks(Lacking::Files) {
        has_hook = true;
        findings.note(
            format!("{title} takes waynote only as a plugin, whose files are not checked"),
            "`waynote plugin FOLDER` writes it, and says how it is installed",
        );
    } else if files.is_empty() && setup.profile.snippet.is_none() {
        findings.note(
            format!("{title} reads servers only from the user's file"),
            "leave out `--project`",
        );
    }
    let paths: Vec<PathBuf> = files.iter().map(|(file, _)| file.path.clone()).collect();
    for (file, state) in files {
        of_file(setup, &file, state, &refused, &mut findings);
    }
    if let Some(snippet) = setup.snippet()? {
        let (file, word) = (snippet.file.display(), client.word());
        is_there = snippet.is_there();
        match is_there {
            true => {
                let server = setup.server();
                command = Some([vec![server.command], server.args].concat());
                findings.ok(format!("{title}: server in {file}"));
            }
            false => findings.wrong(
                format!("{title}: the lines of waynote's server are not in {file}"),
                format!("`waynote install {word}` prints them"),
            ),
        }
    }
    if let Some(plugin) = plugin {
        of_plugin(setup, plugin, is_there, &mut findings);
    }
    if let options @ [_, ..] = setup.target.options() {
        let options: Vec<_> = options.iter().map(|word| quoted(word)).collect();
        let options = options.join(" ");
        findings.ok(format!("{title}: what it starts has `{options}`"));
    }
    let starts_by_name = is_there && !setup.program.contains('/');
    if starts_by_name && environment.on_path(&setup.program).is_none() {
        (command, has_hook) = (None, false);
        findings.wrong(
            format!("{title}: these files start `waynote` by its name, and it is not on the path"),
            "add it to the path, here and wherever the files are shared",
        );
    }
    if let Some(command) = command {
        of_server(setup, &command, now, &mut findings);
    }
    if client.block_event().is_some() && has_hook {
        match trial::hook(setup, now) {
            Ok(took) => {
                let limit = hook_limit(&mut findings);
                of_hook(title, took, limit, &mut findings);
            }
            Err(reason) => failed(title, "the hook", "hook", &reason, &mut findings),
        }
    }
    type Tried = fn(&Setup<'_>, Timestamp, Event) -> Result<Duration, Reason>;
    let tried: [(&[Event], &str, &str, Tried); 2] = [
        (
            &[Event::BeforeTool, Event::AfterTool],
            "hook at tools",
            "a note of the path",
            trial::hand_over,
        ),
        (
            &[Event::AfterFailure, Event::AfterTool],
            "hook after a failure",
            "a note that matches",
            trial::failure,
        ),
    ];
    for (events, hook, brings, tried) in tried {
        let mut events = events.iter().copied();
        let event = events.find(|event| client.event_word(*event).is_some());
        let Some(event) = event.filter(|_| has_hook) else {
            continue;
        };
        match tried(setup, now, event) {
            Ok(_) => findings.ok(format!("{title}: {hook} works: it brings {brings}")),
            Err(reason) => failed(
                title,
                &format!("the {hook}"),
                "hook",
                &reason,
                &mut findings,
            ),
        }
    }
    // Missing files need no trust.
    if is_there || has_plugin {
        for switch in setup.profile.switches {
            for place in paths.iter().filter_map(|path| switch.place(path)) {
                let what = format!("{title}: a setting switches waynote off: {place}");
                findings.wrong_once(what, "take it out, or change its value");
            }
        }
        (setup.profile.trust)(setup, &mut findings)?;
        let lacking = missing_rights(setup.machine, client, &[]);
        for line in lacking {
            let word = client.word();
            findings.note(line, format!("this is for `waynote loop --with {word}`"));
        }
    }
    Ok(findings)
}

/// A trial that fails; credentials are masked.
fn failed(title: &str, what: &str, run: &str, reason: &Reason, findings: &mut Findings) {
    findings.wrong(
        format!("{title}: {what}: {}", masked(&reason.to_string())),
        format!("run the {run}'s command by hand: it prints the reason on standard error"),
    );
}

fn of_file(
    setup: &Setup<'_>,
    file: &ClientFile,
    state: State,
    refused: impl Fn(Error) -> (String, String),
    findings: &mut Findings,
) {
    let title = setup.profile.title;
    let (path, part) = (file.path.display(), file.part);
    let install = format!("`waynote install {}`", setup.words());
    let text = text_file::read(&file.path).ok().flatten();
    let unread = file.unread(setup.profile.reads, text.as_deref().unwrap_or_default());
    if let Some(reason) = unread {
        return findings.wrong(
            format!("{title} does not load {path}: {reason}"),
            "correct that file: nothing in it counts until then",
        );
    }
    if let (State::Outdated, Some(program)) = (&state, missing_program(&file.path)) {
        return findings.wrong(
            format!("{title}: {part} in {path} runs {program}, which does not exist"),
            format!("{install} brings it up to date; `--dry-run` shows how"),
        );
    }
    match state {
        State::There => findings.ok(format!("{title}: {part} in {path}")),
        State::Outdated => findings.note(
            format!(
                "{title}: {part} in {path} lacks entries, or starts the program by another path"
            ),
            format!("{install} brings it up to date; `--dry-run` shows how"),
        ),
        State::Missing => findings.wrong(
            format!("{title}: no {part} in {path}"),
            format!("{install} sets it up"),
        ),
        State::Refused(error) => {
            let (what, next) = refused(error);
            findings.wrong(format!("{title}: {what}"), next);
        }
    }
}

/// The plugin starts the program by its path. A setup by `install` beside it does no harm.
fn of_plugin(setup: &Setup<'_>, plugin: InstalledPlugin, is_twice: bool, findings: &mut Findings) {
    let (title, word) = (setup.profile.title, setup.profile.word);
    match plugin {
        (name, Some(program)) if is_executable(Path::new(&program)) => {
            findings.ok(format!("{title}: the plugin {name} starts {program}"));
        }
        (name, program) => findings.wrong(
            format!(
                "{title}: the plugin does not start waynote: {}",
                program.unwrap_or(name)
            ),
            "remove it, write it again by `waynote plugin FOLDER`, and install it as that says",
        ),
    }
    if is_twice {
        findings.note(
            format!(
                "{title}: it has waynote by the plugin and by `install`: notes and tools come once"
            ),
            format!("keep one: `waynote uninstall {word}`, or remove the plugin in {title}"),
        );
    }
}

/// The program of a hook of ours in a file, if there is none at its path.
fn missing_program(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut programs = text.split('"').filter_map(hook_command::our_program);
    programs.find(|program| program.ends_with("/waynote") && !Path::new(program).exists())
}

fn of_server(setup: &Setup<'_>, command: &[String], now: Timestamp, findings: &mut Findings) {
    let title = setup.profile.title;
    let Some((program, args)) = command.split_first() else {
        return;
    };
    let mut server = Command::new(program);
    server.args(args);
    match round_trip(server) {
        Ok(tools) => findings.ok(format!("{title}: the server answers, with {tools} tools")),
        Err(reason) => findings.wrong(
            format!("{title}: the server `{}`: {reason}", command.join(" ")),
            "run that command by hand; `waynote install` updates the entry if the program has moved",
        ),
    }
    let Some(client) = setup.profile.shows_instructions else {
        return;
    };
    match trial::instructions(setup, client, command, now) {
        Ok(()) => findings.ok(format!("{title}: the server's instructions have the notes")),
        Err(reason) => failed(
            title,
            "the server's instructions",
            "server",
            &reason,
            findings,
        ),
    }
}

fn of_hook(title: &str, took: Duration, limit: Duration, findings: &mut Findings) {
    let figures = format!("{} ms (limit: {} ms)", took.as_millis(), limit.as_millis());
    if took < limit {
        findings.ok(format!("{title}: hook works: {figures}, valid output"));
    } else {
        findings.wrong(
            format!(
                "{title}: hook is too slow: {figures}; past the limit, a session starts without notes"
            ),
            format!(
                "set WAYNOTE_HOOK_WAIT={} (seconds) in the environment of {title}, or put the store on a faster disk",
                took.as_secs() * 2 + 1
            ),
        );
    }
}
