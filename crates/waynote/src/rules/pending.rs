//! The state of a store during a transaction: the stored rows, plus those that are decided but not written yet.
//!
//! A write of any size takes two round trips: one reads the answers to all questions of the decisions, the other writes
//! all rows. Each decision sees the planned writes of the earlier ones.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::OneState;
use super::decide::Write;
use super::foreseen::{Prefetch, refuse_damaged};
use crate::address::Address;
use crate::content::{Content, ContentHash};
use crate::engine::{NoteState, Put, Read, Row, Step, Transaction};
use crate::error::Result;
use crate::event::{RecordedEvent, SessionEvent};
use crate::key::{EntryId, Name};
use crate::note::{EntryType, Note, Position, Revision, Stamp};
use crate::scope::Scope;
use crate::search::{Hit, SearchRequest};
use crate::store::{Answers, AsOf, Ask, Count, Reader};

/// A row that was decided.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all rows are revisions, the largest"
)]
pub(super) enum PlannedWrites {
    /// With the position of the note's last revision.
    Revision(Write, Option<Position>, Option<Step>),
    Event(Name, RecordedEvent, Option<Step>),
}

/// The store as a transaction sees it: with its own planned rows.
pub(super) struct PendingStore<'t> {
    state: OneState<'t>,
    known: Prefetch,
    head: Cell<i64>,
    planned: RefCell<Vec<PlannedWrites>>,
    over: RefCell<PlannedEffect>,
}

/// The effect of the planned rows.
#[derive(Default)]
struct PlannedEffect {
    states: HashMap<Address, NoteState>,
    revisions: HashMap<(Address, u64), Revision>,
    counts: HashMap<Scope, i64>,
    last_entries: HashMap<Name, EntryId>,
    sayings: HashMap<(Name, EntryType, ContentHash), Address>,
    /// Latest last.
    events: HashMap<Name, Vec<RecordedEvent>>,
}

impl<'t> PendingStore<'t> {
    pub(super) fn new(state: OneState<'t>, known: Prefetch) -> Self {
        Self {
            state,
            head: Cell::new(known.head),
            known,
            planned: RefCell::default(),
            over: RefCell::default(),
        }
    }

    /// The stored rows, without the planned ones.
    pub(super) fn rows(&self) -> &dyn Read {
        self.state.rows()
    }

    /// True if the store is one of several people.
    pub(super) fn is_of_several(&self) -> bool {
        self.known.is_shared
    }

    /// The position of the last planned row, or of the last stored row if none is planned.
    pub(super) fn head(&self) -> Position {
        Position::new(self.head.get())
    }

    /// The position of the row that is planned next.
    pub(super) fn upcoming(&self) -> Position {
        Position::new(self.head.get() + 1)
    }

    /// The next position of the store.
    fn next(&self) -> Position {
        self.head.set(self.head.get() + 1);
        self.head()
    }

    /// The length of the plan so far, to return to later.
    pub(super) fn mark(&self) -> usize {
        self.planned.borrow().len()
    }

    /// Drops the writes that were planned since the mark.
    pub(super) fn back_to(&self, mark: usize) {
        let mut planned = self.planned.take();
        planned.truncate(mark);
        self.over.take();
        self.head.set(self.known.head);
        for row in planned {
            match row {
                PlannedWrites::Revision(write, previous, step) => self.keep(write, previous, step),
                PlannedWrites::Event(session, recorded, step) => {
                    self.keep_event(session, recorded, step);
                }
            }
        }
    }

    /// Plans a decided revision, and the event that its entry resolves another one.
    pub(super) fn plan(&self, write: Write, stamp: &Stamp, step: Option<Step>) -> Result<()> {
        let previous = match write.revision.number() {
            0 | 1 => None,
            _ => self
                .state_of(write.revision.address())?
                .map(|state| state.position),
        };
        let (resolves, address) = (write.resolves, write.revision.address().clone());
        self.keep(write, previous, step);
        match (resolves, address) {
            (Some(entry), Address::Session(session, by)) => {
                self.plan_event(&session, &SessionEvent::Resolved { entry, by }, stamp, step)
            }
            _ => Ok(()),
        }
    }

    /// Plans a checked event.
    pub(super) fn plan_event(
        &self,
        session: &Name,
        event: &SessionEvent,
        stamp: &Stamp,
        step: Option<Step>,
    ) -> Result<()> {
        let recorded = RecordedEvent {
            number: self.next_number(session)?,
            position: self.upcoming(),
            author: stamp.author.clone(),
            recorded_at: stamp.now,
            event: event.clone(),
        };
        self.keep_event(session.clone(), recorded, step);
        Ok(())
    }

