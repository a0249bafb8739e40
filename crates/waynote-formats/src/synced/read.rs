//! The store for its callers: the file laid over reads, and part of the writes.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use waynote::change::Applied;
use waynote::forget::{Forget, Forgotten};
use waynote::search::{Hit, SearchRequest};
use waynote::store::{Answers, Ask, Damage, LocalStoreExt, Page, Recent, ScopeSummary, Version};
use waynote::{
    Address, AddressAt, AsOf, Change, Error, LocalStore, Note, Place, Reader, Result, Revision,
    Scope, ScopeKind, SideData, Snapshot, Stamp, Store, StoreId, pass_on,
};

use super::overlay::Overlay;
use super::store::{FileView, SyncedStore, place_of};
use crate::zrb::exchange;

/// The file laid over one state of the store, or over the store as it is at each reading.
struct OverlayReader<'a, S> {
    of: &'a SyncedStore<S>,
    inner: &'a dyn Snapshot,
    /// Read on first use.
    view: OnceCell<Option<Arc<FileView>>>,
}

impl<S: LocalStore> SyncedStore<S> {
    fn over<'a>(&'a self, inner: &'a dyn Snapshot) -> OverlayReader<'a, S> {
        OverlayReader {
            of: self,
            inner,
            view: OnceCell::new(),
        }
    }

    fn now(&self) -> OverlayReader<'_, S> {
        self.over(&self.inner)
    }
}

impl<S: LocalStore> OverlayReader<'_, S> {
    fn view(&self) -> Result<Option<&FileView>> {
        if self.view.get().is_none() {
            let _ = self.view.set(self.of.view()?);
        }
        Ok(self.view.get().and_then(Option::as_deref))
    }

    /// The place's note as the file makes it, if the file's text is the current one.
    fn note(&self, view: &FileView, place: &Place, stored: Option<&Note>) -> Result<Option<Note>> {
        let overlay = Overlay::new(&view.file, &view.marks, self.of.author());
        if !overlay.file_is_current(place, stored) {
            return Ok(None);
        }
        let last = match stored {
            Some(note) => note.revision,
            None => match self.last_revision(place) {
                // A damaged text is left out.
                Err(Error::DamagedNote { .. }) => return Ok(None),
                last => last?,
            },
        };
        Ok(overlay.note(place, stored, last + 1))
    }

    /// The number of the last revision, for a note that lies only in the file.
    fn last_revision(&self, place: &Place) -> Result<u64> {
        let history = self.inner.history(&Address::Place(place.clone()))?;
        Ok(history.last().map_or(0, Revision::number))
    }

    /// Lays the file's texts over notes: of these scopes, or of all places.
    fn lay_over(
        &self,
        notes: &mut Vec<Note>,
        view: &FileView,
        scopes: Option<&[Scope]>,
    ) -> Result<()> {
        let mut places = self.of.places_in(view);
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
            if let Some(note) = self.note(view, &place, before)? {
                match index {
                    Some(index) => notes[index] = note,
                    None => notes.push(note),
                }
            }
        }
        Ok(())
    }

    /// Completes the answers with the file's texts.
    fn complete(&self, ask: &Ask, answers: &mut Answers, view: &FileView) -> Result<()> {
        for (address, note) in ask.notes.iter().zip(&mut answers.notes) {
            if let Address::Place(place) = address
                && let Some(laid_over) = self.note(view, place, note.as_ref())?
            {
                *note = Some(laid_over);
            }
        }
        for (scope, notes) in ask.scopes.iter().zip(&mut answers.scopes) {
            if scope.kind() == ScopeKind::Place {
                self.lay_over(notes, view, Some(std::slice::from_ref(scope)))?;
                notes.sort_by_cached_key(|note| note.address.key());
            }
        }
        for (page, notes) in ask.pages.iter().zip(&mut answers.pages) {
            // A place's own note, which the file has, comes first.
            if shows_own_note(page) && page.skip == 0 {
                self.lay_over(notes, view, Some(&[page.of.scope()]))?;
                notes.sort_by_cached_key(|note| note.address.key());
                notes.truncate(page.limit);
            }
        }
        for (kind, notes) in ask.kinds.iter().zip(&mut answers.kinds) {
            if *kind == ScopeKind::Place {
                self.lay_over(notes, view, None)?;
                notes.sort_by_cached_key(|note| {
                    (note.address.scope().name().to_owned(), note.address.key())
                });
            }
        }
        for (kind, scopes) in ask.summaries.iter().zip(&mut answers.summaries) {
            if *kind == ScopeKind::Place {
                self.add_scopes(scopes, view);
            }
        }
        for (address, history) in ask.histories.iter().zip(&mut answers.histories) {
            if let Address::Place(place) = address {
                let stored = self.inner.get(address)?;
                let pending = self.note(view, place, stored.as_ref())?;
                let overlay = Overlay::new(&view.file, &view.marks, self.of.author());
                history.extend(pending.map(|note| overlay.revision(note)));
            }
        }
        Ok(())
    }

    fn add_scopes(&self, scopes: &mut Vec<ScopeSummary>, view: &FileView) {
        for place in self.of.places_in(view) {
            let scope = Scope::Place(place);
            if !scopes.iter().any(|known| known.scope == scope) {
                scopes.push(ScopeSummary { scope, notes: 0 });
            }
        }
        scopes.sort_by(|one, other| one.scope.name().cmp(other.scope.name()));
    }

    /// A version that changes with every write to the file.
    fn version(&self, inner: Version) -> Version {
        let Some((bytes, written, inode)) = exchange::fingerprint(self.of.file()) else {
            return inner;
        };
        let mut hasher = DefaultHasher::new();
        (inner.changes, bytes, written, inode).hash(&mut hasher);
        Version {
            changes: hasher.finish(),
            written_at: inner.written_at.max(Some(written)),
            ..inner
        }
    }
}

