//! An engine in memory, written against the public interface alone, as another crate would have to do it.

mod read;
mod state;
mod write;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use waynote::engine::{Engine, IndexState, Read, SegmentHead, Step, Transaction, Writing};
use waynote::forget::Residue;
use waynote::store::{FeedContent, SideValue};
use waynote::{Address, Error, Note, Position, Result, Scope};

/// Rows that last as long as the value and its clones.
#[derive(Clone, Default)]
pub struct Memory {
    state: Rc<RefCell<State>>,
    /// True while somebody runs alone: no other writer can.
    is_held: Rc<Cell<bool>>,
    /// True if that is the user of this value.
    holds_it: bool,
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

#[derive(Clone, Default)]
struct State {
    /// Each scope with its count; its index is its number.
    scopes: Vec<(Scope, u64)>,
    /// All that happened, with the call that did it.
    log: BTreeMap<Position, (FeedContent, Option<Step>)>,
    /// The positions of the revisions of every note that there ever was.
    revisions: BTreeMap<Address, Vec<Position>>,
    notes: BTreeMap<Address, Note>,
    side: BTreeMap<String, BTreeMap<String, SideValue>>,
    index: IndexState,
    segments: Vec<Segment>,
    last_segment: i64,
    id: [u8; 16],
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
        let copy = Rc::new(RefCell::new(self.state.borrow().clone()));
        work(&Handle(Rc::clone(&copy)))?;
        self.state.replace(copy.take());
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
