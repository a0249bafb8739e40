//! `waynote start`: lists the notes that other programs keep here, imports those that a person chooses, and installs
//! waynote in the agents of this machine.

use std::collections::HashSet;
use std::ffi::OsStr;

use serde_json::{Value, json};
use waynote::secrets;
use waynote::visible::visible;
use waynote_clients::{Client, Lacking};
use waynote_formats::found::{self, FoundSource};
use waynote_formats::{ForeignNotes, Mode, zrb};

use super::{confirm, import, install, trust};
use crate::args::{InstallArgs, StartArgs};
use crate::error::{Failure, Outcome, warn_of_secrets};
use crate::invocation::Context;
use crate::table::table;
use crate::{clock, home, inside};

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

pub(super) fn run(context: &mut Context<'_>, args: &StartArgs) -> Outcome {
    let clients = match home::if_any()? {
        Some(_) => install::found(false)?,
        None => Vec::new(),
    };
    let place = context.place(args.at.path.as_deref())?;
    trust::at_start(context, &context.around(&place)?)?;
    let candidates = candidates(context, args.at.path.as_deref(), &clients)?;
    let sources: Vec<Value> = candidates.iter().map(Candidate::described).collect();
    if !context.output.json {
        show(context, &candidates)?;
    }
    let Some(chosen) = chosen(args, &candidates)? else {
        let how = "nothing was written: choose with `waynote start --take all`, `--take NAME`, or `--take none`";
        return context.answer(&json!({ "sources": sources }), || how.to_owned());
    };
    let taken = take(context, candidates, &chosen)?;
    let set_up = match args.no_install {
        true => Vec::new(),
        false => set_up(context, clients, args)?,
    };
    let done = json!({ "sources": sources, "taken": taken, "set_up": set_up });
    context.answer(&done, || {
        "`waynote context` shows what a session here starts with".to_owned()
    })
}

fn candidates(
    context: &Context<'_>,
    directory: Option<&OsStr>,
    clients: &[Client],
) -> Outcome<Vec<Candidate>> {
    let agent = context.notebook()?;
    let sources = import::read_project(context, directory, |project| {
        Ok(found::find(project, agent, &home::base_of_home()?)?)
    })?;
    // A file that is kept in sync has nothing to import.
    let synced = context.settings.notes_file.value.as_ref();
    let is_synced = |source: &FoundSource| synced.is_some_and(|of| source.paths.contains(of));
    let (now, mut seen) = (clock::now()?, HashSet::new());
    let mut candidates = Vec::new();
    for mut source in sources.into_iter().filter(|source| !is_synced(source)) {
        if source.name != zrb::FORMAT.name {
            import::by_name(context, &mut source.notes, directory)?;
        }
        refuse_secrets(context, &mut source.notes);
        let planned = source.notes.clone();
        let planned = context.read(|store| Ok(planned.import(store, now, Mode::DryRun)?))?;
        // Notes of one source may say the same; those of another are doubles.
        let texts = texts(&source.notes);
        let repeats = texts.iter().filter(|text| seen.contains(*text)).count();
        seen.extend(texts);
        let contents = source.notes.notes().iter().map(|note| &note.content);
        let loads = |client: &&Client| source.loaded_by.contains(&client.word());
        candidates.push(Candidate {
            tokens: contents
                .map(|content| waynote_tokens::count(&content.shown()))
                .sum(),
            here: usize::try_from(planned.unchanged).unwrap_or(usize::MAX),
            repeats,
            loaded_by: clients.iter().filter(loads).map(|of| of.title()).collect(),
            source,
        });
    }
    Ok(candidates)
}

/// Leaves out notes that hold a credential: no person has named them.
fn refuse_secrets(context: &Context<'_>, notes: &mut ForeignNotes) {
    let policy = context.settings.secret_policy();
    notes.leave_out(|note| {
        let mut found = secrets::scan(note.content.as_text()?).into_iter();
        let refused = found.find(|secret| policy.refuses(secret.rule))?;
        Some(format!("it holds a credential ({})", refused.rule))
    });
}

/// The texts of notes without the differences that do not count: white space and case.
fn texts(notes: &ForeignNotes) -> Vec<String> {
    let notes = notes.notes().iter();
    notes.map(|note| folded(&note.content.shown())).collect()
}

