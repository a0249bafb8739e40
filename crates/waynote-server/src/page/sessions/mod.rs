//! Sessions: the open questions, all loops with their state, and one session with its iterations and notes.

pub(crate) mod act;
mod one;
mod view;

use jiff::Timestamp;
use waynote::event::{RecordedEvent, SessionEvent};
use waynote::session_state::{Question, open_question};
use waynote::store::{Ask, EventPage};
use waynote::{Name, Result, SessionStatus, Store};

use super::fields::Fields;
use super::seen::OfSession;
use super::site::Site;
pub(crate) use one::One;
pub(crate) use view::view;

/// The number of sessions on a page.
const PAGE: usize = 30;

/// The most questions that are shown.
const QUESTIONS: usize = 10;

/// The number of events that are read of each session on a page.
const EVENTS: usize = 24;

/// Everything that the view shows.
pub(crate) struct Sessions {
    /// The open questions, the longest waiting first.
    pub(crate) questions: Vec<Asks>,
    pub(crate) rows: Vec<Row>,
    pub(crate) total: usize,
    pub(crate) running: usize,
    /// The number of all open questions.
    pub(crate) waiting: usize,
    /// The number of rows before this page.
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
    pub(crate) status: SessionStatus,
    pub(crate) notes: u64,
    /// The number of its last iteration.
    pub(crate) iteration: Option<i64>,
    /// How many iterations its last run should have, if that was given.
    pub(crate) of: Option<u64>,
    /// The time of the last event.
    pub(crate) last: Option<Timestamp>,
}

impl Row {
    /// The row of a session with its last events, latest first.
    fn of(
        store: &dyn Store,
        site: &Site<'_>,
        of: OfSession,
        events: &[RecordedEvent],
    ) -> Result<Self> {
        let iteration = events.iter().find_map(|recorded| match recorded.event {
            SessionEvent::IterationStarted { iteration, .. }
            | SessionEvent::IterationEnded { iteration, .. } => Some(iteration),
            _ => None,
        });
        // Iterations are numbered across the loops of a session.
        let mut first = None;
        let run = events.iter().find_map(|recorded| match recorded.event {
            SessionEvent::LoopStarted { iterations, .. } => Some(iterations),
            SessionEvent::IterationStarted { iteration, .. } => {
                first = u64::try_from(iteration).ok();
                None
            }
            _ => None,
        });
        let before = first.unwrap_or(1).saturating_sub(1);
        let holder = site.holder(&of.session);
        Ok(Self {
            status: SessionStatus::read_after(store, &of.session, holder, events, EVENTS)?,
            session: of.session,
            notes: of.notes,
            iteration,
            of: run.flatten().map(|of| of + before),
            last: events.first().map(|last| last.recorded_at),
        })
    }
}

impl Sessions {
    pub(crate) fn gather(store: &dyn Store, fields: &Fields, site: &Site<'_>) -> Result<Self> {
        let after = usize::try_from(fields.number("after")?.unwrap_or(0)).unwrap_or(usize::MAX);
        let named: Option<Name> = fields.get("session").map(str::parse).transpose()?;
        let all = site.seen.sessions();
        let total = all.len();
        let asking = all
            .iter()
            .filter_map(|of| Some((of, of.last.filter(|last| last.waits)?)));
        let mut questions = Vec::new();
        for (of, last) in asking.clone().take(QUESTIONS) {
            if let Some(question) = open_question(store, &of.session)? {
                questions.push(Asks {
                    session: of.session.clone(),
                    question,
                    since: last.at,
                });
            }
        }
        questions.sort_by_key(|asks| asks.since);
        let waiting = asking.count();
        let page: Vec<_> = all.into_iter().skip(after).take(PAGE).collect();
        let events = store.read(&Ask {
            events: page
                .iter()
                .map(|of| EventPage::last(of.session.clone(), EVENTS))
                .collect(),
            ..Ask::default()
        })?;
        let rows = page.into_iter().zip(events.events);
        let rows = rows.map(|(of, events)| Row::of(store, site, of, &events));
        let rows = rows.collect::<Result<Vec<_>>>()?;
        let session = named.or_else(|| rows.first().map(|row| row.session.clone()));
        Ok(Self {
            questions,
            rows,
            total,
            running: site.running(),
            waiting,
            after,
            one: match session {
                Some(session) => Some(One::gather(store, session, site)?),
                None => None,
            },
            done: fields.get("done").map(str::to_owned),
        })
    }

    /// The number of rows before the next page; none on the last page.
    pub(crate) fn next(&self) -> Option<usize> {
        let end = self.after + self.rows.len();
        (end < self.total).then_some(end)
    }
}
