//! One session: its iterations, and its notes by type.

use waynote::event::{RecordedEvent, SessionEvent};
use waynote::loops;
use waynote::session_state::{self, Iteration};
use waynote::store::{Ask, Count, EventPage, Page};
use waynote::{EntryType, Name, Note, Recent, Result, SessionStatus, Store};

use super::EVENTS;
use crate::page::site::Site;

/// The most iterations that are shown: the latest.
pub(crate) const ITERATIONS: usize = 60;

/// The most notes of each type: the latest.
const NOTES: usize = 12;

/// A session with all details that are shown.
pub(crate) struct One {
    pub(crate) session: Name,
    pub(crate) status: SessionStatus,
    /// Oldest first.
    pub(crate) iterations: Vec<Iteration>,
    /// The directory of its last loop, if it is known.
    pub(crate) directory: Option<String>,
    /// The number of finished iterations of its unfinished run, and the number that the run should have.
    pub(crate) run: Option<(u64, u64)>,
    /// True if its loop was asked to stop after its iteration.
    pub(crate) stops: bool,
    pub(crate) is_archived: bool,
    pub(crate) types: Vec<OfType>,
}

/// The notes of one type, open ones before resolved ones, and their number.
pub(crate) struct OfType {
    pub(crate) kind: EntryType,
    pub(crate) notes: Vec<Note>,
    pub(crate) count: u64,
    /// The number of open ones.
    pub(crate) open: u64,
}

impl One {
    pub(super) fn gather(store: &dyn Store, session: Name, site: &Site<'_>) -> Result<Self> {
        let kinds = EntryType::in_order(store.kinds(&session)?);
        let count = |kind: &EntryType, open| Count::Entries {
            session: session.clone(),
            kind: Some(kind.clone()),
            before: None,
            open,
        };
        let page = |kind: &EntryType, open| Page {
            of: Recent::Entries {
                session: session.clone(),
                kind: kind.clone(),
                before: None,
                open,
            },
            skip: 0,
            limit: NOTES,
        };
        let answers = store.read(&Ask {
            pages: kinds
                .iter()
                .flat_map(|kind| [page(kind, true), page(kind, false)])
                .collect(),
            counts: kinds
                .iter()
                .flat_map(|kind| [count(kind, false), count(kind, true)])
                .collect(),
            events: vec![EventPage::last(session.clone(), EVENTS)],
            leases: vec![session.clone()],
            ..Ask::default()
        })?;
        let types = kinds
            .into_iter()
            .zip(answers.pages.chunks(2))
            .zip(answers.counts.chunks(2));
        let types = types.map(|((kind, pages), counts)| OfType {
            kind,
            notes: open_first(pages),
            count: counts.first().copied().unwrap_or_default(),
            open: counts.get(1).copied().unwrap_or_default(),
        });
        let events = answers.events.first().map_or(&[][..], Vec::as_slice);
        let lease = answers.leases.first().and_then(Option::as_ref);
        let iterations = loops::iterations(store, &session, ITERATIONS)?;
        Ok(Self {
            directory: events.iter().chain(lease).find_map(directory),
            status: SessionStatus::read_after(
                store,
                &session,
                site.holder(&session),
                events,
                EVENTS,
            )?,
            iterations,
            run: session_state::run(store, &session)?,
            stops: session_state::stop_requested_in(events.iter().cloned().map(Ok))?.is_some(),
            is_archived: session_state::is_archived(events),
            types: types.filter(|of| of.count > 0).collect(),
            session,
        })
    }
}

/// The directory of a loop that began.
fn directory(recorded: &RecordedEvent) -> Option<String> {
    match &recorded.event {
        SessionEvent::LoopStarted { directory, .. } => Some(directory.clone()),
        _ => None,
    }
}

/// The open notes and then the resolved ones, of two pages: the open notes, and all.
fn open_first(pages: &[Vec<Note>]) -> Vec<Note> {
    let [open, all] = pages else {
        return Vec::new();
    };
    let resolved = all.iter().filter(|note| note.resolved_by.is_some());
    open.iter().chain(resolved).take(NOTES).cloned().collect()
}
