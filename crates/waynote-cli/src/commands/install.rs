//! `waynote install` and `uninstall`: an agent's files, edited, shown and put back.

use std::path::Path;

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
use waynote::visible::visible;

use super::Context;
use crate::args::{InstallArgs, UninstallArgs};
use crate::clients::change::Unreadable;
use crate::clients::files::{Piece, Plan, Reach, program};
use crate::clients::record::{self, Record};
use crate::clients::{Client, disk};
use crate::error::Outcome;
use crate::table::table;

pub(super) fn install(context: &mut Context<'_>, args: &InstallArgs) -> Outcome {
    let Some(client) = args.client else {
        return list(context);
    };
    let plan = plan(client, reach(args.project), args.every_prompt)?;
    // All of them are looked at before the first is written.
    let mut steps = Vec::new();
    for piece in plan.pieces()? {
        let before = disk::read(&piece.path)?;
        let text = before.as_deref().unwrap_or_default();
        let after = edited(&piece.path, piece.edit.add(text))?;
        steps.push(Step {
            action: match &before {
                Some(before) if *before == after => "unchanged",
                Some(_) => "changed",
                None => "made",
            },
            after: Some(after),
            before,
            piece,
        });
    }
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
    }
    report(context, &steps, args.dry_run)?;
    if context.output.json {
        return Ok(());
    }
    if !args.dry_run && steps.iter().any(|step| step.action == "changed") {
        let folder = record::folder()?;
        context.output.line(format!(
            "copies of the files as they were: {}",
            visible(&folder.display().to_string())
        ))?;
    }
    for step in plan.left_to_the_user() {
        context.output.line(format!("next: {step}"))?;
    }
    context
        .output
        .line(format!("then: waynote doctor {}", words(&plan)))
}

pub(super) fn uninstall(context: &mut Context<'_>, args: &UninstallArgs) -> Outcome {
    let plan = plan(args.client, reach(args.project), true)?;
    let mut steps = Vec::new();
    for piece in plan.pieces()? {
        let before = disk::read(&piece.path)?;
        let record = Record::load(&piece.path)?;
        let after = match (&before, &record) {
            (None, _) => None,
            (Some(text), Some(record)) if record.is_of(text) => record.before.clone(),
            (Some(text), _) => {
                let left = edited(&piece.path, piece.edit.take_back(text))?;
                // A file that `install` made goes when nothing of anybody's is in it.
                let is_ours = is_ours_alone(&piece.path) || made_here(record.as_ref());
                Some(left).filter(|left| !(left.is_empty() && is_ours))
            }
        };
        steps.push(Step {
            action: match (&before, &after) {
                (before, after) if before == after => "unchanged",
                (_, None) => "removed",
                _ => "changed",
            },
            before,
            after,
            piece,
        });
    }
    if !args.dry_run {
        for step in steps.iter().rev() {
            let record = Record::load(&step.piece.path)?;
            match (&step.before, &step.after) {
                (None, _) => {}
                (Some(_), None) => {
                    let made = record.as_ref().map(|record| record.made.as_slice());
                    disk::remove(&step.piece.path, made.unwrap_or_default())?;
                }
                (Some(before), Some(after)) if before != after => {
                    disk::put(&step.piece.path, after, Some(before), mode(plan.reach))?;
                }
                _ => {}
            }
            if let Some(record) = record {
                record.forget()?;
            }
        }
    }
    report(context, &steps, args.dry_run)
}

/// What happens to a file.
struct Step {
    piece: Piece,
    before: Option<String>,
    /// None: it goes.
    after: Option<String>,
    action: &'static str,
}

/// Writes what a step says, with the record of what was there before anything of ours.
fn put(step: &Step, whole: &Piece, reach: Reach) -> Outcome {
    let Some(after) = step.after.as_ref().filter(|_| step.action != "unchanged") else {
        return Ok(());
    };
    let path = &step.piece.path;
    let earlier = Record::load(path)?;
    let made = match &earlier {
        Some(earlier) => earlier.made.clone(),
        None => Vec::new(),
    };
    let mut record = match (earlier, &step.before) {
        (Some(earlier), Some(before)) if earlier.is_of(before) => {
            Record::new(path, earlier.before.as_deref(), after)
        }
        (_, Some(before)) => {
            let without = edited(path, whole.edit.take_back(before))?;
            let was_there = !(without.is_empty() && is_ours_alone(path));
            Record::new(path, was_there.then_some(without.as_str()), after)
        }
        (_, None) => Record::new(path, None, after),
    };
    record.made = made;
    // Before the file: a copy without need is better than a need without a copy.
    record.save()?;
    let made = disk::put(path, after, step.before.as_deref(), mode(reach))?;
    if made.is_empty() {
        return Ok(());
    }
    record.made.extend(made);
    record.save()
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
    Ok(Plan {
        client,
        reach,
        every_prompt,
        program: program(reach)?,
    })
}

