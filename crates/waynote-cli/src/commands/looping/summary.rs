//! What a loop came to: for people, and as JSON.

use std::time::Duration;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use waynote::event::IterationOutcome;
use waynote::session_state::Iteration;
use waynote::text::plural;
use waynote::{EntryType, Name};

use crate::{duration, session_view};

use super::stop::Stop;

/// What a loop came to.
pub(super) struct Summary {
    pub(super) session: Name,
    pub(super) stop: Stop,
    /// Those of this run.
    pub(super) iterations: Vec<Iteration>,
    pub(super) duration: Duration,
    /// How many iterations of the run are left, and how many it shall have, where somebody said so.
    pub(super) left: Option<(u64, u64)>,
    /// New entries of the log by type: the four, then what else there is.
    pub(super) notes: Vec<(EntryType, u64)>,
}

impl Summary {
    pub(super) fn text(&self, colour: bool) -> String {
        let notes: u64 = self.notes.iter().map(|(_, count)| count).sum();
        let mut text = format!(
            "session {}: {} in {}, {} added",
            self.session,
            plural(self.iterations.len() as u64, "iteration"),
            duration::rounded(self.duration),
            plural(notes, "note"),
        );
        let by_type = self.notes.iter().filter(|(_, count)| *count > 0);
        let by_type: Vec<String> = by_type
            .map(|(kind, count)| {
                let said = format!("{count} {kind}");
                session_view::painted(&said, session_view::style(kind), colour)
            })
            .collect();
        if !by_type.is_empty() {
            text.push_str(&format!(" ({})", by_type.join(", ")));
        }
        text.push_str(&format!("\nstopped: {}", self.stop.line()));
        let details = self.stop.details().join("\n");
        let details = match self.stop {
            Stop::Completed(_) | Stop::Blocked(_) => session_view::quoted(&details),
            _ => session_view::indented(&details),
        };
        text.push_str(&format!("\n{details}"));
        text.truncate(text.trim_end().len());
        if let (Stop::Failed(_), Some(said)) = (&self.stop, self.said()) {
            text.push_str(&format!("\n  failed with: {said}"));
        }
        if let Some(next) = self.next() {
            text.push_str(&format!("\n{next}"));
        }
        text
    }

    /// What the agent printed last, where it failed in the last iteration.
    fn said(&self) -> Option<&str> {
        self.iterations.last()?.said.as_deref()
    }

    /// What to do now.
    fn next(&self) -> Option<String> {
        let session = &self.session;
        Some(match self.stop {
            Stop::Blocked(_) => "answer with the same command and `--answer TEXT`".into(),
            Stop::Stalled(_) => format!(
                "look at `waynote --session {session} log show`; go on with the same command once the cause is gone"
            ),
            Stop::Failed(IterationOutcome::TimedOut) => {
                "go on with the same command, and a longer `--iteration-time` or a smaller task"
                    .into()
            }
            Stop::Failed(_) => "go on with the same command once the agent works".into(),
            Stop::Interrupted(_) | Stop::Time => match self.left {
                None => "go on with the same command".into(),
                Some((left, all)) => {
                    format!("go on with the same command: {left} of {all} iterations are left")
                }
            },
            _ => return None,
        })
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Summary", 7)?;
        out.serialize_field("session", self.session.as_str())?;
        out.serialize_field("reason", self.stop.reason().as_str())?;
        out.serialize_field("exit_code", &self.stop.code())?;
        let details = self.stop.details();
        let details: Vec<_> = details
            .iter()
            .map(|line| waynote::secrets::masked(line))
            .collect();
        match &self.stop {
            Stop::Completed(_) => out.serialize_field("summary", &details.join("\n"))?,
            Stop::Blocked(_) => out.serialize_field("question", &details.join("\n"))?,
            Stop::Stalled(_) => out.serialize_field("evidence", &details)?,
            _ => out.serialize_field("detail", &self.stop.line())?,
        }
        out.serialize_field("iterations", &self.iterations)?;
        out.serialize_field("seconds", &self.duration.as_secs_f64())?;
        let notes = self
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
