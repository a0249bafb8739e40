//! The rules: everything that stores do alike, with any engine.
//!
//! [`EngineStore`] decides and an [`Engine`] stores. Everything that is checked here is checked only here.

mod apart;
mod apply;
mod as_of;
pub mod copy;
mod decide;
pub(crate) mod erasure;
mod foreseen;
mod forget;
mod group;
pub mod heartbeat;
mod limits;
mod one_state;
pub(crate) mod others;
mod pending;
pub mod person;
mod resolved;
mod same;
pub(crate) mod session_events;
mod session_reader;
pub mod session_state;
mod shared;
pub mod stall;
pub(crate) mod undo;
mod verify;

pub(crate) use decide::check_expected;

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::address::Address;
use crate::change::{Applied, Change};
use crate::engine::{self, Engine, Read, Writing};
use crate::error::{Error, Result};
use crate::event::SessionEvent;
use crate::forget::{Forget, Forgotten};
use crate::id::StoreId;
use crate::key::Name;
use crate::model::allowance::Allowance;
use crate::model::report::Report;
use crate::note::{Note, Revision, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::search::damage_notice::DamageNotice;
use crate::search::indexed;
use crate::search::{Hit, SearchRequest};
use crate::search::{Indexing, upkeep};
use crate::store::{
    Answers, AsOf, Ask, Damage, Done, LocalStore, Reader, SideData, SideValue, Store, nothing_ran,
};

use apart::SegmentBuilds;
use apply::Call;
use foreseen::Questions;
use group::{Answer, Group};
use pending::PendingStore;

pub(crate) use one_state::OneState;

/// A store on top of an engine. Threads can share the store if they can share the engine.
pub struct EngineStore<E> {
    engine: E,
    memory: Memory,
    group: Group,
}

/// State that a store keeps between calls. All of it can be computed again.
#[derive(Default)]
pub(crate) struct Memory {
    indexing: Indexing,
    /// True once a write has found the parts of the search index whole.
    is_checked: AtomicBool,
    segments: Mutex<indexed::Cache>,
    noticed: Mutex<DamageNotice>,
    building: SegmentBuilds,
    /// Who writes here in place of a person.
    holder: Option<Name>,
    /// True if the store is one of several people; none: its mark was not read yet.
    is_shared: Mutex<Option<bool>>,
}

impl Memory {
    fn is_shared(&self, rows: &dyn Read) -> Result<bool> {
        let mut known = self.is_shared.lock();
        if known.is_none() {
            *known = Some(shared::is_marked(&rows.side(shared::SPACE)?));
        }
        Ok(*known == Some(true))
    }
}

impl<E: Engine> EngineStore<E> {
    /// A store whose rows this engine stores.
    pub fn new(engine: E) -> Self {
        Self {
            engine,
            memory: Memory::default(),
            group: Group::default(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// Changes how the search index is maintained. Search results stay the same.
    #[must_use]
    pub fn with_indexing(self, indexing: Indexing) -> Self {
        Self {
            memory: Memory {
                indexing,
                holder: self.memory.holder,
                ..Memory::default()
            },
            ..self
        }
    }

    /// The same store, written by this holder in place of a person: where the connection itself says who that is.
    #[must_use]
    pub fn held_by(mut self, holder: impl Into<Option<Name>>) -> Self {
        self.memory.holder = holder.into();
        self
    }

    /// The stamp of a call, to which a program above may have given a holder.
    fn held<'s>(&self, stamp: &'s Stamp) -> Cow<'s, Stamp> {
        let mut stamp = Cow::Borrowed(stamp);
        if let (Some(holder), None) = (&self.memory.holder, &stamp.token) {
            stamp.to_mut().token = Some(holder.clone());
        }
        stamp
    }

    /// The time of the database, if machines share it.
    fn clock(&self) -> Result<Option<Timestamp>> {
        if !self.engine.is_shared() {
            return Ok(None);
        }
        self.engine.rows()?.clock()
    }

    /// Reads the current state on every call.
    fn now<T>(&self, work: impl FnOnce(&OneState<'_>) -> Result<T>) -> Result<T> {
        let rows = self.engine.rows()?;
        work(&self.state(&*rows))
    }

    /// Reads everything from one state.
    fn at_once<T>(&self, mut work: impl FnMut(&OneState<'_>) -> Result<T>) -> Result<T> {
        let mut value = None;
        self.engine.snapshot(&mut |rows| {
            value = Some(work(&self.state(rows))?);
            Ok(())
        })?;
        value.ok_or_else(|| nothing_ran(self.engine.name()))
    }

    /// Writes the result of a call, together with calls of other threads if there are any.
    fn carry_out(&self, call: Call<'_>) -> Result<Vec<Applied>> {
        // A group has the calls of several requests.
        Allowance::aside(|| {
            let answer = self.group.run(call, &|calls| self.write(calls));
            // The others of the group have their answers, and the next group is being written.
            self.build_index();
            answer
        })
    }

    /// Writes calls in one transaction and returns an answer for each.
    fn write(&self, calls: &[&Call<'_>]) -> Result<Vec<Answer>> {
        let mut answers = Vec::new();
        let (mut head, mut due) = (0, 0);
        let mut is_shared = *self.memory.is_shared.lock() == Some(true);
        self.engine.write(Writing::Durable, &mut |tx| {
            // An engine may run this more than once.
            let foreseen = |with_index: bool, with_segments: bool| {
                let mut questions = Questions::default();
                questions.index(with_index, with_segments);
                questions.mark(is_shared);
                calls.iter().for_each(|call| call.foresee(&mut questions));
                questions.read(tx)
            };
            let is_checked = self.memory.is_checked.load(Ordering::Relaxed);
            let mut is_damaged = self.memory.noticed.lock().index;
            let known = match foreseen(true, !is_checked) {
                Err(Error::DamagedIndex { .. }) => {
                    is_damaged = true;
                    foreseen(false, false)?
                }
                known => known?,
            };
            is_damaged |= !is_checked && !upkeep::is_whole(known.index, &known.segments);
            let (indexed, is_marked) = (known.index.indexed, known.is_shared);
            let before = known.head;
            let done: Vec<Option<Vec<Done>>> = calls
                .iter()
                .map(|call| Some(known.done(call.stamp().operation?)?.to_vec()))
                .collect();
            let pending = PendingStore::new(self.state(tx), known);
            answers = plan_all(calls, &done, &pending)?;
            pending.put(tx)?;
            (head, is_shared) = (pending.head().number(), is_marked);
            let index = upkeep::KnownIndex {
                indexed,
                is_damaged,
            };
            due = index.due(&self.memory.indexing, (before, head), pending.revisions());
            Ok(())
        })?;
        self.memory.is_checked.store(true, Ordering::Relaxed);
        *self.memory.is_shared.lock() = Some(is_shared);
        self.memory.building.is_due(due, head);
        Ok(answers)
    }

    fn state<'s>(&'s self, rows: &'s dyn Read) -> OneState<'s> {
        OneState::new(rows, &self.memory, &self.engine)
    }
}

/// Plans calls in order, no two of which have the same id. An error of the engine ends the transaction instead of
/// answering a call.
fn plan_all(
    calls: &[&Call<'_>],
    done: &[Option<Vec<Done>>],
    pending: &PendingStore<'_>,
) -> Result<Vec<Answer>> {
    let planned =
        calls
            .iter()
            .zip(done)
            .map(|(call, done)| match call.plan(pending, done.as_deref()) {
                Err(error) if !error.class().is_refusal() => Err(error),
                answer => Ok(answer),
            });
    planned.collect()
}

impl<E: Engine> Reader for EngineStore<E> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        self.now(|state| state.read(ask))
    }

    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        self.at_once(|state| state.select_at(scopes, moment))
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        // One state, so that segments and tail match.
        self.at_once(|state| state.search(request))
    }

    fn search_over(&self, request: &SearchRequest, laid_over: &[Note]) -> Result<Option<Vec<Hit>>> {
        self.at_once(|state| state.search_over(request, laid_over))
    }

    fn holder(&self) -> Result<Option<Name>> {
        Ok(self.memory.holder.clone())
    }

    fn is_shared(&self) -> Result<bool> {
        let known = *self.memory.is_shared.lock();
        known.map_or_else(|| self.now(|state| state.is_shared()), Ok)
    }

    fn take_damage(&self) -> Damage {
        self.memory.noticed.lock().take()
    }

    fn history_before(
        &self,
        address: &Address,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        self.at_once(|state| state.history_before(address, before, limit))
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        self.engine.snapshot(&mut |rows| work(&self.state(rows)))
    }
}

impl<E: Engine> Store for EngineStore<E> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        self.carry_out(Call::Apply {
            changes: unhidden(changes),
            stamp: self.held(stamp),
        })
    }

    fn record(
        &self,
        session: &Name,
        events: &[SessionEvent],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        self.carry_out(Call::Record {
            session: Cow::Borrowed(session),
            events: events.into(),
            lease,
            stamp: self.held(stamp),
        })
        .map(|_| ())
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        Allowance::aside(|| forget::forget(&self.engine, request, &self.held(stamp)))
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.at_once(|state| {
            let stamp = self.held(stamp);
            let stamp = person::stamped(&stamp, || state.leases())?;
            forget::would_forget(state.rows(), request, &stamp)
        })
    }

    fn verify(&self) -> Result<Report> {
        self.at_once(verify::verify)
    }

    fn heartbeat(&self, session: &Name, lease: u64) -> Result<()> {
        match self.clock()? {
            Some(now) => heartbeat::beat(self, session, lease, now),
            None => Ok(()),
        }
    }

    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        let silences = self.silences(&[(session.clone(), lease)])?;
        Ok(silences.and_then(|mut silences| silences.pop()).flatten())
    }

    fn silences(&self, loops: &[(Name, u64)]) -> Result<Option<Vec<Option<Duration>>>> {
        if !self.engine.is_shared() {
            return Ok(None);
        }
        let read = self.engine.rows()?.read(&engine::Ask {
            clock: true,
            side: vec![heartbeat::SPACE.to_owned()],
            ..engine::Ask::default()
        })?;
        let values = read.side.concat();
        let silences = |now| heartbeat::silences(&values, loops, now, Timestamp::MIN);
        Ok(read.clock.map(silences))
    }

    fn checkpoint(&self) -> Result<bool> {
        self.engine.checkpoint()
    }
}

