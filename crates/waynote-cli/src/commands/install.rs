//! `waynote install` and `uninstall`: an agent's files, edited, shown and put back.

use std::path::Path;

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
use waynote::Base;
use waynote::text::cut;
use waynote::visible::visible;

use super::unseen::unseen;
use super::{Context, installed};
use crate::args::{InstallArgs, UninstallArgs};
use crate::clients::change::Refusal;
use crate::clients::files::{Piece, Plan, Reach, program_of};
use crate::clients::record::{self, Record};
use crate::clients::{Client, Event, disk, goose};
use crate::error::{Failure, Outcome};
use crate::{home, program};

pub(super) fn install(context: &mut Context<'_>, args: &InstallArgs) -> Outcome {
    let Some(client) = args.client else {
        return installed::list(context);
    };
    let plan = plan(client, reach(args.project), args.every_prompt)?;
    if args.every_prompt && Event::Prompt.word(client).is_none() {
        return Err(Failure::usage(
            format!("{} takes no notes at prompts", client.title()),
            "leave `--every-prompt` away: claude-code, codex and gemini take some",
        ));
    }
    if plan.client == Client::Goose && plan.reach == Reach::Project {
        return Err(Failure::usage(
            "Goose reads servers from the user's file alone",
            "leave `--project` away: the notes are those of the project that Goose is started in",
        ));
    }
    let is_found = plan.is_found()?;
    // All of them are looked at before the first is written.
    let mut steps = Vec::new();
    for piece in plan.pieces()? {
        let before = disk::read(&piece.path)?;
        let text = before.as_deref().unwrap_or_default();
        let record = Record::load(&piece.path)?;
        let renewed = piece
            .edit
            .renew(text, record.as_ref())
            .map_err(|refusal| refusal.of(&piece.path))?;
        let mut step = Step::new(piece, before, Some(renewed.text), args.dry_run)?;
        step.kept = renewed.kept;
        steps.push(step);
    }
    let left_over = left_over(&plan, args.dry_run)?;
    if !args.dry_run {
        let everything = Plan {
            every_prompt: true,
            program: plan.program.clone(),
            ..plan
        };
        let everything = everything.pieces()?;
        for (step, whole) in steps.iter().zip(&everything) {
            put(step, whole, plan.reach)?;
        }
        carry_out_removals(&left_over, plan.reach)?;
    }
    steps.extend(left_over);
    let unseen = unseen(&context.settings, plan.client.title())?;
    let mut next = next_steps(&plan, is_found)?;
    next.extend(unseen.iter().cloned());
    report(context, &steps, args.dry_run, &next)?;
    if context.output.json {
        return Ok(());
    }
    let is_unchanged = steps.iter().all(|step| step.action == Action::Unchanged);
    if is_unchanged || args.dry_run {
        // What this call was told and the client will not be, whatever is in its files.
        for step in unseen {
            context.output.line(format!("next: {step}"))?;
        }
    }
    if is_unchanged {
        let words = words(&plan);
        return context.output.line(format!(
            "it was set up already; `waynote doctor {words}` checks it"
        ));
    }
    if args.dry_run {
        return context.output.line(DRY_RUN);
    }
    if steps.iter().any(|step| step.action == Action::Changed) {
        let folder = record::folder()?;
        context.output.line(format!(
            "copies of the files as they were: {}",
            visible(&folder.display().to_string())
        ))?;
    }
    for step in next {
        context.output.line(format!("next: {step}"))?;
    }
    context
        .output
        .line(format!("then: waynote doctor {}", words(&plan)))
}

/// What is left to be done, and what could surprise.
fn next_steps(plan: &Plan, is_found: bool) -> Outcome<Vec<String>> {
    let mut steps = plan.left_to_the_user();
    if plan.client == Client::Goose {
        steps.extend(goose::left_to_the_user()?);
    }
    let title = plan.client.title();
    if !is_found && plan.reach == Reach::User {
        steps.insert(
            0,
            format!("install {title}: it was not found on this machine; its files wait for it"),
        );
    }
    if plan.reach == Reach::Project && program::on_path("waynote").is_none() {
        steps.push(
            "put `waynote` on the path, here and wherever these files are shared: they start it by its name".into(),
        );
    }
    Ok(steps)
}

pub(super) fn uninstall(context: &mut Context<'_>, args: &UninstallArgs) -> Outcome {
    let plan = plan(args.client, reach(args.project), true)?;
    let mut steps = Vec::new();
    for piece in plan.pieces()? {
        steps.push(removal(piece, args.dry_run)?);
    }
    steps.extend(left_over(&plan, args.dry_run)?);
    if !args.dry_run {
        carry_out_removals(&steps, plan.reach)?;
    }
    report(context, &steps, args.dry_run, &[])?;
    if context.output.json {
        return Ok(());
    }
    if steps.iter().all(|step| step.action == Action::Unchanged) {
        return context.output.line("nothing of waynote was in them");
    }
    if args.dry_run {
        return context.output.line(DRY_RUN);
    }
    let (title, word) = (plan.client.title(), plan.client.word());
    let store = visible(&context.settings.store.value.display().to_string());
    let (other, whose, command) = match plan.reach {
        Reach::Project => (Reach::User, "your own files", word.to_owned()),
        Reach::User => (
            Reach::Project,
            "this directory's files",
            format!("{word} --project"),
        ),
    };
    context.output.line(match installed::is_set_up(plan.client, other) {
        true => format!(
            "{title} still has waynote from {whose}: `waynote uninstall {command}` takes it back there"
        ),
        false => format!(
            "{title} runs without waynote from its next session on; the notes stay in {store}"
        ),
    })?;
    if plan.client == Client::Goose
        && let Some(step) = goose::left_to_the_user()?
    {
        context.output.line(format!("next: {step}"))?;
    }
    Ok(())
}

