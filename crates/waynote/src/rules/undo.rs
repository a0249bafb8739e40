//! Undo and redo: which change an undo takes back, and which undo a redo takes back.
//!
//! Both are new revisions that name the one they took back: an undo names a change, a redo names an undo. So the state
//! of a note is the one before the revision that its last undo or redo took back. All rules here follow that chain.

use std::cmp::Ordering;

use crate::address::Address;
use crate::author::Author;
use crate::change::{Applied, Change};
use crate::error::{Error, Result, UndoError};
use crate::key::Name;
use crate::note::{Action, Position, Revision, Stamp, State};
use crate::place::Place;
use crate::rules::person::author;
use crate::store::{FeedContent, Reader, ReaderExt, Store};

/// The last change that is not undone. An undo stands for the state before the change that it took back, so undoing
/// again goes further back.
///
/// # Errors
/// Those of `undoes`, which returns for a revision's number which revision it took back, if it is an undo or a redo.
pub(crate) fn last_standing(
    last: u64,
    mut undoes: impl FnMut(u64) -> Result<Option<u64>>,
) -> Result<Option<u64>> {
    let mut number = last;
    while number > 0 {
        match undoes(number)? {
            Some(undone) => number = undone.saturating_sub(1),
            None => return Ok(Some(number)),
        }
    }
    Ok(None)
}