    fn keep(&self, mut write: Write, previous: Option<Position>, step: Option<Step>) {
        let position = self.next();
        write.revision.position = Some(position);
        let address = write.revision.address().clone();
        let mut over = self.over.borrow_mut();
        if is_counted(&address) {
            let change = i64::from(write.note().is_some()) - i64::from(write.existed);
            *over.counts.entry(address.scope()).or_default() += change;
        }
        if let (Address::Session(session, id), Some(note)) = (&address, write.note()) {
            let last = over.last_entries.entry(session.clone()).or_insert(*id);
            *last = (*last).max(*id);
            if let Some(kind) = &note.kind {
                let says = (session.clone(), kind.clone(), note.content.hash());
                over.sayings.entry(says).or_insert_with(|| address.clone());
            }
        }
        over.revisions.insert(
            (address.clone(), write.revision.number()),
            write.revision.clone(),
        );
        let state = NoteState {
            position,
            revision: write.revision.number(),
            note: write.note().cloned(),
        };
        over.states.insert(address, state);
        drop(over);
        let planned = PlannedWrites::Revision(write, previous, step);
        self.planned.borrow_mut().push(planned);
    }

    fn keep_event(&self, session: Name, mut recorded: RecordedEvent, step: Option<Step>) {
        recorded.position = self.next();
        let mut over = self.over.borrow_mut();
        let events = over.events.entry(session.clone()).or_default();
        events.push(recorded.clone());
        drop(over);
        let planned = PlannedWrites::Event(session, recorded, step);
        self.planned.borrow_mut().push(planned);
    }

    fn next_number(&self, session: &Name) -> Result<u64> {
        let last = self.events(session, None, 1)?.pop();
        Ok(last.map_or(1, |last| last.number + 1))
    }

    pub(super) fn state_of(&self, address: &Address) -> Result<Option<NoteState>> {
        if let Some(state) = self.over.borrow().states.get(address) {
            return Ok(Some(state.clone()));
        }
        match self.known.states.get(address) {
            Some(state) => Ok(state.clone()),
            None => self.state.rows().state(address),
        }
    }

    /// Writes everything that is planned.
    pub(super) fn put(&self, tx: &dyn Transaction) -> Result<()> {
        let planned = self.planned.borrow();
        let rows: Vec<Row<'_>> = planned.iter().flat_map(rows).collect();
        match rows.is_empty() {
            true => Ok(()),
            false => tx.put(&rows),
        }
    }

    /// How many revisions are planned.
    pub(super) fn revisions(&self) -> usize {
        let planned = self.planned.borrow();
        let is_revision = |row: &&PlannedWrites| matches!(row, PlannedWrites::Revision(..));
        planned.iter().filter(is_revision).count()
    }

    /// A session's events before a number, latest first: those that are planned, then those that are stored.
    fn latest_events(
        &self,
        session: &Name,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<RecordedEvent>> {
        let over = self.over.borrow();
        let planned = over.events.get(session).into_iter().flatten().rev();
        let is_before = |event: &&RecordedEvent| before.is_none_or(|before| event.number < before);
        let mut events: Vec<RecordedEvent> =
            planned.filter(is_before).take(limit).cloned().collect();
        let left = limit - events.len();
        if left == 0 {
            return Ok(events);
        }
        match self.known.events(session, before, left) {
            Some(stored) => events.extend(stored),
            None => events.extend(self.state.events(session, before, left)?),
        }
        Ok(events)
    }

    fn held(&self, session: &Name) -> Result<Option<RecordedEvent>> {
        let over = self.over.borrow();
        for recorded in over.events.get(session).into_iter().flatten().rev() {
            match recorded.event {
                SessionEvent::LoopStarted { .. } => return Ok(Some(recorded.clone())),
                SessionEvent::LoopEnded { .. } => return Ok(None),
                _ => {}
            }
        }
        match self.known.leases.get(session) {
            Some(lease) => Ok(lease.clone()),
            None => self.state.lease(session),
        }
    }
}

/// The rows of a planned write: with an event that an entry is resolved, the entry too.
fn rows(planned: &PlannedWrites) -> impl Iterator<Item = Row<'_>> {
    let (row, resolved) = match planned {
        PlannedWrites::Revision(write, previous, step) => {
            let put = Put {
                revision: &write.revision,
                previous: *previous,
                note: write.note(),
                existed: write.existed,
                is_counted: is_counted(write.revision.address()),
                step: *step,
            };
            (Row::Revision(put), None)
        }
        PlannedWrites::Event(session, recorded, step) => {
            let resolved = match recorded.event {
                SessionEvent::Resolved { entry, by } => Some(Row::Resolved { session, entry, by }),
                _ => None,
            };
            let event = Row::Event {
                session,
                recorded: recorded.clone(),
                step: *step,
            };
            (event, resolved)
        }
    };
    std::iter::once(row).chain(resolved)
}

