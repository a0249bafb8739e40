//! The state of a session, from its events. They are read backwards, only as far as needed.

use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::block::IterationBlock;
use crate::error::{Error, LoopError, Result};
use crate::event::{EndReason, IterationOutcome, RecordedEvent, SessionEvent};
use crate::key::Name;
use crate::store::{Count, Reader};

pub use super::session_reader::SessionReader;

/// The events that are read at first.
pub(super) const PAGE: usize = 8;

/// A session's events, latest first, read on demand.
pub(crate) fn latest<'l>(
    log: &'l dyn Reader,
    session: &'l Name,
) -> impl Iterator<Item = Result<RecordedEvent>> + 'l {
    older_than(log, session, None)
}

/// The same, if the first ones were read; `is_all`: there are no others.
pub(crate) fn latest_after<'l>(
    log: &'l dyn Reader,
    session: &'l Name,
    read: &'l [RecordedEvent],
    is_all: bool,
) -> impl Iterator<Item = Result<RecordedEvent>> + 'l {
    let last = read.last().map(|last| last.number);
    let older = (!is_all).then(|| older_than(log, session, last));
    let read = read.iter().cloned().map(Ok);
    read.chain(older.into_iter().flatten())
}

/// The events before this number, latest first; none: all.
fn older_than<'l>(
    log: &'l dyn Reader,
    session: &'l Name,
    mut before: Option<u64>,
) -> impl Iterator<Item = Result<RecordedEvent>> + 'l {
    let (mut limit, mut is_over) = (PAGE, false);
    let mut page = Vec::new().into_iter();
    std::iter::from_fn(move || {
        loop {
            match page.next() {
                Some(recorded) => return Some(Ok(recorded)),
                None if is_over => return None,
                None => {}
            }
            match log.events(session, before, limit) {
                Ok(events) => {
                    is_over = events.len() < limit;
                    before = events.last().map(|last: &RecordedEvent| last.number);
                    page = events.into_iter();
                    limit *= 2;
                }
                Err(error) => {
                    is_over = true;
                    return Some(Err(error));
                }
            }
        }
    })
}

/// What the first event says that says anything about it: a break ends the search with that, or with nothing.
fn said<T>(
    mut events: impl Iterator<Item = Result<RecordedEvent>>,
    mut says: impl FnMut(RecordedEvent) -> ControlFlow<Option<T>>,
) -> Result<Option<T>> {
    let said = events.try_for_each(|recorded| match recorded.map(&mut says) {
        Ok(Continue(())) => Continue(()),
        Ok(Break(said)) => Break(Ok(said)),
        Err(error) => Break(Err(error)),
    });
    said.break_value().unwrap_or(Ok(None))
}

/// The live iteration, if there is one: it has begun, and no end is recorded.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn live_iteration(log: &dyn Reader, session: &Name) -> Result<Option<i64>> {
    said(latest(log, session), |recorded| match recorded.event {
        SessionEvent::IterationStarted { iteration, .. } => Break(Some(iteration)),
        SessionEvent::IterationEnded { .. } => Break(None),
        _ => Continue(()),
    })
}

/// The number of the last iteration that a loop began.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn last_iteration(log: &dyn Reader, session: &Name) -> Result<Option<i64>> {
    said(latest(log, session), |recorded| match recorded.event {
        SessionEvent::IterationStarted { iteration, .. }
        | SessionEvent::IterationEnded { iteration, .. } => Break(Some(iteration)),
        _ => Continue(()),
    })
}

/// An iteration that began: when, and with which block of notes (none if an older version ran it). None if no loop began
/// it.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn iteration_start(
    log: &dyn Reader,
    session: &Name,
    number: i64,
) -> Result<Option<(Timestamp, Option<Box<IterationBlock>>)>> {
    said(latest(log, session), |recorded| match recorded.event {
        SessionEvent::IterationStarted { iteration, block } if iteration == number => {
            Break(Some((recorded.recorded_at, block)))
        }
        _ => Continue(()),
    })
}