/// The undo that a redo takes back: the last one that no redo has taken back. None if the last revision is a change,
/// because then nothing can be redone.
///
/// # Errors
/// Those of `revision`, which returns a revision of the note by its number.
pub(crate) fn last_undone(
    last: u64,
    mut revision: impl FnMut(u64) -> Result<Option<Revision>>,
) -> Result<Option<u64>> {
    let mut number = last;
    while number > 0 {
        let Some(found) = revision(number)? else {
            return Ok(None);
        };
        match found.action {
            Action::Undo if !is_bookkeeping(&found) => return Ok(Some(number)),
            Action::Undo | Action::Redo => {
                number = found.undoes.unwrap_or(0).saturating_sub(1);
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// True if an undo was made by the sync, not by a person or an agent: it made a note current again after an old text of
/// a synced file was journaled. Such a note keeps its time; after any other undo it has the time of the undo.
fn is_bookkeeping(undo: &Revision) -> bool {
    undo.note()
        .is_some_and(|note| note.updated_at != undo.recorded_at)
}

/// The notes that an undo or a redo without an address reaches. It takes back only changes of the stamp's author.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoScope {
    /// The agent whose notebook it reaches.
    pub agent: Name,
    /// The directories that it reaches, each with those above and below it.
    pub places: Vec<Place>,
}

impl UndoScope {
    /// Reaches the notebook of an agent, and these directories with those above and below them.
    pub fn new(agent: Name, places: Vec<Place>) -> Self {
        Self { agent, places }
    }

    /// True if it reaches a note. It never reaches a log entry: the log is append-only.
    fn covers(&self, address: &Address) -> bool {
        match address {
            Address::Place(place) | Address::PlaceKey(place, _) => self
                .places
                .iter()
                .any(|here| here.chain().contains(place) || place.chain().contains(here)),
            Address::Agent(agent, _) => *agent == self.agent,
            Address::Session(..) => false,
        }
    }
}

/// The result of an undo or a redo without an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoReport {
    /// The note that it changed.
    pub applied: Applied,
    /// The note of a newer change by the same author that is not undone and not within reach. A repeated call does not
    /// look for it.
    pub later: Option<Address>,
}

/// Undoes the last change by the stamp's author that is within reach and not undone yet. It skips log entries (they
/// cannot be changed), forgotten texts, and changes by imports and synced files. A repeated call with the same
/// [operation id](Stamp::of_operation) undoes nothing more.
///
/// # Errors
/// [`UndoError::NothingToUndo`] when there is none; [`UndoError::Superseded`] when somebody else has changed that note
/// since; [`crate::Error::Busy`], [`crate::Error::ReadOnly`], [`crate::Error::DiskFull`],
/// [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be written.
pub fn undo_last(store: &dyn Store, reach: &UndoScope, stamp: &Stamp) -> Result<UndoReport> {
    take_back(store, stamp, |store| {
        let (address, last, later) = last_change(store, reach, &author(store, stamp)?)?;
        let change = Change::Undo {
            address,
            origin: None,
            last: Some(last),
        };
        Ok((change, later))
    })
}

/// Redoes what the last undo by the stamp's author within reach took back. Called again, it redoes the undo before that
/// one, until the author makes a new change within reach.
///
/// # Errors
/// [`UndoError::NothingToRedo`] when there is no such undo, or a change was made since; [`UndoError::Superseded`] when
/// somebody else has changed that note since; [`crate::Error::Busy`], [`crate::Error::ReadOnly`],
/// [`crate::Error::DiskFull`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be
/// written.
pub fn redo_last(store: &dyn Store, reach: &UndoScope, stamp: &Stamp) -> Result<UndoReport> {
    take_back(store, stamp, |store| {
        let (address, last) = last_undo(store, reach, &author(store, stamp)?)?;
        let last = Some(last);
        Ok((Change::Redo { address, last }, None))
    })
}

/// The log entry that the author wrote last, if that was the author's last write to the store. [`undo_last`] skips log
/// entries, so it would take back something older: who calls it asks first.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn log_entry_written_last(store: &dyn Reader, author: &Name) -> Result<Option<Address>> {
    for revision in ReverseJournal::through(store) {
        let revision = revision?;
        if revision.author() == author {
            let address = revision.address();
            return Ok(matches!(address, Address::Session(..)).then(|| address.clone()));
        }
    }
    Ok(None)
}

/// How often a change is looked for again, because somebody has changed its note meanwhile.
const TRIES: usize = 8;

/// Finds a change and applies it, if its note is still as it was found; else looks again.
fn take_back(
    store: &dyn Store,
    stamp: &Stamp,
    find: impl Fn(&dyn Reader) -> Result<(Change, Option<Address>)>,
) -> Result<UndoReport> {
    let mut tries = 1..TRIES;
    loop {
        let (change, later) = store.on_one_state(|store| match taken_back(store, stamp)? {
            Some(change) => Ok((change, None)),
            None => find(store),
        })?;
        let mut applied = match store.apply(&[change], stamp) {
            Err(Error::Conflict { .. }) if tries.next().is_some() => continue,
            applied => applied?,
        };
        let nothing = UndoError::NothingToUndo {
            address: None,
            last: None,
        };
        let applied = applied.pop().ok_or(nothing)?;
        return Ok(UndoReport { applied, later });
    }
}

/// The change that this call made, if it was carried out already.
fn taken_back(store: &dyn Reader, stamp: &Stamp) -> Result<Option<Change>> {
    let Some(operation) = stamp.operation else {
        return Ok(None);
    };
    let done = store.operation(operation)?.pop();
    let Some(FeedContent::Changed(revision)) = done.map(|done| done.entry.happened) else {
        return Ok(None);
    };
    let address = revision.address().clone();
    Ok(match revision.action {
        Action::Undo => Some(Change::undo(address)),
        Action::Redo => Some(Change::redo(address)),
        _ => None,
    })
}

/// The note of the author's last change within reach that is not undone, its last revision, and the note of a newer
/// change out of reach.
fn last_change(
    store: &dyn Reader,
    reach: &UndoScope,
    author: &Name,
) -> Result<(Address, u64, Option<Address>)> {
    // The last change that is skipped, for the message.
    let mut passed: Option<(Address, Name)> = None;
    for revision in ReverseJournal::through(store) {
        let revision = revision?;
        let address = revision.address();
        let is_take_back = matches!(revision.action, Action::Undo | Action::Redo);
        if is_take_back || is_passed_over(&revision) {
            continue;
        }
        let is_meant = revision.author() == author && reach.covers(address);
        if !is_meant && passed.is_some() {
            continue;
        }
        let history = store.history(address)?;
        let Some(standing) = standing(&history)? else {
            continue;
        };
        match (is_meant, standing.cmp(&revision.number())) {
            (false, Ordering::Equal) => {
                passed = Some((address.clone(), revision.author().clone()));
            }
            (true, Ordering::Equal) => {
                let later = passed.filter(|(_, by)| by == author);
                let later = later.map(|(address, _)| address);
                return Ok((address.clone(), last_number(&history), later));
            }
            // Later changes of the same note by this author came before this one.
            (true, Ordering::Greater) => {
                return Err(superseded("change", &revision, &history).into());
            }
            (false, _) | (true, Ordering::Less) => {}
        }
    }
    Err(UndoError::NothingToUndo {
        address: None,
        last: passed.map(Box::new),
    }
    .into())
}

/// The note of the author's last undo within reach that no redo has taken back, and its last revision.
fn last_undo(store: &dyn Reader, reach: &UndoScope, author: &Name) -> Result<(Address, u64)> {
    let nothing = || UndoError::NothingToRedo { address: None };
    for revision in ReverseJournal::through(store) {
        let revision = revision?;
        let address = revision.address();
        if revision.author() != author || !reach.covers(address) || is_passed_over(&revision) {
            continue;
        }
        match revision.action {
            Action::Redo => {}
            Action::Undo if is_bookkeeping(&revision) => {}
            Action::Undo => {
                let history = store.history(address)?;
                let number = revision.number();
                let takes_it_back =
                    |of: &Revision| of.action == Action::Redo && of.undoes == Some(number);
                if history.iter().any(takes_it_back) {
                    continue;
                }
                let last = last_number(&history);
                let undo = last_undone(last, |number| Ok(numbered(&history, number).cloned()))?;
                if undo != Some(number) {
                    return Err(superseded("undo", &revision, &history).into());
                }
                return Ok((address.clone(), last));
            }
            _ => return Err(nothing().into()),
        }
    }
    Err(nothing().into())
}

/// True if an undo or a redo without an address ignores this revision.
fn is_passed_over(revision: &Revision) -> bool {
    matches!(revision.address(), Address::Session(..))
        || revision.action == Action::Forget
        || revision.forgotten().is_some()
        || matches!(Author::of(revision.author()), Author::Import(_))
}

fn superseded(what: &'static str, revision: &Revision, history: &[Revision]) -> UndoError {
    UndoError::Superseded {
        what: what.into(),
        address: revision.address().clone(),
        by: history.last().unwrap_or(revision).author().clone(),
    }
}

fn last_number(history: &[Revision]) -> u64 {
    history.last().map_or(0, Revision::number)
}

fn numbered(history: &[Revision], number: u64) -> Option<&Revision> {
    history.iter().find(|revision| revision.number() == number)
}

/// The number of the last change of a note that is not undone; 0 if all are undone. None if that revision was
/// forgotten: the note was removed with it, and `undo` without an address does not mean that.
fn standing(history: &[Revision]) -> Result<Option<u64>> {
    let undoes = |number: u64| Ok(numbered(history, number).and_then(Revision::passes_to));
    let last = history.last().map_or(0, Revision::number);
    let standing = last_standing(last, undoes)?.unwrap_or(0);
    let is_forgotten = numbered(history, standing)
        .is_some_and(|revision| matches!(revision.state, State::Forgotten { .. }));
    Ok((!is_forgotten).then_some(standing))
}

/// The changes of a whole store, latest first, read in pages.
struct ReverseJournal<'s> {
    store: &'s dyn Reader,
    page: std::vec::IntoIter<Revision>,
    before: Option<Position>,
}

impl<'s> ReverseJournal<'s> {
    fn through(store: &'s dyn Reader) -> Self {
        Self {
            store,
            page: Vec::new().into_iter(),
            before: None,
        }
    }
}

impl Iterator for ReverseJournal<'_> {
    type Item = Result<Revision>;

    fn next(&mut self) -> Option<Self::Item> {
        const PAGE: usize = 64;
        if self.page.len() == 0 {
            match self.store.journal(self.before, PAGE) {
                Ok(page) => self.page = page.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        let revision = self.page.next()?;
        self.before = revision.position;
        Some(Ok(revision))
    }
}
