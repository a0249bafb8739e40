//! `waynote doctor`: checks that agents get the notes. Each finding has a hint. Exit code 0 if nothing is
//! wrong, else 1. The checks of a client are in `waynote-clients`.

use std::path::Path;
use std::process::ExitCode;

use anstyle::AnsiColor;
use serde_json::json;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Lineage, Place};
use waynote_clients::{
    Client, Findings, InstallScope, Setup, State, Target, Verdict, examine, states,
};
use waynote_formats::zrb::NotesFile;
use waynote_system::disk;
use waynote_system::shell::quoted;
use waynote_system::variables::TOKEN;

use super::install::reach;
use super::{hook, rollback, share, stands};
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::opened::{OpenStore, Wait};
use crate::settings::{Settings, repos_as_text};
use crate::variables::machine;
use crate::{clock, database, home, program, remote, session_view};

/// So many files of `.waynote/` that are no notes are listed.
const LEFT_OUT: usize = 20;

pub(super) fn run(
    context: &mut Context<'_>,
    client: Option<Client>,
    project: bool,
) -> Outcome<ExitCode> {
    let mut findings = Findings::default();
    binary(&mut findings);
    configuration(context, &mut findings);
    store(context, &mut findings);
    team(context, &mut findings);
    notes_file(context, &mut findings);
    names(context, &mut findings);
    match home::home() {
        Ok(_) => clients(&context.settings, client, project, &mut findings)?,
        Err(failure) if client.is_none() => findings.note(
            format!("{}, so no agent's files are checked", failure.line()),
            failure.hint(),
        ),
        Err(failure) => findings.wrong(failure.line(), failure.hint()),
    }
    let is_well = findings.is_well();
    if context.output.json {
        context.value(&json!({ "ok": is_well, "findings": findings.all() }))?;
    } else {
        let colour = context.output.has_colour();
        for finding in findings.all() {
            let (sign, of) = match finding.verdict {
                Verdict::Ok => ("ok   ", AnsiColor::Green),
                Verdict::Note => ("note ", AnsiColor::Yellow),
                _ => ("WRONG", AnsiColor::Red),
            };
            let sign = session_view::painted(sign, of.on_default(), colour);
            context.coloured(&format!("{sign} {}\n", finding.what))?;
            if let Some(next) = &finding.next {
                context.line(format!("      next: {next}"))?;
            }
        }
    }
    Ok(ExitCode::from(u8::from(!is_well)))
}

/// Checks the agent that is named, else those that are set up.
fn clients(
    settings: &Settings,
    named: Option<Client>,
    project: bool,
    findings: &mut Findings,
) -> Outcome {
    let mut checked = 0;
    for client in named.map_or(Client::ALL.to_vec(), |client| vec![client]) {
        let is_set_up = |reach| -> Outcome<bool> {
            // Home and the root have no project's files.
            let Ok(setup) = Setup::new(machine(), client, reach) else {
                return Ok(false);
            };
            let states = states(machine(), client, reach)?;
            let is_there = |state: &State| !matches!(state, State::Missing);
            Ok(setup.plugin().is_some() || states.iter().any(is_there))
        };
        // If the client is set up in this directory alone, that setup is checked.
        let is_in_project =
            !project && !is_set_up(InstallScope::User)? && is_set_up(InstallScope::Project)?;
        let reach = reach(project || is_in_project);
        if named.is_none() && !is_set_up(reach)? {
            continue;
        }
        checked += 1;
        let setup = Setup::new(machine(), client, reach)?;
        findings.append(of_client(&setup)?);
        of_target(settings, &setup, findings)?;
    }
    if checked == 0 {
        let hint = "`waynote install` lists those on this machine";
        findings.note("no agent is set up", hint);
    }
    Ok(())
}

fn binary(findings: &mut Findings) {
    let own = program::own().ok();
    let Some(path) = home::environment().on_path("waynote") else {
        let folder = own.as_deref().and_then(Path::parent);
        let folder = folder.map_or("its folder".into(), |folder| folder.display().to_string());
        findings.note(
            "`waynote` is not on the path",
            format!("add {folder} to PATH: files shared by a team start it by its name"),
        );
        return;
    };
    let is_this = path.canonicalize().ok() == own.and_then(|own| own.canonicalize().ok());
    let path = path.display();
    let version = env!("CARGO_PKG_VERSION");
    match is_this {
        true => findings.ok(format!("binary: {path}, version {version}")),
        false => findings.note(
            format!("{path} comes first on the path, and is not the running program"),
            "remove one of the two, or change PATH",
        ),
    }
}

