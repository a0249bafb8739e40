//! `waynote doctor`: whether agents get the notes. Each finding says what to do next; exit code 0 when nothing is wrong, else 1.

mod blocks;
mod load;
mod sources;
mod trial;

use std::path::Path;
use std::process::{Command, ExitCode};

use serde::Serialize;
use serde_json::{Value, json};
use waynote::secrets::masked;
use waynote::text::plural;
use waynote::visible::visible;
use waynote_formats::zrb::NotesFile;

use super::Context;
use super::install::{plan, reach, words};
use super::installed::{State, state};
use crate::clients::change::{Edit, NAME};
use crate::clients::files::{Part, Plan, Reach};
use crate::clients::rights::{Missing, missing};
use crate::clients::{Client, disk, goose, probe};
use crate::error::{Failure, Outcome};
use crate::{home, program, zrb_file};

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    /// Not wrong, and perhaps wanted: only a person knows.
    Note,
    Wrong,
}

#[derive(Serialize)]
struct Finding {
    verdict: Verdict,
    what: String,
    /// What to do.
    next: Option<String>,
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn ok(&mut self, what: impl AsRef<str>) {
        self.push(Verdict::Ok, what.as_ref(), None);
    }

    fn note(&mut self, what: impl AsRef<str>, next: impl Into<String>) {
        self.push(Verdict::Note, what.as_ref(), Some(next.into()));
    }

    fn wrong(&mut self, what: impl AsRef<str>, next: impl Into<String>) {
        self.push(Verdict::Wrong, what.as_ref(), Some(next.into()));
    }

    fn push(&mut self, verdict: Verdict, what: &str, next: Option<String>) {
        self.0.push(Finding {
            verdict,
            what: visible(what),
            next,
        });
    }
}