fn folded(text: &str) -> String {
    let text = text.to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Candidate {
    /// Chosen unless a person says otherwise: new here, and in no prompt yet.
    fn is_preselected(&self) -> bool {
        let all = self.source.notes.notes().len();
        self.loaded_by.is_empty() && all > self.here + self.repeats
    }

    fn remarks(&self) -> String {
        let left_out = self.source.notes.skipped().len();
        let mut remarks: Vec<String> = Vec::new();
        if !self.loaded_by.is_empty() {
            remarks.push(format!("{} loads it already", self.loaded_by.join(", ")));
        }
        for (count, what) in [
            (self.here, "in the store already"),
            (self.repeats, "also in a source above"),
            (left_out, "left out"),
        ] {
            if count > 0 {
                remarks.push(format!("{count} {what}"));
            }
        }
        remarks.join("; ")
    }

    /// The source for a program.
    fn described(&self) -> Value {
        let source = &self.source;
        json!({
            "name": source.name, "paths": source.paths, "notes": source.notes.notes().len(),
            "tokens": self.tokens, "in_store": self.here, "repeated": self.repeats,
            "loaded_by": self.loaded_by, "preselected": self.is_preselected(),
            "skipped": source.notes.skipped(),
        })
    }
}

fn show(context: &mut Context<'_>, candidates: &[Candidate]) -> Outcome {
    if candidates.is_empty() {
        return context.line("no notes of other programs were found here");
    }
    let rows = candidates.iter().enumerate().map(|(index, candidate)| {
        let chosen = match candidate.is_preselected() {
            true => "yes",
            false => "-",
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
    let preselected = |index: &usize| candidates[*index].is_preselected();
    if !args.take.is_empty() {
        let words = args.take.iter().map(String::as_str);
        return parsed(words, candidates).map(Some);
    }
    if !confirm::can_ask() {
        return Ok(None);
    }
    if candidates.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let question = "Import which? Numbers, names, all or none [Enter = rows marked yes] ";
    let answer = confirm::answered(question)?;
    let hint = "choose with `--take NAME`, `--take all` or `--take none`";
    match answer.trim() {
        "" if answer.is_empty() => Err(Failure::refused(
            "not_confirmed",
            "nothing was chosen",
            hint,
        )),
        "" => Ok(Some((0..candidates.len()).filter(preselected).collect())),
        words => parsed(words.split([' ', ',', '\t']), candidates).map(Some),
    }
}

/// The numbers of the sources that the words name.
fn parsed<'w>(
    words: impl Iterator<Item = &'w str>,
    candidates: &[Candidate],
) -> Outcome<Vec<usize>> {
    let name = |index: usize| candidates[index].source.name;
    let mut chosen = Vec::new();
    for word in words.filter(|word| !["", "none"].contains(word)) {
        let is_meant =
            |index: &usize| word == "all" || name(*index) == word || word.parse() == Ok(index + 1);
        let before = chosen.len();
        chosen.extend((0..candidates.len()).filter(is_meant));
        if chosen.len() == before && word != "all" {
            let names: Vec<&str> = (0..candidates.len()).map(name).collect();
            let hint = format!("choose from {}, `all` or `none`", names.join(", "));
            let what = format!("nothing here is called `{}`", visible(word));
            return Err(Failure::usage(what, hint));
        }
    }
    Ok(chosen)
}

/// Brings the chosen sources in, each with its report. A note that says the same as one of an earlier source is left
/// out.
fn take(
    context: &mut Context<'_>,
    candidates: Vec<Candidate>,
    chosen: &[usize],
) -> Outcome<Vec<Value>> {
    let lease = inside::told_lease(&context.settings)?;
    let now = clock::now()?;
    let (mut seen, mut taken) = (HashSet::new(), Vec::new());
    for (index, candidate) in candidates.into_iter().enumerate() {
        if !chosen.contains(&index) {
            continue;
        }
        let (name, mut notes) = (candidate.source.name, candidate.source.notes);
        let (listed, texts) = (notes.skipped().len(), texts(&notes));
        notes.leave_out(|note| {
            let repeats = seen.contains(&folded(&note.content.shown()));
            repeats.then(|| "another chosen source says the same".to_owned())
        });
        seen.extend(texts);
        let notes = notes.inside(lease.clone());
        let report = context.write(|store| Ok(notes.import(store, now, Mode::Write)?))?;
        if !context.output.json {
            import::say_renamed(&report.renamed);
            // The first ones were listed with the source.
            let skipped = report.skipped.get(listed..).unwrap_or_default();
            import::say_reasons(&format!("{name}: left out"), skipped);
            let (added, updated, unchanged) = (report.added, report.updated, report.unchanged);
            context.line(format!(
                "{name}: {added} added, {updated} updated, {unchanged} unchanged"
            ))?;
            context.output.flush()?;
        }
        let allowed = context.settings.secret_policy();
        warn_of_secrets(&report.secrets, &allowed, context.output.json);
        taken.push(json!({ "name": name, "report": report }));
    }
    Ok(taken)
}

/// Sets up the clients that are not set up yet: at once if what to take was named, else after a question.
fn set_up(
    context: &mut Context<'_>,
    clients: Vec<Client>,
    args: &StartArgs,
) -> Outcome<Vec<Value>> {
    let mut open = Vec::new();
    for client in clients {
        if !install::is_there(client)? {
            open.push(client);
        }
    }
    let titles: Vec<&str> = open.iter().map(|client| client.title()).collect();
    let question = format!("Set up {} (MCP server and hooks)?", titles.join(", "));
    if open.is_empty() || (args.take.is_empty() && !confirm::is_yes(&question)?) {
        return Ok(Vec::new());
    }
    // An agent writes little by itself, and the store would stay empty.
    let question = "Ask agents at the end of a session what the next run should know? It costs one turn, only when files changed and nothing was noted.";
    let can_ask = open.iter().any(|client| !client.lacks(Lacking::Ending));
    let ask = can_ask && !args.no_ask && (!args.take.is_empty() || !confirm::is_no(question)?);
    let args = InstallArgs {
        ask,
        ..InstallArgs::default()
    };
    install::into_each(context, open, &args)
}
