//! A store that looks up citations: when a note is written, and when it is read.

use std::sync::Arc;

use super::{Checkouts, Standing, cite, named_in, standing};
use crate::change::{Applied, Change};
use crate::context::{BlockAnswer, BlockAsk};
use crate::error::Result;
use crate::note::{Note, Stamp};
use crate::pass_on;
use crate::search::{Hit, SearchRequest};
use crate::store::{Answers, Ask, Reader, SideData, Store};

/// A store whose current notes say whether what they cite has changed ([`Note::stale`]). What is written with it cites
/// what its text names.
pub struct CheckedStore<S> {
    store: S,
    checkouts: Arc<dyn Checkouts>,
}

impl<S> CheckedStore<S> {
    /// A store, and the repositories of the machine that reads it.
    pub fn new(store: S, checkouts: Arc<dyn Checkouts>) -> Self {
        Self { store, checkouts }
    }

    /// The store inside.
    pub fn inner(&self) -> &S {
        &self.store
    }

    fn mark<'n>(&self, notes: impl IntoIterator<Item = &'n mut Note>) {
        let cited = notes.into_iter().flat_map(|note| &mut note.cites);
        for (index, cited) in cited.enumerate() {
            if index == 0 {
                self.checkouts.begin();
            }
            cited.changed = standing(&*self.checkouts, cited) == Standing::Changed;
        }
    }

    /// The stamp with what a change cites: what the caller says, else what the text names and the repository has.
    fn cited(&self, changes: &[Change], stamp: &Stamp) -> Result<Option<Stamp>> {
        let (directory, content) = match changes {
            [
                Change::Save {
                    address,
                    content,
                    origin: None,
                    ..
                },
            ] => (address.place(), content),
            [
                Change::Append {
                    content, id: None, ..
                },
            ] => (None, content),
            _ => return Ok(None),
        };
        self.checkouts.begin();
        let look_up = |code: &str| cite(&*self.checkouts, directory, code, stamp.now);
        Ok(match &stamp.cites {
            Some(given) => {
                let cites = given.iter().map(|cited| match cited.repository {
                    Some(_) => Ok(cited.clone()),
                    None => look_up(&cited.code),
                });
                Some(stamp.clone().citing(cites.collect::<Result<Vec<_>>>()?))
            }
            None => {
                let named = named_in(&content.shown());
                let named = named.iter().filter_map(|code| look_up(code).ok());
                let (named, stamp) = (named.collect(), stamp.clone());
                Some(Stamp { named, ..stamp })
            }
        })
    }
}

impl<S: Reader> Reader for CheckedStore<S> {
    pass_on! { self => self.store; select_at take_damage history_before holder is_shared others }

    fn checkouts(&self) -> Option<&dyn Checkouts> {
        Some(&*self.checkouts)
    }

    fn read(&self, ask: &Ask) -> Result<Answers> {
        let mut answers = self.store.read(ask)?;
        let Answers {
            notes,
            scopes,
            kinds,
            pages,
            ..
        } = &mut answers;
        let lists = scopes.iter_mut().chain(kinds).chain(pages).flatten();
        self.mark(notes.iter_mut().flatten().chain(lists));
        Ok(answers)
    }

    /// A stale note ranks behind a fresh one that matches as well.
    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        let mut hits = self.store.search(request)?;
        if !request.history {
            self.mark(hits.iter_mut().map(|hit| &mut hit.note));
            // Equal ones lie side by side.
            hits.chunk_by_mut(|one, other| (one.score - other.score).abs() < 1e-9)
                .for_each(|equal| equal.sort_by_key(|hit| hit.note.is_stale()));
        }
        Ok(hits)
    }

    /// The other side does not see this machine's files: what cites anything is made here.
    fn rendered(&self, ask: &BlockAsk) -> Result<Option<BlockAnswer>> {
        let rendered = self.store.rendered(ask)?;
        Ok(rendered.filter(|answer| !answer.cites()))
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        self.store.one_state(&mut |state| {
            let state = CheckedStore::new(state, Arc::clone(&self.checkouts));
            work(&state)
        })
    }
}

impl<S: Store> Store for CheckedStore<S> {
    pass_on! { self => self.store; record forget would_forget verify heartbeat silence silences checkpoint }

    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let cited = self.cited(changes, stamp)?;
        self.store.apply(changes, cited.as_ref().unwrap_or(stamp))
    }
}

impl<S: SideData> SideData for CheckedStore<S> {
    pass_on! { self => self.store; side_values put_side_values make_shared }
}