/// Findings about values in the configuration file and in variables that cannot be used.
fn configuration(context: &Context<'_>, findings: &mut Findings) {
    for problem in &context.settings.problems {
        let what = format!("settings: {}", problem.told());
        findings.wrong(what, problem.hint.clone());
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
        Ok(None) => findings.ok(format!("notes_file: {shown}, created by the first write")),
        Err(error) => {
            let said = format!("notes_file: {error}");
            findings.wrong(said, Failure::from(error).hint());
        }
    }
}

/// How the repository of this directory is called, and notes of it that stand elsewhere. What fails here is found by
/// the other checks.
fn names(context: &Context<'_>, findings: &mut Findings) {
    let settings = &context.settings;
    let lineage = home::base().and_then(|base| settings.lineage(&base.cwd()));
    let Ok(lineage) = lineage else {
        return;
    };
    if let Some(name) = lineage.repository() {
        findings.ok(format!(
            "this repository is called {}",
            visible(name.as_str())
        ));
    }
    let hints = context.read(|store| stands::all(settings, store, &lineage));
    for hint in hints.unwrap_or_default() {
        let next = hint
            .next
            .unwrap_or_else(|| "`waynote place list` lists the notes".into());
        findings.note(hint.what, next);
    }
    for checkout in lineage.checkouts().iter().filter(|of| settings.trusts(of)) {
        for left_out in share::left_out(checkout).into_iter().take(LEFT_OUT) {
            let next = "mend, rename or remove the file; docs/teams.md has its form";
            findings.note(left_out, next);
        }
    }
    let naming = settings.naming();
    let alike = home::environment()
        .alike(&lineage, &naming)
        .unwrap_or_default();
    for (name, meant, evidence) in alike {
        let named = |place: &Place| place.in_repository().unwrap_or_default().0.to_owned();
        let (name, meant) = (named(&name), named(&meant));
        let mut rows = naming.clone();
        // A name on the right of a row stands on the left of none.
        let counting = rows.same.values_mut().filter(|of| **of == name);
        counting.for_each(|of| of.clone_from(&meant));
        rows.same.insert(name.clone(), meant.clone());
        let rows = quoted(&repos_as_text(&rows).unwrap_or_default());
        let next = format!("`waynote config set repos {rows}` makes the two names one");
        let what = format!("{name} may be {meant}: {evidence}");
        findings.note(visible(&what), visible(&next));
    }
}

/// Checks that the team's store answers, where there is one, and serves the repository of this directory.
fn team(context: &Context<'_>, findings: &mut Findings) {
    let settings = &context.settings;
    let Some(url) = &settings.team_store.value else {
        if !settings.team_repositories.value.is_empty() {
            let what = "team: `team.repositories` is set, and no `team.store`";
            findings.note(what, "`waynote config set team.store URL` names it");
        }
        return;
    };
    if settings.team().is_none() {
        return findings.note(
            format!(
                "team: {url} is not read: `store` names a store elsewhere, which is addressed alone"
            ),
            "unset one of the two: `waynote config unset store`",
        );
    }
    let answer = settings.open_team().and_then(|team| Ok(team.store_id()?));
    if let Err(failure) = answer {
        return findings.wrong(format!("team: {}", failure.line()), failure.hint());
    }
    settings.end_pause_of_team();
    let set = "`waynote config set team.repositories 'github.com/acme/*'` names those of the team";
    if settings.team_repositories.value.is_empty() {
        let what = format!("team: {url} answers, and serves no repository");
        return findings.wrong(what, set);
    }
    findings.ok(format!("team: {url} answers"));
    let here = context.here().ok();
    let here = here.as_ref().and_then(Lineage::repository);
    if here.is_some_and(|of| !settings.is_of_team(of)) {
        let what = "team: this repository fits no pattern of `team.repositories`";
        findings.note(what, set);
    }
}

