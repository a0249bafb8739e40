//! `waynote start`: lists the notes that other programs keep here, imports those that a person chooses, and installs
//! waynote in the agents of this machine.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use waynote::store::Ask;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Address, AddressAt, Change, Content, Note, Place, secrets};
use waynote_clients::{Client, InstallScope, Setup, Verdict};
use waynote_formats::found::{self, FoundSource};
use waynote_formats::{ImportReport, Mode};
use waynote_system::text_file;

use super::{confirm, doctor, import, install};
use crate::args::StartArgs;
use crate::error::{Failure, Outcome, say, warn_of_secrets};
use crate::invocation::Context;
use crate::table::table;
use crate::variables::machine;
use crate::{clock, home, input, inside};

/// A source with what a person wants to know before choosing it.
struct Candidate {
    source: FoundSource,
    tokens: usize,
    /// Notes that say the same in the store.
    here: usize,
    /// Notes that say the same as one of an earlier source.
    repeats: usize,
    /// The names of the clients on this machine that load it by themselves.
    loaded_by: Vec<&'static str>,
}

/// What a run of `start` wrote, so that `start --undo` can take it back.
#[derive(Serialize, Deserialize)]
struct Run {
    store: PathBuf,
    place: Place,
    notes: Vec<AddressAt>,
    clients: Vec<String>,
}

pub(super) fn run(context: &mut Context<'_>, args: &StartArgs) -> Outcome {
    if args.undo {
        return undo(context);
    }
    let clients = clients_here()?;
    let candidates = candidates(context, args.at.path.as_deref(), &clients)?;
    let sources = described(&candidates);
    if !context.output.json {
        show(context, &candidates)?;
    }
    let Some(chosen) = chosen(args, &candidates)? else {
        let how = "nothing was written: choose with `waynote start --take all`, `--take NAME`, or `--take none`";
        return match context.output.json {
            true => context.value(&json!({ "sources": sources })),
            false => context.line(how),
        };
    };
    let taken = take(context, candidates, &chosen)?;
    let set_up = match args.no_install {
        true => Vec::new(),
        false => set_up(context, &clients, args)?,
    };
    let written = taken.iter().flat_map(|(_, report)| report.written.clone());
    context.output.flush()?;
    let place = input::place(args.at.path.as_deref())?;
    remember(context, place, written.collect(), &set_up)?;
    check(context, &set_up)?;
    if context.output.json {
        let taken: Vec<_> = taken
            .iter()
            .map(|(name, report)| json!({ "name": name, "report": report }))
            .collect();
        let set_up: Vec<&str> = set_up.iter().map(|client| client.word()).collect();
        let done = json!({ "sources": sources, "taken": taken, "set_up": set_up });
        return context.value(&done);
    }
    context.line("`waynote context` shows what a session here starts with")
}

/// The clients of this machine; none without a home directory.
fn clients_here() -> Outcome<Vec<Client>> {
    let mut here = Vec::new();
    if home::if_any()?.is_some() {
        for client in Client::ALL {
            if client.is_found(machine())? {
                here.push(client);
            }
        }
    }
    Ok(here)
}

