//! Notes by iteration (as in ralph.nu): the append-only log of a named run, which later iterations learn from.

use std::collections::{BTreeMap, BTreeSet};

use crate::address::Address;
use crate::change::Change;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::key::{EntryId, Name};
use crate::note::{EntryType, Note, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::session_status::without_archived;
use crate::store::{Ask, Filter, Recent, ScopeSummary, Store};

/// The longest preview in the reply to an added entry, in UTF-16 units (as ralph.nu counts).
pub(crate) const REPLY_UNITS: usize = 50;

/// How many entries an error lists at most.
const CANDIDATES: usize = 5;

/// The log of one session.
pub struct SessionLog<'s> {
    store: &'s dyn Store,
    session: Name,
}

impl<'s> SessionLog<'s> {
    /// A session's log.
    pub fn new(store: &'s dyn Store, session: Name) -> Self {
        Self { store, session }
    }

    /// All sessions that have entries or in which a loop ran, by name.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn sessions(store: &dyn Store) -> Result<Vec<ScopeSummary>> {
        let read = store.read(&Ask {
            summaries: vec![ScopeKind::Session],
            event_sessions: true,
            ..Ask::default()
        })?;
        let with_events = read.event_sessions.into_iter();
        let with_events = with_events.map(|session| ScopeSummary {
            scope: Scope::Session(session),
            notes: 0,
        });
        let all = with_events.chain(read.summaries.into_iter().flatten());
        // Of a session that is there twice, the last one stays: it has the number of notes.
        let all = all.map(|of| (of.scope.name().to_owned(), of));
        Ok(all.collect::<BTreeMap<_, _>>().into_values().collect())
    }

    /// The same without archived ones.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    pub fn listed(store: &dyn Store) -> Result<Vec<ScopeSummary>> {
        let mut sessions = Self::sessions(store)?;
        let names = sessions.iter().map(|of| of.scope.name().parse());
        let listed = without_archived(store, names.collect::<Result<_>>()?)?;
        let listed: BTreeSet<&str> = listed.iter().map(Name::as_str).collect();
        sessions.retain(|of| listed.contains(of.scope.name()));
        Ok(sessions)
    }

    /// Adds an entry. An entry without an iteration is never shown in a faithful prompt.
    ///
    /// If an entry of this type already has the text, no new entry is added: that entry is returned, with its first
    /// author and time. [`Note::seen`] says how often it was noted; it is 1 for a new entry.
    ///
    /// # Errors
    /// [`Error::InvalidIteration`]; [`Error::HoldsSecret`] and [`Error::NameHoldsSecret`] for a credential that is not
    /// allowed; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`]
    /// when the store cannot be written.
    pub fn add(
        &self,
        kind: EntryType,
        iteration: Option<i64>,
        content: Content,
        stamp: &Stamp,
    ) -> Result<Note> {
        self.add_resolving(kind, iteration, content, None, stamp)
    }

    /// The same for an entry that may resolve a `stuck` entry of this log. The resolved entry stays in the log, but is
    /// not shown in prompts until it is noted again.
    ///
    /// # Errors
    /// [`Error::InvalidIteration`]; [`Error::NotFound`] and [`Error::NotResolved`] for the entry to resolve;
    /// [`Error::HoldsSecret`] and [`Error::NameHoldsSecret`] for a credential that is not allowed; [`Error::Busy`],
    /// [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be
    /// written.
    pub fn add_resolving(
        &self,
        kind: EntryType,
        iteration: Option<i64>,
        content: Content,
        resolves: Option<EntryId>,
        stamp: &Stamp,
    ) -> Result<Note> {
        // Before the first iteration it is 0. An import may have any number, because its source allowed that.
        if let Some(iteration) = iteration.filter(|iteration| *iteration < 0) {
            return Err(Error::InvalidIteration { iteration });
        }
        let session = self.session.clone();
        let change = Change::Append {
            session,
            kind,
            iteration,
            content,
            resolves,
            id: None,
            created_at: None,
        };
        crate::single::saved(self.store.apply(&[change], stamp)?).map(|(note, _)| note)
    }

    /// Finds the open `stuck` entry by its id, its address, `#3` (the only one of iteration 3), or by words that only
    /// it contains, in any case.
    ///
    /// # Errors
    /// [`Error::NoSuchStuck`], with the entries that could be meant; [`Error::Busy`], [`Error::DamagedStore`] or
    /// [`Error::Engine`] when the store cannot be read.
    pub fn stuck(&self, named: &str) -> Result<EntryId> {
        let named = named.trim();
        match named.parse() {
            Ok(Address::Session(session, entry)) if session == self.session => return Ok(entry),
            _ => {}
        }
        if let Ok(entry) = named.parse() {
            return Ok(entry);
        }
        let open = Recent::Entries {
            session: self.session.clone(),
            kind: EntryType::Stuck,
            before: None,
            open: true,
        };
        let open = self.store.recent(&open, 0, usize::MAX)?;
        let iteration = iteration_named(named);
        let words = named.to_lowercase();
        let is_meant = |note: &&Note| match iteration {
            Some(iteration) => note.iteration == Some(iteration),
            None => {
                let text = note.content.shown();
                !words.is_empty() && text.trim().to_lowercase().contains(&words)
            }
        };
        let meant: Vec<&Note> = open.iter().filter(is_meant).collect();
        if let [only] = meant[..]
            && let Address::Session(_, entry) = only.address
        {
            return Ok(entry);
        }
        let several = meant.len() > 1;
        let candidates = if several {
            meant
        } else {
            open.iter().collect()
        };
        let candidates = candidates.into_iter().take(CANDIDATES);
        Err(Error::NoSuchStuck {
            named: named.to_owned(),
            several,
            candidates: candidates
                .map(|note| (note.address.clone(), note.preview.clone()))
                .collect(),
        })
    }

    /// The entries of one type or of all, in the order in which they were made.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn list(&self, kind: Option<&EntryType>) -> Result<Vec<Note>> {
        let mut notes = self
            .store
            .select(&Filter::Scopes(vec![Scope::Session(self.session.clone())]))?;
        notes.retain(|note| kind.is_none_or(|kind| note.kind.as_ref() == Some(kind)));
        Ok(notes)
    }

    /// The entries of one iteration, in the order in which they were made.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn of_iteration(&self, iteration: i64) -> Result<Vec<Note>> {
        let mut notes = self.list(None)?;
        notes.retain(|note| note.iteration == Some(iteration));
        Ok(notes)
    }

    /// The entries of iterations before this one, which a run of it sees. Entries without an iteration are left out.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn before(&self, iteration: i64) -> Result<Vec<Note>> {
        let mut notes = self.list(None)?;
        notes.retain(|note| note.iteration.is_some_and(|of| of < iteration));
        Ok(notes)
    }
}

