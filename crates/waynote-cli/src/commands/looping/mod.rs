//! `waynote loop`: runs an agent again and again, each time with a fresh context and the notes of earlier iterations.
//!
//! What the agent prints goes where it would go without us. What we say goes to standard error, so that neither is in the
//! other's way; with `--json` standard output has the summary alone.

mod course;
mod plan;
mod stop;
mod summary;

use std::process::ExitCode;

use waynote::SessionLog;
use waynote::event;

use super::Context;
use crate::args::LoopArgs;
use crate::error::{Outcome, say};
use crate::iterate::agent::Patience;
use crate::iterate::guard;
use crate::opened::Opened;
use crate::session_view;

use course::Course;
use plan::Plan;

pub(super) fn run(context: &mut Context<'_>, args: &LoopArgs) -> Outcome<ExitCode> {
    let plan = Plan::new(&context.settings, args)?;
    if args.dry_run {
        let opened = Opened::for_reading(&context.settings, context.output.json)?;
        let prompt = plan.next_prompt(opened.store(), args.answer.as_deref())?;
        context.output.bytes(prompt.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    plan.agent.check()?;
    let opened = Opened::for_writing(&context.settings, context.output.json)?;
    let store = opened.store();
    let mut course = Course::begin(&plan, store, args, context.output.json)?;
    if !context.output.json {
        show(&plan, store)?;
    }
    let stop = course.run();
    let summary = course.end(stop)?;
    if context.output.json {
        context.output.value(&summary)?;
    } else {
        say(&summary.text(session_view::stderr_has_colour()));
    }
    Ok(summary.stop.exit_code())
}

/// Keeps watch until the loop that started it is gone.
pub(super) fn guard() -> Outcome {
    guard::keep(std::io::stdin().lock(), Patience::default().end)
}

/// The session as it is, before the first iteration: its iterations, and its notes by type.
fn show(plan: &Plan, store: &dyn waynote::Store) -> Outcome {
    let colour = session_view::stderr_has_colour();
    let iterations = event::iterations(store, &plan.session, session_view::LISTED)?;
    let notes = SessionLog::new(store, plan.session.clone()).list(None)?;
    let text = session_view::iterations(&iterations, false, colour)
        + &session_view::notes(&notes, colour, true);
    if !text.is_empty() {
        say(text.trim_end());
        say("");
    }
    Ok(())
}
