//! The state of a session, in the words that every interface prints: the command line, its JSON, the HTTP API, the
//! page.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::event::{EndReason, RecordedEvent, SessionEvent};
use crate::key::Name;
use crate::loops::{IsDead, is_gone};
use crate::rules::session_state::{
    Answer, End, Question, answer_in, end_in, is_archived, latest, latest_after, question_in,
    stop_requested_in,
};
use crate::store::{Ask, EventPage, Reader, Store, answers};
use crate::text::minute;

/// The state of a session.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum SessionState {
    /// No loop has run in it.
    #[strum(serialize = "no loop has run")]
    NoLoop,
    /// A loop is running.
    Running,
    /// The agent asked a person, and nobody has answered. No loop runs.
    #[strum(serialize = "waiting for an answer")]
    Waiting,
    /// The question is answered, and no loop has run since.
    #[strum(serialize = "answered and ready to go on")]
    Answered,
    /// The last loop ran all its iterations, or its agent said that the task is done.
    Done,
    /// The last loop ended because its iterations made no progress.
    Stalled,
    /// The last loop ended because its agent failed in every attempt, or because the store or the disk failed.
    Failed,
    /// The loop was killed, and no other loop has run since.
    Lost,
    /// The last loop's time was over.
    #[strum(serialize = "out of time")]
    OutOfTime,
    /// The last loop stopped after its iteration, as a person asked.
    Stopped,
    /// A person or the system ended the last loop.
    Interrupted,
}

impl SessionState {
    /// The state's words, the same for people and programs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The state of a session whose last loop ended for this reason.
    pub fn after(reason: EndReason) -> Self {
        match reason {
            EndReason::Iterations | EndReason::Until | EndReason::Completed => Self::Done,
            EndReason::Blocked => Self::Waiting,
            EndReason::Stalled => Self::Stalled,
            EndReason::Failed | EndReason::Error => Self::Failed,
            EndReason::Requested => Self::Stopped,
            EndReason::Interrupted => Self::Interrupted,
            EndReason::Time => Self::OutOfTime,
            EndReason::Lost => Self::Lost,
        }
    }
}

/// The state of a session, and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionStatus {
    /// The state.
    pub state: SessionState,
    /// The end of the last loop; none while a loop runs, if no loop ever ran, and if the last one was killed.
    pub end: Option<End>,
    /// The open question.
    pub question: Option<Question>,
    /// The answer to the last question, until an iteration has finished its turn with it.
    pub answer: Option<Answer>,
    /// Who asked the running loop to stop after its iteration.
    pub stop_requested: Option<Name>,
}

/// The loop that holds a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// No loop holds it.
    Nobody,
    /// A loop that lives.
    Alive,
    /// A loop that was killed.
    Dead,
}

impl Holder {
    /// The holder of a session with this lease. `is_dead` tells whether a process is dead.
    ///
    /// # Errors
    /// As [`Store::silence`].
    pub fn of(
        store: &dyn Store,
        session: &Name,
        lease: Option<&RecordedEvent>,
        is_dead: IsDead<'_>,
    ) -> Result<Self> {
        Ok(match lease {
            None => Self::Nobody,
            Some(held) if is_gone(store, session, held, is_dead)? => Self::Dead,
            Some(_) => Self::Alive,
        })
    }
}

impl SessionStatus {
    /// Reads the state of a session. `is_dead` tells whether a process is dead.
    ///
    /// # Errors
    /// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be
    /// read.
    pub fn read(store: &dyn Store, session: &Name, is_dead: IsDead<'_>) -> Result<Self> {
        let holder = Holder::of(store, session, store.lease(session)?.as_ref(), is_dead)?;
        Self::of(holder, || latest(store, session))
    }

