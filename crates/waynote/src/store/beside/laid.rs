//! Notes of others laid over the answers of the own store.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::address::Address;
use crate::error::{Error, Result};
use crate::note::{Note, Source};
use crate::scope::{Scope, ScopeKind};
use crate::store::{Answers, Ask, Count, Page, Reader, Recent, ScopeSummary};

/// Notes of others by address, of each the one that counts.
pub(super) struct LaidNotes(BTreeMap<Address, Note>);

/// Own notes by address.
pub(super) type OwnNotes = HashMap<Address, Note>;

/// The scopes that a question is about, as far as others can have notes of them; none if it is about all.
pub(super) fn scopes_of(ask: &Ask) -> Option<Vec<Scope>> {
    let is_of_all = !ask.kinds.is_empty() || !ask.summaries.is_empty();
    // The version alone is asked for to be compared with a later one.
    if is_of_all || ask.version && ask.questions() == 1 {
        return None;
    }
    let of_notes = ask.notes.iter().map(Address::scope);
    let of_pages = ask.pages.iter().map(|page| page.of.scope());
    let of_counts = ask.counts.iter().filter_map(counted);
    let mut scopes: Vec<Scope> = of_notes
        .chain(ask.scopes.iter().cloned())
        .chain(of_pages)
        .chain(of_counts)
        .collect();
    scopes.sort();
    scopes.dedup();
    Some(scopes)
}

/// The scope of the notes that are counted; none for entries of a log.
fn counted(count: &Count) -> Option<Scope> {
    match count {
        Count::Counted(scope) | Count::Keyed { scope, .. } => Some(scope.clone()),
        Count::Entries { .. } => None,
    }
}