/// True if the note counts towards the limit on the number of notes. Keyed notes and entries do, a place's own note
/// does not.
pub(super) fn is_counted(address: &Address) -> bool {
    !matches!(address, Address::Place(_))
}

/// The questions of a decision.
impl PendingStore<'_> {
    /// The note as it is.
    pub(super) fn current(&self, address: &Address) -> Result<Option<Note>> {
        Ok(self.state_of(address)?.and_then(|state| state.note))
    }

    /// The number of the note's last revision, even if it is deleted; 0 if the note never existed.
    pub(super) fn last_revision(&self, address: &Address) -> Result<u64> {
        Ok(self.state_of(address)?.map_or(0, |state| state.revision))
    }

    /// One revision of the note.
    pub(super) fn revision(&self, address: &Address, number: u64) -> Result<Option<Revision>> {
        let planned = (address.clone(), number);
        if let Some(revision) = self.over.borrow().revisions.get(&planned) {
            return Ok(Some(revision.clone()));
        }
        match self.known.revision(address, number) {
            Some(revision) => Ok(revision),
            None => self.state.rows().revision(address, number),
        }
    }

    /// How many keyed notes or entries the scope has.
    pub(super) fn count(&self, scope: &Scope) -> Result<u64> {
        let stored = match self.known.counts.get(&Count::Counted(scope.clone())) {
            Some(count) => *count,
            None => Reader::count(&self.state, scope)?,
        };
        let change = self.over.borrow().counts.get(scope).copied();
        Ok(stored.saturating_add_signed(change.unwrap_or(0)))
    }

    /// The largest id that the session ever had, including those of forgotten entries.
    pub(super) fn last_entry(&self, session: &Name) -> Result<Option<EntryId>> {
        let stored = match self.known.last_entries.get(session) {
            Some(entry) => *entry,
            None => self.state.rows().last_entry(session)?,
        };
        let planned = self.over.borrow().last_entries.get(session).copied();
        Ok(stored.max(planned))
    }

    /// The first entry in the session's log, by id, with this type and text.
    pub(super) fn entry_saying(
        &self,
        session: &Name,
        kind: &EntryType,
        content: &Content,
    ) -> Result<Option<Note>> {
        let says = (session.clone(), kind.clone(), content.clone());
        let stored = match self.known.sayings.get(&says) {
            Some(state) => state.clone(),
            None => self.state.rows().entry_saying(session, kind, content)?,
        };
        if let Some(state) = stored
            && let Some(address) = state.note.as_ref().map(|note| note.address.clone())
        {
            // As it is now, when it was noted again before.
            let mut over = self.over.borrow_mut();
            return Ok(over.states.entry(address).or_insert(state).note.clone());
        }
        let says = (session.clone(), kind.clone(), content.hash());
        let planned = self.over.borrow().sayings.get(&says).cloned();
        match planned {
            Some(address) => self.current(&address),
            None => Ok(None),
        }
    }
}

/// The questions of the rules for events.
impl Reader for PendingStore<'_> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        let others = Ask {
            events: Vec::new(),
            leases: Vec::new(),
            all_leases: false,
            ..ask.clone()
        };
        let mut answers = match others.questions() {
            0 => Answers::default(),
            _ => self.state.read(&others)?,
        };
        refuse_damaged(&mut answers.damaged)?;
        if ask.all_leases {
            answers.all_leases = match &self.known.all_leases {
                Some(leases) => leases.clone(),
                // The damaged lease of another session refuses no write.
                None => self.state.leases()?,
            };
        }
        for of in &ask.events {
            let events = self.latest_events(&of.session, of.before, of.limit)?;
            answers.events.push(events);
        }
        for session in &ask.leases {
            answers.leases.push(self.held(session)?);
        }
        Ok(answers)
    }

    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        self.state.select_at(scopes, moment)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        self.state.search(request)
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        work(self)
    }
}