/// The counts whose difference is the number of entries of an iteration.
pub(crate) fn entry_counts(session: &Name, iteration: i64) -> [Count; 2] {
    [iteration.saturating_add(1), iteration].map(|before| Count::Entries {
        session: session.clone(),
        kind: None,
        before: Some(before),
        open: false,
    })
}

/// The iteration of an entry that is noted from outside a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryIteration {
    /// This one. In an empty session it is 0 if no number was given: the first prompt has the entry.
    Of(i64),
    /// The number that was given is after that of the last iteration, `last`. No prompt would show the entry until then.
    Future {
        /// The last iteration that a loop began.
        last: i64,
    },
}

/// Finds the iteration of an entry that is noted from outside a loop: the number that was given, else that of the last
/// iteration that a loop began, so that the next prompt has the entry. If no loop has run, entries tell the last one.
///
/// # Errors
/// [`Error::InvalidIteration`] for a number below 1;
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn entry_iteration(
    log: &dyn Reader,
    session: &Name,
    given: Option<i64>,
) -> Result<EntryIteration> {
    let last = last_iteration(log, session)?;
    Ok(match (given, last) {
        (Some(iteration), _) if iteration < 1 => return Err(Error::InvalidIteration { iteration }),
        (Some(given), Some(last)) if given > last => EntryIteration::Future { last },
        (Some(iteration), _) | (None, Some(iteration)) => EntryIteration::Of(iteration),
        (None, None) => EntryIteration::Of(log.last_iteration(session)?.unwrap_or(0).max(0)),
    })
}

/// A question of the agent, and in which iteration it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The text of the question.
    pub question: String,
    /// The iteration.
    pub iteration: i64,
}

/// True if a session with these last events, latest first, is archived: nothing has happened in it since.
pub fn is_archived(events: &[RecordedEvent]) -> bool {
    let last = events.first();
    last.is_some_and(|last| last.event == SessionEvent::Archived)
}

/// The open question: that of the last iteration that ran.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn open_question(log: &dyn Reader, session: &Name) -> Result<Option<Question>> {
    question_in(latest(log, session))
}

/// The same from the events of a session, latest first.
pub(crate) fn question_in(
    events: impl Iterator<Item = Result<RecordedEvent>>,
) -> Result<Option<Question>> {
    said(events, |recorded| match recorded.event {
        SessionEvent::Blocked {
            iteration,
            question,
        } => Break(Some(Question {
            question,
            iteration,
        })),
        SessionEvent::Answered { .. } | SessionEvent::IterationStarted { .. } => Break(None),
        _ => Continue(()),
    })
}

/// The question that a person can answer: the open one, or one with an answer that no iteration has begun with.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn answerable_question(log: &dyn Reader, session: &Name) -> Result<Option<Question>> {
    let is_answer = |event: &SessionEvent| matches!(event, SessionEvent::Answered { .. });
    question_in(latest(log, session).filter(|of| !of.as_ref().is_ok_and(|of| is_answer(&of.event))))
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// The answer.
    pub answer: String,
    /// The author of the answer.
    pub by: Name,
    /// The time of the answer.
    pub at: Timestamp,
}

/// A question and its answer, if no iteration has finished its turn with the answer yet.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn fresh_answer(log: &dyn Reader, session: &Name) -> Result<Option<Answer>> {
    answer_in(latest(log, session))
}

/// The same from the events of a session, latest first.
pub(crate) fn answer_in(
    mut events: impl Iterator<Item = Result<RecordedEvent>>,
) -> Result<Option<Answer>> {
    let answered = said(events.by_ref(), |recorded| match recorded.event {
        SessionEvent::Answered { answer } => {
            Break(Some((answer, recorded.author, recorded.recorded_at)))
        }
        SessionEvent::IterationEnded { outcome, .. } if outcome.is_success() => Break(None),
        _ => Continue(()),
    })?;
    let Some((answer, by, at)) = answered else {
        return Ok(None);
    };
    let question = said(events, |recorded| match recorded.event {
        SessionEvent::Blocked {
            iteration,
            question,
        } => Break(Some(Question {
            question,
            iteration,
        })),
        _ => Continue(()),
    })?;
    Ok(question.map(|question| Answer {
        question,
        answer,
        by,
        at,
    }))
}

