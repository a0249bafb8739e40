//! Checks whether a session event is possible in the current state of the session.

use super::person;
use super::session_state::{
    AgentSignal, answerable_question, last_iteration, last_signal, live_iteration, nothing_asked,
};
use crate::content::Content;
use crate::error::{Error, LoopError, PersonalAct, Result};
use crate::event::{RecordedEvent, SessionEvent};
use crate::key::Name;
use crate::note::Stamp;
use crate::store::Reader;

/// Checks whether a session event is possible now. `lease` is the number of the [`SessionEvent::LoopStarted`] of the
/// loop that records it; signals of an agent and answers of a person need none.
///
/// # Errors
/// [`LoopError::LoopRunning`], [`LoopError::LeaseLost`], [`LoopError::NoLiveIteration`], [`LoopError::AlreadySaid`],
/// [`LoopError::NothingAsked`], [`LoopError::AlreadyAnswered`], [`LoopError::NoLoop`] and [`LoopError::NotAPerson`];
/// [`Error::Empty`] for an empty text; [`Error::HoldsSecret`] for a credential in a text.
pub(crate) fn check(
    event: &SessionEvent,
    log: &dyn Reader,
    session: &Name,
    lease: Option<u64>,
    stamp: &Stamp,
) -> Result<()> {
    let of_loop = || holds(log.lease(session)?.as_ref(), session, lease);
    let is_live = |iteration: i64| match live_iteration(log, session)? {
        Some(live) if live == iteration => Ok(()),
        _ => Err(Error::from(LoopError::NoLiveIteration {
            session: session.clone(),
            iteration: Some(iteration),
        })),
    };
    // A second signal would replace the first, which was acknowledged: a question would never reach its person.
    let is_first = |iteration: i64| match last_signal(log, session)? {
        Some(signal) => Err(Error::from(LoopError::AlreadySaid {
            iteration,
            has_asked: matches!(signal, AgentSignal::Blocked(_)),
        })),
        None => Ok(()),
    };
    match event {
        SessionEvent::LoopStarted { .. } => match log.lease(session)? {
            Some(held) => Err(running(session, &held)),
            None => Ok(()),
        },
        SessionEvent::LoopEnded { .. } => of_loop(),
        SessionEvent::IterationStarted { iteration, .. } => {
            of_loop()?;
            // Only a loop without the lease would come to another number.
            match last_iteration(log, session)? {
                Some(last) if last >= *iteration || live_iteration(log, session)?.is_some() => {
                    Err(lost(session, log.lease(session)?.as_ref()))
                }
                _ => Ok(()),
            }
        }
        SessionEvent::IterationEnded { iteration, .. } => {
            of_loop()?;
            is_live(*iteration)
        }
        SessionEvent::Completed { iteration, summary } => {
            is_live(*iteration)?;
            may_say("summary", summary, stamp)?;
            is_first(*iteration)
        }
        SessionEvent::Blocked {
            iteration,
            question,
        } => {
            is_live(*iteration)?;
            may_say("question", question, stamp)?;
            is_first(*iteration)
        }
        SessionEvent::Answered { answer } => {
            person::only(log, stamp, PersonalAct::Answer)?;
            if answerable_question(log, session)?.is_none() {
                return Err(nothing_asked(log, session)?.into());
            }
            may_say("answer", answer, stamp)
        }
        SessionEvent::StopRequested => {
            person::only(log, stamp, PersonalAct::Stop)?;
            match log.lease(session)? {
                Some(_) => Ok(()),
                None => Err(Error::from(LoopError::NoLoop {
                    session: session.clone(),
                })),
            }
        }
        SessionEvent::Archived | SessionEvent::Unarchived => {
            person::only(log, stamp, PersonalAct::Archive)
        }
        // This is checked with the entry that resolves it.
        SessionEvent::Resolved { .. } => Ok(()),
    }
}

/// Refuses a blank text, and a credential as in a note.
fn may_say(what: &'static str, text: &str, stamp: &Stamp) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::Empty { what: what.into() });
    }
    stamp.secrets.check(&Content::text(text)?)
}

/// Refuses writes inside a loop that has lost its session.
pub(super) fn check_inside(
    stamp: &Stamp,
    lease_of: impl FnOnce(&Name) -> Result<Option<RecordedEvent>>,
) -> Result<()> {
    match &stamp.lease {
        Some(lease) => {
            let held = lease_of(&lease.session)?;
            holds(held.as_ref(), &lease.session, Some(lease.number))
        }
        None => Ok(()),
    }
}

/// Refuses a loop with another lease than that of the session.
fn holds(held: Option<&RecordedEvent>, session: &Name, lease: Option<u64>) -> Result<()> {
    match held.map(|held| held.number) {
        Some(number) if Some(number) == lease => Ok(()),
        _ => Err(lost(session, held)),
    }
}

/// The error of a loop that does not hold its session.
pub(crate) fn lost(session: &Name, held: Option<&RecordedEvent>) -> Error {
    Error::from(LoopError::LeaseLost {
        session: session.clone(),
        holder: held.map(holder),
        since: held.map(|held| held.recorded_at),
    })
}

/// The error when another loop holds the session.
pub(crate) fn running(session: &Name, held: &RecordedEvent) -> Error {
    Error::from(LoopError::LoopRunning {
        session: session.clone(),
        holder: holder(held),
        since: held.recorded_at,
    })
}

fn holder(held: &RecordedEvent) -> String {
    match &held.event {
        SessionEvent::LoopStarted { holder, .. } => holder.to_string(),
        _ => "another loop".into(),
    }
}
