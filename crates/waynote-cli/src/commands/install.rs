//! `waynote install` and `uninstall`: carries out and shows the changes to an agent's files. `waynote-clients` decides
//! on the changes.

use serde_json::{Value, json};
use similar::TextDiff;
use waynote::text::cut;
use waynote::visible::visible;
use waynote_clients::{
    Action, Client, InstallScope, Installation, Lacking, Remark, Removal, Setup, Snippet, State,
    Step, Target, is_set_up, records_folder, states,
};

use waynote_remote::Url;

use super::unseen::{named, unseen};
use crate::args::{ClientArg, InstallArgs, UninstallArgs};
use crate::database;
use crate::error::{Failure, Outcome};
use crate::home::{base, environment};
use crate::invocation::Context;
use crate::settings::{Origin, Settings};
use crate::table::table;
use crate::variables::machine;

/// The option that names a store.
const STORE: &str = "--store";

const DRY_RUN: &str = "nothing was written: this was a dry run";

pub(super) fn install(context: &mut Context<'_>, args: &InstallArgs) -> Outcome {
    let value = match args.client {
        Some(ClientArg(client)) => install_one(context, args, client)?,
        None if args.all => Value::Array(into_each(context, found(args.project)?, args)?),
        None => return list(context),
    };
    said(context, &value)
}

/// Prints for a program what was printed for people meanwhile.
fn said(context: &mut Context<'_>, value: &Value) -> Outcome {
    match context.output.json {
        true => context.value(value),
        false => Ok(()),
    }
}

/// The clients of this machine that have files to set up.
pub(super) fn found(project: bool) -> Outcome<Vec<Client>> {
    let lacking = match project {
        true => Lacking::ProjectFiles,
        false => Lacking::Files,
    };
    let mut found = Vec::new();
    for client in Client::ALL {
        if !client.lacks(lacking) && client.is_found(machine())? {
            found.push(client);
        }
    }
    Ok(found)
}

/// Into each of these clients. An option that one lacks is left out there.
pub(super) fn into_each(
    context: &mut Context<'_>,
    clients: Vec<Client>,
    args: &InstallArgs,
) -> Outcome<Vec<Value>> {
    each(context, clients, |context, client| {
        let has = |part| !client.lacks(part);
        let args = InstallArgs {
            every_prompt: args.every_prompt && has(Lacking::Prompts),
            ask: args.ask && has(Lacking::Ending),
            by_server: args.by_server && has(Lacking::Calls),
            ..args.clone()
        };
        install_one(context, &args, client)
    })
}