impl LaidNotes {
    pub(super) fn of(notes: impl Iterator<Item = Note>) -> Self {
        let mut each = BTreeMap::new();
        for note in notes {
            if !matches!(note.address, Address::Session(..)) {
                each.entry(note.address.clone()).or_insert(note);
            }
        }
        Self(each)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&Address) -> bool) {
        self.0.retain(|address, _| is_kept(address));
    }

    /// The note of others that is shown at an address, if one is: not where an own note has another text.
    pub(super) fn shown_before(&self, address: &Address, own: Option<&Note>) -> Option<&Note> {
        let note = self.0.get(address)?;
        own.is_none_or(|own| own.content == note.content)
            .then_some(note)
    }

    /// The notes of others that are shown.
    pub(super) fn shown<'s>(&'s self, own: &'s OwnNotes) -> impl Iterator<Item = &'s Note> {
        let addresses = self.0.keys();
        addresses.filter_map(|address| self.shown_before(address, own.get(address)))
    }

    /// Marks an own note that stands in place of one of others.
    pub(super) fn mark(&self, own: &mut Note) {
        if self
            .0
            .get(&own.address)
            .is_some_and(|note| note.content != own.content)
        {
            own.source = Source::OwnInPlace;
        }
    }

    /// The own notes with the addresses of these.
    pub(super) fn own(&self, store: &impl Reader) -> Result<OwnNotes> {
        let addresses = self.0.keys().cloned().collect();
        Ok(read_with(store, Ask::default(), addresses)?.1)
    }

    /// Answers questions as a store would that has the notes of both.
    pub(super) fn read(&self, store: &impl Reader, ask: &Ask) -> Result<Answers> {
        let has = |scope: &Scope| self.0.keys().any(|address| address.scope() == *scope);
        let mut asked = ask.clone();
        for page in &mut asked.pages {
            let notes = self.0.keys().filter(|of| of.scope() == page.of.scope());
            if has(&page.of.scope()) {
                page.limit = page
                    .skip
                    .saturating_add(page.limit)
                    .saturating_add(notes.count());
                page.skip = 0;
            }
        }
        let mut scopes: BTreeSet<Scope> = ask.pages.iter().map(|page| page.of.scope()).collect();
        scopes.extend(ask.counts.iter().filter_map(counted));
        let is_asked = |address: &&Address| {
            let scope = address.scope();
            ask.summaries.contains(&scope.kind()) || scopes.contains(&scope)
        };
        let addresses = self.0.keys().filter(is_asked).cloned().collect();
        let (mut answers, own) = read_with(store, asked, addresses)?;
        for (address, note) in ask.notes.iter().zip(&mut answers.notes) {
            *note = self
                .over(Vec::from_iter(note.take()), |of| of == address)
                .pop();
        }
        for (scope, notes) in ask.scopes.iter().zip(&mut answers.scopes) {
            *notes = self.over(std::mem::take(notes), |of| of.scope() == *scope);
            notes.sort_by_cached_key(|note| note.address.key());
        }
        for (kind, notes) in ask.kinds.iter().zip(&mut answers.kinds) {
            *notes = self.over(std::mem::take(notes), |of| of.scope().kind() == *kind);
            notes.sort_by_cached_key(|of| (of.address.scope().name().to_owned(), of.address.key()));
        }
        for (page, notes) in ask.pages.iter().zip(&mut answers.pages) {
            if has(&page.of.scope()) {
                *notes = self.page(page, std::mem::take(notes), &own);
            }
        }
        for (count, number) in ask.counts.iter().zip(&mut answers.counts) {
            *number = number.saturating_add_signed(self.more(count, &own));
        }
        for (kind, scopes) in ask.summaries.iter().zip(&mut answers.summaries) {
            self.summarize(*kind, scopes, &own);
        }
        if ask.version {
            answers.version.changes ^= self.version();
        }
        Ok(answers)
    }

    /// The own notes of a list with those of others that belong to it.
    fn over(&self, mut own: Vec<Note>, belongs: impl Fn(&Address) -> bool) -> Vec<Note> {
        let known: OwnNotes = self.known(&own);
        let laid = self.shown(&known).filter(|note| belongs(&note.address));
        let laid: Vec<Note> = laid.cloned().collect();
        self.take_out(&mut own);
        own.extend(laid);
        own
    }

    /// Those of the own notes that have an address of these.
    fn known(&self, own: &[Note]) -> OwnNotes {
        let known = own.iter().filter(|note| self.0.contains_key(&note.address));
        known
            .map(|note| (note.address.clone(), note.clone()))
            .collect()
    }

    /// Takes out the silent notes of a list of own ones, and marks those that stand in place of one of others.
    fn take_out(&self, own: &mut Vec<Note>) {
        own.retain(|note| self.shown_before(&note.address, Some(note)).is_none());
        own.iter_mut().for_each(|note| self.mark(note));
    }

    /// A page of a scope, from the beginning of the own one.
    fn page(&self, page: &Page, mut notes: Vec<Note>, own: &OwnNotes) -> Vec<Note> {
        if matches!(page.of, Recent::Entries { .. }) {
            return notes;
        }
        let scope = page.of.scope();
        self.take_out(&mut notes);
        let laid = self.shown(own).filter(|note| note.address.scope() == scope);
        notes.extend(laid.cloned());
        let notes = page.of.pick(notes).into_iter();
        notes.skip(page.skip).take(page.limit).collect()
    }

    /// How many more notes there are than own ones.
    fn more(&self, count: &Count, own: &OwnNotes) -> i64 {
        let of_scope = |scope: &Scope| {
            let shown = self.shown(own).filter(|note| note.address.key().is_some());
            shown
                .filter(|note| note.address.scope() == *scope)
                .collect::<Vec<_>>()
        };
        let number = |is_so: bool| i64::from(is_so);
        match count {
            Count::Entries { .. } => 0,
            Count::Counted(scope) => {
                let new = of_scope(scope).into_iter();
                new.map(|note| number(!own.contains_key(&note.address)))
                    .sum()
            }
            Count::Keyed { scope, pinned } => {
                let is_of = |note: &Note| number(note.pinned == *pinned);
                let laid = of_scope(scope).into_iter();
                laid.map(|note| is_of(note) - own.get(&note.address).map_or(0, is_of))
                    .sum()
            }
        }
    }

    /// Counts the notes of others into the scopes of a kind.
    fn summarize(&self, kind: ScopeKind, scopes: &mut Vec<ScopeSummary>, own: &OwnNotes) {
        let new = self
            .shown(own)
            .filter(|note| !own.contains_key(&note.address));
        for note in new.filter(|note| note.address.scope().kind() == kind) {
            let scope = note.address.scope();
            let more = u64::from(note.address.key().is_some());
            match scopes.iter_mut().find(|of| of.scope == scope) {
                Some(of) => of.notes += more,
                None => scopes.push(ScopeSummary { scope, notes: more }),
            }
        }
        scopes.sort_by(|one, other| one.scope.name().cmp(other.scope.name()));
    }

    /// A number for these notes.
    fn version(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for note in self.0.values() {
            (&note.address, note.content.as_bytes(), note.author.as_str()).hash(&mut hasher);
            (note.pinned, note.source as u8, note.updated_at).hash(&mut hasher);
            format!("{:?}", note.cites).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// The answers of a store, and its notes with these addresses, from one state.
fn read_with(
    store: &impl Reader,
    ask: Ask,
    addresses: Vec<Address>,
) -> Result<(Answers, OwnNotes)> {
    let by_address = |notes: Vec<Note>| {
        let notes = notes.into_iter();
        notes.map(|note| (note.address.clone(), note)).collect()
    };
    let (notes, scopes) = (ask.notes.len(), ask.scopes.len());
    let mut asked = ask.clone();
    asked.notes.extend(addresses.iter().cloned());
    match store.read(&asked) {
        // Damage of a single note is the error of the whole reading; a list of notes leaves it out.
        Err(Error::DamagedNote { .. }) if !addresses.is_empty() => {
            let mut asked = ask;
            let of: BTreeSet<Scope> = addresses.iter().map(Address::scope).collect();
            asked.scopes.extend(of);
            let mut answers = store.read(&asked)?;
            let own = answers.scopes.split_off(scopes).into_iter().flatten();
            let own = own.filter(|note| addresses.contains(&note.address));
            let own = by_address(own.collect());
            Ok((answers, own))
        }
        answers => {
            let mut answers = answers?;
            let own = answers.notes.split_off(notes).into_iter().flatten();
            let own = by_address(own.collect());
            Ok((answers, own))
        }
    }
}
