//! Reading one state of a store.

use super::{Memory, as_of};
use crate::address::{Address, AddressAt};
use crate::engine::{Engine, Read};
use crate::error::{Error, Result};
use crate::key::Name;
use crate::note::{Note, Revision};
use crate::scope::Scope;
use crate::search::{Hit, SearchRequest, indexed};
use crate::store::{Answers, AsOf, Ask, Damage, Reader};

/// The rows of one state, read through the rules.
pub(crate) struct OneState<'s> {
    rows: &'s dyn Read,
    memory: &'s Memory,
    engine: &'s dyn Engine,
}

impl<'s> OneState<'s> {
    pub(super) fn new(rows: &'s dyn Read, memory: &'s Memory, engine: &'s dyn Engine) -> Self {
        Self {
            rows,
            memory,
            engine,
        }
    }

    pub(crate) fn rows(&self) -> &'s dyn Read {
        self.rows
    }

    /// Revisions of a note, latest first, each by its number.
    fn revisions_before(
        &self,
        address: &Address,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        let last = self.rows.state(address)?.map_or(0, |state| state.revision);
        let end = before.map_or(last, |before| last.min(before.saturating_sub(1)));
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let numbers = (end.saturating_sub(limit) + 1..=end).rev();
        let revisions = numbers.map(|number| AddressAt::new(address.clone(), number));
        let revisions = self.rows.revisions(revisions.collect())?;
        Ok(revisions.into_iter().flatten().collect())
    }

    /// Searches with these notes in place of the stored ones with the same addresses.
    fn searched(&self, request: &SearchRequest, laid_over: &[Note]) -> Result<Vec<Hit>> {
        let name = || self.engine.name();
        let Memory {
            segments, noticed, ..
        } = self.memory;
        indexed::search(self.rows, segments, &name, noticed, request, laid_over)
    }

    /// Remembers damaged notes that were left out of an answer.
    pub(super) fn notice(&self, damaged: &[String]) {
        if !damaged.is_empty() {
            self.memory.noticed.lock().add(damaged.to_vec());
        }
    }
}

impl Reader for OneState<'_> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        let answers = self.rows.ask(ask.clone())?;
        self.notice(&answers.damaged);
        Ok(answers)
    }

    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        as_of::select(self, scopes, moment)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        self.searched(request, &[])
    }

    fn search_over(&self, request: &SearchRequest, laid_over: &[Note]) -> Result<Option<Vec<Hit>>> {
        self.searched(request, laid_over).map(Some)
    }

    fn holder(&self) -> Result<Option<Name>> {
        Ok(self.memory.holder.clone())
    }

    fn is_shared(&self) -> Result<bool> {
        self.memory.is_shared(self.rows)
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
        match self.revisions_before(address, before, limit) {
            // The whole history leaves out damaged revisions.
            Err(Error::DamagedNote { .. }) => {
                let history = self.history(address)?.into_iter().rev();
                let earlier = history.filter(|of| before.is_none_or(|before| of.number() < before));
                Ok(earlier.take(limit).collect())
            }
            revisions => revisions,
        }
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        work(self)
    }
}
