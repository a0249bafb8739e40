//! The state of a session in a word, from its last events.

use waynote::Name;
use waynote::event::{EndReason, RecordedEvent, SessionEvent};

use super::Row;
use crate::machine::IsDead;
use crate::page::words::chip;
use maud::Markup;

/// The state of a session, and what more there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) word: &'static str,
    /// The kind of its chip.
    pub(crate) kind: &'static str,
    pub(crate) detail: Option<String>,
}

impl State {
    fn new(kind: &'static str, word: &'static str) -> Self {
        Self {
            word,
            kind,
            detail: None,
        }
    }

    pub(crate) fn chip(&self) -> Markup {
        chip(self.kind, self.word)
    }

    fn ended(reason: EndReason, detail: Option<&str>) -> Self {
        let (kind, word) = match reason {
            EndReason::Completed | EndReason::Iterations | EndReason::Until => ("done", "done"),
            EndReason::Blocked => ("line", "blocked"),
            EndReason::Stalled => ("bad", "stalled"),
            EndReason::Failed | EndReason::Error => ("bad", "failed"),
            EndReason::Lost => ("bad", "lost"),
            EndReason::Time => ("", "out of time"),
            EndReason::Interrupted => ("", "interrupted"),
            _ => ("", reason.as_str()),
        };
        let first = detail.and_then(|detail| detail.lines().find(|line| !line.trim().is_empty()));
        Self {
            detail: first.map(|line| waynote::secrets::masked(line).into_owned()),
            ..Self::new(kind, word)
        }
    }
}

/// The state of a session with these events, latest first, and this lease.
pub(super) fn state(
    events: &[RecordedEvent],
    lease: Option<&RecordedEvent>,
    is_dead: IsDead<'_>,
) -> State {
    if let Some(lease) = lease {
        return match is_lost(lease, is_dead) {
            true => State {
                detail: Some("its loop was killed".into()),
                ..State::new("bad", "lost")
            },
            false => State::new("whole", "running"),
        };
    }
    for recorded in events {
        match &recorded.event {
            SessionEvent::Answered { .. } => return State::new("whole", "answered"),
            SessionEvent::LoopEnded { reason, detail } => {
                return State::ended(*reason, detail.as_deref());
            }
            _ => {}
        }
    }
    State::new("", "no loop")
}

/// Whether the loop that took a session with this event was killed.
pub(crate) fn is_lost(lease: &RecordedEvent, is_dead: IsDead<'_>) -> bool {
    matches!(&lease.event, SessionEvent::LoopStarted { holder, .. } if is_dead(holder))
}

/// The row of a session with its last events, latest first.
pub(super) fn row(
    session: Name,
    notes: u64,
    events: &[RecordedEvent],
    lease: Option<&RecordedEvent>,
    is_dead: IsDead<'_>,
) -> Row {
    let iteration = events.iter().find_map(|recorded| match recorded.event {
        SessionEvent::IterationStarted { iteration }
        | SessionEvent::IterationEnded { iteration, .. } => Some(iteration),
        _ => None,
    });
    Row {
        state: state(events, lease, is_dead),
        session,
        notes,
        iteration,
        last: events.first().map(|last| last.recorded_at),
    }
}
