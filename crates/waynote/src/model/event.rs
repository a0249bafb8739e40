//! What happens in a session beside its notes: a loop takes it, iterations begin and end, an agent says that all is
//! done or that a person is needed.
//!
//! Events are kept beside the journal, each session's numbered 1, 2, 3 …, and have positions in one order with it. They
//! are no notes: no list, count, search or prompt block has them. The rules check each inside the transaction that
//! writes it. [`EventAddress`] names one, and [`Reader::event`](crate::Reader::event) reads it.

mod address;
mod words;

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::key::{EntryId, Name};
use crate::note::Position;

pub use address::EventAddress;

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionEvent {
    /// A loop took the session: no other can until it has ended.
    LoopStarted {
        /// The process that runs it.
        holder: ProcessIdentity,
        /// The directory it runs in, absolute.
        directory: String,
        /// How many iterations the run shall have, where somebody said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iterations: Option<u64>,
    },
    /// The loop ended, or was found dead.
    LoopEnded {
        /// Why.
        reason: EndReason,
        /// More about that, in lines: the evidence of a stall, the error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// An iteration began; it is the live one until it ends.
    IterationStarted {
        /// Its number, larger than every one before.
        iteration: i64,
    },
    /// The live iteration ended.
    IterationEnded {
        /// Its number.
        iteration: i64,
        /// How the agent ended at the last attempt.
        outcome: IterationOutcome,
        /// How long it took, all attempts together; none: nobody was there to measure.
        duration_ms: Option<u64>,
        /// How often the agent was started.
        attempts: u32,
        /// Entries that it added to the log.
        notes_added: u64,
        /// What the agent printed last when it failed, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<String>,
    },
    /// The agent says that all is done.
    Completed {
        /// The iteration in which it said so.
        iteration: i64,
        /// What was done.
        summary: String,
    },
    /// The agent cannot go on without a person.
    Blocked {
        /// The iteration in which it said so.
        iteration: i64,
        /// What the person has to say.
        question: String,
    },
    /// A person answered the last question.
    Answered {
        /// The answer.
        answer: String,
    },
    /// A `stuck` entry was resolved by another one: it leaves the prompts until it is noted again.
    Resolved {
        /// The entry.
        entry: EntryId,
        /// The one that says how.
        by: EntryId,
    },
}

/// A process, named for good: no other has the same four.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// The machine's name.
    pub host: String,
    /// What the machine's kernel calls the time since it was started; empty where none does.
    pub boot: String,
    /// The process's number.
    pub pid: u32,
    /// When it was started, as the kernel counts; 0 where it does not say.
    pub start: u64,
}

impl fmt::Display for ProcessIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, self.host)
    }
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
#[non_exhaustive]
pub enum IterationOutcome {
    /// The agent ended by itself.
    Exited {
        /// Its exit code; 0 is success.
        code: i32,
    },
    /// Its exit code was 0, and its output says that it failed.
    Reported,
    /// A signal that nobody here sent ended it.
    Signalled {
        /// The signal's number.
        signal: i32,
    },
    /// It could not be started.
    NotStarted,
    /// Its time was over, and it was ended.
    TimedOut,
    /// A person or the system ended the loop, and it was ended with it.
    Interrupted,
    /// The loop was killed, and nobody knows.
    Lost,
}

impl IterationOutcome {
    /// Whether the agent did its turn.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// The iterations that were asked for are done.
    Iterations,
    /// Its time was over.
    Time,
    /// The agent's output held the text that was waited for.
    Until,
    /// The agent said that all is done.
    Completed,
    /// The agent asked for a person.
    Blocked,
    /// Going on brought nothing new.
    Stalled,
    /// The agent failed again and again.
    Failed,
    /// A person or the system ended it.
    Interrupted,
    /// It could not go on: the store or the disk failed.
    Error,
    /// It was killed: another loop found it dead.
    Lost,
}

impl EndReason {
    /// Whether the run is over: another loop of the session begins a new one.
    pub fn ends_the_run(self) -> bool {
        matches!(self, Self::Iterations | Self::Until | Self::Completed)
    }

    /// The reason's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Time => "time",
            Self::Until => "until",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Stalled => "stalled",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
            Self::Lost => "lost",
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An event as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// 1, 2, 3 … of the session.
    pub number: u64,
    /// Where it stands in the store's one order. Events of old stores share the position of the change before them.
    pub position: Position,
    /// Who recorded it.
    pub author: Name,
    /// When.
    pub recorded_at: Timestamp,
    /// What happened.
    pub event: SessionEvent,
}
