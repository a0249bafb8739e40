//! A note as a person types it: a key, a path, an iteration, the end of an id, or a whole address. And what a caller is
//! told who named one that is not there.

use crate::address::{Address, AddressAt};
use crate::error::{Error, Result};
use crate::key::{EntryId, Key, Name};
use crate::note::Revision;
use crate::notebook::Notebook;
use crate::place::{Base, Place};
use crate::scope::{Scope, ScopeKind};
use crate::session_log::{SessionLog, iteration_named};
use crate::store::{Ask, Filter, Reader, Store};
use crate::text::nearest;

/// The most keys, scopes or places that a message names.
const SHOWN: usize = 20;

/// The fewest characters that are taken for the end of an id.
const END_OF_ID: usize = 4;

/// Where a text is typed, which decides what it stands for.
#[derive(Clone, Copy)]
pub struct Typist<'t> {
    /// The agent whose notebook has the keys.
    pub agent: &'t Name,
    /// The session that `#3` and the end of an id are looked for in.
    pub session: Option<&'t Name>,
    /// The directories that paths start from; none: there are no paths.
    pub base: Option<&'t Base>,
    /// The places whose notes apply, outermost first: a key may be one of theirs.
    pub lineage: &'t [Place],
    /// True if a key is one of the notebook only, even where a note of a directory here has it: for a note to be made.
    pub only_notebook: bool,
    /// Tells whether a place is a directory now.
    pub is_directory: &'t dyn Fn(&Place) -> bool,
}

impl Typist<'_> {
    /// The notes that a text may stand for, the one to read first. A key that is there, in the notebook or on this
    /// directory or one above it, comes before a directory of the same name. Where nothing is there, the note that would
    /// be made is the only one; for an entry of a log, none.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`], [`Error::InvalidKey`] and [`Error::InvalidPlace`] when the text can stand for
    /// nothing; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn meant(&self, store: &dyn Store, typed: &str) -> Result<Vec<AddressAt>> {
        let typed = typed.trim();
        if Address::is_meant(typed) {
            return Ok(vec![self.whole(typed)?]);
        }
        let (text, revision) = match typed.rsplit_once('@') {
            Some((text, number)) if !text.is_empty() && !self.is_directory(typed) => {
                match number.parse::<u64>() {
                    Ok(number) if number > 0 => (text, Some(number)),
                    _ => (typed, None),
                }
            }
            _ => (typed, None),
        };
        let notes = match iteration_named(text) {
            Some(iteration) => self.of_iteration(store, text, iteration)?,
            None if is_path(text) || text.find('#') > Some(0) => vec![self.on_path(text)?],
            None => self.by_word(store, text)?,
        };
        let at = |address| AddressAt::new(address, revision);
        Ok(notes.into_iter().map(at).collect())
    }

    /// An address. A place's absolute path inside home is the place with `~`.
    fn whole(&self, typed: &str) -> Result<AddressAt> {
        let AddressAt { address, revision } = typed.parse()?;
        let address = match self.base {
            Some(base) => address.within(base),
            None => address,
        };
        Ok(AddressAt { address, revision })
    }

    fn of_iteration(&self, store: &dyn Store, text: &str, iteration: i64) -> Result<Vec<Address>> {
        let session = self.session.ok_or_else(|| {
            Error::invalid_address(
                text,
                "it is an entry of the current session, and no session is set",
            )
        })?;
        let entries = SessionLog::new(store, session.clone()).of_iteration(iteration)?;
        Ok(entries.into_iter().map(|note| note.address).collect())
    }

    /// The note of a directory, or the one behind `#` in it.
    fn on_path(&self, text: &str) -> Result<Address> {
        if let Some((path, key)) = text.rsplit_once('#')
            && let (Ok(key), false) = (key.parse::<Key>(), self.is_directory(text))
        {
            return Ok(Address::PlaceKey(self.place(path)?, key));
        }
        self.place(text).map(Address::Place)
    }

    /// A word may be a key, a directory here, or the end of an entry's id.
    fn by_word(&self, store: &dyn Store, text: &str) -> Result<Vec<Address>> {
        let key = text.parse::<Key>();
        let mut notes = Vec::new();
        if let Ok(key) = &key {
            let here = self.lineage.iter().rev().filter(|_| !self.only_notebook);
            let on_places = here.map(|place| Address::PlaceKey(place.clone(), key.clone()));
            let all = std::iter::once(self.of_agent(key)).chain(on_places);
            let ask = Ask {
                notes: all.collect(),
                ..Ask::default()
            };
            let found = store.read(&ask)?.notes.into_iter().flatten();
            notes.extend(found.map(|note| note.address));
        }
        if let Ok(place) = self.place(text) {
            let is_directory = (self.is_directory)(&place);
            let place = Address::Place(place);
            if is_directory || store.get(&place)?.is_some() {
                notes.push(place);
            }
        }
        if notes.is_empty() {
            notes = self.by_end_of_id(store, text)?;
        }
        if notes.is_empty() {
            notes.push(self.of_agent(&key?));
        }
        Ok(notes)
    }

    fn of_agent(&self, key: &Key) -> Address {
        Address::Agent(self.agent.clone(), key.clone())
    }

    /// The entries of the session, or without one of all sessions, whose id ends so.
    fn by_end_of_id(&self, store: &dyn Reader, text: &str) -> Result<Vec<Address>> {
        let end = text.trim_start_matches('…').to_ascii_lowercase();
        if end.len() < END_OF_ID || !end.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(Vec::new());
        }
        let of = match self.session {
            Some(session) => Filter::Scopes(vec![Scope::Session(session.clone())]),
            None => Filter::Kind(ScopeKind::Session),
        };
        let entries = store.select(&of)?.into_iter().map(|note| note.address);
        let ends_so = |address: &Address| address.key().is_some_and(|id| id.ends_with(&end));
        Ok(entries.filter(ends_so).collect())
    }

    fn place(&self, path: &str) -> Result<Place> {
        let base = self.base.ok_or_else(|| {
            Error::invalid_place(path, "there is no directory that it could start from")
        })?;
        Place::resolve(path, base)
    }

    fn is_directory(&self, path: &str) -> bool {
        is_path(path)
            && self
                .place(path)
                .is_ok_and(|place| (self.is_directory)(&place))
    }
}

