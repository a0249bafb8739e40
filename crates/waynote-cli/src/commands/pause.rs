//! `waynote pause`: hooks deliver nothing for a while.

use jiff::Timestamp;
use serde_json::json;
use waynote::visible::visible;
use waynote_clients::PauseTarget;

use crate::args::PauseArgs;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::table::when;

pub(super) fn run(context: &mut Context<'_>, args: &PauseArgs) -> Outcome {
    let of = match &args.of {
        Some(session) => PauseTarget::Session(session.clone()),
        None => {
            // Hooks know the directory by its path.
            let place = context.place(args.at.path.as_deref())?;
            PauseTarget::Place(context.lineage(&place)?.place().clone())
        }
    };
    let Some(ledgers) = super::hook::ledgers()? else {
        let what = "without a home directory there is nowhere to keep a pause";
        let hint = "set HOME or XDG_STATE_HOME";
        return Err(Failure::usage(what, hint));
    };
    let failed = |error| Failure::file("the list of pauses", "written", error);
    if args.end {
        ledgers.end_pause(&of).map_err(failed)?;
    } else if !args.list {
        ledgers.pause(&of, args.length).map_err(failed)?;
    }
    let pauses = ledgers.pauses();
    if context.output.json {
        let pauses = pauses
            .iter()
            .map(|(of, end)| json!({ "of": named(of), "until": until(*end) }));
        return context.value(&pauses.collect::<Vec<_>>());
    }
    if args.end {
        context.line(format!("{}: hooks deliver notes", named(&of)))?;
    } else if pauses.is_empty() {
        context.line("nothing is paused: hooks deliver notes everywhere")?;
    }
    for (of, end) in pauses {
        let until = until(end).map_or("until `waynote pause --end`".into(), |end| {
            format!("until {end}")
        });
        context.line(format!("{}: hooks deliver no notes {until}", named(&of)))?;
    }
    Ok(())
}

fn named(of: &PauseTarget) -> String {
    match of {
        PauseTarget::Place(place) => visible(place.as_str()),
        PauseTarget::Session(session) => format!("session {}", visible(session)),
    }
}

/// The end of a pause, if it has one of itself.
fn until(end: u64) -> Option<String> {
    let end = i64::try_from(end).ok().filter(|end| *end > 0)?;
    Timestamp::from_millisecond(end).ok().map(when)
}
