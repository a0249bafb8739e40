//! Reads everything that the decisions about a set of calls will ask, in one round trip.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::shared;
use crate::address::Address;
use crate::change::Change;
use crate::content::Content;
use crate::engine::{self, IndexState, NoteState, Read, SegmentHead};
use crate::error::{Error, Result};
use crate::event::{RecordedEvent, SessionsEvent};
use crate::id::OperationId;
use crate::key::{EntryId, Name};
use crate::note::{EntryType, Revision};
use crate::store::{Count, Done, EventPage};

/// How many of a session's last events are read beforehand. A rule that looks further back reads more.
const EVENTS: usize = 8;

/// The questions that will be asked.
#[derive(Default)]
pub(super) struct Questions(engine::Ask);

impl Questions {
    /// Adds the questions that [`super::decide::decide`] asks about a change.
    pub(super) fn of_change(&mut self, change: &Change) {
        let ask = &mut self.0;
        match change {
            Change::Save { address, .. } => {
                ask.states.push(address.clone());
                ask.store.counts.push(Count::Counted(address.scope()));
            }
            Change::Pin { address, .. } | Change::Delete { address, .. } => {
                ask.states.push(address.clone());
            }
            Change::Restore { address, .. }
            | Change::Undo { address, .. }
            | Change::Redo { address, .. } => {
                ask.states.push(address.clone());
                ask.store.histories.push(address.clone());
            }
            Change::Append {
                session,
                kind,
                content,
                resolves,
                id,
                ..
            } => {
                let entries = resolves.iter().chain(id);
                let entries = entries.map(|entry| Address::Session(session.clone(), *entry));
                ask.states.extend(entries);
                if id.is_none() {
                    ask.last_entries.push(session.clone());
                    let says = (session.clone(), kind.clone(), content.clone());
                    ask.entries_saying.push(says);
                }
                if resolves.is_some() {
                    self.session(session);
                }
            }
        }
    }

    /// Adds the questions that [`super::session_events::check`] asks about a session's events.
    pub(super) fn session(&mut self, session: &Name) {
        self.0.store.leases.push(session.clone());
    }

    /// Adds the question for the leases of all sessions.
    pub(super) fn all_leases(&mut self) {
        self.0.store.all_leases = true;
    }

    /// Adds the question whether a call was carried out already.
    pub(super) fn operation(&mut self, operation: OperationId) {
        self.0.store.operations.push(operation);
    }

    /// Asks for the state of the search index, and for the heads of its segments.
    pub(super) fn index(&mut self, is_asked: bool, with_segments: bool) {
        self.0.index = is_asked;
        self.0.segments = with_segments;
    }

    /// Asks whether the store is one of several people, if it is not known to be one: another process can make it one
    /// at any time.
    pub(super) fn mark(&mut self, is_known: bool) {
        if !is_known {
            self.0.side = vec![shared::SPACE.to_owned()];
        }
    }

    /// Reads the answers.
    pub(super) fn read(self, rows: &dyn Read) -> Result<Prefetch> {
        let mut ask = self.0;
        once(&mut ask.states);
        once(&mut ask.last_entries);
        once(&mut ask.entries_saying);
        let store = &mut ask.store;
        once(&mut store.counts);
        once(&mut store.histories);
        once(&mut store.leases);
        once(&mut store.operations);
        let sessions = store.leases.iter().cloned();
        store.events = sessions.map(|of| EventPage::last(of, EVENTS)).collect();
        store.version = true;
        let mut read = rows.read(&ask)?;
        if ask.store.all_leases && !read.store.damaged.is_empty() {
            // The damaged lease of another session refuses no write: the leases are read apart, if at all.
            ask.store.all_leases = false;
            read = rows.read(&ask)?;
        }
        refuse_damaged(&mut read.store.damaged)?;
        let (asked, store) = (ask.store, read.store);
        Ok(Prefetch {
            head: store.version.head(),
            is_shared: ask.side.is_empty() || shared::is_marked(&read.side.concat()),
            index: read.index,
            segments: read.segments,
            states: by(ask.states, read.states),
            histories: by(asked.histories, store.histories),
            counts: by(asked.counts, store.counts),
            last_entries: by(ask.last_entries, read.last_entries),
            sayings: by(ask.entries_saying, read.entries_saying),
            events: by(asked.leases.clone(), store.events),
            leases: by(asked.leases, store.leases),
            all_leases: asked.all_leases.then_some(store.all_leases),
            operations: by(asked.operations, store.operations),
        })
    }
}

/// Asks each question once.
fn once<Q: Clone + Eq + Hash>(questions: &mut Vec<Q>) {
    let mut known = HashSet::with_capacity(questions.len());
    questions.retain(|question| known.insert(question.clone()));
}

fn by<Q: Eq + Hash, A>(questions: Vec<Q>, answers: Vec<A>) -> HashMap<Q, A> {
    questions.into_iter().zip(answers).collect()
}

/// Refuses to decide anything on damaged rows.
pub(super) fn refuse_damaged(damaged: &mut Vec<String>) -> Result<()> {
    match damaged.pop() {
        Some(what) => Err(Error::DamagedNote { what }),
        None => Ok(()),
    }
}

/// The answers by question. There is none for a question that was not foreseen.
pub(super) struct Prefetch {
    /// The position of the store's last change; 0 if there is none.
    pub(super) head: i64,
    /// True if the store is one of several people.
    pub(super) is_shared: bool,
    pub(super) index: IndexState,
    /// The heads of the segments of the index, if the index was asked for.
    pub(super) segments: Vec<SegmentHead>,
    pub(super) states: HashMap<Address, Option<NoteState>>,
    histories: HashMap<Address, Vec<Revision>>,
    pub(super) counts: HashMap<Count, u64>,
    pub(super) last_entries: HashMap<Name, Option<EntryId>>,
    pub(super) sayings: HashMap<(Name, EntryType, Content), Option<NoteState>>,
    events: HashMap<Name, Vec<RecordedEvent>>,
    pub(super) leases: HashMap<Name, Option<RecordedEvent>>,
    pub(super) all_leases: Option<Vec<SessionsEvent>>,
    operations: HashMap<OperationId, Vec<Done>>,
}

impl Prefetch {
    pub(super) fn revision(&self, address: &Address, number: u64) -> Option<Option<Revision>> {
        let history = self.histories.get(address)?;
        let found = history.binary_search_by_key(&number, Revision::number);
        Some(found.ok().map(|at| history[at].clone()))
    }

    /// A session's events before a number, latest first, up to a limit; none if more would have to be read.
    pub(super) fn events(
        &self,
        session: &Name,
        before: Option<u64>,
        limit: usize,
    ) -> Option<Vec<RecordedEvent>> {
        let page = self.events.get(session)?;
        let is_before = |event: &&RecordedEvent| before.is_none_or(|before| event.number < before);
        let events: Vec<RecordedEvent> =
            page.iter().filter(is_before).take(limit).cloned().collect();
        let is_all = page.len() < EVENTS;
        (is_all || events.len() == limit).then_some(events)
    }

    /// The revisions and events that the call wrote, if it was carried out already.
    pub(super) fn done(&self, operation: OperationId) -> Option<&[Done]> {
        let done = self.operations.get(&operation)?;
        (!done.is_empty()).then_some(done)
    }
}