fn candidates(
    context: &Context<'_>,
    directory: Option<&OsStr>,
    clients: &[Client],
) -> Outcome<Vec<Candidate>> {
    let agent = &context.settings.agent.value;
    let mut sources = import::read_project(directory, |project| {
        Ok(found::find(project, agent, &home::base_of_home()?)?)
    })?;
    // A file that is kept in sync has nothing to import.
    let synced = &context.settings.notes_file.value;
    sources.retain(|source| {
        synced
            .as_ref()
            .is_none_or(|file| !source.paths.contains(file))
    });
    for source in &mut sources {
        refuse_secrets(context, source);
    }
    let now = clock::now()?;
    let mut seen = HashSet::new();
    let mut candidates = Vec::new();
    for source in sources {
        let notes = source.notes.notes();
        let tokens = notes.iter().map(|note| tokens(&note.content)).sum();
        let planned = source.notes.clone();
        let planned = context.read(|store| Ok(planned.import(store, now, Mode::DryRun)?))?;
        let here = usize::try_from(planned.unchanged).unwrap_or(usize::MAX);
        // Notes of one source may say the same; those of another are doubles.
        let texts: Vec<String> = notes.iter().map(|note| folded(&note.content)).collect();
        let repeats = texts.iter().filter(|text| seen.contains(*text)).count();
        seen.extend(texts);
        let loaded_by = clients
            .iter()
            .filter(|client| source.loaded_by.contains(&client.word()));
        candidates.push(Candidate {
            tokens,
            here,
            repeats,
            loaded_by: loaded_by.map(|client| client.title()).collect(),
            source,
        });
    }
    Ok(candidates)
}

/// What agents of this machine load here by themselves, beside what waynote gives them: in words, with its cost.
pub(super) fn loaded_here(context: &Context<'_>) -> Outcome<Vec<String>> {
    let all = candidates(context, None, &clients_here()?)?;
    let loaded = all.iter().filter(|one| !one.loaded_by.is_empty());
    let words = loaded.map(|one| {
        let (clients, tokens) = (one.loaded_by.join(", "), one.tokens);
        let files = one.source.paths.iter().filter_map(|path| path.file_name());
        let files: Vec<_> = files.map(|name| name.to_string_lossy()).collect();
        let files = match files.is_empty() {
            true => one.source.name.to_owned(),
            false => visible(&files.join(", ")),
        };
        let doubled = match one.here {
            0 => String::new(),
            here => format!(
                "; {} of it in the store too: the text reaches the agent twice",
                plural(here as u64, "note")
            ),
        };
        format!("{clients} already loads {files} here ({tokens} tokens per session){doubled}")
    });
    Ok(words.collect())
}

/// The notes of the store at these addresses, in their order.
fn stored(context: &Context<'_>, addresses: Vec<Address>) -> Outcome<Vec<Option<Note>>> {
    let ask = Ask {
        notes: addresses,
        ..Ask::default()
    };
    context.read(|store| Ok(store.read(&ask)?.notes))
}

/// Leaves out notes that hold a credential: nobody has asked for them by name.
fn refuse_secrets(context: &Context<'_>, source: &mut FoundSource) {
    let policy = context.settings.secret_policy();
    source.notes.leave_out(|note| {
        let found = secrets::scan(note.content.as_text()?);
        let refused = found
            .into_iter()
            .find(|secret| policy.refuses(secret.rule))?;
        Some(format!("it holds a credential ({})", refused.rule))
    });
}

fn tokens(content: &Content) -> usize {
    waynote_tokens::count(&content.shown())
}

