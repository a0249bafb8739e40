//! Reads everything that the decisions about a set of calls will ask, in one round trip.

use std::collections::HashMap;

use crate::address::Address;
use crate::change::Change;
use crate::content::{Content, ContentHash};
use crate::engine::{self, IndexState, NoteState, Read, Rows, SegmentHead};
use crate::error::{Error, Result};
use crate::event::RecordedEvent;
use crate::id::OperationId;
use crate::key::{EntryId, Name};
use crate::note::{EntryType, Revision};
use crate::scope::Scope;
use crate::store::{Count, Done, EventPage};

/// How many of a session's last events are read beforehand. A rule that looks further back reads more.
const EVENTS: usize = 8;

/// The questions that will be asked.
#[derive(Default)]
pub(super) struct Questions {
    ask: engine::Ask,
    states: Positions<Address>,
    histories: Positions<Address>,
    counts: Positions<Scope>,
    last_entries: Positions<Name>,
    sayings: Positions<(Name, EntryType, ContentHash)>,
    sessions: Positions<Name>,
    operations: Positions<OperationId>,
}

/// The index of a question among those of its kind.
type Positions<K> = HashMap<K, usize>;

/// Adds a question at the end unless it is there already. Returns whether it was added.
fn is_new<K: std::hash::Hash + Eq>(positions: &mut Positions<K>, key: K) -> bool {
    let end = positions.len();
    *positions.entry(key).or_insert(end) == end
}

impl Questions {
    /// Adds the questions that [`super::decide::decide`] asks about a change.
    pub(super) fn of_change(&mut self, change: &Change) {
        match change {
            Change::Save { address, .. } => {
                self.state(address);
                self.count(address.scope());
            }
            Change::Pin { address, .. } | Change::Delete { address, .. } => self.state(address),
            Change::Restore { address, .. }
            | Change::Undo { address, .. }
            | Change::Redo { address, .. } => {
                self.state(address);
                if is_new(&mut self.histories, address.clone()) {
                    self.ask.store.histories.push(address.clone());
                }
            }
            Change::Append {
                session,
                kind,
                content,
                resolves,
                id,
                ..
            } => {
                if let Some(entry) = resolves {
                    self.state(&Address::Session(session.clone(), *entry));
                    self.session(session);
                }
                if let Some(id) = id {
                    return self.state(&Address::Session(session.clone(), *id));
                }
                if is_new(&mut self.last_entries, session.clone()) {
                    self.ask.last_entries.push(session.clone());
                }
                let says = (session.clone(), kind.clone(), content.hash());
                if is_new(&mut self.sayings, says) {
                    let says = (session.clone(), kind.clone(), content.clone());
                    self.ask.entries_saying.push(says);
                }
            }
        }
    }

    /// Adds the questions that [`super::session_events::check`] asks about a session's events.
    pub(super) fn session(&mut self, session: &Name) {
        if is_new(&mut self.sessions, session.clone()) {
            let page = EventPage::last(session.clone(), EVENTS);
            self.ask.store.events.push(page);
            self.ask.store.leases.push(session.clone());
        }
    }

    /// Adds the question whether a call was carried out already.
    pub(super) fn operation(&mut self, operation: OperationId) {
        if is_new(&mut self.operations, operation) {
            self.ask.store.operations.push(operation);
        }
    }

    fn state(&mut self, address: &Address) {
        if is_new(&mut self.states, address.clone()) {
            self.ask.states.push(address.clone());
        }
    }

    fn count(&mut self, scope: Scope) {
        if is_new(&mut self.counts, scope.clone()) {
            self.ask.store.counts.push(Count::Counted(scope));
        }
    }

    /// Asks for the state of the search index, and for the heads of its segments.
    pub(super) fn index(&mut self, is_asked: bool, with_segments: bool) {
        self.ask.index = is_asked;
        self.ask.segments = with_segments;
    }

    /// Reads the answers.
    pub(super) fn read(mut self, rows: &dyn Read) -> Result<Prefetch> {
        self.ask.store.version = true;
        let mut rows = rows.read(&self.ask)?;
        refuse_damaged(&mut rows.store.damaged)?;
        Ok(Prefetch {
            questions: Self {
                ask: engine::Ask::default(),
                ..self
            },
            rows,
        })
    }
}

/// Refuses to decide anything on damaged rows.
pub(super) fn refuse_damaged(damaged: &mut Vec<String>) -> Result<()> {
    match damaged.pop() {
        Some(what) => Err(Error::DamagedNote { what }),
        None => Ok(()),
    }
}

/// The answers. There is none for a question that was not foreseen.
pub(super) struct Prefetch {
    questions: Questions,
    rows: Rows,
}

impl Prefetch {
    /// The position of the store's last change; 0 if there is none.
    pub(super) fn head(&self) -> i64 {
        self.rows.store.version.head()
    }

    pub(super) fn index(&self) -> IndexState {
        self.rows.index
    }

    /// The heads of the segments of the index, if the index was asked for.
    pub(super) fn segments(&self) -> &[SegmentHead] {
        &self.rows.segments
    }

    pub(super) fn state(&self, address: &Address) -> Option<Option<NoteState>> {
        let place = self.questions.states.get(address)?;
        self.rows.states.get(*place).cloned()
    }

    pub(super) fn revision(&self, address: &Address, number: u64) -> Option<Option<Revision>> {
        let place = self.questions.histories.get(address)?;
        let mut history = self.rows.store.histories.get(*place)?.iter();
        Some(
            history
                .find(|revision| revision.number() == number)
                .cloned(),
        )
    }

    pub(super) fn count(&self, scope: &Scope) -> Option<u64> {
        let place = self.questions.counts.get(scope)?;
        self.rows.store.counts.get(*place).copied()
    }

    pub(super) fn last_entry(&self, session: &Name) -> Option<Option<EntryId>> {
        let place = self.questions.last_entries.get(session)?;
        self.rows.last_entries.get(*place).copied()
    }

    pub(super) fn entry_saying(
        &self,
        session: &Name,
        kind: &EntryType,
        content: &Content,
    ) -> Option<Option<NoteState>> {
        let says = (session.clone(), kind.clone(), content.hash());
        let place = self.questions.sayings.get(&says)?;
        self.rows.entries_saying.get(*place).cloned()
    }

    /// A session's events before a number, latest first, up to a limit; none if more would have to be read.
    pub(super) fn events(
        &self,
        session: &Name,
        before: Option<u64>,
        limit: usize,
    ) -> Option<Vec<RecordedEvent>> {
        let place = self.questions.sessions.get(session)?;
        let page = self.rows.store.events.get(*place)?;
        let is_before = |event: &&RecordedEvent| before.is_none_or(|before| event.number < before);
        let events: Vec<RecordedEvent> =
            page.iter().filter(is_before).take(limit).cloned().collect();
        let is_all = page.len() < EVENTS;
        (is_all || events.len() == limit).then_some(events)
    }

    pub(super) fn lease(&self, session: &Name) -> Option<Option<RecordedEvent>> {
        let place = self.questions.sessions.get(session)?;
        self.rows.store.leases.get(*place).cloned()
    }

    /// The revisions and events that the call wrote, if it was carried out already.
    pub(super) fn done(&self, operation: OperationId) -> Option<&[Done]> {
        let place = self.questions.operations.get(&operation)?;
        let done = self.rows.store.operations.get(*place)?;
        (!done.is_empty()).then_some(done)
    }
}
