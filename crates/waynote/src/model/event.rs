//! Session events: a loop takes the session, iterations begin and end, an agent says that it is done or needs a person.
//!
//! Events are kept beside the journal. Each session numbers its events 1, 2, 3 …; in the whole store they share one
//! order of positions with the journal. Events are not notes: lists, counts, search and prompt blocks leave them out.
//! The rules check each event inside the transaction that writes it. [`EventAddress`] names an event, and
//! [`Reader::event`](crate::Reader::event) reads it.

mod address;
mod texts;
mod words;

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::block::IterationBlock;
use crate::key::{EntryId, Name};
use crate::note::Position;

pub use address::EventAddress;
pub use texts::FORGOTTEN;

/// An event of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum SessionEvent {
    /// A loop took the session. No other loop can take it until this one has ended.
    LoopStarted {
        /// The process that runs it.
        holder: ProcessIdentity,
        /// The directory it runs in, absolute.
        directory: String,
        /// How many iterations the run should have, if that was given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iterations: Option<u64>,
    },
    /// The loop ended, or was found dead.
    LoopEnded {
        /// Why.
        reason: EndReason,
        /// Details, in lines: the evidence of a stall, or the error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// An iteration began. It is the live one until it ends.
    IterationStarted {
        /// Its number, larger than all earlier ones.
        iteration: i64,
        /// The block of notes in its prompt; none if an older version recorded the event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        block: Option<Box<IterationBlock>>,
    },
    /// The live iteration ended.
    IterationEnded {
        /// Its number.
        iteration: i64,
        /// How the agent ended in the last attempt.
        outcome: IterationOutcome,
        /// How long all attempts took together; none if nothing could measure it.
        duration_ms: Option<u64>,
        /// How often the agent was started.
        attempts: u32,
        /// The number of entries that it added to the log.
        notes_added: u64,
        /// The last output of an agent that failed, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<String>,
    },
    /// The agent said that the task is done.
    Completed {
        /// The iteration in which it said so.
        iteration: i64,
        /// What was done.
        summary: String,
    },
    /// The agent needs a person to continue.
    Blocked {
        /// The iteration in which it said so.
        iteration: i64,
        /// The question for the person.
        question: String,
    },
    /// A person answered the last question.
    Answered {
        /// The answer.
        answer: String,
    },
    /// A person asked the loop that holds the session to stop after its iteration.
    StopRequested,
    /// A person archived the session, or it was forgotten: lists leave it out until its next event.
    Archived,
    /// A person put the session back on the list.
    Unarchived,
    /// Another entry resolved a `stuck` entry, which is not shown in prompts until it is noted again.
    Resolved {
        /// The entry.
        entry: EntryId,
        /// The entry that resolved it.
        by: EntryId,
    },
}

/// The identity of a process: no other process ever has the same values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ProcessIdentity {
    /// The machine's name.
    pub host: String,
    /// The boot id of the machine's kernel; empty if it has none.
    pub boot: String,
    /// The PID namespace in which the process has its number: each container has its own. None if the system has no
    /// such thing, or if the identity was recorded by a version that did not ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u64>,
    /// The process id.
    pub pid: u32,
    /// Its start time, in the ticks of the kernel; 0 if unknown.
    pub start: u64,
}

impl ProcessIdentity {
    /// A process of a machine whose PID namespace is not known.
    pub fn new(host: impl Into<String>, boot: impl Into<String>, pid: u32, start: u64) -> Self {
        Self {
            host: host.into(),
            boot: boot.into(),
            namespace: None,
            pid,
            start,
        }
    }

    /// Sets the PID namespace in which the process has its number.
    pub fn namespace(self, namespace: impl Into<Option<u64>>) -> Self {
        Self {
            namespace: namespace.into(),
            ..self
        }
    }
}

impl fmt::Display for ProcessIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, self.host)
    }
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum IterationOutcome {
    /// The agent exited.
    Exited {
        /// Its exit code; 0 is success.
        code: i32,
    },
    /// Its exit code was 0, but its output says that it failed.
    Reported,
    /// A signal ended it that the loop did not send.
    Signalled {
        /// The signal's number.
        signal: i32,
    },
    /// The agent could not be started.
    NotStarted,
    /// It ran out of time and was ended.
    TimedOut,
    /// A person or the system ended the loop, and the agent with it.
    Interrupted,
    /// The loop was killed, so the result is not known.
    Lost,
}

impl IterationOutcome {
    /// True if the agent finished its turn.
    pub fn is_success(self) -> bool {
        self == Self::Exited { code: 0 }
    }
}

impl fmt::Display for IterationOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { code: 0 } => f.write_str("done"),
            Self::Exited { code } => write!(f, "failed (exit code {code})"),
            Self::Reported => f.write_str("failed (exit code 0, but its output says so)"),
            Self::Signalled { signal } => write!(f, "killed (signal {signal})"),
            Self::NotStarted => f.write_str("not started"),
            Self::TimedOut => f.write_str("timed out"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Lost => f.write_str("lost"),
        }
    }
}

/// Why a loop ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// The requested number of iterations is done.
    Iterations,
    /// The loop's time limit was reached.
    Time,
    /// The agent's output contained the text that the loop waits for.
    Until,
    /// The agent said that the task is done.
    Completed,
    /// The agent asked a person.
    Blocked,
    /// The loop stalled: iterations made no progress.
    Stalled,
    /// The agent failed in every attempt.
    Failed,
    /// A person asked the loop to stop after its iteration.
    Requested,
    /// A person or the system ended the loop.
    Interrupted,
    /// The loop could not continue because the store or the disk failed.
    Error,
    /// The loop was killed; another loop found it dead.
    Lost,
}

impl EndReason {
    /// True if the run is complete: the next loop of the session begins a new run.
    pub(crate) fn ends_the_run(self) -> bool {
        matches!(self, Self::Iterations | Self::Until | Self::Completed)
    }

    /// The reason's word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A stored event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecordedEvent {
    /// Its number in the session: 1, 2, 3 ….
    pub number: u64,
    /// Its position in the whole store. Events written by older versions share the position of the change before them.
    pub position: Position,
    /// Its author.
    pub author: Name,
    /// Its time.
    pub recorded_at: Timestamp,
    /// The event.
    pub event: SessionEvent,
}

/// A stored event, with its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionsEvent {
    /// The session.
    pub session: Name,
    /// The event.
    #[serde(flatten)]
    pub recorded: RecordedEvent,
}

impl RecordedEvent {
    /// Its address in its session.
    pub fn address(&self, session: &Name) -> EventAddress {
        EventAddress {
            session: session.clone(),
            number: self.number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_of_an_earlier_version_is_read() {
        let old = r#"{"host":"h","boot":"b","pid":7,"start":1}"#;
        let of_json = |text: &str| serde_json::from_str::<ProcessIdentity>(text).unwrap();
        let read = of_json(old);
        assert_eq!(read, ProcessIdentity::new("h", "b", 7, 1));
        assert_eq!(serde_json::to_string(&read).unwrap(), old);
        let new = read.namespace(4_026_531_836);
        assert_eq!(of_json(&serde_json::to_string(&new).unwrap()), new);
    }
}
