//! Sessions: what waits for a person, all loops with their state, and one session with its iterations and notes.

pub(crate) mod act;
mod one;
mod state;
mod view;

use jiff::Timestamp;
use waynote::event::{ProcessIdentity, RecordedEvent};
use waynote::session_state::{Question, open_question};
use waynote::store::Ask;
use waynote::{Name, Result, SessionLog, Store};

use super::fields::Fields;
pub(crate) use one::One;
pub(crate) use state::State;
pub(crate) use view::view;

/// The sessions of a page.
const PAGE: usize = 30;

/// The questions that are shown.
const QUESTIONS: usize = 10;

/// The events that are read of each session of a page.
const EVENTS: usize = 24;

/// Everything that the view shows.
pub(crate) struct Sessions {
    /// The questions that wait for a person, the longest waiting first.
    pub(crate) questions: Vec<Asks>,
    pub(crate) rows: Vec<Row>,
    pub(crate) total: usize,
    pub(crate) running: usize,
    /// Where the page begins.
    pub(crate) after: usize,
    pub(crate) one: Option<One>,
    pub(crate) done: Option<String>,
}

/// A session with an open question.
pub(crate) struct Asks {
    pub(crate) session: Name,
    pub(crate) question: Question,
    pub(crate) since: Timestamp,
}

/// A session in the list.
pub(crate) struct Row {
    pub(crate) session: Name,
    pub(crate) state: State,
    pub(crate) notes: u64,
    /// The number of its last iteration.
    pub(crate) iteration: Option<i64>,
    /// How many its loop is to run.
    pub(crate) of: Option<u64>,
    /// When its last loop began, and when something last happened.
    pub(crate) began: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
}

/// What tells whether a process is dead.
pub(crate) type IsDead<'a> = &'a dyn Fn(&ProcessIdentity) -> bool;

impl Sessions {
    pub(crate) fn gather(store: &dyn Store, fields: &Fields, is_dead: IsDead<'_>) -> Result<Self> {
        let after = usize::try_from(fields.number("after").unwrap_or(0)).unwrap_or(0);
        let named: Option<Name> = fields.get("session").and_then(|name| name.parse().ok());
        let summaries = SessionLog::sessions(store)?;
        let total = summaries.len();
        let names: Vec<Name> = summaries
            .iter()
            .filter_map(|of| of.scope.name().parse().ok())
            .collect();
        let answers = store.read(&Ask {
            events: names.iter().map(|name| (name.clone(), None, 1)).collect(),
            all_leases: true,
            ..Ask::default()
        })?;
        let mut all: Vec<(Name, u64, Option<RecordedEvent>)> = names
            .into_iter()
            .zip(summaries)
            .zip(answers.events)
            .map(|((name, of), events)| (name, of.notes, events.into_iter().next()))
            .collect();
        // The newest first. Logs that no loop wrote have no events, and come last, by name.
        all.sort_by_key(|(_, _, last)| {
            std::cmp::Reverse(last.as_ref().map(|last| (last.recorded_at, last.position)))
        });
        let mut questions = Vec::new();
        for (session, _, last) in &all {
            if questions.len() == QUESTIONS {
                break;
            }
            if let Some(last) = last.as_ref().filter(|last| state::may_wait(&last.event))
                && let Some(question) = open_question(store, session)?
            {
                questions.push(Asks {
                    session: session.clone(),
                    question,
                    since: last.recorded_at,
                });
            }
        }
        questions.sort_by_key(|asks| asks.since);
        let page: Vec<_> = all.into_iter().skip(after).take(PAGE).collect();
        let events = store.read(&Ask {
            events: page
                .iter()
                .map(|(name, ..)| (name.clone(), None, EVENTS))
                .collect(),
            ..Ask::default()
        })?;
        let rows: Vec<Row> = page
            .into_iter()
            .zip(events.events)
            .map(|((session, notes, _), events)| {
                let lease = answers.all_leases.iter().find(|(of, _)| *of == session);
                state::row(
                    session,
                    notes,
                    &events,
                    lease.map(|(_, lease)| lease),
                    is_dead,
                )
            })
            .collect();
        let session = named.or_else(|| rows.first().map(|row| row.session.clone()));
        Ok(Self {
            questions,
            rows,
            total,
            running: answers.all_leases.len(),
            after,
            one: match session {
                Some(session) => Some(One::gather(store, session, is_dead)?),
                None => None,
            },
            done: fields.get("done").map(str::to_owned),
        })
    }

    /// Where the next page begins.
    pub(crate) fn next(&self) -> Option<usize> {
        let end = self.after + self.rows.len();
        (end < self.total).then_some(end)
    }
}