fn store(context: &Context<'_>, findings: &mut Findings) {
    if let Err(failure) = context.settings.check() {
        findings.wrong(failure.line(), failure.hint());
        return;
    }
    let settings = &context.settings;
    if let Some(url) = settings.remote().or(settings.database()) {
        let answers = context.read(|store| Ok(store.store_id()?));
        let tried = answers.and_then(|_| match settings.database() {
            Some(url) => database::try_write(settings, url).map(|()| ", and can be written"),
            None => Ok(""),
        });
        match tried {
            Ok(more) => findings.ok(format!("store: {url} answers{more}")),
            Err(failure) => findings.wrong(format!("store: {}", failure.line()), failure.hint()),
        }
        return;
    }
    let file = &context.settings.store.value;
    if let Some(network) = disk::network(file) {
        let what = "several machines must not use it at once";
        let what = format!("the store lies on a network file system ({network}): {what}");
        let hint = "give each machine a store on a disk of its own (`--store`, WAYNOTE_STORE)";
        findings.note(what, hint);
    }
    let path = file.display().to_string();
    let lost = context.opened().and_then(|opened| opened.rollback());
    if let Ok(Some(lost)) = lost {
        findings.wrong(format!("store: {path} {lost}"), rollback::HINT);
        return;
    }
    if lost.is_ok() && !context.settings.store.value.exists() {
        findings.ok(format!("store: {path}, created by the first write"));
        return;
    }
    let opened = context.opened();
    if let Err(failure) = opened.and_then(|opened| Ok(opened.sqlite()?.may_be_written()?)) {
        findings.wrong(format!("store: {}", failure.line()), failure.hint());
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
            "`waynote verify` says more; `waynote config` shows where its name comes from",
        ),
    }
}

/// Checks that this user can write a store: its file, and its folder, because the engine keeps its log there. The error
/// names the one that cannot be written.
fn written_to(store: &Path) -> Result<(), &'static str> {
    use rustix::fs::{Access, access};
    let folder = store.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    for (path, what) in [(store, "its file"), (folder, "its folder")] {
        access(path, Access::WRITE_OK).map_err(|_| what)?;
    }
    Ok(())
}

/// The findings of a client.
fn of_client(setup: &Setup<'_>) -> Outcome<Findings> {
    let limit = |findings: &mut Findings| {
        let hint = "write a number of seconds, or leave the variable out";
        hook::longest(hook::START_WAIT, |reason| findings.wrong(reason, hint))
    };
    let refused = |error| {
        let failure = Failure::from(error);
        (failure.line(), failure.hint())
    };
    Ok(examine(setup, clock::now()?, limit, refused)?)
}

/// The hint for an endpoint that a client cannot use. Clients do not read the settings of this program.
fn of_endpoint(failure: &Failure, title: &str) -> String {
    match failure.kind() {
        "server_not_trusted" => format!(
            "let this system trust the authority that signed the server's certificate, and {title} too (programs of \
             Node: NODE_EXTRA_CA_CERTS=FILE)"
        ),
        "unauthorized" => format!("start {title} with a token that counts in {TOKEN}"),
        _ => failure.hint(),
    }
}

/// Checks that the server in a client's entry answers, and accepts the token.
fn of_target(settings: &Settings, setup: &Setup<'_>, findings: &mut Findings) -> Outcome {
    let Some(url) = setup.target.store() else {
        return Ok(());
    };
    let title = setup.client().title();
    if setup.target.is_endpoint() && home::variable(TOKEN)?.is_none() {
        findings.note(
            format!("{title}: its entry refers to {TOKEN}, which is not set here"),
            format!("set it in the environment that {title} is started with, if the server wants a token"),
        );
    }
    if let Target::Endpoint(endpoint) = &setup.target {
        match remote::endpoint_tools(endpoint) {
            Ok(tools) => findings.ok(format!(
                "{title}: the endpoint {url}/mcp answers, with {tools} tools"
            )),
            Err(failure) => findings.wrong(
                format!("{title}: the endpoint: {}", failure.line()),
                of_endpoint(&failure, title),
            ),
        }
        return Ok(());
    }
    // The server of the settings has been checked already.
    let mut named = settings.clone();
    named.store.value = url.into();
    let answer =
        OpenStore::of(&named, false, Wait::Now).and_then(|opened| Ok(opened.store().store_id()?));
    match answer {
        Ok(_) => findings.ok(format!("{title}: the store {url} answers")),
        Err(failure) => findings.wrong(format!("{title}: {}", failure.line()), failure.hint()),
    }
    Ok(())
}