/// True if a text is a path by its form.
fn is_path(text: &str) -> bool {
    let first = text.split(['/', '#']).next().unwrap_or_default();
    text.contains('/') || matches!(first, "." | ".." | "~")
}

/// The end of an entry's id that tells it from others: long enough to be typed instead of the id.
pub fn end_of_id(id: EntryId) -> String {
    const LENGTH: usize = 6;
    let id = id.to_string();
    format!("…{}", &id[id.len().saturating_sub(LENGTH)..])
}

/// What is there instead of a note that is not, in words: the near miss first. None when nothing like it is there.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn instead_of(store: &dyn Store, missing: &AddressAt) -> Result<Option<String>> {
    let AddressAt { address, revision } = missing;
    if revision.is_some()
        && let Some(last) = store.history(address)?.last().map(Revision::number)
    {
        return Ok(Some(match last {
            1 => "it has revision 1 only".into(),
            last => format!("it has the revisions 1 to {last}"),
        }));
    }
    // It is there now, and was not at the time that was asked about.
    if store.get(address)?.is_some() {
        return Ok(None);
    }
    match address {
        Address::PlaceKey(_, key) | Address::Agent(_, key) => {
            let scope = address.scope();
            match keys(store, &scope, Some(key.as_str()))? {
                None => Ok(Some(
                    instead_of_scope(store, &scope)?
                        .unwrap_or_else(|| "the notebook has no notes".into()),
                )),
                there_are => Ok(there_are),
            }
        }
        _ => instead_of_scope(store, &address.scope()),
    }
}

/// The keys of a notebook in words, the one first that was perhaps meant; none if it has no notes.
///
/// # Errors
/// As [`instead_of`].
pub fn keys(store: &dyn Store, scope: &Scope, meant: Option<&str>) -> Result<Option<String>> {
    let notebook = Notebook::of(store, scope.clone());
    let Some(there_are) = notebook.there_are(SHOWN)? else {
        return Ok(None);
    };
    let notes = notebook.latest(2 * SHOWN)?;
    let keys: Vec<String> = notes.iter().filter_map(|note| note.address.key()).collect();
    let near = meant.and_then(|meant| nearest(meant, keys.iter().map(String::as_str)));
    let guess = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Ok(Some(format!("{guess}{there_are}")))
}

/// The other scopes of the same kind in words, the one first that was perhaps meant. None if there are none, or if this
/// one has notes.
///
/// # Errors
/// As [`instead_of`].
pub fn instead_of_scope(store: &dyn Store, missing: &Scope) -> Result<Option<String>> {
    let kind = missing.kind();
    let scopes = match kind {
        ScopeKind::Session => SessionLog::sessions(store)?,
        _ => store.scopes(kind)?,
    };
    let names: Vec<&str> = scopes.iter().map(|of| of.scope.name()).collect();
    if names.is_empty() || names.contains(&missing.name()) {
        return Ok(None);
    }
    let near = nearest(missing.name(), names.iter().copied());
    let guess = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let shown = names[..names.len().min(SHOWN)].join(", ");
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let of = match kind {
        ScopeKind::Place => "notes are on",
        ScopeKind::Agent => "the agents with notes are",
        ScopeKind::Session => "the sessions are",
    };
    Ok(Some(format!("{guess}{of}: {shown}{more}")))
}