/// The error of an answer to no open question: the last question may be answered already.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn nothing_asked(log: &dyn Reader, session: &Name) -> Result<LoopError> {
    let session = session.clone();
    Ok(match fresh_answer(log, &session)? {
        Some(given) => LoopError::AlreadyAnswered {
            session,
            by: given.by,
            at: given.at,
        },
        None => LoopError::NothingAsked { session },
    })
}

/// The agent's signal about the end of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentSignal {
    /// The task is done; with a summary.
    Completed(String),
    /// The agent needs a person; with its question.
    Blocked(String),
}

impl AgentSignal {
    /// The reply to the agent.
    pub fn reply(&self, session: &Name) -> String {
        match self {
            Self::Completed(_) => {
                format!("session {session} is complete: no further iteration starts")
            }
            Self::Blocked(_) => {
                "question recorded; the loop stops after this iteration and waits for a person"
                    .into()
            }
        }
    }
}

/// The last signal of the agent in the live iteration.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn last_signal(log: &dyn Reader, session: &Name) -> Result<Option<AgentSignal>> {
    signal_in(latest(log, session))
}

/// The same from the events of a session, latest first.
fn signal_in(events: impl Iterator<Item = Result<RecordedEvent>>) -> Result<Option<AgentSignal>> {
    said(events, |recorded| match recorded.event {
        SessionEvent::Completed { summary, .. } => Break(Some(AgentSignal::Completed(summary))),
        SessionEvent::Blocked { question, .. } => Break(Some(AgentSignal::Blocked(question))),
        SessionEvent::IterationStarted { .. } | SessionEvent::LoopStarted { .. } => Break(None),
        _ => Continue(()),
    })
}

/// The author who asked the loop that holds a session to stop after its iteration; none if nobody did.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn stop_requested(log: &dyn Reader, session: &Name) -> Result<Option<Name>> {
    stop_requested_in(latest(log, session))
}

/// The same from the events of a session, latest first.
///
/// # Errors
/// Those of the events.
pub fn stop_requested_in(
    events: impl Iterator<Item = Result<RecordedEvent>>,
) -> Result<Option<Name>> {
    said(events, |recorded| match recorded.event {
        SessionEvent::StopRequested => Break(Some(recorded.author)),
        SessionEvent::LoopStarted { .. } | SessionEvent::LoopEnded { .. } => Break(None),
        _ => Continue(()),
    })
}

/// How the last loop of a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Why.
    pub reason: EndReason,
    /// The last signal of its agent.
    pub signal: Option<AgentSignal>,
    /// Details about the reason, in lines.
    pub detail: Option<String>,
}

/// How the last loop of a session ended, from its events, latest first; none while a loop is running, and if none ever
/// ran.
pub(crate) fn end_in(
    mut events: impl Iterator<Item = Result<RecordedEvent>>,
) -> Result<Option<End>> {
    let ended = said(events.by_ref(), |recorded| match recorded.event {
        SessionEvent::LoopEnded { reason, detail } => Break(Some((reason, detail))),
        SessionEvent::LoopStarted { .. } => Break(None),
        _ => Continue(()),
    })?;
    let Some((reason, detail)) = ended else {
        return Ok(None);
    };
    let signal = signal_in(events)?;
    Ok(Some(End {
        reason,
        signal,
        detail,
    }))
}

/// How many iterations of an unfinished run are done: the last loops of the session were to run this number of
/// iterations and ended before. An iteration in which the agent did not finish its turn does not count. None if the
/// next loop begins a new run.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn done_in_run(log: &dyn Reader, session: &Name, iterations: u64) -> Result<Option<u64>> {
    let run = unfinished(log, session, Some(iterations))?;
    Ok(run.map(|(done, _)| done))
}