/// The removal of what an earlier version wrote, where there is something.
fn left_over(plan: &Plan, dry_run: bool) -> Outcome<Vec<Step>> {
    let mut steps = Vec::new();
    for piece in plan.left_over()? {
        steps.push(removal(piece, dry_run)?);
    }
    steps.retain(|step| step.action != Action::Unchanged);
    Ok(steps)
}

/// What takes our entries out of a file.
fn removal(piece: Piece, dry_run: bool) -> Outcome<Step> {
    let before = disk::read(&piece.path)?;
    let record = Record::load(&piece.path)?;
    let after = match (&before, &record) {
        (None, _) => None,
        (Some(text), Some(record)) if record.is_of(text) => record.before.clone(),
        (Some(text), _) => {
            let left = take_back(&piece, text)?;
            // A file that `install` made goes when nothing of anybody's is in it.
            let is_ours = is_ours_alone(&piece.path) || made_here(record.as_ref());
            let is_left = !(is_ours && piece.edit.is_nothing(&left));
            is_left.then_some(left)
        }
    };
    Step::new(piece, before, after, dry_run)
}

fn carry_out_removals(steps: &[Step], reach: Reach) -> Outcome {
    for step in steps.iter().rev() {
        let record = Record::load(&step.piece.path)?;
        match (&step.before, &step.after) {
            (None, _) => {}
            (Some(_), None) => {
                let made = record.as_ref().map(|record| record.made.as_slice());
                disk::remove(&step.piece.path, made.unwrap_or_default())?;
            }
            (Some(before), Some(after)) if before != after => {
                disk::put(&step.piece.path, after, Some(before), mode(reach))?;
            }
            _ => {}
        }
        if let Some(record) = record {
            record.forget()?;
        }
    }
    Ok(())
}

const DRY_RUN: &str = "nothing was written: this was a dry run";

/// What happens to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Unchanged,
    Made,
    Removed,
    Changed,
}

