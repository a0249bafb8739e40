//! The notes, as a call reads and writes them.

use std::sync::Arc;

use jiff::Timestamp;
use waynote::context::{Renderer, Request, ShownNote};
use waynote::store::Damage;
use waynote::visible::visible;
use waynote::{Allowance, Name, Stamp, Store};

use crate::caller::ConnectedCaller;
use crate::host::Host;
use crate::reply::Refusal;

/// The store, and the state between calls.
pub(crate) struct Notes {
    host: Arc<dyn Host>,
    renderer: Renderer,
    /// The damage in the data that this call has read.
    damage: Damage,
}

impl Notes {
    pub(crate) fn new(host: Arc<dyn Host>) -> Self {
        Self {
            host,
            renderer: Renderer::default(),
            damage: Damage::default(),
        }
    }

    /// How much a call may read; none: no limit.
    pub(crate) fn allowance(&self) -> Option<Allowance> {
        self.host.allowance().cloned()
    }

    /// The store, to read it.
    pub(crate) fn store(&self) -> &dyn Store {
        self.host.store()
    }

    /// The store, to write to it.
    pub(crate) fn writable(&self) -> Result<&dyn Store, Refusal> {
        self.host.may_write()?;
        Ok(self.host.store())
    }

    /// The text of the caller's block.
    pub(crate) fn block(&mut self, here: &ConnectedCaller) -> Result<String, Refusal> {
        let request = self.request(here)?;
        self.render(&request)
    }

    /// The same, and the notes in it.
    pub(crate) fn block_and_notes(
        &self,
        here: &ConnectedCaller,
    ) -> Result<(String, Vec<ShownNote>), Refusal> {
        let request = self.request(here)?;
        let (block, notes) = waynote::context::block_and_notes(self.store(), &request)?;
        Ok((waynote::visible::plain(&block.text), notes))
    }

    /// The text of a block.
    pub(crate) fn render(&mut self, request: &Request) -> Result<String, Refusal> {
        // Taken out, so that a panic leaves a new one behind.
        let mut renderer = std::mem::take(&mut self.renderer);
        let block = renderer.render(self.host.store(), request);
        self.renderer = renderer;
        Ok(waynote::visible::plain(&block?.text))
    }

    /// The stamp of a write: the time and the author.
    pub(crate) fn stamp(&self, author: &Name) -> Stamp {
        Stamp::new(self.now(), author.clone()).inside(self.host.lease())
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.host.now()
    }

    pub(crate) fn after_call(&mut self) {
        self.notice();
        self.host.after_call(&std::mem::take(&mut self.damage));
    }

    /// Takes the damage in the data that was read until now.
    fn notice(&mut self) -> Damage {
        let new = self.host.store().take_damage();
        self.damage.notes.extend_from_slice(&new.notes);
        self.damage.index |= new.index;
        new
    }

    /// Makes a list, and names below it the items that damage left out.
    pub(crate) fn listed(
        &mut self,
        list: impl FnOnce(&dyn Store) -> Result<String, Refusal>,
    ) -> Result<String, Refusal> {
        // Damage that the call found before does not belong to the list.
        self.notice();
        let mut text = list(self.host.store())?;
        let left_out = self.notice().left_out();
        if !left_out.is_empty() {
            text.push('\n');
            text.push_str(&visible(&left_out));
        }
        Ok(text)
    }

    /// Runs postponed work, a checkpoint: nobody waits for it. A store that cannot do it now does it another time.
    pub(crate) fn when_idle(&self) {
        if self.host.may_write().is_ok() {
            let _ = self.host.store().checkpoint();
        }
    }

    /// The request for the caller's block, in the iteration that runs now.
    fn request(&self, here: &ConnectedCaller) -> Result<Request, Refusal> {
        Ok(here
            .request(self.now())
            .iteration(here.iteration(self.store())?))
    }
}
