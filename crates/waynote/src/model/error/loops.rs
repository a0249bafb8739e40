//! The errors that only loops have.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::form::{safe_text, safe_text_or_none};

use crate::author::shown;
use crate::error::{ErrorClass, safe};
use crate::key::Name;

/// An error for a loop, for its agent, or for the person who answers.
#[derive(
    Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoopError {
    /// Another loop has the session.
    #[error("a loop is running in session {}: {}, since {}", safe(session), safe(holder), time(*since))]
    LoopRunning {
        /// The session.
        session: Name,
        /// The process that runs the loop.
        #[serde(serialize_with = "safe_text")]
        holder: String,
        /// When it began.
        since: Timestamp,
    },

    /// The loop that writes, or inside which something is written, does not hold its session any more.
    #[error("the loop has lost session {}: {}", safe(session), match (holder, since) {
        (Some(holder), Some(since)) => format!("{} has had it since {}", safe(holder), time(*since)),
        _ => "it was ended, and no loop has it now".into(),
    })]
    LeaseLost {
        /// The session.
        session: Name,
        /// The process that runs the loop which has it now; none if no loop has it.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            serialize_with = "safe_text_or_none"
        )]
        holder: Option<String>,
        /// When that loop began.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Timestamp>,
    },

    /// A signal for an iteration that is not running.
    #[error("{}", match iteration {
        Some(iteration) => format!("iteration {iteration} of session {} is not running", safe(session)),
        None => format!("no iteration of session {} is running", safe(session)),
    })]
    NoLiveIteration {
        /// The session.
        session: Name,
        /// The iteration that was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iteration: Option<i64>,
    },

    /// The agent waits for an answer.
    #[error("session {} waits for an answer to: {}", safe(session), safe(question))]
    Unanswered {
        /// The session.
        session: Name,
        /// What the agent asked.
        #[serde(serialize_with = "safe_text")]
        question: String,
    },

    /// A second signal of an iteration that has already asked a person, or said that all is done.
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

    /// An answer without an open question.
    #[error("no question is open in session {}", safe(session))]
    NothingAsked {
        /// The session.
        session: Name,
    },

    /// A second answer to a question.
    #[error("the question of session {} was answered by {} on {}", safe(session), safe(shown(by, None)), time(*at))]
    AlreadyAnswered {
        /// The session.
        session: Name,
        /// Who answered.
        by: Name,
        /// When.
        at: Timestamp,
    },

    /// A request to stop a loop where none runs.
    #[error("no loop is running in session {}", safe(session))]
    NoLoop {
        /// The session.
        session: Name,
    },

    /// An act that is a person's, where an agent writes.
    #[error("{act} is refused inside a loop, where an agent writes")]
    NotAPerson {
        /// The act.
        act: PersonalAct,
    },
}

/// An act that is a person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PersonalAct {
    /// Writing in a person's name.
    #[strum(serialize = "the author `person`")]
    Write,
    /// Answering an agent's question.
    #[strum(serialize = "an answer")]
    Answer,
    /// Stopping a loop after its iteration.
    #[strum(serialize = "stopping a loop")]
    Stop,
    /// Archiving a session.
    #[strum(serialize = "archiving a session")]
    Archive,
    /// Continuing a loop.
    #[strum(serialize = "continuing a loop")]
    Continue,
    /// Administering the store's access.
    #[strum(serialize = "administration")]
    Administer,
}

impl LoopError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// The family of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::LoopRunning { .. } => ErrorClass::Busy,
            Self::LeaseLost { .. } | Self::AlreadySaid { .. } | Self::AlreadyAnswered { .. } => {
                ErrorClass::Conflict
            }
            Self::NoLiveIteration { .. } | Self::NothingAsked { .. } | Self::NoLoop { .. } => {
                ErrorClass::NotFound
            }
            Self::Unanswered { .. } => ErrorClass::Blocked,
            Self::NotAPerson { .. } => ErrorClass::Refused,
        }
    }

    /// The advice for the error, in words that suit every program.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::LoopRunning { .. } => "wait for it, end it, or use another session",
            Self::NoLiveIteration { .. } => "only the agent of a running loop can use this",
            Self::Unanswered { .. } => "a person has to answer it before the next iteration",
            Self::AlreadySaid { .. } => {
                "only the first one counts: end your turn, and put what else a person should know into a note"
            }
            Self::NothingAsked { .. } => "put what the agent should know into the spec or a note",
            Self::AlreadyAnswered { .. } => {
                "the next prompt has the answer: start the loop again without another one"
            }
            Self::NoLoop { .. } => "there is nothing to stop: see the state of the session",
            Self::NotAPerson { act } => match act {
                PersonalAct::Write => "name the agent as the author",
                PersonalAct::Answer => {
                    "end your turn; the person starts the loop again with the answer"
                }
                PersonalAct::Stop | PersonalAct::Archive | PersonalAct::Continue => {
                    "end your turn with a question, and a person decides"
                }
                PersonalAct::Administer => "do it outside of the loop",
            },
            Self::LeaseLost { .. } => {
                "an agent of that loop ends its turn: nothing that it writes is taken any more"
            }
        }
    }
}

/// Day and minute, in universal time.
fn time(time: Timestamp) -> String {
    format!("{} UTC", crate::text::minute(time))
}