/// True if the file may have a part in the answers.
fn concerns_places(ask: &Ask) -> bool {
    let is_place = |address: &Address| matches!(address, Address::Place(_));
    ask.notes.iter().chain(&ask.histories).any(is_place)
        || ask
            .scopes
            .iter()
            .any(|scope| scope.kind() == ScopeKind::Place)
        || ask.pages.iter().any(shows_own_note)
        || ask.kinds.contains(&ScopeKind::Place)
        || ask.summaries.contains(&ScopeKind::Place)
}

fn shows_own_note(page: &Page) -> bool {
    matches!(&page.of, Recent::ByKey { scope } if scope.kind() == ScopeKind::Place)
}

/// The rank of a note among those of these scopes.
fn order_in(scopes: &[Scope], note: &Note) -> (Option<usize>, Option<String>) {
    let scope = note.address.scope();
    let position = scopes.iter().position(|of| *of == scope);
    (position, note.address.key())
}

impl<S: LocalStore> Reader for OverlayReader<'_, S> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        let mut answers = self.inner.read(ask)?;
        if concerns_places(ask)
            && let Some(view) = self.view()?
        {
            self.complete(ask, &mut answers, view)?;
        }
        if ask.version {
            answers.version = self.version(answers.version);
        }
        Ok(answers)
    }

    /// From the journal; a text that lies only in the file is in it since the file was written.
    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        let mut notes = self.inner.select_at(scopes, moment)?;
        if let (AsOf::Time(time), Some(view)) = (moment, self.view()?)
            && view.file.written_at <= time
        {
            self.lay_over(&mut notes, view, Some(scopes))?;
            notes.sort_by_cached_key(|note| order_in(scopes, note));
        }
        Ok(notes)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        self.search_over(request, &[])
    }

    fn take_damage(&self) -> Damage {
        self.inner.take_damage()
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        work(self)
    }
}

impl<S: LocalStore> Snapshot for OverlayReader<'_, S> {
    /// Texts of the file that are current stand for what is stored; in the history they are its last revisions.
    fn search_over(&self, request: &SearchRequest, laid_over: &[Note]) -> Result<Vec<Hit>> {
        let Some(view) = self.view()? else {
            return self.inner.search_over(request, laid_over);
        };
        let places = self.of.places_in(view);
        let ask = Ask {
            notes: places.iter().cloned().map(Address::Place).collect(),
            ..Ask::default()
        };
        let stored = self.inner.read(&ask)?.notes;
        let mut over = laid_over.to_vec();
        for (place, stored) in places.iter().zip(stored) {
            over.extend(self.note(view, place, stored.as_ref())?);
        }
        self.inner.search_over(request, &over)
    }
}

impl<S: LocalStore> Reader for SyncedStore<S> {
    pass_on! { self => self.now(); read select_at search }
    pass_on! { self => self.inner; take_damage }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        self.inner.snapshot(&mut |inner| work(&self.over(inner)))
    }
}

impl<S: LocalStore> Snapshot for SyncedStore<S> {
    fn search_over(&self, request: &SearchRequest, laid_over: &[Note]) -> Result<Vec<Hit>> {
        self.now().search_over(request, laid_over)
    }
}

/// True if the changes leave the file as it is: only notes of directories are in it.
fn leave_file(changes: &[Change]) -> bool {
    changes.iter().all(|change| place_of(change).is_none())
}

impl<S: LocalStore> Store for SyncedStore<S> {
    pass_on! { self => self.inner; record verify heartbeat silence silences checkpoint }

    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        if leave_file(changes) {
            return self.inner.apply(changes, stamp);
        }
        self.drop_cached();
        self.inner
            .alone(|inner| self.exclusive_over(inner).write(changes, stamp))
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        // Nothing of another kind is in the file.
        let is_place = |note: &AddressAt| matches!(note.address, Address::Place(_));
        if !request.everywhere && !request.note().is_some_and(is_place) {
            return self.inner.forget(request, stamp);
        }
        self.drop_cached();
        self.inner
            .alone(|inner| self.exclusive_over(inner).forget_with_file(request, stamp))
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.would_forget_with_file(request, stamp)
    }
}

impl<S: LocalStore> SideData for SyncedStore<S> {
    pass_on! { self => self.inner; side_values put_side_values keep_side_values }
}

impl<S: LocalStore> LocalStore for SyncedStore<S> {
    fn exclusively(&self, work: &mut dyn FnMut(&dyn LocalStore) -> Result<()>) -> Result<()> {
        self.inner
            .exclusively(&mut |inner| work(&self.exclusive_over(inner)))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Snapshot) -> Result<()>) -> Result<()> {
        self.inner.snapshot(&mut |inner| work(&self.over(inner)))
    }

    fn rebuild_index(&self) -> Result<()> {
        self.inner.rebuild_index()
    }

    fn renew_id(&self) -> Result<StoreId> {
        self.inner.renew_id()
    }
}
