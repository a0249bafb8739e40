//! The store as its users see it: the file laid over what is read, and part of what is written.

use std::collections::HashMap;

use super::overlay::Overlay;
use super::{InStep, Seen, exchange, place_of};
use crate::address::Address;
use crate::change::{Applied, Change};
use crate::content::ContentHash;
use crate::error::Result;
use crate::event::{Event, EventLog, Recorded};
use crate::forget::{Forget, Forgotten};
use crate::key::Name;
use crate::note::{Kind, Note, Position, Revision, Stamp};
use crate::place::Place;
use crate::scope::{Scope, ScopeKind};
use crate::search::{Hit, SearchRequest};
use crate::store::{FileMark, Filter, Moment, Recent, ScopeSummary, Store, Version};
use crate::verify::Report;

/// Where a note stands among those of these scopes.
fn order_in(scopes: &[Scope], note: &Note) -> (Option<usize>, Option<String>) {
    let scope = note.address.scope();
    let position = scopes.iter().position(|of| *of == scope);
    (position, note.address.key())
}

impl<S: Store> InStep<S> {
    /// Lays the file's texts over notes: of these scopes, or of all places.
    fn lay_over(&self, notes: &mut Vec<Note>, seen: &Seen, scopes: Option<&[Scope]>) -> Result<()> {
        let overlay = Overlay::new(&seen.side, &seen.marks, &self.author);
        let mut places: Vec<Place> = seen
            .side
            .notes
            .notes(&self.base)
            .map(|(place, _)| place)
            .collect();
        if let Some(scopes) = scopes {
            places.retain(|place| scopes.contains(&Scope::Place(place.clone())));
        }
        let stored: HashMap<Address, usize> = notes
            .iter()
            .enumerate()
            .map(|(index, note)| (note.address.clone(), index))
            .collect();
        for place in places {
            let index = stored.get(&Address::Place(place.clone())).copied();
            let before = index.map(|index| &notes[index]);
            if let Some(note) = self.laid_over(&overlay, &place, before)? {
                match index {
                    Some(index) => notes[index] = note,
                    None => notes.push(note),
                }
            }
        }
        Ok(())
    }
}

impl<S: Store> EventLog for InStep<S> {
    fn events(&self, session: &Name, before: Option<u64>, limit: usize) -> Result<Vec<Recorded>> {
        self.inner.events(session, before, limit)
    }

    fn lease(&self, session: &Name) -> Result<Option<Recorded>> {
        self.inner.lease(session)
    }
}

