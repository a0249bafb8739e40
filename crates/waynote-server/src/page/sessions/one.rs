//! One session: its iterations, and its notes by type.

use waynote::loops;
use waynote::session_state::Iteration;
use waynote::store::Ask;
use waynote::store::{Count, Page};
use waynote::{EntryType, Name, Note, Recent, Result, Store};

use super::{EVENTS, State, state};
use crate::machine::IsDead;

/// The latest iterations that are shown.
pub(crate) const ITERATIONS: usize = 60;

/// The latest notes of each type.
const NOTES: usize = 12;

/// A session with all that is shown of it.
pub(crate) struct One {
    pub(crate) session: Name,
    pub(crate) state: State,
    /// Oldest first.
    pub(crate) iterations: Vec<Iteration>,
    pub(crate) types: Vec<OfType>,
}

/// The notes of one type, latest first, and how many there are.
pub(crate) struct OfType {
    pub(crate) kind: EntryType,
    pub(crate) notes: Vec<Note>,
    pub(crate) count: u64,
    /// How many of them are open.
    pub(crate) open: u64,
}

impl One {
    pub(super) fn gather(store: &dyn Store, session: Name, is_dead: IsDead<'_>) -> Result<Self> {
        let kinds = EntryType::in_order(store.kinds(&session)?);
        let count = |kind: &EntryType, open| Count::Entries {
            session: session.clone(),
            kind: Some(kind.clone()),
            before: None,
            open,
        };
        let page = |kind: &EntryType| Page {
            of: Recent::Entries {
                session: session.clone(),
                kind: kind.clone(),
                before: None,
                open: false,
            },
            skip: 0,
            limit: NOTES,
        };
        let answers = store.read(&Ask {
            pages: kinds.iter().map(page).collect(),
            counts: kinds
                .iter()
                .flat_map(|kind| [count(kind, false), count(kind, true)])
                .collect(),
            events: vec![(session.clone(), None, EVENTS)],
            leases: vec![session.clone()],
            ..Ask::default()
        })?;
        let types = kinds
            .into_iter()
            .zip(answers.pages)
            .zip(answers.counts.chunks(2));
        let types = types.map(|((kind, notes), counts)| OfType {
            kind,
            notes,
            count: counts.first().copied().unwrap_or_default(),
            open: counts.get(1).copied().unwrap_or_default(),
        });
        let events = answers.events.first().map_or(&[][..], Vec::as_slice);
        let lease = answers.leases.first().and_then(Option::as_ref);
        Ok(Self {
            state: state::state(events, lease, is_dead),
            iterations: loops::iterations(store, &session, ITERATIONS)?,
            types: types.filter(|of| of.count > 0).collect(),
            session,
        })
    }
}