/// Does something with each of these clients. One that fails keeps no other from it; the error says which ones were done.
fn each(
    context: &mut Context<'_>,
    clients: Vec<Client>,
    one: impl Fn(&mut Context<'_>, Client) -> Outcome<Value>,
) -> Outcome<Vec<Value>> {
    if clients.is_empty() && !context.output.json {
        context.line("no agent was found here")?;
    }
    let (mut values, mut done, mut failed, mut hints) = (vec![], vec![], vec![], vec![]);
    for client in clients {
        if !context.output.json {
            context.line(format!("{}:", client.title()))?;
        }
        match one(context, client) {
            Ok(mut value) => {
                value["client"] = client.word().into();
                values.push(value);
                done.push(client.title());
            }
            Err(failure) => {
                failed.push(format!("{}: {}", client.title(), failure.line()));
                hints.push(failure.hint());
            }
        }
    }
    if failed.is_empty() {
        return Ok(values);
    }
    let done = match done.is_empty() {
        true => "nothing was done".to_owned(),
        false => format!("done: {}", done.join(", ")),
    };
    let what = format!("{}; {done}", failed.join("; "));
    Err(Failure::refused("not_all", what, hints.join("\n  ")))
}

/// Into one client; prints the steps, and gives them as a value.
fn install_one(context: &mut Context<'_>, args: &InstallArgs, client: Client) -> Outcome<Value> {
    let mut setup = Setup::new(machine(), client, reach(args.project))?;
    (setup.every_prompt, setup.asks) = (args.every_prompt, args.ask);
    setup.by_server = args.by_server;
    setup.target = target(context, args.remote_mcp, &setup)?;
    let installation = Installation::plan(&setup, args.dry_run)?;
    let is_found = client.is_found(machine())?;
    if !args.dry_run {
        installation.carry_out()?;
    }
    let steps = installation.steps();
    let unseen = unseen(&context.settings, &setup);
    let mut next = next_steps(&setup, is_found)?;
    next.extend(unseen.iter().cloned());
    let snippet = setup.snippet()?;
    let mut value = value(steps, args.dry_run, &next);
    if let Some(of) = &snippet {
        value["add"] = json!({ "file": of.file, "below": of.below, "lines": of.lines });
    }
    if context.output.json {
        return Ok(value);
    }
    report(context, steps, args.dry_run)?;
    let by_hand = snippet.filter(|snippet| !snippet.is_there());
    if let Some(of) = &by_hand {
        let file = visible(&of.file.display().to_string());
        context.line(format!("add these lines to {file}, below `{}`:", of.below))?;
        for line in of.lines.lines() {
            context.line(visible(line))?;
        }
    }
    let is_unchanged =
        by_hand.is_none() && steps.iter().all(|step| step.action == Action::Unchanged);
    if is_unchanged || args.dry_run {
        // The settings of this call that the client will not see are named even if its files stay as they are.
        next = unseen;
    } else {
        if steps.iter().any(|step| step.action == Action::Changed) {
            let folder = records_folder(environment())?.display().to_string();
            let folder = visible(&folder);
            context.line(format!("copies of the previous files: {folder}"))?;
        }
        if let Some(copy) = setup.copied_program() {
            let copy = visible(&copy.display().to_string());
            context.line(format!(
                "agents start a copy of the program, {copy}: this one may go with its cache; installing again renews the copy"
            ))?;
        }
    }
    for step in next {
        context.line(format!("next: {step}"))?;
    }
    let words = setup.words();
    context.line(match (is_unchanged, args.dry_run) {
        (true, _) => format!("already set up; `waynote doctor {words}` checks it"),
        (false, true) => DRY_RUN.to_owned(),
        (false, false) => format!("then: waynote doctor {words}"),
    })?;
    Ok(value)
}

/// True if all of a client's own files are set up.
pub(super) fn is_there(client: Client) -> Outcome<bool> {
    let states = states(machine(), client, InstallScope::User)?;
    Ok(states.iter().all(|state| matches!(state, State::There)))
}

/// The target for the client's files: their current one, with the settings of this call.
fn target(context: &Context<'_>, remote_mcp: bool, setup: &Setup<'_>) -> Outcome<Target> {
    let settings = &context.settings;
    if remote_mcp {
        let Some(url) = settings.remote() else {
            let hint = "name it: `--store https://HOST/s/NAME`";
            let what = "`--remote-mcp` needs a store on a server";
            return Err(Failure::usage(what, hint));
        };
        let endpoint = Target::endpoint(&Url::read(url)?.to_string());
        // A project's files are for other people's machines too.
        let endpoint = match setup.reach {
            InstallScope::User => endpoint.with_parameter("home", &environment().home()?),
            InstallScope::Project => {
                let lineage = settings.lineage(&base()?.cwd())?;
                let named = lineage.project().filter(|of| of.in_repository().is_some());
                match named {
                    Some(project) => endpoint.with_parameter("place", project.as_str()),
                    None => endpoint,
                }
            }
        };
        return Ok(with_settings(&endpoint, settings));
    }
    let is_elsewhere = named(settings, setup.reach)?
        .iter()
        .any(|(option, _)| option == STORE);
    if setup.target.is_endpoint() && !is_elsewhere {
        return Ok(with_settings(&setup.target, settings));
    }
    named_target(settings, setup.target.clone(), setup.reach)
}

/// A target with the settings of this call that entries and hooks must name.
pub(super) fn named_target(
    settings: &Settings,
    target: Target,
    reach: InstallScope,
) -> Outcome<Target> {
    let named = named(settings, reach)?;
    let names_store = named.iter().any(|(option, _)| option == STORE);
    if let Some(url) = settings.database().filter(|_| names_store) {
        database::named(settings, url)?;
    }
    let with = |target: Target, (option, value): (String, String)| target.with(&option, &value);
    Ok(named.into_iter().fold(target, with))
}

/// An endpoint with the settings that it takes as parameters, since no program of ours reads them for it.
fn with_settings(endpoint: &Target, settings: &Settings) -> Target {
    let mut endpoint = endpoint.clone();
    for (known, value, origin) in settings.shown() {
        let is_parameter = ["agent", "session", "style", "budget"].contains(&known.name);
        if let (true, Some(value)) = (is_parameter && *origin != Origin::Default, value) {
            endpoint = endpoint.with_parameter(known.name, &value);
        }
    }
    endpoint
}

/// The steps that are left to the user, and warnings.
fn next_steps(setup: &Setup<'_>, is_found: bool) -> Outcome<Vec<String>> {
    let mut steps = setup.next_steps();
    let title = setup.client().title();
    if !is_found && setup.reach == InstallScope::User {
        let step = "it was not found on this machine; its files are ready for it";
        steps.insert(0, format!("install {title}: {step}"));
    }
    if setup.reach == InstallScope::Project && environment().on_path("waynote").is_none() {
        steps.push(
            "add `waynote` to the path, here and wherever these files are used: they start it by its name".into(),
        );
    }
    Ok(steps)
}

pub(super) fn uninstall(context: &mut Context<'_>, args: &UninstallArgs) -> Outcome {
    if let Some(ClientArg(client)) = args.client {
        let value = uninstall_one(context, args, client)?;
        return said(context, &value);
    }
    let is_set_up = |client: &Client| is_set_up(machine(), *client, reach(args.project));
    let set_up = Client::ALL.into_iter().rev().filter(is_set_up);
    let set_up: Vec<Client> = set_up.collect();
    if !args.all {
        let words: Vec<&str> = set_up.iter().map(|client| client.word()).collect();
        let hint = match words.join(", ") {
            none if none.is_empty() => "none is set up here".to_owned(),
            words => format!("set up here: {words}; `--all` means every one of them"),
        };
        let what = "no agent is named: nothing was removed";
        return Err(Failure::usage(what, hint));
    }
    let values = each(context, set_up, |context, client| {
        uninstall_one(context, args, client)
    })?;
    said(context, &Value::Array(values))
}

/// From one client; prints the steps, and gives them as a value.
fn uninstall_one(
    context: &mut Context<'_>,
    args: &UninstallArgs,
    client: Client,
) -> Outcome<Value> {
    let setup = Setup::new(machine(), client, reach(args.project))?;
    let removal = Removal::plan(&setup, args.dry_run)?;
    if !args.dry_run {
        removal.carry_out()?;
    }
    let steps = removal.steps();
    let value = value(steps, args.dry_run, &[]);
    if context.output.json {
        return Ok(value);
    }
    report(context, steps, args.dry_run)?;
    let by_hand = setup.snippet()?.filter(Snippet::is_there);
    context.line(if let Some(snippet) = by_hand {
        let file = visible(&snippet.file.display().to_string());
        format!("remove the entry `waynote` from {file} by hand")
    } else if steps.iter().all(|step| step.action == Action::Unchanged) {
        "these files have no entries of waynote".to_owned()
    } else if args.dry_run {
        DRY_RUN.to_owned()
    } else {
        let (title, store) = (client.title(), &context.settings.store.value);
        let store = store.display().to_string();
        let store = visible(setup.target.store().unwrap_or(&store));
        format!("{title} runs without waynote from its next session; the notes stay in {store}")
    })?;
    Ok(value)
}

/// Every client: whether it is on this machine, and how it is set up.
fn list(context: &mut Context<'_>) -> Outcome {
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for client in Client::ALL {
        let user = word(&states(machine(), client, InstallScope::User)?);
        let found = client.is_found(machine())?;
        // A directory that is no project has nothing of a project.
        let project = states(machine(), client, InstallScope::Project);
        let project = project.map_or("-", |all| word(&all));
        values.push(json!({
            "client": client.word(), "found": found, "user": user, "project": project,
        }));
        let found = if found { "yes" } else { "-" };
        let row = [client.word(), found, user, project];
        rows.push(row.map(str::to_owned).to_vec());
    }
    let heading = ["client", "found", "user", "this directory"];
    let hint = "waynote install CLIENT sets one up; waynote doctor checks those that are";
    context.answer(&values, || format!("{}\n\n{hint}", table(&heading, rows)))
}

/// One word for all files of a setup.
fn word(states: &[State]) -> &'static str {
    let all = |is: fn(&State) -> bool| states.iter().all(is);
    let is_refused = |state: &State| matches!(state, State::Refused(_));
    if all(|state| matches!(state, State::Missing)) {
        "-"
    } else if all(|state| matches!(state, State::There)) {
        "set up"
    } else if states.iter().any(is_refused) {
        "unreadable"
    } else {
        "in part"
    }
}

