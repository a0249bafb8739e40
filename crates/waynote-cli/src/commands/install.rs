//! `waynote install` and `uninstall`: carries out and shows the changes to an agent's files. `waynote-clients` decides
//! on the changes.

use std::path::PathBuf;

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
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
use crate::home::environment;
use crate::invocation::Context;
use crate::program;
use crate::settings::{Origin, Settings};
use crate::table::table;
use crate::variables::machine;

/// The option that names a store.
const STORE: &str = "--store";

const DRY_RUN: &str = "nothing was written: this was a dry run";

pub(super) fn install(context: &mut Context<'_>, args: &InstallArgs) -> Outcome {
    if args.all {
        return install_all(context, args);
    }
    let Some(ClientArg(client)) = args.client else {
        return list(context);
    };
    let value = install_one(context, args, client)?;
    match context.output.json {
        true => context.value(&value),
        false => Ok(()),
    }
}

/// Into every client that is here. One that fails keeps no other from it.
fn install_all(context: &mut Context<'_>, args: &InstallArgs) -> Outcome {
    let mut here = Vec::new();
    // Before any is set up: one's files may be in another one's folder.
    for client in Client::ALL {
        let lacking = match args.project {
            true => Lacking::ProjectFiles,
            false => Lacking::Files,
        };
        let has_files = !client.lacks(lacking);
        if has_files && client.is_found(machine())? {
            here.push(client);
        }
    }
    let nothing = "no agent was found here: `waynote install CLIENT` makes one's files ready";
    each(context, here, nothing, args.dry_run, |context, client| {
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
    nothing: &str,
    dry_run: bool,
    one: impl Fn(&mut Context<'_>, Client) -> Outcome<Value>,
) -> Outcome {
    let (mut values, mut done, mut failures) = (Vec::new(), Vec::new(), Vec::new());
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
            Err(failure) => failures.push((client.title(), failure)),
        }
    }
    if context.output.json {
        context.value(&values)?;
    } else if values.is_empty() && failures.is_empty() {
        context.line(nothing)?;
    }
    let Some((title, last)) = failures.pop() else {
        return Ok(());
    };
    for (title, failure) in failures {
        context.line(format!(
            "{title}: {}\n  {}",
            failure.line(),
            failure.way_out()
        ))?;
    }
    let others = match (dry_run, done.is_empty()) {
        (true, _) => DRY_RUN.to_owned(),
        (false, true) => "nothing was written".to_owned(),
        (false, false) => format!("done: {}", done.join(", ")),
    };
    let what = format!("{title}: {}; {others}", last.what());
    Err(Failure::refused("not_all", what, last.way_out()))
}

/// Into one client; prints the steps, or gives them as a value.
fn install_one(context: &mut Context<'_>, args: &InstallArgs, client: Client) -> Outcome<Value> {
    let setup = Setup::new(machine(), client, reach(args.project), args.every_prompt)?
        .asks(args.ask)
        .by_server(args.by_server);
    let target = target(context, args.remote_mcp, &setup)?;
    let setup = setup.to(target);
    let installation = Installation::plan(&setup, args.dry_run)?;
    let is_found = client.is_found(machine())?;
    if !args.dry_run {
        installation.carry_out()?;
    }
    let steps = installation.steps();
    let unseen = unseen(&context.settings, &setup)?;
    let mut next = next_steps(&setup, is_found)?;
    next.extend(unseen.iter().cloned());
    let snippet = setup.snippet()?;
    if context.output.json {
        let mut value = value(steps, args.dry_run, &next);
        if let Some(Snippet {
            file, below, lines, ..
        }) = &snippet
        {
            value["add"] = json!({ "file": file, "below": below, "lines": lines });
        }
        return Ok(value);
    }
    report(context, steps, args.dry_run)?;
    let by_hand = snippet.filter(|snippet| !snippet.is_there());
    if let Some(Snippet {
        file, below, lines, ..
    }) = &by_hand
    {
        let file = visible(&file.display().to_string());
        context.line(format!("add these lines to {file}, below `{below}`:"))?;
        for line in lines.lines() {
            context.line(visible(line))?;
        }
    }
    let is_unchanged =
        by_hand.is_none() && steps.iter().all(|step| step.action == Action::Unchanged);
    if is_unchanged || args.dry_run {
        // The settings of this call that the client will not see. They are printed even if its files stay as they are.
        for step in unseen {
            context.line(format!("next: {step}"))?;
        }
    }
    if is_unchanged {
        context.line(format!(
            "already set up; `waynote doctor {}` checks it",
            setup.words()
        ))?;
        return Ok(Value::Null);
    }
    if args.dry_run {
        context.line(DRY_RUN)?;
        return Ok(Value::Null);
    }
    if steps.iter().any(|step| step.action == Action::Changed) {
        let folder = records_folder(environment())?;
        context.line(format!(
            "copies of the previous files: {}",
            visible(&folder.display().to_string())
        ))?;
    }
    if let Some(copy) = setup.copied_program() {
        let copy = visible(&copy.display().to_string());
        context.line(format!(
            "agents start a copy of the program, {copy}: this one may go with its cache; installing again renews the copy"
        ))?;
    }
    for step in next {
        context.line(format!("next: {step}"))?;
    }
    context.line(format!("then: waynote doctor {}", setup.words()))?;
    Ok(Value::Null)
}

/// Sets a client up in the user's own files, with the settings of this call. Returns the files that were changed.
pub(super) fn set_up(context: &Context<'_>, client: Client) -> Outcome<Vec<PathBuf>> {
    let setup = Setup::new(machine(), client, InstallScope::User, false)?;
    let target = target(context, false, &setup)?;
    let setup = setup.to(target);
    let installation = Installation::plan(&setup, false)?;
    installation.carry_out()?;
    let changed = installation
        .steps()
        .iter()
        .filter(|step| step.action != Action::Unchanged);
    Ok(changed.map(|step| step.file.path.clone()).collect())
}

/// True if all of a client's own files are set up.
pub(super) fn is_there(client: Client) -> Outcome<bool> {
    let states = states(machine(), client, InstallScope::User)?;
    Ok(states.iter().all(|state| matches!(state, State::There)))
}

/// Removes waynote from a client's own files.
pub(super) fn remove(client: Client) -> Outcome {
    let setup = Setup::new(machine(), client, InstallScope::User, true)?;
    Ok(Removal::plan(&setup, false)?.carry_out()?)
}

/// The target for the client's files: their current one, with the settings of this call.
fn target(context: &Context<'_>, remote_mcp: bool, setup: &Setup<'_>) -> Outcome<Target> {
    let settings = &context.settings;
    if remote_mcp {
        let Some(url) = settings.remote() else {
            return Err(Failure::usage(
                "`--remote-mcp` needs a store on a server",
                "name it: `--store https://HOST/s/NAME`",
            ));
        };
        let endpoint = Target::endpoint(&Url::read(url)?.to_string());
        // A project's files are for other people's machines too.
        let endpoint = match setup.reach {
            InstallScope::User => endpoint.with_parameter("home", &environment().home()?),
            InstallScope::Project => endpoint,
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
    if let (true, Some(url)) = (
        named.iter().any(|(option, _)| option == STORE),
        settings.database(),
    ) {
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
        steps.insert(
            0,
            format!(
                "install {title}: it was not found on this machine; its files are ready for it"
            ),
        );
    }
    if setup.reach == InstallScope::Project && program::on_path("waynote").is_none() {
        steps.push(
            "add `waynote` to the path, here and wherever these files are used: they start it by its name".into(),
        );
    }
    Ok(steps)
}

pub(super) fn uninstall(context: &mut Context<'_>, args: &UninstallArgs) -> Outcome {
    if let Some(ClientArg(client)) = args.client {
        let value = uninstall_one(context, args, client)?;
        return match context.output.json {
            true => context.value(&value),
            false => Ok(()),
        };
    }
    let reach = reach(args.project);
    let set_up = Client::ALL.into_iter().rev();
    let set_up: Vec<Client> = set_up
        .filter(|client| is_set_up(machine(), *client, reach))
        .collect();
    if !args.all {
        let words: Vec<&str> = set_up.iter().map(|client| client.word()).collect();
        let hint = match words.is_empty() {
            true => "none is set up here".to_owned(),
            false => format!(
                "set up here: {}; `--all` means every one of them",
                words.join(", ")
            ),
        };
        return Err(Failure::usage(
            "no agent is named: nothing was removed",
            hint,
        ));
    }
    let nothing = "no agent is set up here";
    each(context, set_up, nothing, args.dry_run, |context, client| {
        uninstall_one(context, args, client)
    })
}

/// From one client; prints the steps, or gives them as a value.
fn uninstall_one(
    context: &mut Context<'_>,
    args: &UninstallArgs,
    client: Client,
) -> Outcome<Value> {
    let setup = Setup::new(machine(), client, reach(args.project), true)?;
    let removal = Removal::plan(&setup, args.dry_run)?;
    if !args.dry_run {
        removal.carry_out()?;
    }
    let steps = removal.steps();
    if context.output.json {
        return Ok(value(steps, args.dry_run, &[]));
    }
    report(context, steps, args.dry_run)?;
    if let Some(snippet) = setup.snippet()?.filter(Snippet::is_there) {
        let file = visible(&snippet.file.display().to_string());
        context.line(format!("remove the entry `waynote` from {file} by hand"))?;
        return Ok(Value::Null);
    }
    if steps.iter().all(|step| step.action == Action::Unchanged) {
        context.line("these files have no entries of waynote")?;
        return Ok(Value::Null);
    }
    if args.dry_run {
        context.line(DRY_RUN)?;
        return Ok(Value::Null);
    }
    let (title, word) = (client.title(), client.word());
    let store = match setup.target.store() {
        Some(url) => visible(url),
        None => visible(&context.settings.store.value.display().to_string()),
    };
    let (other, whose, command) = match setup.reach {
        InstallScope::Project => (InstallScope::User, "your own files", word.to_owned()),
        InstallScope::User => (
            InstallScope::Project,
            "this directory's files",
            format!("{word} --project"),
        ),
    };
    context.line(match is_set_up(machine(), client, other) {
        true => format!(
            "{title} still has waynote from {whose}: `waynote uninstall {command}` removes it there"
        ),
        false => {
            format!("{title} runs without waynote from its next session; the notes stay in {store}")
        }
    })?;
    Ok(Value::Null)
}

/// Every client: whether it is on this machine, and how it is set up.
fn list(context: &mut Context<'_>) -> Outcome {
    let mut rows = Vec::new();
    let mut values = Vec::new();
    let mut problems = Vec::new();
    for client in Client::ALL {
        let user = states(machine(), client, InstallScope::User)?;
        let found = client.is_found(machine())?;
        let mut refused = Vec::new();
        let user = word(user, &mut refused);
        // A directory that is no project has nothing of a project.
        let project = states(machine(), client, InstallScope::Project);
        let project = project.map_or("-", |all| word(all, &mut refused));
        let told: Vec<_> = refused
            .iter()
            .map(|failure| json!({ "message": failure.what(), "hint": failure.way_out() }))
            .collect();
        values.push(json!({
            "client": client.word(), "found": found, "user": user, "project": project, "problems": told,
        }));
        let found = if found { "yes" } else { "-" };
        rows.push(
            [client.word(), found, user, project]
                .map(str::to_owned)
                .to_vec(),
        );
        problems.extend(refused);
    }
    if context.output.json {
        return context.value(&values);
    }
    let heading = ["client", "found", "user", "this directory"];
    context.line(table(&heading, rows))?;
    for failure in problems {
        context.line(format!("\n{}", failure.line()))?;
        context.line(format!("  {}", failure.way_out()))?;
    }
    context.line("\nwaynote install CLIENT sets one up; waynote doctor checks those that are")
}

/// One word for all files of a setup.
fn word(states: Vec<State>, refused: &mut Vec<Failure>) -> &'static str {
    let all = |is: fn(&State) -> bool| states.iter().all(is);
    let any = |is: fn(&State) -> bool| states.iter().any(is);
    let word = if states.is_empty() {
        "-"
    } else if all(|state| matches!(state, State::There)) {
        "set up"
    } else if all(|state| matches!(state, State::Missing)) {
        "-"
    } else if any(|state| matches!(state, State::Refused(_))) {
        "see below"
    } else {
        "in part"
    };
    for state in states {
        if let State::Refused(error) = state {
            refused.push(error.into());
        }
    }
    word
}

pub(super) fn reach(project: bool) -> InstallScope {
    if project {
        InstallScope::Project
    } else {
        InstallScope::User
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
        let would = match (dry_run, step.action) {
            (true, Action::Unchanged) | (false, _) => "",
            (true, _) => "would be ",
        };
        context.line(format!(
            "{} ({}): {would}{}",
            visible(&step.file.path.display().to_string()),
            step.file.part,
            step.action
        ))?;
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
    let mut lines = Vec::new();
    for (number, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if number > 0 {
            lines.push("…\n".into());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let text = change.value().trim_end_matches(['\n', '\r']);
            let text = text.replace('\t', "    ");
            lines.push(format!("{sign} {}\n", visible(&cut(&text, MAX_CHARS))));
        }
    }
    lines
}