impl Action {
    fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Made => "made",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// A file, and what happens to it.
struct Step {
    piece: Piece,
    before: Option<String>,
    /// None: it goes.
    after: Option<String>,
    action: Action,
    /// What a person should know of it.
    note: Option<String>,
    /// What stays because a person changed it: each line says what to change.
    kept: Vec<String>,
}

impl Step {
    /// Refused where it cannot be carried out; a dry run says so.
    fn new(
        piece: Piece,
        before: Option<String>,
        after: Option<String>,
        dry_run: bool,
    ) -> Outcome<Self> {
        let action = match (&before, &after) {
            (before, after) if before == after => Action::Unchanged,
            (None, _) => Action::Made,
            (_, None) => Action::Removed,
            _ => Action::Changed,
        };
        let obstacle = match action {
            Action::Unchanged => None,
            Action::Removed => disk::may_remove(&piece.path).err(),
            Action::Made | Action::Changed => disk::may_write(&piece.path).err(),
        };
        let note = match obstacle {
            Some(failure) if !dry_run => return Err(failure),
            Some(failure) => Some(format!("{}: it would be refused", failure.line())),
            None => {
                let text = before.as_deref().unwrap_or_default();
                let taken = piece.edit.add(text).err();
                taken.and_then(|refusal| match refusal {
                    Refusal::Taken { what } => Some(format!(
                        "it has {what} that waynote did not write: that stays"
                    )),
                    _ => None,
                })
            }
        };
        Ok(Self {
            piece,
            before,
            after,
            action,
            note,
            kept: Vec::new(),
        })
    }
}

/// Writes what a step says, with the record of what was there before anything of ours.
fn put(step: &Step, whole: &Piece, reach: Reach) -> Outcome {
    let path = &step.piece.path;
    let earlier = Record::load(path)?;
    let Some(after) = step
        .after
        .as_ref()
        .filter(|_| step.action != Action::Unchanged)
    else {
        return remember_entries(step, earlier);
    };
    let entries = step.piece.edit.written(after, earlier.as_ref());
    let made = match &earlier {
        Some(earlier) => earlier.made.clone(),
        None => Vec::new(),
    };
    let mut record = match (earlier, &step.before) {
        (Some(earlier), Some(before)) if earlier.is_of(before) => {
            Record::new(path, earlier.before.as_deref(), after)
        }
        (_, Some(before)) => {
            let without = take_back(whole, before)?;
            let was_there = !(whole.edit.is_nothing(&without) && is_ours_alone(path));
            Record::new(path, was_there.then_some(without.as_str()), after)
        }
        (_, None) => Record::new(path, None, after),
    };
    record.made = made;
    record.entries = entries;
    // Before the file: a copy without need is better than a need without a copy.
    record.save()?;
    let made = disk::put(path, after, step.before.as_deref(), mode(reach))?;
    if made.is_empty() {
        return Ok(());
    }
    record.made.extend(made);
    record.save()
}

/// Adds to the record of an earlier version what is in the file now.
fn remember_entries(step: &Step, record: Option<Record>) -> Outcome {
    match (record, &step.before) {
        (Some(mut record), Some(text)) if record.is_of(text) => {
            let entries = step.piece.edit.written(text, Some(&record));
            if record.entries == entries {
                return Ok(());
            }
            record.entries = entries;
            record.save()
        }
        _ => Ok(()),
    }
}

fn made_here(record: Option<&Record>) -> bool {
    record.is_some_and(|record| record.before.is_none())
}

/// Whether a file is waynote's by its name, or by its folder's.
fn is_ours_alone(path: &Path) -> bool {
    let is_named = |part: Option<&std::ffi::OsStr>| part.is_some_and(|name| name == "waynote");
    is_named(path.file_stem())
        || path
            .ancestors()
            .skip(1)
            .take(2)
            .any(|folder| is_named(folder.file_name()))
}

fn mode(reach: Reach) -> u32 {
    match reach {
        // They may hold what a client keeps secret.
        Reach::User => 0o600,
        Reach::Project => 0o644,
    }
}

pub(super) fn reach(project: bool) -> Reach {
    if project { Reach::Project } else { Reach::User }
}

pub(super) fn plan(client: Client, reach: Reach, every_prompt: bool) -> Outcome<Plan> {
    match reach {
        Reach::Project => is_project()?,
        Reach::User => is_home()?,
    }
    Ok(Plan {
        client,
        reach,
        every_prompt,
        program: program_of(reach)?,
    })
}

/// A home that is not there is a mistake, and nobody's to make.
fn is_home() -> Outcome {
    let home = home::home()?;
    if Path::new(&home).is_dir() {
        return Ok(());
    }
    Err(Failure::refused(
        "no_home",
        format!("HOME is no directory: {home}"),
        "set HOME to your home directory",
    ))
}

/// What is written into home or the root would count everywhere below, or be the user's own files.
fn is_project() -> Outcome {
    let here = std::env::current_dir()
        .map_err(|error| Failure::file("the working directory", "read", error))?;
    let home = home::home()?;
    // The working directory is named without links.
    let home = Path::new(&home).canonicalize().unwrap_or(home.into());
    let base = Base::new(&home.to_string_lossy(), &here.to_string_lossy())?;
    if base.cwd().is_project() {
        return Ok(());
    }
    let what = match here.parent() {
        Some(_) => "your home directory",
        None => "the root",
    };
    Err(Failure::refused(
        "no_project",
        format!("{} is {what}, not a project's directory", here.display()),
        "go to the project's directory first, or leave `--project` away",
    ))
}

pub(super) fn words(plan: &Plan) -> String {
    let project = match plan.reach {
        Reach::User => "",
        Reach::Project => " --project",
    };
    format!("{}{project}", plan.client.word())
}

fn take_back(piece: &Piece, text: &str) -> Outcome<String> {
    let left = piece.edit.take_back(text);
    left.map_err(|refusal| refusal.of(&piece.path))
}

fn report(context: &mut Context<'_>, steps: &[Step], dry_run: bool, next: &[String]) -> Outcome {
    if context.output.json {
        let files: Vec<Value> = steps
            .iter()
            .map(|step| {
                json!({
                    "file": step.piece.path, "what": step.piece.what.to_string(), "action": step.action.word(),
                    "diff": diff(step).concat(), "note": step.note, "kept": step.kept,
                })
            })
            .collect();
        return context
            .output
            .value(&json!({ "dry_run": dry_run, "files": files, "next": next }));
    }
    for step in steps {
        let would = match (dry_run, step.action) {
            (true, Action::Unchanged) | (false, _) => "",
            (true, _) => "would be ",
        };
        context.output.line(format!(
            "{} ({}): {would}{}",
            visible(&step.piece.path.display().to_string()),
            step.piece.what,
            step.action.word()
        ))?;
        for line in diff(step) {
            context
                .output
                .line(format!("  {}", line.trim_end_matches('\n')))?;
        }
        if let Some(note) = &step.note {
            context.output.line(format!("  {}", visible(note)))?;
        }
        if !step.kept.is_empty() {
            context
                .output
                .line("  changed by hand, and kept; this version expects:")?;
        }
        for line in &step.kept {
            context.output.line(format!("  - {}", visible(line)))?;
        }
    }
    Ok(())
}

/// The lines that differ, each with a line before and after.
fn diff(step: &Step) -> Vec<String> {
    const AROUND: usize = 1;
    const MOST_CHARS: usize = 160;
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
            lines.push(format!("{sign} {}\n", visible(&cut(&text, MOST_CHARS))));
        }
    }
    lines
}
