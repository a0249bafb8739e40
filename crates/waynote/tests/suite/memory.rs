//! An engine in memory, written against the public interface alone: what a stranger's crate would have to do.

mod read;
mod state;
mod write;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::Timestamp;
use waynote::engine::{Engine, IndexState, Read, SegmentHead, Step, Transaction, Writing};
use waynote::event::RecordedEvent;
use waynote::forget::Residue;
use waynote::store::SideValue;
use waynote::{Address, AddressAt, Name, Note, Position, Result, Revision, Scope, StoreId};

/// Rows that last as long as the value.
#[derive(Default)]
pub(super) struct Memory {
    state: Rc<RefCell<State>>,
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
        // One state, whatever is written meanwhile.
        let state = self.state.borrow().clone();
        work(&Handle(Rc::new(RefCell::new(state))))
    }

    fn write(
        &self,
        _: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let before = self.state.borrow().clone();
        let outcome = work(&Handle(Rc::clone(&self.state)));
        if outcome.is_err() {
            *self.state.borrow_mut() = before;
        }
        outcome
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn scrub(&self) -> Option<Residue> {
        None
    }

    fn name(&self) -> String {
        "memory".into()
    }
}

struct Handle(Rc<RefCell<State>>);