/// The iteration number in a text like `#3`, as lists of a log show it.
pub fn iteration_named(named: &str) -> Option<i64> {
    named.trim().strip_prefix('#')?.parse().ok()
}

/// The reply to an added entry: whether it is new or was already there, and whether it resolved another one.
pub fn reply(note: &Note, resolves: bool) -> String {
    let said = match &note.kind {
        Some(kind) if note.revision == 1 => confirmation(kind, &note.content),
        _ => already_noted(note),
    } + &note.cited();
    match resolves {
        true => format!("{said}; the stuck note is resolved"),
        false => said,
    }
}

/// The reply to a text that the log already has.
fn already_noted(note: &Note) -> String {
    let at = note
        .iteration
        .map_or(String::new(), |iteration| format!(" at #{iteration}"));
    format!("already noted{at}, seen {} times", note.revision)
}

/// The reply to an added entry (as in ralph.nu): its type and up to 50 UTF-16 units of it, never cutting a
/// character in two. Credentials are masked.
fn confirmation(kind: &EntryType, content: &Content) -> String {
    let text = content.shown();
    let text = crate::secrets::masked(&text);
    let mut units = 0;
    let cut = text.char_indices().find_map(|(index, char)| {
        units += char.len_utf16();
        (units > REPLY_UNITS).then_some(index)
    });
    match cut {
        Some(index) => format!("Note added: [{kind}] {}...", &text[..index]),
        None => format!("Note added: [{kind}] {text}"),
    }
}