/// The unfinished run of a session: how many iterations of it are done, as [`done_in_run`] counts them, and how many it
/// should have. None if its last loop had no such number, or ended the run.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn run(log: &dyn Reader, session: &Name) -> Result<Option<(u64, u64)>> {
    unfinished(log, session, None)
}

/// The unfinished run with this number of iterations; none: with that of the last loop.
fn unfinished(log: &dyn Reader, session: &Name, of: Option<u64>) -> Result<Option<(u64, u64)>> {
    let (mut of, mut done, mut of_this_loop, mut is_same_run) = (of, 0, 0, false);
    for recorded in latest(log, session) {
        match recorded?.event {
            SessionEvent::LoopEnded { reason, .. } if reason.ends_the_run() => break,
            SessionEvent::IterationEnded { outcome, .. } if outcome.is_success() => {
                of_this_loop += 1;
            }
            SessionEvent::LoopStarted {
                iterations: Some(iterations),
                ..
            } if of.is_none_or(|of| of == iterations) => {
                of = Some(iterations);
                is_same_run = true;
                done += std::mem::take(&mut of_this_loop);
            }
            SessionEvent::LoopStarted { .. } => break,
            _ => {}
        }
    }
    // A loop that was killed after its last iteration had ended.
    Ok(of
        .filter(|of| is_same_run && done < *of)
        .map(|of| (done, of)))
}

/// One iteration of a loop, from its events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Iteration {
    /// Its number.
    #[serde(rename = "iteration")]
    pub number: i64,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took, if that was measured.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub duration: Option<Duration>,
    /// How it ended; none while it is running, and if the loop was killed and no other loop has run since.
    pub outcome: Option<IterationOutcome>,
    /// How often the agent was started.
    pub attempts: u32,
    /// The number of entries that it added to the log.
    pub notes_added: u64,
    /// The last output of an agent that failed, in one line.
    pub said: Option<String>,
    /// True if the agent said that it needs a person.
    #[serde(skip)]
    pub is_blocked: bool,
    /// The author who ran it.
    pub author: Name,
    /// The block of notes in its prompt; none if an older version ran it.
    #[serde(skip)]
    pub block: Option<Box<IterationBlock>>,
}

fn seconds<S: Serializer>(duration: &Option<Duration>, form: S) -> Result<S::Ok, S::Error> {
    duration.map(|of| of.as_secs_f64()).serialize(form)
}

/// The latest `limit` iterations of a session, oldest first. The notes of an iteration that has not ended are not
/// counted here, but in [`crate::loops::iterations`].
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn iterations(log: &dyn Reader, session: &Name, limit: usize) -> Result<Vec<Iteration>> {
    let mut iterations: Vec<Iteration> = Vec::new();
    let (mut ended, mut is_blocked) = (None, false);
    for recorded in latest(log, session) {
        let recorded = recorded?;
        match recorded.event {
            SessionEvent::IterationEnded {
                outcome,
                duration_ms,
                attempts,
                notes_added,
                said,
                ..
            } => ended = Some((outcome, duration_ms, attempts, notes_added, said)),
            SessionEvent::Blocked { .. } => is_blocked = true,
            SessionEvent::IterationStarted { iteration, block } => {
                if iterations.len() == limit {
                    break;
                }
                let (outcome, duration_ms, attempts, notes_added, said) = match ended.take() {
                    Some((outcome, duration, attempts, added, said)) => {
                        (Some(outcome), duration, attempts, added, said)
                    }
                    None => (None, None, 1, 0, None),
                };
                iterations.push(Iteration {
                    number: iteration,
                    started_at: recorded.recorded_at,
                    duration: duration_ms.map(Duration::from_millis),
                    outcome,
                    attempts,
                    notes_added,
                    said,
                    is_blocked: std::mem::take(&mut is_blocked),
                    author: recorded.author,
                    block,
                });
            }
            _ => {}
        }
    }
    iterations.reverse();
    Ok(iterations)
}
