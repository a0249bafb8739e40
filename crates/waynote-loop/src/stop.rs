//! Why a loop stops.

use waynote::Name;
use waynote::event::{EndReason, IterationOutcome};

/// Why a loop stopped, with what it stopped for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The run has as many iterations as were asked for.
    Iterations(u64),
    /// The time was over.
    Time,
    /// The text was in the agent's output.
    Until(String),
    /// The agent's summary: all is done.
    Completed(String),
    /// The agent's question: a person must decide.
    Blocked(String),
    /// Going on would bring nothing new.
    Stalled {
        /// How many iterations went without progress.
        iterations: usize,
        /// The evidence, a line each.
        evidence: Vec<String>,
    },
    /// How the agent failed at the last attempt of an iteration.
    Failed(IterationOutcome),
    /// How the agent failed, so many times in a row and each time at once.
    FailedAtOnce(IterationOutcome, u32),
    /// The number of the signal that ended it.
    Interrupted(i32),
    /// The person who asked it to stop after its iteration.
    Requested(Name),
}

impl Stop {
    /// The reason as the session's log keeps it.
    pub fn reason(&self) -> EndReason {
        match self {
            Self::Iterations(_) => EndReason::Iterations,
            Self::Time => EndReason::Time,
            Self::Until(_) => EndReason::Until,
            Self::Completed(_) => EndReason::Completed,
            Self::Blocked(_) => EndReason::Blocked,
            Self::Stalled { .. } => EndReason::Stalled,
            Self::Failed(_) | Self::FailedAtOnce(..) => EndReason::Failed,
            Self::Interrupted(_) => EndReason::Interrupted,
            Self::Requested(_) => EndReason::Requested,
        }
    }

    /// The details that the log keeps, beside the reason and the agent's last output.
    pub(crate) fn kept(&self) -> Option<String> {
        match self {
            Self::Stalled { evidence, .. } => Some(evidence.join("\n")),
            Self::Interrupted(signal) => Some(signal_name(*signal)),
            Self::Requested(by) => Some(format!("as {by} asked")),
            Self::FailedAtOnce(_, times) => {
                Some(format!("it failed at once {times} times in a row"))
            }
            _ => None,
        }
    }
}

/// A signal as people call it.
pub fn signal_name(signal: i32) -> String {
    match signal {
        1 => "SIGHUP".into(),
        2 => "SIGINT".into(),
        15 => "SIGTERM".into(),
        other => format!("signal {other}"),
    }
}
