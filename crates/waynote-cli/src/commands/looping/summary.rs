//! The summary of a loop that has ended: for people, and as JSON.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use waynote::event::IterationOutcome;
use waynote::text::plural;
use waynote_loop::{RunRemainder, Stop, Summary};

use super::words::{details, exit_code, headline, line};
use crate::{duration, program, session_view};

/// The summary for people. `again` is the command that continues the loop.
pub(super) fn text(summary: &Summary, again: Option<&str>, colour: bool) -> String {
    let notes: u64 = summary.notes.iter().map(|(_, count)| count).sum();
    let mut text = format!(
        "session {}: {} in {}, {} added",
        session_view::named(&summary.session),
        plural(summary.iterations.len() as u64, "iteration"),
        duration::rounded(summary.duration),
        plural(notes, "note"),
    );
    let by_type = summary.notes.iter().filter(|(_, count)| *count > 0);
    let by_type: Vec<String> = by_type
        .map(|(kind, count)| {
            let said = format!("{count} {kind}");
            session_view::painted(&said, session_view::style(kind), colour)
        })
        .collect();
    if !by_type.is_empty() {
        text.push_str(&format!(" ({})", by_type.join(", ")));
    }
    text.push_str(&format!("\n{}", headline(&summary.stop)));
    let details = details(&summary.stop).join("\n");
    let details = match &summary.stop {
        Stop::Completed(_) | Stop::Blocked(_) => session_view::quoted(&details),
        _ => session_view::indented(&details),
    };
    text.push_str(&format!("\n{details}"));
    text.truncate(text.trim_end().len());
    if let (Stop::Failed(_) | Stop::FailedAtOnce(..), Some(said)) =
        (&summary.stop, summary.last_words())
    {
        text.push_str(&format!("\n  failed with: {said}"));
    }
    if let Some(next) = next(summary, again) {
        text.push_str(&format!("\n{next}"));
    }
    text
}

/// The hint: the user's next step.
fn next(summary: &Summary, again: Option<&str>) -> Option<String> {
    let (session, program) = (session_view::named(&summary.session), program::called());
    let again = again.map_or("run the same command again".into(), |again| {
        format!("`{again}`")
    });
    Some(match &summary.stop {
        Stop::Blocked(_) => {
            format!("answer with `{program} answer {session} TEXT`; then go on: {again}")
        }
        Stop::Stalled { .. } => format!(
            "see `{program} --session {session} log show`; when the cause is fixed, go on: {again}"
        ),
        Stop::Failed(IterationOutcome::TimedOut) => format!(
            "go on: {again}; add a longer `--iteration-time TIME`, or make the task smaller"
        ),
        Stop::Failed(_) => format!("when the agent works again, go on: {again}"),
        Stop::FailedAtOnce(..) => {
            format!("try the agent's command by itself; when it works, go on: {again}")
        }
        Stop::Interrupted(_) | Stop::Time | Stop::Requested(_) => match &summary.left {
            None => format!("go on: {again}"),
            Some(RunRemainder { iterations, all }) => {
                format!("go on: {again} ({iterations} of {all} iterations left)")
            }
        },
        _ => return None,
    })
}

/// The summary as JSON.
pub(super) struct Shown<'s>(pub(super) &'s Summary);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(summary) = self;
        let mut out = serializer.serialize_struct("Summary", 8)?;
        out.serialize_field("session", summary.session.as_str())?;
        let state = waynote::SessionState::after(summary.stop.reason());
        out.serialize_field("state", state.as_str())?;
        out.serialize_field("reason", summary.stop.reason().as_str())?;
        out.serialize_field("exit_code", &exit_code(&summary.stop))?;
        let details = details(&summary.stop);
        let details: Vec<_> = details
            .iter()
            .map(|line| waynote::secrets::masked(line))
            .collect();
        match &summary.stop {
            Stop::Completed(_) => out.serialize_field("summary", &details.join("\n"))?,
            Stop::Blocked(_) => out.serialize_field("question", &details.join("\n"))?,
            Stop::Stalled { .. } => out.serialize_field("evidence", &details)?,
            _ => out.serialize_field("detail", &waynote::secrets::masked(&line(&summary.stop)))?,
        }
        out.serialize_field("iterations", &summary.iterations)?;
        out.serialize_field("seconds", &summary.duration.as_secs_f64())?;
        let notes = summary
            .notes
            .iter()
            .map(|(kind, count)| (kind.as_str(), *count));
        let notes: serde_json::Map<String, serde_json::Value> = notes
            .map(|(kind, count)| (kind.to_owned(), count.into()))
            .collect();
        out.serialize_field("notes_added", &notes)?;
        out.end()
    }
}
