//! Notes of others that a session reads beside its own store, and the store that lays them over.
//!
//! Of one address the own note comes first, then that of the first list. An own note with the same text as theirs is
//! silent: theirs is shown. On a branch that does not have theirs yet, the own one is shown. An own note with another
//! text is shown in place of theirs, and marked so. A note of others is shown with the revision of the silent one, else
//! with 0: a save that puts another text in its place expects this revision.

mod laid;
mod search;

use std::fmt::Debug;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::address::Address;
use crate::change::{Applied, Change, Expect};
use crate::context::{BlockAnswer, BlockAsk};
use crate::error::{Error, Result};
use crate::note::{Note, Replaces, Source, Stamp};
use crate::pass_on;
use crate::rules::person;
use crate::scope::Scope;
use crate::search::{Hit, SearchRequest};
use crate::store::{Answers, Ask, Damage, Reader, Store};

use laid::LaidNotes;

/// Notes that others share: of a checkout, or of a team's store as this machine keeps it. They are few enough to be
/// read whole.
///
/// Each note has the address that it has in this checkout, a [`Source`] that is not the own store, and the
/// revision 0: it has none of its own here. None is an entry of a log.
pub trait NotesBeside: Debug + Send + Sync {
    /// The notes of these scopes, each once.
    fn of_scopes(&self, scopes: &[Scope]) -> Vec<Note>;

    /// All of them.
    fn all(&self) -> Vec<Note>;

    /// The file of the note with this address, for a person who changes it, and why it is left out, if it is; none where
    /// there is no such file.
    fn origin(&self, _address: &Address) -> Option<String> {
        None
    }

    /// A sentence about files that are no notes, where it was last looked. It begins with "The ", and is fit for a
    /// prompt.
    fn not_read(&self) -> Option<String> {
        None
    }
}

/// A store that lays notes of others over its own ones. What it writes goes into its own.
///
/// Only what is now has notes of others: histories, the journal, the feed, events and readings of the past are the own
/// store's alone. Where the lists have nothing, a question is handed on as it is.
pub struct StoreBeside<S> {
    store: S,
    lists: RwLock<Lists>,
}

/// The lists, the one that counts first.
type Lists = Arc<[Arc<dyn NotesBeside>]>;

impl<S> StoreBeside<S> {
    /// A store, as yet without notes of others.
    pub fn new(store: S) -> Self {
        Self {
            store,
            lists: RwLock::default(),
        }
    }

    /// The store inside.
    pub fn inner(&self) -> &S {
        &self.store
    }

    /// Lays these lists over from now on, the one that counts first.
    pub fn lay_over(&self, lists: Vec<Arc<dyn NotesBeside>>) {
        *self.lists.write() = lists.into();
    }

    fn lists(&self) -> Lists {
        Arc::clone(&self.lists.read())
    }

    fn not_read(&self) -> Vec<String> {
        let lists = self.lists();
        lists.iter().filter_map(|list| list.not_read()).collect()
    }

    /// The notes of others with these scopes; all of them for none.
    fn laid(&self, scopes: Option<&[Scope]>) -> LaidNotes {
        LaidNotes::of(self.lists().iter().flat_map(|list| match scopes {
            Some([]) => Vec::new(),
            Some(scopes) => list.of_scopes(scopes),
            None => list.all(),
        }))
    }
}

impl<S: Reader> Reader for StoreBeside<S> {
    pass_on! { self => self.store; select_at holder is_shared checkouts history_before }

    fn read(&self, ask: &Ask) -> Result<Answers> {
        let scopes = laid::scopes_of(ask);
        let laid = self.laid(scopes.as_deref());
        let mut answers = match laid.is_empty() {
            true => self.store.read(ask)?,
            false => laid.read(&self.store, ask)?,
        };
        answers.damaged.extend(self.not_read());
        Ok(answers)
    }

    fn take_damage(&self) -> Damage {
        let mut damage = self.store.take_damage();
        damage.notes.extend(self.not_read());
        damage
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        let scopes = match &request.scopes[..] {
            _ if request.history => Some(&[][..]),
            [] => None,
            scopes => Some(scopes),
        };
        let laid = self.laid(scopes);
        match laid.is_empty() {
            true => self.store.search(request),
            false => laid.search(&self.store, request),
        }
    }

