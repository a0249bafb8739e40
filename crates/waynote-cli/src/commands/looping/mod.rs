//! `waynote loop`: runs an agent again and again, each time with a fresh context and the notes of earlier iterations.
//!
//! What the agent prints goes where it would go without us. What we say goes to standard error, so that neither is in the
//! other's way; with `--json` standard output has the summary alone.

mod course;
mod plan;
mod stop;
mod summary;

use std::process::ExitCode;

use waynote::loops;
use waynote::store::Recent;
use waynote::{EntryType, Scope};

use super::Context;
use crate::args::LoopArgs;
use crate::error::{Failure, Outcome, say, say_coloured};
use crate::inside;
use crate::iterate::agent::Patience;
use crate::iterate::guard;
use crate::opened::Opened;
use crate::session_view;

use course::Course;
use plan::Plan;

pub(super) fn run(context: &mut Context<'_>, args: &LoopArgs) -> Outcome<ExitCode> {
    let plan = Plan::new(&context.settings, args)?;
    if args.dry_run {
        let opened = Opened::of(&context.settings, context.output.json)?;
        let prompt = plan.next_prompt(opened.store(), args.answer.as_deref())?;
        context.output.text(&prompt)?;
        return Ok(ExitCode::SUCCESS);
    }
    plan.agent.check()?;
    if let Some(logs) = &plan.logs {
        logs.check()?;
    }
    let opened = Opened::for_writing(&context.settings, context.output.json)?;
    let store = opened.store();
    if args.answer.is_some() && inside::own_loop(store)?.is_some() {
        return Err(Failure::refused(
            "not_a_person",
            "`--answer` is refused in a loop: an agent runs here, and a person answers",
            "end your turn; the person starts the loop again with the answer",
        ));
    }
    let mut course = Course::begin(&plan, store, args, context.output.json)?;
    for missing in &plan.missing {
        say(&format!("note: {missing}"));
    }
    if !context.output.json {
        plan.notices().for_each(|notice| say(&notice));
        show(&plan, store)?;
    }
    let stop = course.run();
    let summary = course.end(stop)?;
    if context.output.json {
        context.output.value(&summary)?;
    } else {
        say_coloured(&summary.text(session_view::stderr_has_colour()));
    }
    Ok(summary.stop.exit_code())
}

/// Keeps watch until the loop that started it is gone.
pub(super) fn guard() -> Outcome {
    guard::keep(std::io::stdin().lock(), Patience::default().end)
}

/// Open notes of each type that are shown before the first iteration.
const SHOWN: usize = 10;

/// The session as it is, before the first iteration: its latest iterations, and its latest open notes by type.
fn show(plan: &Plan, store: &dyn waynote::Store) -> Outcome {
    let colour = session_view::stderr_has_colour();
    let iterations = loops::iterations(store, &plan.session, usize::MAX)?;
    let mut notes = Vec::new();
    for kind in EntryType::ALL {
        let latest = Recent::Entries {
            session: plan.session.clone(),
            kind,
            before: None,
            open: true,
        };
        let mut latest = store.recent(&latest, 0, SHOWN)?;
        latest.reverse();
        notes.extend(latest);
    }
    let text = session_view::iterations(&iterations, false, colour)
        + &session_view::notes(&notes, colour, true);
    if text.is_empty() {
        return Ok(());
    }
    say_coloured(text.trim_end());
    let all = store.count(&Scope::Session(plan.session.clone()))?;
    if all > notes.len() as u64 {
        say(&format!(
            "\n{} of {all} notes: `waynote --session {} log show` has all",
            notes.len(),
            plan.session
        ));
    }
    say("");
    Ok(())
}
