//! Notes of others laid over the answers of the own store.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::take;

use crate::address::Address;
use crate::content::Content;
use crate::error::Result;
use crate::note::Note;
use crate::scope::Scope;
use crate::store::{Answers, Ask, Count, Page, Reader, ScopeSummary};

/// Notes of others by scope, of each address the one that counts.
pub(super) struct LaidNotes(BTreeMap<Scope, ByAddress>);

type ByAddress = BTreeMap<Address, Note>;

/// The scopes that a question is about, as far as others can have notes of them; none if it is about all.
pub(super) fn scopes_of(ask: &Ask) -> Option<Vec<Scope>> {
    let is_of_all = !ask.kinds.is_empty() || !ask.summaries.is_empty();
    // The version alone is asked for to be compared with a later one.
    if is_of_all || ask.version && ask.questions() == 1 {
        return None;
    }
    let of_notes = ask.notes.iter().map(Address::scope);
    let mut scopes: BTreeSet<Scope> = of_notes.chain(ask.scopes.iter().cloned()).collect();
    scopes.extend(ask.pages.iter().map(|page| page.of.scope()));
    scopes.extend(ask.counts.iter().map(counted));
    Some(Vec::from_iter(scopes))
}

/// The scope of the notes that are counted.
fn counted(count: &Count) -> Scope {
    match count {
        Count::Counted(scope) | Count::Keyed { scope, .. } => scope.clone(),
        Count::Entries { session, .. } => Scope::Session(session.clone()),
    }
}

impl LaidNotes {
    pub(super) fn of(notes: impl Iterator<Item = Note>) -> Self {
        let mut each: BTreeMap<Scope, ByAddress> = BTreeMap::new();
        for note in notes.filter(|note| !matches!(note.address, Address::Session(..))) {
            let of_scope = each.entry(note.address.scope()).or_default();
            of_scope.entry(note.address.clone()).or_insert(note);
        }
        Self(each)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&Address) -> bool) {
        self.0.retain(|_, notes| {
            notes.retain(|address, _| is_kept(address));
            !notes.is_empty()
        });
    }

    pub(super) fn get(&self, address: &Address) -> Option<&Note> {
        self.0.get(&address.scope())?.get(address)
    }

    /// Marks an own note that stands in place of one of others.
    pub(super) fn mark(&self, own: &mut Note) {
        let others = self.get(&own.address);
        if let Some(others) = others.filter(|of| !says_same(&of.content, &own.content)) {
            own.source = others.source.replaced();
        }
    }

    /// Those that are shown.
    pub(super) fn shown(&self, store: &impl Reader) -> Result<Vec<Note>> {
        // A list leaves out an own note that is damaged; alone it would be an error.
        let ask = Ask {
            scopes: self.0.keys().cloned().collect(),
            ..Ask::default()
        };
        let notes = self.read(store, &ask)?.scopes.into_iter().flatten();
        Ok(notes.filter(|note| !note.source.is_own()).collect())
    }

    /// The own notes of a list with those of others that belong to it.
    fn over<'n>(mut own: Vec<Note>, laid: impl IntoIterator<Item = &'n Note>) -> Vec<Note> {
        let laid = laid.into_iter().cloned();
        let mut laid: ByAddress = laid.map(|note| (note.address.clone(), note)).collect();
        own.retain_mut(|note| match laid.get_mut(&note.address) {
            None => true,
            Some(others) if says_same(&others.content, &note.content) => {
                others.revision = note.revision;
                false
            }
            Some(others) => {
                note.source = others.source.replaced();
                laid.remove(&note.address);
                true
            }
        });
        own.extend(laid.into_values());
        own
    }

    /// Answers questions as a store would that has the notes of both. Of a scope in which others have notes, all own
    /// ones are read: which ones are on a page depends on both.
    pub(super) fn read(&self, store: &impl Reader, ask: &Ask) -> Result<Answers> {
        let mut asked = ask.clone();
        let mut whole: BTreeSet<Scope> = self.0.keys().cloned().collect();
        let mut of_lists: BTreeSet<Scope> = ask.pages.iter().map(|page| page.of.scope()).collect();
        of_lists.extend(ask.counts.iter().map(counted));
        whole.retain(|scope| ask.summaries.contains(&scope.kind()) || of_lists.contains(scope));
        asked.scopes.extend(whole.iter().cloned());
        let pages = asked.pages.iter_mut();
        let pages = pages.filter(|page| whole.contains(&page.of.scope()));
        pages.for_each(|page| page.limit = 0);
        let mut answers = store.read(&asked)?;
        for (scope, notes) in asked.scopes.iter().zip(&mut answers.scopes) {
            let laid = self.0.get(scope).into_iter();
            *notes = Self::over(take(notes), laid.flat_map(ByAddress::values));
            notes.sort_by_cached_key(|note| note.address.key());
        }
        let lists = answers.scopes.split_off(ask.scopes.len());
        let whole: BTreeMap<Scope, Vec<Note>> = whole.into_iter().zip(lists).collect();
        for (address, note) in ask.notes.iter().zip(&mut answers.notes) {
            *note = Self::over(Vec::from_iter(note.take()), self.get(address)).pop();
        }
        for (kind, notes) in ask.kinds.iter().zip(&mut answers.kinds) {
            let laid = self.0.iter().filter(|(scope, _)| scope.kind() == *kind);
            *notes = Self::over(take(notes), laid.flat_map(|(_, notes)| notes.values()));
            notes.sort_by_cached_key(|of| (of.address.scope().name().to_owned(), of.address.key()));
        }
        for (Page { of, skip, limit }, notes) in ask.pages.iter().zip(&mut answers.pages) {
            if let Some(list) = whole.get(&of.scope()) {
                let picked = of.pick(list.clone()).into_iter();
                *notes = picked.skip(*skip).take(*limit).collect();
            }
        }
        for (count, number) in ask.counts.iter().zip(&mut answers.counts) {
            if let Some(list) = whole.get(&counted(count)) {
                let is_pinned = match count {
                    Count::Keyed { pinned, .. } => Some(*pinned),
                    Count::Counted(_) | Count::Entries { .. } => None,
                };
                let counted = list.iter().filter(|note| {
                    let is_keyed = note.address.key().is_some();
                    is_keyed && is_pinned.is_none_or(|pinned| note.pinned == pinned)
                });
                *number = counted.count() as u64;
            }
        }
        for (kind, scopes) in ask.summaries.iter().zip(&mut answers.summaries) {
            scopes.retain(|of| !whole.contains_key(&of.scope));
            let of_kind = whole.iter().filter(|(scope, _)| scope.kind() == *kind);
            scopes.extend(of_kind.map(|(scope, list)| ScopeSummary {
                scope: scope.clone(),
                notes: list.len() as u64,
            }));
            scopes.sort_by(|one, other| one.scope.name().cmp(other.scope.name()));
        }
        if ask.version {
            answers.version.changes ^= self.version();
        }
        Ok(answers)
    }

    /// A number for these notes.
    fn version(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for note in self.0.values().flat_map(ByAddress::values) {
            (&note.address, note.content.as_bytes(), note.author.as_str()).hash(&mut hasher);
            (note.pinned, note.source as u8, note.updated_at).hash(&mut hasher);
            format!("{:?}", note.cites).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Compares two texts, but for line ends around them: a file of `.waynote/` is read without these.
fn says_same(one: &Content, other: &Content) -> bool {
    let text = |of: &Content| Some(of.as_text()?.trim_matches(['\r', '\n']).to_owned());
    one == other || text(one).is_some_and(|one| Some(one) == text(other))
}