impl<S: Store> Store for InStep<S> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        if changes.iter().all(|change| place_of(change).is_none()) {
            return self.inner.apply(changes, stamp);
        }
        let mut applied = Vec::new();
        self.inner.exclusively(&mut || {
            applied = self.write(changes, stamp)?;
            Ok(())
        })?;
        Ok(applied)
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        // Nothing of another kind is in the file.
        if !request.everywhere && !matches!(request.address, Address::Place(_)) {
            return self.inner.forget(request, stamp);
        }
        let mut forgotten = None;
        self.inner.exclusively(&mut || {
            forgotten = Some(self.forget_with_file(request, stamp)?);
            Ok(())
        })?;
        forgotten.ok_or_else(|| request.not_found())
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.would_forget_with_file(request, stamp)
    }

    fn get(&self, address: &Address) -> Result<Option<Note>> {
        let stored = self.inner.get(address)?;
        let Address::Place(place) = address else {
            return Ok(stored);
        };
        let Some(seen) = self.seen()? else {
            return Ok(stored);
        };
        let overlay = Overlay::new(&seen.side, &seen.marks, &self.author);
        Ok(self.laid_over(&overlay, place, stored.as_ref())?.or(stored))
    }

    fn select(&self, filter: &Filter) -> Result<Vec<Note>> {
        let mut notes = self.inner.select(filter)?;
        let is_place = |scope: &Scope| scope.kind() == ScopeKind::Place;
        let concerned = match filter {
            Filter::Scopes(scopes) => scopes.iter().any(is_place),
            Filter::Kind(kind) => *kind == ScopeKind::Place,
        };
        if !concerned {
            return Ok(notes);
        }
        let Some(seen) = self.seen()? else {
            return Ok(notes);
        };
        let scopes = match filter {
            Filter::Scopes(scopes) => Some(scopes.as_slice()),
            Filter::Kind(_) => None,
        };
        self.lay_over(&mut notes, &seen, scopes)?;
        match filter {
            Filter::Scopes(scopes) => notes.sort_by_cached_key(|note| order_in(scopes, note)),
            Filter::Kind(_) => notes.sort_by_cached_key(|note| {
                (note.address.scope().name().to_owned(), note.address.key())
            }),
        }
        Ok(notes)
    }

    /// Keyed notes and entries are not in the file.
    fn recent(&self, recent: &Recent, skip: usize, limit: usize) -> Result<Vec<Note>> {
        self.inner.recent(recent, skip, limit)
    }

    fn count_keyed(&self, scope: &Scope, pinned: bool) -> Result<u64> {
        self.inner.count_keyed(scope, pinned)
    }

    fn count_entries(
        &self,
        session: &Name,
        kind: Option<&Kind>,
        before: Option<i64>,
        open: bool,
    ) -> Result<u64> {
        self.inner.count_entries(session, kind, before, open)
    }

    fn record(
        &self,
        session: &Name,
        events: &[Event],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        self.inner.record(session, events, lease, stamp)
    }

    fn leases(&self) -> Result<Vec<(Name, Recorded)>> {
        self.inner.leases()
    }

    fn sessions_with_events(&self) -> Result<Vec<Name>> {
        self.inner.sessions_with_events()
    }

    fn last_iteration(&self, session: &Name) -> Result<Option<i64>> {
        self.inner.last_iteration(session)
    }

    fn kinds(&self, session: &Name) -> Result<Vec<Kind>> {
        self.inner.kinds(session)
    }

    /// What the journal says; a text that lies only in the file is in it since the file was written.
    fn select_at(&self, scopes: &[Scope], moment: Moment) -> Result<Vec<Note>> {
        match (moment, self.seen()?) {
            (Moment::Time(time), Some(seen)) if seen.side.written <= time => {
                let mut notes = self.inner.select_at(scopes, moment)?;
                self.lay_over(&mut notes, &seen, Some(scopes))?;
                notes.sort_by_cached_key(|note| order_in(scopes, note));
                Ok(notes)
            }
            _ => self.inner.select_at(scopes, moment),
        }
    }

    fn version(&self) -> Result<Version> {
        Ok(Version {
            file: exchange::stamp(&self.file),
            ..self.inner.version()?
        })
    }

    fn scopes(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        let mut scopes = self.inner.scopes(kind)?;
        if kind == ScopeKind::Place
            && let Some(seen) = self.seen()?
        {
            for (place, _) in seen.side.notes.notes(&self.base) {
                let scope = Scope::Place(place);
                if !scopes.iter().any(|known| known.scope == scope) {
                    scopes.push(ScopeSummary { scope, notes: 0 });
                }
            }
            scopes.sort_by(|one, other| one.scope.name().cmp(other.scope.name()));
        }
        Ok(scopes)
    }

    fn count(&self, scope: &Scope) -> Result<u64> {
        self.inner.count(scope)
    }

    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        let mut history = self.inner.history(address)?;
        let Address::Place(place) = address else {
            return Ok(history);
        };
        if let Some(seen) = self.seen()? {
            let overlay = Overlay::new(&seen.side, &seen.marks, &self.author);
            let stored = self.inner.get(address)?;
            let pending = self.laid_over(&overlay, place, stored.as_ref())?;
            history.extend(pending.map(|note| overlay.revision(note)));
        }
        Ok(history)
    }

    fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>> {
        self.inner.journal(before, limit)
    }

    /// Texts of the file that are current stand for what is stored; in the history they are its last revisions.
    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        let Some(seen) = self.seen()? else {
            return self.inner.search(request);
        };
        let overlay = Overlay::new(&seen.side, &seen.marks, &self.author);
        let mut request = request.clone();
        for (place, _) in seen.side.notes.notes(&self.base) {
            let stored = self.inner.get(&Address::Place(place.clone()))?;
            let note = self.laid_over(&overlay, &place, stored.as_ref())?;
            request.laid_over.extend(note);
        }
        self.inner.search(&request)
    }

    fn verify(&self) -> Result<Report> {
        self.inner.verify()
    }

    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.inner.exclusively(&mut || {
            self.exclusive.set(self.exclusive.get() + 1);
            let outcome = work();
            self.exclusive.set(self.exclusive.get() - 1);
            self.seen.replace(None);
            outcome
        })
    }

    fn on_one_state(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.inner.on_one_state(work)
    }

    fn file_marks(&self, file: &str) -> Result<Vec<FileMark>> {
        self.inner.file_marks(file)
    }

    fn mark_file(&self, file: &str, marks: &[(String, Option<ContentHash>)]) -> Result<()> {
        self.inner.mark_file(file, marks)
    }
}