/// A text without the differences that do not count: white space and case.
fn folded(content: &Content) -> String {
    let text = content.shown().to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Candidate {
    /// Notes that would be new.
    fn new_notes(&self) -> usize {
        let all = self.source.notes.notes().len();
        all.saturating_sub(self.here + self.repeats)
    }

    /// Chosen unless a person says otherwise: new here, and in no prompt yet.
    fn is_preselected(&self) -> bool {
        self.loaded_by.is_empty() && self.new_notes() > 0
    }

    fn remarks(&self) -> String {
        let mut remarks: Vec<String> = Vec::new();
        if !self.loaded_by.is_empty() {
            remarks.push(format!("{} loads it already", self.loaded_by.join(", ")));
        }
        if self.here > 0 {
            remarks.push(format!("{} in the store already", self.here));
        }
        if self.repeats > 0 {
            remarks.push(format!("{} also in a source above", self.repeats));
        }
        match self.source.notes.skipped().len() {
            0 => {}
            left_out => remarks.push(format!("{left_out} left out")),
        }
        remarks.join("; ")
    }
}

/// The sources for a program.
fn described(candidates: &[Candidate]) -> Vec<Value> {
    let described = candidates.iter().map(|candidate| {
        let source = &candidate.source;
        json!({
            "name": source.name, "paths": source.paths, "notes": source.notes.notes().len(),
            "tokens": candidate.tokens, "in_store": candidate.here, "repeated": candidate.repeats,
            "loaded_by": candidate.loaded_by, "preselected": candidate.is_preselected(),
            "skipped": source.notes.skipped(),
        })
    });
    described.collect()
}

fn show(context: &mut Context<'_>, candidates: &[Candidate]) -> Outcome {
    if candidates.is_empty() {
        return context.line("no notes of other programs were found here");
    }
    let rows = candidates.iter().enumerate().map(|(index, candidate)| {
        let chosen = if candidate.is_preselected() {
            "yes"
        } else {
            "-"
        };
        vec![
            (index + 1).to_string(),
            candidate.source.name.to_owned(),
            candidate.source.notes.notes().len().to_string(),
            candidate.tokens.to_string(),
            chosen.to_owned(),
            candidate.remarks(),
        ]
    });
    let heading = ["#", "source", "notes", "tokens", "take", "remarks"];
    context.line(table(&heading, rows))?;
    for candidate in candidates {
        let left_out = candidate.source.notes.skipped();
        import::say_reasons(&format!("{}: left out", candidate.source.name), left_out);
    }
    // Questions go to standard error, which is not buffered.
    context.output.flush()
}

/// The numbers of the chosen sources; none if nothing was named and no person can be asked.
fn chosen(args: &StartArgs, candidates: &[Candidate]) -> Outcome<Option<Vec<usize>>> {
    let names: Vec<&str> = candidates.iter().map(|found| found.source.name).collect();
    if !args.take.is_empty() {
        let chosen = parsed(args.take.iter().map(String::as_str), &names);
        return chosen.map(Some).map_err(|word| {
            let hint = choose_from(&names);
            Failure::usage(format!("nothing here is called `{word}`"), hint)
        });
    }
    if !confirm::can_ask() {
        return Ok(None);
    }
    if candidates.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let marked = |index: &usize| candidates[*index].is_preselected();
    let marked: Vec<usize> = (0..candidates.len()).filter(marked).collect();
    let question = "Import which? Numbers, names, all or none [Enter = rows marked yes] ";
    asked(question, &names, &marked).map(Some)
}

/// Asks which of these are meant, again after a word that names none of them.
fn asked(question: &str, names: &[&str], by_enter: &[usize]) -> Outcome<Vec<usize>> {
    loop {
        let answer = confirm::answered(question)?;
        if answer.is_empty() {
            let hint = "choose with `--take NAME`, `--take all` or `--take none`";
            return Err(Failure::refused(
                "not_confirmed",
                "nothing was chosen",
                hint,
            ));
        }
        if answer.trim().is_empty() {
            return Ok(by_enter.to_vec());
        }
        match parsed(answer.split([' ', ',', '\n', '\t', '\r']), names) {
            Err(word) => say(&format!(
                "nothing here is called `{word}`: {}",
                choose_from(names)
            )),
            Ok(chosen) => return Ok(chosen),
        }
    }
}

fn choose_from(names: &[&str]) -> String {
    format!("choose from {}, `all` or `none`", names.join(", "))
}

/// The numbers of what the words name; an error is the word that names nothing.
fn parsed<'w>(words: impl Iterator<Item = &'w str>, names: &[&str]) -> Result<Vec<usize>, String> {
    let mut chosen = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        let named = |index: &usize| {
            matches!(word, "all" | "yes" | "y")
                || names[*index] == word
                || word.parse() == Ok(index + 1)
        };
        let before = chosen.len();
        chosen.extend((0..names.len()).filter(named));
        let is_known = matches!(word, "all" | "yes" | "y" | "none" | "no" | "n");
        if chosen.len() == before && !is_known {
            return Err(visible(word));
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

/// Brings the chosen sources in, each with its report. A note that says the same as one of an earlier source is left
/// out.
fn take(
    context: &mut Context<'_>,
    candidates: Vec<Candidate>,
    chosen: &[usize],
) -> Outcome<Vec<(&'static str, ImportReport)>> {
    let lease = inside::told_lease(&context.settings)?;
    let now = clock::now()?;
    let (mut seen, mut taken) = (HashSet::new(), Vec::new());
    for (index, candidate) in candidates.into_iter().enumerate() {
        if !chosen.contains(&index) {
            continue;
        }
        let (name, mut notes) = (candidate.source.name, candidate.source.notes);
        let texts: Vec<String> = notes
            .notes()
            .iter()
            .map(|note| folded(&note.content))
            .collect();
        notes.leave_out(|note| {
            let repeats = seen.contains(&folded(&note.content));
            repeats.then(|| "another chosen source says the same".to_owned())
        });
        seen.extend(texts);
        let known = notes.skipped().len();
        let notes = notes.inside(lease.clone());
        let report = context.write(|store| Ok(notes.import(store, now, Mode::Write)?))?;
        if !context.output.json {
            import::say_renamed(&report.renamed);
            let skipped = report.skipped.get(known..).unwrap_or_default();
            import::say_reasons(&format!("{name}: left out"), skipped);
        }
        let (added, updated, unchanged) = (report.added, report.updated, report.unchanged);
        if !context.output.json {
            context.line(format!(
                "{name}: {added} added, {updated} updated, {unchanged} unchanged"
            ))?;
        }
        warn_of_secrets(
            &report.secrets,
            &context.settings.secret_policy(),
            context.output.json,
        );
        taken.push((name, report));
    }
    Ok(taken)
}

/// Sets up the clients that are not set up yet, all if what to take was named, else those that a person chooses.
fn set_up(context: &mut Context<'_>, clients: &[Client], args: &StartArgs) -> Outcome<Vec<Client>> {
    let mut changed = Vec::new();
    let mut open = Vec::new();
    for client in clients {
        if !install::is_there(*client)? {
            open.push(*client);
        }
    }
    if open.is_empty() {
        return Ok(changed);
    }
    if args.take.is_empty() {
        let rows = open.iter().enumerate().map(|(index, client)| {
            let number = (index + 1).to_string();
            vec![number, client.word().into(), client.title().into()]
        });
        let list = table(&["#", "agent", "name"], rows);
        context.line(list)?;
        context.output.flush()?;
        let words: Vec<&str> = open.iter().map(|client| client.word()).collect();
        let question =
            "Set up which (MCP server and hooks)? Numbers, names, all or none [Enter = none] ";
        let chosen = asked(question, &words, &[])?;
        open = chosen.into_iter().map(|index| open[index]).collect();
    }
    for client in open {
        match install::set_up(context, client) {
            Ok(files) => {
                changed.push(client);
                let files: Vec<String> = files.iter().map(|file| home::shortened(file)).collect();
                if !context.output.json {
                    let title = client.title();
                    context.line(format!("{title}: set up ({})", files.join(", ")))?;
                }
            }
            // One client's broken file keeps the others from nothing.
            Err(failure) => say(&format!(
                "{}: not set up: {}",
                client.title(),
                failure.line()
            )),
        }
    }
    Ok(changed)
}

/// Tries each new client: its server starts, its hook brings a note.
fn check(context: &mut Context<'_>, clients: &[Client]) -> Outcome {
    for client in clients {
        let setup = Setup::new(machine(), *client, InstallScope::User, false)?;
        let findings = doctor::of_client(&setup)?;
        let title = client.title();
        if findings.is_well() && !context.output.json {
            let works = match client.asks_for_its_block() {
                true => "tested; its server answers, and the notes come with its first reply",
                false => "tested; it receives the notes",
            };
            context.line(format!("{title}: {works}"))?;
        }
        for finding in findings
            .all()
            .iter()
            .filter(|finding| finding.verdict != Verdict::Ok)
        {
            let next = finding.next.as_deref();
            let next = next.map_or(String::new(), |next| format!("\n  next: {next}"));
            let note = match finding.verdict {
                Verdict::Note => "note: ",
                _ => "",
            };
            say(&format!("{note}{}{next}", finding.what));
        }
    }
    Ok(())
}

fn record_file() -> Outcome<Option<PathBuf>> {
    let state = home::environment().state()?;
    Ok(state.map(|state| state.join("waynote/start.json")))
}

/// The record, and the text of its file. One that cannot be read counts as empty.
fn runs(path: &Path) -> Outcome<(Vec<Run>, Option<String>)> {
    let text = text_file::read(path)?;
    let runs = text.as_deref().map(serde_json::from_str);
    Ok((runs.and_then(Result::ok).unwrap_or_default(), text))
}

fn remember(
    context: &Context<'_>,
    place: Place,
    notes: Vec<AddressAt>,
    clients: &[Client],
) -> Outcome {
    let Some(path) = record_file()?.filter(|_| !notes.is_empty() || !clients.is_empty()) else {
        return Ok(());
    };
    let (mut runs, before) = runs(&path)?;
    runs.push(Run {
        store: context.settings.store.value.clone(),
        place,
        notes,
        clients: clients.iter().map(|of| of.word().to_owned()).collect(),
    });
    text_file::put(&path, &json!(runs).to_string(), before.as_deref(), 0o600)?;
    if !context.output.json {
        say("`waynote start --undo` undoes this");
    }
    Ok(())
}

/// Takes back the last start here: its notes, and the clients that it set up.
fn undo(context: &mut Context<'_>) -> Outcome {
    let store = context.settings.store.value.clone();
    let here = input::place(None)?;
    let nothing = |elsewhere: Option<&Run>| {
        let hint = match elsewhere {
            Some(run) => format!("the last one was in {}: undo it there", visible(run.place.as_str())),
            None => "`waynote history` lists what was written, `waynote uninstall CLIENT` removes a client's entries".into(),
        };
        let what = format!(
            "no `waynote start` in {} is left to undo",
            visible(here.as_str())
        );
        Failure::refused("not_found", what, hint)
    };
    let path = record_file()?.ok_or_else(|| nothing(None))?;
    let (mut runs, before) = runs(&path)?;
    let on_store = |run: &&Run| run.store == store;
    let last = runs
        .iter()
        .rposition(|run| on_store(&run) && run.place == here);
    let last = last.ok_or_else(|| nothing(runs.iter().rfind(on_store)))?;
    let run = runs.remove(last);
    let addresses = run.notes.iter().map(|note| note.address.clone()).collect();
    let stored = stored(context, addresses)?;
    let mut changes = Vec::new();
    for (note, stored) in run.notes.iter().zip(stored) {
        if stored.is_some_and(|stored| Some(stored.revision) == note.revision) {
            changes.push(Change::Undo {
                address: note.address.clone(),
                origin: None,
                last: note.revision,
            });
        } else {
            let address = visible(&note.address.to_string());
            say(&format!("{address}: changed since, and kept as it is"));
        }
    }
    let stamp = context.stamp()?;
    context.write(|store| Ok(store.apply(&changes, &stamp)?))?;
    let mut removed = Vec::new();
    for client in run.clients.iter().filter_map(|word| Client::named(word)) {
        install::remove(client)?;
        removed.push(client.title());
    }
    text_file::put(&path, &json!(runs).to_string(), before.as_deref(), 0o600)?;
    let notes = plural(changes.len() as u64, "imported note");
    let clients = match removed.len() {
        0 => String::new(),
        _ => format!("; restored the settings of {}", removed.join(", ")),
    };
    let value = json!({ "notes": changes.len(), "clients": removed });
    let said = || format!("removed {notes}{clients}");
    context.answer(&value, said)
}
