//! An engine in memory, written against the public interface alone, as another crate would have to do it.

mod read;
mod state;
mod write;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use waynote::engine::{Engine, IndexState, Read, SegmentHead, Step, Transaction, Writing};
use waynote::event::RecordedEvent;
use waynote::forget::Residue;
use waynote::jiff::Timestamp;
use waynote::store::SideValue;
use waynote::{Address, AddressAt, Error, Name, Note, Position, Result, Revision, Scope, StoreId};

/// Rows that last as long as the value and its clones.
#[derive(Clone, Default)]
pub struct Memory {
    state: Rc<RefCell<State>>,
    /// True while somebody runs alone: no other writer can.
    is_held: Rc<Cell<bool>>,
    /// True if that is the user of this value.
    holds_it: bool,
}

/// Puts the rows back as they were, unless their new state is kept: also when the work panics.
struct TakenBack<'m> {
    state: &'m RefCell<State>,
    before: Option<State>,
}

impl Drop for TakenBack<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            *self.state.borrow_mut() = before;
        }
    }
}

/// Lets other writers in again, also when the work panics.
struct LockGuard<'m>(&'m Cell<bool>);

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl Memory {
    /// The refusal while somebody else runs alone: nobody could wait for it in one thread.
    fn refuse_others(&self) -> Result<()> {
        match self.is_held.get() && !self.holds_it {
            false => Ok(()),
            true => Err(Error::Busy {
                path: self.name().into(),
                waited: Duration::ZERO,
                holder: None,
            }),
        }
    }
}

#[derive(Clone)]
struct State {
    scopes: Vec<ScopeRow>,
    journal: BTreeMap<Position, JournalEntry>,
    notes: BTreeMap<Address, (Note, Position)>,
    deleted: BTreeMap<Address, Position>,
    events: BTreeMap<Name, Vec<(RecordedEvent, Option<Step>)>>,
    forgettings: Vec<Forgetting>,
    side: BTreeMap<String, BTreeMap<String, SideValue>>,
    index: IndexState,
    segments: Vec<Segment>,
    last_segment: i64,
    id: StoreId,
}

impl Default for State {
    fn default() -> Self {
        Self {
            scopes: Vec::new(),
            journal: BTreeMap::new(),
            notes: BTreeMap::new(),
            deleted: BTreeMap::new(),
            events: BTreeMap::new(),
            forgettings: Vec::new(),
            side: BTreeMap::new(),
            index: IndexState::default(),
            segments: Vec::new(),
            last_segment: 0,
            id: StoreId::new([7; 16]),
        }
    }
}

#[derive(Clone)]
struct Forgetting {
    position: Position,
    at: Timestamp,
    by: Name,
    revisions: Vec<(AddressAt, Position)>,
    events: Vec<(Name, RecordedEvent)>,
    step: Option<Step>,
}

#[derive(Clone)]
struct ScopeRow {
    scope: Scope,
    counted: u64,
    lease: Option<u64>,
}

#[derive(Clone)]
struct JournalEntry {
    revision: Revision,
    previous: Option<Position>,
    step: Option<Step>,
}

#[derive(Clone)]
struct Segment {
    head: SegmentHead,
    notes: Vec<u8>,
    blocks: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Engine for Memory {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(Handle(Rc::clone(&self.state))))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        // One state, despite writes meanwhile.
        let state = self.state.borrow().clone();
        work(&Handle(Rc::new(RefCell::new(state))))
    }

    fn write(
        &self,
        _: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.refuse_others()?;
        let mut taken_back = TakenBack {
            state: &self.state,
            before: Some(self.state.borrow().clone()),
        };
        work(&Handle(Rc::clone(&self.state)))?;
        taken_back.before = None;
        Ok(())
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        self.refuse_others()?;
        if self.holds_it {
            return work(self);
        }
        self.is_held.set(true);
        let _held = LockGuard(&self.is_held);
        work(&Self {
            holds_it: true,
            ..self.clone()
        })
    }

    fn scrub(&self) -> Option<Residue> {
        None
    }

    fn name(&self) -> String {
        "memory".into()
    }
}

struct Handle(Rc<RefCell<State>>);