    /// The same for a session whose last events were read: `events`, latest first, of which `limit` were asked for.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_after(
        store: &dyn Reader,
        session: &Name,
        holder: Holder,
        events: &[RecordedEvent],
        limit: usize,
    ) -> Result<Self> {
        let is_all = events.len() < limit;
        Self::of(holder, || latest_after(store, session, events, is_all))
    }

    /// The state of a session with these events, latest first.
    fn of<I>(holder: Holder, events: impl Fn() -> I) -> Result<Self>
    where
        I: Iterator<Item = Result<RecordedEvent>>,
    {
        let end = match holder {
            Holder::Nobody => end_in(events())?,
            _ => None,
        };
        let stop_requested = match holder {
            Holder::Alive => stop_requested_in(events())?,
            _ => None,
        };
        let question = question_in(events())?;
        let answer = match &question {
            Some(_) => None,
            None => answer_in(events())?,
        };
        let state = match (holder, &question, &end) {
            (Holder::Alive, ..) => SessionState::Running,
            (_, Some(_), _) => SessionState::Waiting,
            (Holder::Dead, ..) => SessionState::Lost,
            (_, _, None) => SessionState::NoLoop,
            // A person may also have answered while the loop still ran.
            (_, _, Some(end))
                if end.reason == EndReason::Blocked || is_answered_last(events())? =>
            {
                SessionState::Answered
            }
            (_, _, Some(end)) => SessionState::after(end.reason),
        };
        Ok(Self {
            state,
            end,
            question,
            answer,
            stop_requested,
        })
    }

    /// The details of the state in one line, without credentials: the question, the author and time of an answer, or
    /// the reason for the loop's end.
    pub fn detail(&self) -> Option<String> {
        let detail = match (self.state, &self.end) {
            (SessionState::Waiting, _) => {
                let asked = &self.question.as_ref()?.question;
                asked.split_whitespace().collect::<Vec<_>>().join(" ")
            }
            (SessionState::Answered, _) => {
                let answer = self.answer.as_ref()?;
                format!("by {} on {} UTC", answer.by, minute(answer.at))
            }
            (SessionState::Lost, _) => "its loop was killed".into(),
            (SessionState::Running, _) => {
                let by = self.stop_requested.as_ref()?;
                format!("stops after this iteration, as {by} asked")
            }
            (_, end) => {
                let end = end.as_ref()?;
                end.detail.clone().or(why(end.reason).map(str::to_owned))?
            }
        };
        let first = detail.lines().find(|line| !line.trim().is_empty())?;
        Some(crate::secrets::masked(first.trim()).into_owned())
    }
}

/// The reason for a loop's end, if the state does not tell it.
fn why(reason: EndReason) -> Option<&'static str> {
    match reason {
        EndReason::Iterations => Some("all iterations ran"),
        EndReason::Until => Some("the agent printed the text that the loop waited for"),
        EndReason::Completed => Some("the agent says that all is done"),
        EndReason::Failed => Some("the agent failed in every attempt"),
        EndReason::Error => Some("the store or the disk failed"),
        _ => None,
    }
}

/// True if a person answered after the last loop.
fn is_answered_last(events: impl Iterator<Item = Result<RecordedEvent>>) -> Result<bool> {
    for recorded in events {
        match recorded?.event {
            SessionEvent::Answered { .. } => return Ok(true),
            SessionEvent::LoopEnded { .. } | SessionEvent::LoopStarted { .. } => return Ok(false),
            _ => {}
        }
    }
    Ok(false)
}

/// Those of these sessions whose question is open, the longest waiting first, without archived ones. A loop may still
/// run in one of them.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn waiting(store: &dyn Reader, sessions: Vec<Name>) -> Result<Vec<(Name, Question)>> {
    let all = last_events(store, sessions)?;
    let mut waiting = Vec::new();
    for (session, events) in all {
        if !is_archived(&events)
            && let Some(question) = question_after(store, &session, &events)?
        {
            let at = events.first().map(|last| (last.recorded_at, last.position));
            waiting.push((at, session, question));
        }
    }
    waiting.sort_by_key(|(at, ..)| *at);
    let waiting = waiting
        .into_iter()
        .map(|(_, session, asked)| (session, asked));
    Ok(waiting.collect())
}

/// These sessions without archived ones.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn without_archived(store: &dyn Reader, sessions: Vec<Name>) -> Result<Vec<Name>> {
    let mut all = last_events(store, sessions)?;
    all.retain(|_, events| !is_archived(events));
    Ok(all.into_keys().collect())
}

/// The number of events that [`last_events`] reads of each session: mostly enough to tell whether a question is open.
const LAST_EVENTS: usize = 4;

/// The last few events of each of these sessions, latest first, in one read.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn last_events(
    store: &dyn Reader,
    sessions: Vec<Name>,
) -> Result<BTreeMap<Name, Vec<RecordedEvent>>> {
    let of_each = sessions.iter();
    let of_each = of_each.map(|session| EventPage::last(session.clone(), LAST_EVENTS));
    let events = answers!(store, events: of_each.collect());
    Ok(sessions.into_iter().zip(events).collect())
}

/// The open question of a session with these last events, as [`last_events`] reads them.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn question_after(
    store: &dyn Reader,
    session: &Name,
    events: &[RecordedEvent],
) -> Result<Option<Question>> {
    let is_all = events.len() < LAST_EVENTS;
    question_in(latest_after(store, session, events, is_all))
}