pub(super) fn run(
    context: &mut Context<'_>,
    client: Option<Client>,
    project: bool,
) -> Outcome<ExitCode> {
    let mut findings = Findings::default();
    binary(&mut findings);
    configuration(context, &mut findings);
    store(context, &mut findings);
    notes_file(context, &mut findings);
    zrb(context, &mut findings);
    match home::home() {
        Ok(_) => clients(client, project, &mut findings)?,
        Err(failure) if client.is_none() => findings.note(
            format!("{}, so no agent's files are checked", failure.line()),
            failure.hint(),
        ),
        Err(failure) => findings.wrong(failure.line(), failure.hint()),
    }
    let is_well = findings
        .0
        .iter()
        .all(|finding| finding.verdict != Verdict::Wrong);
    if context.output.json {
        context
            .output
            .value(&json!({ "ok": is_well, "findings": findings.0 }))?;
    } else {
        for finding in &findings.0 {
            let sign = match finding.verdict {
                Verdict::Ok => "ok   ",
                Verdict::Note => "note ",
                Verdict::Wrong => "WRONG",
            };
            context.output.line(format!("{sign} {}", finding.what))?;
            if let Some(next) = &finding.next {
                context.output.line(format!("      next: {next}"))?;
            }
        }
    }
    Ok(if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// Checks the agent that is named, else those that are set up.
fn clients(named: Option<Client>, project: bool, findings: &mut Findings) -> Outcome {
    let mut checked = 0;
    for client in named.map_or(Client::ALL.to_vec(), |client| vec![client]) {
        let is_set_up = |reach| -> Outcome<bool> {
            // Home and the root have no project's files.
            let Ok(plan) = plan(client, reach, false) else {
                return Ok(false);
            };
            let pieces = plan.pieces()?;
            Ok(pieces
                .iter()
                .any(|piece| !matches!(state(piece), State::Missing)))
        };
        // Set up in this directory alone, that is what counts.
        let is_in_project = !project && !is_set_up(Reach::User)? && is_set_up(Reach::Project)?;
        let reach = reach(project || is_in_project);
        if named.is_none() && !is_set_up(reach)? {
            continue;
        }
        checked += 1;
        of_client(&plan(client, reach, false)?, findings)?;
    }
    if checked == 0 {
        findings.note(
            "no agent is set up",
            "`waynote install` lists those on this machine",
        );
    }
    Ok(())
}

fn binary(findings: &mut Findings) {
    let own = program::own().ok();
    let Some(path) = program::on_path("waynote") else {
        let folder = own.as_deref().and_then(Path::parent);
        let folder = folder.map_or("its folder".into(), |folder| folder.display().to_string());
        findings.note(
            "`waynote` is not on the path",
            format!("add {folder} to PATH: files that a team shares start it by its name"),
        );
        return;
    };
    let is_this = path.canonicalize().ok() == own.and_then(|own| own.canonicalize().ok());
    let path = path.display();
    if is_this {
        findings.ok(format!(
            "binary: {path}, version {}",
            env!("CARGO_PKG_VERSION")
        ));
    } else {
        findings.note(
            format!("{path} comes first on the path, and is not the program that runs now"),
            "remove one of the two, or change PATH",
        );
    }
}

/// What the configuration file or a variable says, and cannot be used.
fn configuration(context: &Context<'_>, findings: &mut Findings) {
    for problem in &context.settings.problems {
        findings.wrong(
            format!("settings: {}", masked(&problem.told())),
            problem.hint.clone(),
        );
    }
}

/// The notes.json that the store is kept in sync with.
fn notes_file(context: &Context<'_>, findings: &mut Findings) {
    let Some(path) = &context.settings.notes_file.value else {
        return;
    };
    let shown = path.display();
    match NotesFile::open(path) {
        Ok(Some(_)) => findings.ok(format!("notes_file: {shown}, kept in sync")),
        Ok(None) => findings.ok(format!("notes_file: {shown}, made at the first write")),
        Err(error) => {
            let said = format!("notes_file: {error}");
            findings.wrong(said, Failure::from(error).way_out());
        }
    }
}

/// Notes of Zrb that are not kept in sync.
fn zrb(context: &Context<'_>, findings: &mut Findings) {
    if let Some(file) = zrb_file::not_in_sync(&context.settings) {
        findings.note(
            format!("Zrb's notes in {} are not read", file.display()),
            format!("`{}` keeps both in sync", zrb_file::SYNC),
        );
    }
}

fn store(context: &Context<'_>, findings: &mut Findings) {
    if let Err(failure) = context.settings.has_store() {
        findings.wrong(failure.line(), failure.hint());
        return;
    }
    let path = context.settings.store.value.display().to_string();
    if !context.settings.store.value.exists() {
        findings.ok(format!("store: {path}, made at the first write"));
        return;
    }
    match context.read(|store| Ok(store.verify()?)) {
        Ok(report) if report.is_clean() => {
            let notes = plural(report.notes, "note");
            match written_to(&context.settings.store.value) {
                Ok(()) => findings.ok(format!("store: {path}, {notes}, sound")),
                Err(what) => findings.wrong(
                    format!("store: {path}, {notes}, sound, but {what} cannot be written: agents can save nothing"),
                    "make it writable for this user, or name another store with `waynote config set store PATH`",
                ),
            }
        }
        Ok(report) => findings.wrong(
            format!(
                "store: {path} is damaged in places: {} found",
                report.problems.len()
            ),
            "`waynote verify` names them",
        ),
        Err(failure) => findings.wrong(
            format!("store: {}", failure.line()),
            "`waynote verify` says more; `waynote config` tells where its name comes from",
        ),
    }
}

/// What of a store this user cannot write: its file, or its folder, where the engine keeps its log.
fn written_to(store: &Path) -> Result<(), &'static str> {
    use rustix::fs::{Access, access};
    let folder = store.parent().filter(|folder| *folder != Path::new(""));
    let is_denied = |path: &Path| access(path, Access::WRITE_OK).is_err();
    if is_denied(store) {
        return Err("its file");
    }
    match is_denied(folder.unwrap_or(Path::new("."))) {
        true => Err("its folder"),
        false => Ok(()),
    }
}

fn of_client(plan: &Plan, findings: &mut Findings) -> Outcome {
    let title = plan.client.title();
    if plan.pieces()?.is_empty() {
        findings.note(
            format!("{title} reads servers from the user's file alone"),
            "leave `--project` away",
        );
    }
    let mut server = None;
    let (mut hooked, mut is_there) = (false, false);
    for piece in plan.pieces()? {
        let path = piece.path.display();
        let what = piece.what;
        let install = format!("`waynote install {}`", words(plan));
        match state(&piece) {
            State::There => findings.ok(format!("{title}: {what} in {path}")),
            State::Outdated => findings.note(
                format!("{title}: {what} in {path} is of another version or place of waynote"),
                format!("{install} brings it up to date; `--dry-run` shows how"),
            ),
            State::Older(lines) => findings.note(
                format!(
                    "{title}: {what} in {path} is older than this program: {}",
                    lines.join("; ")
                ),
                format!("{install} brings it up to date; `--dry-run` shows how"),
            ),
            State::Changed(lines) => findings.note(
                format!(
                    "{title}: {what} in {path} was changed by hand, and is older than this program: {}",
                    lines.join("; ")
                ),
                "change those lines by hand; `waynote install` leaves the entry as it is",
            ),
            State::Missing => {
                findings.wrong(
                    format!("{title}: no {what} in {path}"),
                    format!("{install} sets it up"),
                );
                continue;
            }
            // What is somebody else's is not started.
            State::Refused(failure) => {
                findings.wrong(format!("{title}: {}", failure.line()), failure.way_out());
                continue;
            }
        }
        is_there = true;
        if let Ok(Some(text)) = disk::read(&piece.path) {
            server = server.or_else(|| configured(plan.client, &piece.edit, &text));
            hooked |= what.has_hooks();
        }
    }
    let starts_by_name = is_there && !plan.program.contains('/');
    if starts_by_name && program::on_path(&plan.program).is_none() {
        findings.wrong(
            format!("{title}: these files start `waynote` by its name, and it is not on the path"),
            "put it there, here and wherever the files are shared",
        );
        (server, hooked) = (None, false);
    }
    if let Some(server) = &server {
        live(plan, server, findings);
    }
    if plan.client == Client::Goose {
        // No hook brings the notes there: the server's instructions hold them.
        if let Some(server) = &server {
            trial::instructed(plan, server, findings);
        }
    } else if hooked {
        trial::canary(plan, findings);
    }
    // What is not there needs no trust.
    if is_there {
        blocks::check(plan, findings)?;
        trust(plan, findings)?;
        in_a_loop(plan.client, findings);
    }
    Ok(())
}

/// What an agent of the client may not do in a loop, as `waynote loop --with` says it at its start.
fn in_a_loop(client: Client, findings: &mut Findings) {
    for Missing { what, next } in missing(client, &[]) {
        let command = format!("`waynote loop --with {}`", client.word());
        findings.note(
            format!("{}: in a loop, {what}", client.title()),
            format!("for {command}: {next}"),
        );
    }
}

/// The command of our server as the client's file has it.
fn configured(client: Client, edit: &Edit, text: &str) -> Option<Vec<String>> {
    let texts = |value: &Value| -> Option<Vec<String>> {
        let values = value.as_array()?;
        values
            .iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect()
    };
    let split = |entry: &Value, command: &str| {
        let command = entry[command].as_str()?.to_owned();
        let args = texts(&entry["args"]).unwrap_or_default();
        Some(std::iter::once(command).chain(args).collect())
    };
    match edit {
        Edit::Json(_) => {
            let file = crate::clients::json::read(text)?;
            match client {
                Client::Opencode => texts(&file["mcp"][NAME]["command"]),
                Client::Vscode => split(&file["servers"][NAME], "command"),
                _ => split(&file["mcpServers"][NAME], "command"),
            }
        }
        Edit::Toml(_) => {
            let file: toml::Table = text.parse().ok()?;
            let entry = file.get("mcp_servers")?.get(NAME)?;
            split(&json!(entry), "command")
        }
        Edit::Yaml(_) => crate::clients::yaml::command(text),
        Edit::Whole { .. } => None,
    }
}

fn live(plan: &Plan, server: &[String], findings: &mut Findings) {
    let title = plan.client.title();
    let Some((program, args)) = server.split_first() else {
        return;
    };
    let mut command = Command::new(program);
    command.args(args);
    match probe::round_trip(command) {
        Ok(answered) => findings.ok(format!(
            "{title}: the server answers, with {} tools",
            answered.tools.len()
        )),
        Err(reason) => findings.wrong(
            format!("{title}: the server `{}`: {reason}", server.join(" ")),
            "run that command by hand; `waynote install` writes the entry anew when the program has moved",
        ),
    }
}

/// What a client still wants from its user, as far as its files tell.
fn trust(plan: &Plan, findings: &mut Findings) -> Outcome {
    let title = plan.client.title();
    match (plan.client, plan.reach) {
        (Client::Codex, reach) => {
            let user = super::install::plan(Client::Codex, Reach::User, false)?.pieces()?;
            let config = user.first().map(|piece| piece.path.clone());
            // One that cannot be read is named above.
            let config = config.and_then(|path| disk::read(&path).ok().flatten());
            let table: toml::Table = config
                .as_deref()
                .and_then(|text| text.parse().ok())
                .unwrap_or_default();
            let hooks = plan
                .pieces()?
                .into_iter()
                .find(|piece| piece.what == Part::Hooks);
            let file = hooks.map(|piece| piece.path).unwrap_or_default();
            let known = table
                .get("hooks")
                .and_then(|hooks| hooks.get("state"))
                .and_then(toml::Value::as_table);
            let is_trusted = known.is_some_and(|known| {
                known.iter().any(|(key, state)| {
                    key.starts_with(&*file.to_string_lossy()) && state.get("trusted_hash").is_some()
                })
            });
            if is_trusted {
                findings.ok(format!("{title}: hooks of {} are trusted", file.display()));
            } else {
                findings.wrong(
                    format!(
                        "{title}: the hooks are not trusted yet: Codex skips them without a word"
                    ),
                    "start Codex, open `/hooks` and trust them",
                );
            }
            let here = std::env::current_dir()
                .map_err(|error| Failure::file("the working directory", "read", error))?;
            let project = table
                .get("projects")
                .and_then(|projects| projects.get(&*here.to_string_lossy()));
            let trusted = project.and_then(|project| project.get("trust_level"));
            if reach == Reach::Project && trusted.and_then(toml::Value::as_str) != Some("trusted") {
                findings.wrong(
                    format!(
                        "{title}: {} is not trusted: its files are not read",
                        here.display()
                    ),
                    "start Codex here and trust the directory",
                );
            }
        }
        (Client::ClaudeCode, Reach::Project) if !is_approved()? => findings.wrong(
            format!("{title}: the server of .mcp.json is not approved yet"),
            "start Claude Code here and approve `waynote`",
        ),
        (Client::Goose, _) => {
            for piece in plan.left_over()? {
                if piece.path.exists() {
                    findings.note(
                        format!("{title}: {} is of an earlier version", piece.path.display()),
                        format!("`waynote install {}` removes it", words(plan)),
                    );
                }
            }
            if let Some(step) = goose::left_to_the_user()? {
                let what = format!("{title}: {} is still set", goose::VARIABLE);
                findings.note(what, step);
            }
        }
        (Client::ClaudeCode, Reach::User) | (Client::Opencode, _) => {}
        (Client::Cursor | Client::Gemini | Client::Vscode | Client::ClaudeCode, _) => {
            for step in plan.left_to_the_user() {
                findings.note(
                    format!("{title}: whether it is switched on there cannot be told from files"),
                    step,
                );
            }
        }
    }
    Ok(())
}

/// Whether Claude Code's files say that the project's server is approved.
fn is_approved() -> Outcome<bool> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::file("the working directory", "read", error))?;
    let user = super::install::plan(Client::ClaudeCode, Reach::User, false)?.pieces()?;
    let value =
        |path: &Path| -> Option<Value> { crate::clients::json::read(&disk::read(path).ok()??) };
    let mut places: Vec<Value> = Vec::new();
    for (number, piece) in user.iter().enumerate() {
        let Some(file) = value(&piece.path) else {
            continue;
        };
        places.push(if number == 0 {
            file["projects"][&*here.to_string_lossy()].clone()
        } else {
            file
        });
    }
    places.extend(value(&here.join(".claude/settings.local.json")));
    places.extend(value(&here.join(".claude/settings.json")));
    Ok(places.iter().any(|place| {
        let listed = place["enabledMcpjsonServers"].as_array();
        place["enableAllProjectMcpServers"] == json!(true)
            || listed.is_some_and(|listed| listed.contains(&json!(NAME)))
    }))
}