impl<E: Engine> SideData for EngineStore<E> {
    fn side_values(&self, space: &str) -> Result<Vec<SideValue>> {
        self.now(|state| state.rows().side(space))
    }

    fn put_side_values(
        &self,
        space: &str,
        values: &[SideValue],
        removed: &[String],
        writing: Writing,
    ) -> Result<()> {
        self.engine
            .write(writing, &mut |tx| tx.put_side(space, values, removed))
    }

    fn make_shared(&self) -> Result<()> {
        self.engine.write(Writing::Durable, &mut |tx| {
            for of in self.state(tx).scopes(ScopeKind::Place)? {
                if let Scope::Place(place) = of.scope {
                    shared::check_place(&place, &Address::Place(place.clone()))?;
                }
            }
            tx.put_side(shared::SPACE, &[shared::mark()], &[])
        })?;
        *self.memory.is_shared.lock() = Some(true);
        Ok(())
    }
}

impl<E: Engine> LocalStore for EngineStore<E> {
    fn rebuild_index(&self) -> Result<()> {
        self.build_index_anew()
    }

    fn renew_id(&self) -> Result<StoreId> {
        let mut id = None;
        self.engine.write(Writing::Durable, &mut |tx| {
            id = Some(tx.renew_id()?);
            Ok(())
        })?;
        id.ok_or_else(|| nothing_ran(self.engine.name()))
    }
}

/// The changes without hidden characters in texts that callers write. A text from elsewhere is kept as it is, and loses
/// them when it is shown.
fn unhidden(changes: &[Change]) -> Cow<'_, [Change]> {
    let mut changes = Cow::Borrowed(changes);
    for index in 0..changes.len() {
        let (Change::Save {
            content,
            origin: None,
            ..
        }
        | Change::Append {
            content, id: None, ..
        }) = &changes[index]
        else {
            continue;
        };
        if let Some(unhidden) = content.unhidden()
            && let Change::Save { content, .. } | Change::Append { content, .. } =
                &mut changes.to_mut()[index]
        {
            *content = unhidden;
        }
    }
    changes
}
