//! The rules: what every store does, whatever engine keeps its rows.
//!
//! [`EngineStore`] decides and an [`Engine`] carries out. Nothing that is checked here is checked anywhere else.

mod apply;
mod as_of;
mod forget;
mod one_state;
mod verify;

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

use crate::change::{Applied, Change};
use crate::content::ContentHash;
use crate::engine::{Engine, Read, Writing};
use crate::error::{Error, Result};
use crate::event::{self, Event};
use crate::forget::{Forget, Forgotten};
use crate::key::Name;
use crate::note::{Note, Stamp};
use crate::scope::Scope;
use crate::search::indexed;
use crate::search::upkeep::{self, Indexing};
use crate::search::{Hit, SearchRequest};
use crate::store::{Answers, Ask, FileMark, LocalStore, Moment, Reader, SideData, Snapshot, Store};
use crate::verify::Report;

pub(crate) use one_state::OneState;

/// A store over an engine. Threads can share it when they can share the engine.
pub struct EngineStore<E> {
    engine: E,
    memory: Arc<Memory>,
}

/// What a store remembers between calls. All of it can be found out again.
#[derive(Default)]
pub(crate) struct Memory {
    indexing: Indexing,
    /// How far the search index was known to reach at the last write.
    indexed: Mutex<Option<i64>>,
    segments: Mutex<indexed::Cache>,
}

impl Memory {
    fn indexed(&self) -> Option<i64> {
        *self.indexed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_indexed(&self, indexed: Option<i64>) {
        *self.indexed.lock().unwrap_or_else(PoisonError::into_inner) = indexed;
    }
}

impl<E: Engine> EngineStore<E> {
    /// A store whose rows that engine keeps.
    pub fn new(engine: E) -> Self {
        Self {
            engine,
            memory: Arc::default(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// Keeps the search index otherwise than by default. What is found is the same.
    #[must_use]
    pub fn with_indexing(self, indexing: Indexing) -> Self {
        Self {
            memory: Arc::new(Memory {
                indexing,
                ..Memory::default()
            }),
            ..self
        }
    }

    /// Reads each thing as it is then.
    fn now<T>(&self, work: impl FnOnce(&OneState<'_>) -> Result<T>) -> Result<T> {
        let rows = self.engine.rows()?;
        work(&self.state(&*rows))
    }

    /// Reads all from one state.
    fn at_once<T>(&self, mut work: impl FnMut(&OneState<'_>) -> Result<T>) -> Result<T> {
        let mut value = None;
        self.engine.snapshot(&mut |rows| {
            value = Some(work(&self.state(rows))?);
            Ok(())
        })?;
        value.ok_or_else(|| Error::DamagedStore {
            path: self.engine.name().into(),
            reason: "its engine ran nothing".into(),
        })
    }

    fn state<'s>(&'s self, rows: &'s dyn Read) -> OneState<'s> {
        OneState::new(rows, &self.memory, &self.engine)
    }
}

impl<E: Engine> Reader for EngineStore<E> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        self.now(|state| state.read(ask))
    }

    fn select_at(&self, scopes: &[Scope], moment: Moment) -> Result<Vec<Note>> {
        self.at_once(|state| state.select_at(scopes, moment))
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        self.search_over(request, &[])
    }
}

impl<E: Engine> Store for EngineStore<E> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let mut applied = Vec::new();
        let reached = Cell::new(None);
        self.engine.write(Writing::Durable, &mut |tx| {
            // An engine may run this again.
            reached.set(self.memory.indexed());
            applied = apply::all(tx, changes, stamp, &mut |position, left| {
                upkeep::keep_up(tx, &self.memory.indexing, &reached, position, left)
            })?;
            Ok(())
        })?;
        self.memory.set_indexed(reached.get());
        Ok(applied)
    }

    fn record(
        &self,
        session: &Name,
        events: &[Event],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        self.engine.write(Writing::Durable, &mut |tx| {
            for event in events {
                event::check(event, &self.state(tx), session, lease, stamp)?;
                tx.put_event(session, event, &stamp.author, stamp.now)?;
            }
            Ok(())
        })
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        forget::forget(&self.engine, request, stamp)
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.at_once(|state| forget::would_forget(state.rows(), request, stamp))
    }

    fn verify(&self) -> Result<Report> {
        self.at_once(verify::verify)
    }
}

impl<E: Engine> Snapshot for EngineStore<E> {
    fn search_over(&self, request: &SearchRequest, laid_over: &[Note]) -> Result<Vec<Hit>> {
        // One state, so that segments and tail fit together.
        self.at_once(|state| state.search_over(request, laid_over))
    }
}

impl<E: Engine> SideData for EngineStore<E> {
    fn file_marks(&self, file: &str) -> Result<Vec<FileMark>> {
        self.now(|state| state.rows().marks(file))
    }

    fn mark_file(&self, file: &str, marks: &[(String, Option<ContentHash>)]) -> Result<()> {
        // One that is lost is found out by comparing again.
        self.engine
            .write(Writing::Relaxed, &mut |tx| tx.mark(file, marks))
    }
}

impl<E: Engine> LocalStore for EngineStore<E> {
    fn exclusively(&self, work: &mut dyn FnMut(&dyn LocalStore) -> Result<()>) -> Result<()> {
        self.engine.exclusively(&mut |engine| {
            work(&EngineStore {
                engine,
                memory: Arc::clone(&self.memory),
            })
        })
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Snapshot) -> Result<()>) -> Result<()> {
        self.engine.snapshot(&mut |rows| work(&self.state(rows)))
    }
}