pub(super) fn reach(project: bool) -> InstallScope {
    match project {
        true => InstallScope::Project,
        false => InstallScope::User,
    }
}

/// The remark on a file.
fn remark(step: &Step) -> Option<String> {
    Some(match step.remark.as_ref()? {
        Remark::WouldBeRefused(error) => {
            let what = visible(&waynote::secrets::masked(&error.to_string()));
            format!("{what}: it would be refused")
        }
        Remark::TakenByOthers(what) => {
            format!("it has {what} that waynote did not write; it stays")
        }
        Remark::WasThereBefore => {
            "it had an entry of waynote before `install`, which stays: remove it by hand".into()
        }
        Remark::NotLoaded(reason) => {
            format!("warning: the client does not load this file: {reason}")
        }
        _ => return None,
    })
}

/// The steps for programs.
fn value(steps: &[Step], dry_run: bool, next: &[String]) -> Value {
    let files = steps.iter().map(|step| {
        json!({
            "file": step.file.path, "what": step.file.part.to_string(), "action": step.action.to_string(),
            "diff": diff(step).concat(), "note": remark(step),
        })
    });
    json!({ "dry_run": dry_run, "files": files.collect::<Vec<_>>(), "next": next })
}

/// A line for each file; what changes in it before it is written.
fn report(context: &mut Context<'_>, steps: &[Step], dry_run: bool) -> Outcome {
    for step in steps {
        let would = match dry_run && step.action != Action::Unchanged {
            true => "would be ",
            false => "",
        };
        let (file, action) = (&step.file, step.action);
        let path = visible(&file.path.display().to_string());
        context.line(format!("{path} ({}): {would}{action}", file.part))?;
        for line in dry_run.then(|| diff(step)).into_iter().flatten() {
            context.line(format!("  {}", line.trim_end_matches('\n')))?;
        }
        if let Some(remark) = remark(step) {
            context.line(format!("  {}", visible(&remark)))?;
        }
    }
    Ok(())
}

/// The lines that differ, each with a line before and after.
fn diff(step: &Step) -> Vec<String> {
    const AROUND: usize = 1;
    const MAX_CHARS: usize = 400;
    let before = step.before.as_deref().unwrap_or_default();
    let after = step.after.as_deref().unwrap_or_default();
    let diff = TextDiff::from_lines(before, after);
    let diff = diff.unified_diff().context_radius(AROUND).to_string();
    let lines = diff.lines().filter(|line| !line.starts_with(['@', '\\']));
    let shown = lines.map(|line| {
        let (sign, text) = line.split_at(1);
        let text = text.replace('\t', "    ");
        format!("{sign} {}\n", visible(&cut(&text, MAX_CHARS)))
    });
    shown.collect()
}