pub(super) fn words(plan: &Plan) -> String {
    let project = match plan.reach {
        Reach::User => "",
        Reach::Project => " --project",
    };
    format!("{}{project}", plan.client.word())
}

/// An edit, or the file named that cannot be edited.
pub(super) fn edited(path: &Path, text: Result<String, Unreadable>) -> Outcome<String> {
    text.map_err(|Unreadable { line, reason }| disk::damaged(path, line, reason))
}

fn report(context: &mut Context<'_>, steps: &[Step], dry_run: bool) -> Outcome {
    if context.output.json {
        let files: Vec<Value> = steps
            .iter()
            .map(|step| {
                json!({
                    "file": step.piece.path, "what": step.piece.what, "action": step.action,
                    "diff": diff(step).concat(),
                })
            })
            .collect();
        return context
            .output
            .value(&json!({ "dry_run": dry_run, "files": files }));
    }
    for step in steps {
        let would = match (dry_run, step.action) {
            (true, "unchanged") | (false, _) => "",
            (true, _) => "would be ",
        };
        context.output.line(format!(
            "{} ({}): {would}{}",
            visible(&step.piece.path.display().to_string()),
            step.piece.what,
            step.action
        ))?;
        for line in diff(step) {
            context
                .output
                .line(format!("  {}", line.trim_end_matches('\n')))?;
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
            let cut = match text.char_indices().nth(MOST_CHARS) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            };
            lines.push(format!("{sign} {}\n", visible(&cut)));
        }
    }
    lines
}

/// How a piece of a setup is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    There,
    Differs,
    Missing,
    Damaged(String),
}

pub(super) fn state(piece: &Piece) -> State {
    let text = match disk::read(&piece.path) {
        Ok(text) => text.unwrap_or_default(),
        Err(failure) => return State::Damaged(failure.line()),
    };
    match (piece.edit.add(&text), piece.edit.take_back(&text)) {
        (Ok(after), _) if after == text => State::There,
        (Ok(_), Ok(without)) if without == text => State::Missing,
        (Ok(_), Ok(_)) => State::Differs,
        (Err(error), _) | (_, Err(error)) => {
            State::Damaged(disk::damaged(&piece.path, error.line, error.reason).line())
        }
    }
}

/// Every client: whether it is on this machine, and how it is set up.
fn list(context: &mut Context<'_>) -> Outcome {
    let mut rows = Vec::new();
    let mut values = Vec::new();
    let mut damaged = Vec::new();
    for client in Client::ALL {
        let mut of = |reach| -> Outcome<&'static str> {
            let pieces = plan(client, reach, false)?.pieces()?;
            let states: Vec<State> = pieces.iter().map(state).collect();
            for state in &states {
                if let State::Damaged(reason) = state {
                    damaged.push(reason.clone());
                }
            }
            let all = |state| states.iter().all(|other| *other == state);
            Ok(if all(State::There) {
                "set up"
            } else if all(State::Missing) {
                "-"
            } else if states
                .iter()
                .any(|state| matches!(state, State::Damaged(_)))
            {
                "damaged"
            } else {
                "in part"
            })
        };
        let found = plan(client, Reach::User, false)?.is_found()?;
        let (user, project) = (of(Reach::User)?, of(Reach::Project)?);
        values.push(
            json!({ "client": client.word(), "found": found, "user": user, "project": project }),
        );
        let found = if found { "yes" } else { "-" };
        rows.push(
            [client.word(), found, user, project]
                .map(str::to_owned)
                .to_vec(),
        );
    }
    if context.output.json {
        return context.output.value(&values);
    }
    let heading = ["client", "found", "user", "this directory"];
    context.output.line(table(&heading, rows))?;
    for reason in damaged {
        context.output.line(reason)?;
    }
    context
        .output
        .line("\nwaynote install CLIENT sets one up; waynote doctor checks those that are")
}
