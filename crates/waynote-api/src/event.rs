//! Events of sessions.

use serde::{Deserialize, Serialize};
use waynote::{Error, Name, Result, event};

use crate::malformed::{position, time};
use crate::stamp::Stamp;

/// A stored event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecordedEvent {
    /// Its number in the session: 1, 2, 3 ….
    pub number: u64,
    /// Its position in the whole store.
    pub position: String,
    /// Its author.
    pub author: String,
    /// Its time.
    pub recorded_at: String,
    /// The event.
    #[cfg_attr(feature = "openapi", schema(value_type = form::SessionEvent))]
    pub event: event::SessionEvent,
}

impl From<&event::RecordedEvent> for RecordedEvent {
    fn from(of: &event::RecordedEvent) -> Self {
        Self {
            number: of.number,
            position: of.position.to_string(),
            author: of.author.to_string(),
            recorded_at: of.recorded_at.to_string(),
            event: of.event.clone(),
        }
    }
}

impl TryFrom<RecordedEvent> for event::RecordedEvent {
    type Error = Error;

    fn try_from(of: RecordedEvent) -> Result<Self> {
        Ok(Self {
            number: of.number,
            position: position(&of.position)?,
            author: of.author.parse()?,
            recorded_at: time(&of.recorded_at)?,
            event: of.event,
        })
    }
}

/// An event, with its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionsEvent {
    /// The session.
    pub session: String,
    /// The event.
    #[serde(flatten)]
    pub recorded: RecordedEvent,
}

/// Events of a session to record, all of them or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordRequest {
    /// The session.
    pub session: String,
    /// The events.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<form::SessionEvent>))]
    pub events: Vec<event::SessionEvent>,
    /// The number of the `loop_started` event of the loop that records them.
    #[serde(default)]
    pub lease: Option<u64>,
    /// Who records them, and when.
    pub stamp: Stamp,
}

impl RecordRequest {
    /// A request to record these events.
    ///
    /// # Errors
    /// [`Error::NotBuiltIn`] for a stamp that the API has no form for.
    pub fn new(
        session: &Name,
        events: &[event::SessionEvent],
        lease: Option<u64>,
        stamp: &waynote::Stamp,
    ) -> Result<Self> {
        Ok(Self {
            session: session.to_string(),
            events: events.to_vec(),
            lease,
            stamp: Stamp::try_from(stamp)?,
        })
    }

    /// The session, the events, the lease and the stamp.
    ///
    /// # Errors
    /// [`Error::InvalidName`], [`crate::Malformed`].
    pub fn parts(self) -> Result<(Name, Vec<event::SessionEvent>, Option<u64>, waynote::Stamp)> {
        Ok((
            self.session.parse()?,
            self.events,
            self.lease,
            self.stamp.try_into()?,
        ))
    }
}

/// The forms of events, which the library writes itself: here for their schemas.
#[cfg(feature = "openapi")]
pub(crate) mod form {
    use serde::{Deserialize, Serialize};
    use utoipa::ToSchema;

    /// An event of a session.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
    #[serde(tag = "event", rename_all = "snake_case")]
    pub enum SessionEvent {
        /// A loop took the session.
        LoopStarted {
            /// The process that runs it.
            holder: ProcessIdentity,
            /// The directory it runs in.
            directory: String,
            /// How many iterations the run should have.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            iterations: Option<u64>,
        },
        /// The loop ended, or was found dead.
        LoopEnded {
            /// Why.
            reason: EndReason,
            /// Details, in lines.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            detail: Option<String>,
        },
        /// An iteration began.
        IterationStarted {
            /// Its number.
            iteration: i64,
            /// The block of notes in its prompt.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            block: Option<IterationBlock>,
        },
        /// An iteration ended.
        IterationEnded {
            /// Its number.
            iteration: i64,
            /// How the agent ended in the last attempt.
            outcome: IterationOutcome,
            /// How long all attempts took together.
            duration_ms: Option<u64>,
            /// How often the agent was started.
            attempts: u32,
            /// The number of entries that it added to the log.
            notes_added: u64,
            /// The last output of an agent that failed.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            said: Option<String>,
        },
        /// The agent said that the task is done.
        Completed {
            /// The iteration.
            iteration: i64,
            /// What was done.
            summary: String,
        },
        /// The agent needs a person to continue.
        Blocked {
            /// The iteration.
            iteration: i64,
            /// The question.
            question: String,
        },
        /// A person answered the last question.
        Answered {
            /// The answer.
            answer: String,
        },
        /// Another entry resolved a `stuck` entry.
        Resolved {
            /// The entry.
            entry: String,
            /// The entry that resolved it.
            by: String,
        },
    }

    /// The block of notes in the prompt of an iteration.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
    pub struct IterationBlock {
        /// The agent whose notebook it shows.
        pub agent: String,
        /// The place of the agent.
        pub place: String,
        /// Other places whose notes apply.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub also: Vec<String>,
        /// How it is written.
        pub style: crate::words::Style,
        /// The budget in tokens of the model that reads it; 0: no limit.
        pub budget: usize,
        /// The model's tokens for one of o200k.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub factor: Option<f64>,
        /// The tools of the agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub tools: Option<crate::block::Tools>,
        /// The position of the store's last change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub position: Option<String>,
        /// The SHA-256 of the text that the agent was given.
        pub sha256: String,
    }

    /// The identity of a process.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    pub struct ProcessIdentity {
        /// The machine's name.
        pub host: String,
        /// The boot id of the machine's kernel.
        pub boot: String,
        /// The PID namespace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub namespace: Option<u64>,
        /// The process id.
        pub pid: u32,
        /// Its start time.
        pub start: u64,
    }

    /// How an iteration ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(tag = "how", rename_all = "snake_case")]
    pub enum IterationOutcome {
        /// The agent exited.
        Exited {
            /// Its exit code.
            code: i32,
        },
        /// Its output says that it failed.
        Reported,
        /// A signal ended it.
        Signalled {
            /// The signal's number.
            signal: i32,
        },
        /// The agent could not be started.
        NotStarted,
        /// It ran out of time.
        TimedOut,
        /// The loop was ended, and the agent with it.
        Interrupted,
        /// The loop was killed.
        Lost,
    }

    /// Why a loop ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum EndReason {
        /// All iterations are done.
        Iterations,
        /// The time limit was reached.
        Time,
        /// The output contained the text that the loop waits for.
        Until,
        /// The agent said that the task is done.
        Completed,
        /// The agent asked a person.
        Blocked,
        /// Iterations made no progress.
        Stalled,
        /// The agent failed in every attempt.
        Failed,
        /// A person or the system ended the loop.
        Interrupted,
        /// The store or the disk failed.
        Error,
        /// The loop was killed.
        Lost,
    }
}
