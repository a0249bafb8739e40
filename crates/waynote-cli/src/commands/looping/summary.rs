//! The summary of a loop that has ended: for people, and as JSON.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use waynote::event::IterationOutcome;
use waynote::text::{plural, shell_word};
use waynote_loop::{RunRemainder, Stop, Summary};

use super::words::{details, exit_code, headline, line};
use crate::{duration, session_view};

/// The summary for people.
pub(super) fn text(summary: &Summary, colour: bool) -> String {
    let notes: u64 = summary.notes.iter().map(|(_, count)| count).sum();
    let mut text = format!(
        "session {}: {} in {}, {} added",
        summary.session,
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
    if let (Stop::Failed(_), Some(said)) = (&summary.stop, summary.last_words()) {
        text.push_str(&format!("\n  failed with: {said}"));
    }
    if let Some(next) = next(summary) {
        text.push_str(&format!("\n{next}"));
    }
    text
}

/// The hint: the user's next step.
fn next(summary: &Summary) -> Option<String> {
    let session = shell_word(summary.session.as_str());
    Some(match &summary.stop {
        Stop::Blocked(_) => "answer with the same command and `--answer TEXT`".into(),
        Stop::Stalled { .. } => format!(
            "see `waynote --session {session} log show`; when the cause is fixed, run the same command to continue"
        ),
        Stop::Failed(IterationOutcome::TimedOut) => {
            "run the same command to continue, with a longer `--iteration-time` or a smaller task"
                .into()
        }
        Stop::Failed(_) => "when the agent works again, run the same command to continue".into(),
        Stop::Interrupted(_) | Stop::Time => match &summary.left {
            None => "run the same command to continue".into(),
            Some(RunRemainder { iterations, all }) => {
                format!(
                    "run the same command to continue: {iterations} of {all} iterations are left"
                )
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
            _ => out.serialize_field("detail", &line(&summary.stop))?,
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
