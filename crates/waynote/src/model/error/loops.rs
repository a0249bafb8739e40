//! What only loops refuse.

use jiff::Timestamp;

use crate::error::{ErrorClass, safe};
use crate::key::Name;

/// What is refused to a loop, to its agent, or to the person who answers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopError {
    /// Another loop has the session.
    #[error("a loop is running in session {}: {}, since {}", safe(session), safe(holder), time(*since))]
    LoopRunning {
        /// The session.
        session: Name,
        /// The process that runs it.
        holder: String,
        /// When it began.
        since: Timestamp,
    },

    /// The session was taken over from the loop that spoke.
    #[error(
        "the loop has lost session {}: another one has taken it",
        safe(session)
    )]
    LeaseLost {
        /// The session.
        session: Name,
    },

    /// Something was said of an iteration that does not run.
    #[error("{}", match iteration {
        Some(iteration) => format!("iteration {iteration} of session {} is not running", safe(session)),
        None => format!("no iteration of session {} is running", safe(session)),
    })]
    NoLiveIteration {
        /// The session.
        session: Name,
        /// The iteration that was named.
        iteration: Option<i64>,
    },

    /// The agent waits for an answer.
    #[error("session {} waits for an answer to: {}", safe(session), safe(question))]
    Unanswered {
        /// The session.
        session: Name,
        /// What the agent asked.
        question: String,
    },

    /// An iteration that has asked, or said that all is done, and says so once more.
    #[error("iteration {iteration} has already {}", match has_asked {
        true => "asked a person",
        false => "said that all is done",
    })]
    AlreadySaid {
        /// The iteration.
        iteration: i64,
        /// Whether it asked a person; otherwise it said that all is done.
        has_asked: bool,
    },

    /// An answer to nothing.
    #[error("no question is open in session {}", safe(session))]
    NothingAsked {
        /// The session.
        session: Name,
    },
}

impl LoopError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::LoopRunning { .. } => "loop_running",
            Self::LeaseLost { .. } => "lease_lost",
            Self::NoLiveIteration { .. } => "no_live_iteration",
            Self::Unanswered { .. } => "unanswered",
            Self::AlreadySaid { .. } => "already_said",
            Self::NothingAsked { .. } => "nothing_asked",
        }
    }

    /// The family of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::LoopRunning { .. } => ErrorClass::Busy,
            Self::LeaseLost { .. } | Self::AlreadySaid { .. } => ErrorClass::Conflict,
            Self::NoLiveIteration { .. } | Self::NothingAsked { .. } => ErrorClass::NotFound,
            Self::Unanswered { .. } => ErrorClass::Blocked,
        }
    }

    /// What would be right, in words that hold for every program.
    pub fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::LoopRunning { .. } => "wait for it or end it, or name another session",
            Self::NoLiveIteration { .. } => "this is for the agent that a loop runs, while it runs",
            Self::Unanswered { .. } => "a person has to answer it before the next iteration",
            Self::AlreadySaid { .. } => {
                "the first one counts: end your turn; put what else a person should know into a note"
            }
            Self::NothingAsked { .. } => "put what the agent should know into the spec or a note",
            Self::LeaseLost { .. } => return None,
        };
        Some(advice.into())
    }
}

/// Day and minute, in universal time.
fn time(time: Timestamp) -> String {
    format!("{} UTC", crate::text::minute(time))
}