    fn rendered(&self, ask: &BlockAsk) -> Result<Option<BlockAnswer>> {
        let scopes = ask.request.scopes_that_apply();
        match self.laid(Some(&scopes)).is_empty() && self.not_read().is_empty() {
            true => self.store.rendered(ask),
            false => Ok(None),
        }
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        self.store.one_state(&mut |state| {
            work(&StoreBeside {
                store: state,
                lists: RwLock::new(self.lists()),
            })
        })
    }

    fn others(&self, address: &Address) -> Result<Option<(Note, Option<String>)>> {
        let laid = self.laid(Some(&[address.scope()]));
        let file = self.lists().iter().find_map(|list| list.origin(address));
        match laid.get(address) {
            Some(note) => {
                let file = file.filter(|_| note.source == Source::Shared);
                Ok(Some((note.clone(), file)))
            }
            None if file.is_none() => Ok(None),
            None => Err(Error::OthersNote {
                address: address.clone(),
                of_team: false,
                origin: file,
                expect: None,
                current: None,
            }),
        }
    }
}

impl<S: Store> Store for StoreBeside<S> {
    pass_on! { self => self.store; record forget would_forget verify heartbeat silence silences checkpoint }

    /// A tool or an agent that saves over a note of others must have read it, and begins none by the name of one that
    /// cannot be read. Such a note is not deleted or pinned here, but changed where it is shared.
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let addresses: Vec<Address> = changes
            .iter()
            .filter_map(Change::address)
            .cloned()
            .collect();
        let scopes: Vec<Scope> = addresses.iter().map(Address::scope).collect();
        let mut laid = self.laid(Some(&scopes));
        laid.retain(|address| addresses.contains(address));
        let is_torn = !self.not_read().is_empty();
        if laid.is_empty() && !is_torn {
            return self.store.apply(changes, stamp);
        }
        let shown = laid.shown(&self.store)?;
        let writer = person::stamped(stamp, || self.store.leases())?;
        let is_careful = matches!(writer.replaces, Replaces::Read | Replaces::Own);
        for address in addresses.iter().filter(|_| is_torn && is_careful) {
            if self.store.get(address)?.is_none() {
                self.others(address)?;
            }
        }
        for change in changes {
            let is_it = |note: &&Note| Some(&note.address) == change.address();
            if let Some(note) = shown.iter().find(is_it)
                && let Some(expect) = refused(change, note, &writer)
            {
                return Err(not_here(self, note, expect));
            }
        }
        let mut applied = self.store.apply(changes, stamp)?;
        let notes = applied
            .iter_mut()
            .filter_map(|applied| applied.note.as_mut());
        notes.for_each(|note| laid.mark(note));
        Ok(applied)
    }
}

/// Whether a change is refused where a note of others is shown, with the revision that a save has to expect; none if no
/// change of that kind is made here.
fn refused(change: &Change, shown: &Note, writer: &Stamp) -> Option<Option<u64>> {
    match (change, writer.replaces) {
        (Change::Save { expect, .. }, Replaces::Read) => {
            (*expect == Expect::Any).then_some(Some(shown.revision))
        }
        (Change::Save { .. }, Replaces::Own)
        | (Change::Pin { .. }, _)
        | (Change::Delete { .. }, Replaces::Read | Replaces::Own) => Some(None),
        // A silent own note can go: the note of others stays. A retry whose first answer was lost is refused as well:
        // only the own store knows what it has done.
        (Change::Delete { .. }, _) => (shown.revision == 0).then_some(None),
        _ => None,
    }
}

/// Refuses to change a note of others in the own store.
///
/// # Errors
/// [`Error::OthersNote`].
pub(crate) fn check_own(store: &dyn Reader, note: &Note) -> Result<()> {
    match note.source.is_own() {
        true => Ok(()),
        false => Err(not_here(store, note, None)),
    }
}

fn not_here(store: &(impl Reader + ?Sized), note: &Note, expect: Option<u64>) -> Error {
    let others = store.others(&note.address).ok().flatten();
    Error::OthersNote {
        address: note.address.clone(),
        of_team: note.source == Source::Team,
        origin: others.and_then(|(_, file)| file),
        expect,
        // Who is asked to read it first gets it.
        current: expect.map(|_| Box::new(note.clone())),
    }
}
