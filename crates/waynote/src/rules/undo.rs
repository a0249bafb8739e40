//! Undo and redo: which change an undo takes back, and which undo a redo takes back.
//!
//! Both are new revisions that name the one they took back: an undo names a change, a redo names an undo. So the state
//! of a note is the one before the revision that its last undo or redo took back. All rules here follow that chain.

use std::collections::HashMap;

use crate::address::Address;
use crate::author::Author;
use crate::change::{Applied, Change};
use crate::error::{Error, Result, UndoError};
use crate::id::OperationId;
use crate::key::Name;
use crate::limits::Limits;
use crate::note::{Action, Position, Revision, Stamp, State};
use crate::place::Place;
use crate::rules::person::{author, notebook};
use crate::store::{Ask, Done, FeedContent, Reader, ReaderExt, Store, answers};

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
    pub fn covers(&self, address: &Address) -> bool {
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
    /// The other notes that it changed, because one call had written them with that one: both sides of a move, say.
    pub others: Vec<Applied>,
}

/// Undoes the last change by the stamp's author that is within reach and not undone yet, with all others that the same
/// call wrote, in one transaction: a whole move, or nothing. It skips log entries (they cannot be changed), forgotten
/// texts, and changes by imports and synced files. A repeated call with the same [operation id](Stamp::of_operation)
/// undoes nothing more.
///
/// # Errors
/// [`UndoError::NothingToUndo`] when there is none; [`UndoError::Superseded`] when somebody else has changed one of the
/// notes since; [`crate::Error::Busy`], [`crate::Error::ReadOnly`], [`crate::Error::DiskFull`],
/// [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be written.
pub fn undo_last(store: &dyn Store, reach: &UndoScope, stamp: &Stamp) -> Result<UndoReport> {
    take_back(store, Way::Undo, reach, stamp)
}

/// Redoes all that the last undo by the stamp's author within reach took back. Called again, it redoes the undo before
/// that one, until the author makes a new change within reach.
///
/// # Errors
/// [`UndoError::NothingToRedo`] when there is no such undo, or a change was made since; [`UndoError::Superseded`] when
/// somebody else has changed that note since; [`crate::Error::Busy`], [`crate::Error::ReadOnly`],
/// [`crate::Error::DiskFull`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be
/// written.
pub fn redo_last(store: &dyn Store, reach: &UndoScope, stamp: &Stamp) -> Result<UndoReport> {
    take_back(store, Way::Redo, reach, stamp)
}

/// Which revisions are taken back: changes, or undos of changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Undo,
    Redo,
}

impl Way {
    fn takes(self, revision: &Revision) -> bool {
        match (self, revision.action) {
            (Self::Undo, Action::Undo) | (_, Action::Redo) => false,
            (Self::Undo, _) => true,
            (Self::Redo, action) => action == Action::Undo && !is_bookkeeping(revision),
        }
    }

    /// True if nothing before this revision of the author's can be taken back: a change ends what can be redone.
    fn ends_at(self, revision: &Revision) -> bool {
        self == Self::Redo && !matches!(revision.action, Action::Undo | Action::Redo)
    }

    /// Whether a revision is the one that is taken back next, after so many later ones of the same note and call. None:
    /// it was taken back already.
    fn is_next(
        self,
        revision: &Revision,
        history: &[Revision],
        after: u64,
    ) -> Result<Option<bool>> {
        let (number, last) = (revision.number(), last_number(history));
        match self {
            Self::Undo => {
                let standing = standing(history)?.map(|of| of.saturating_sub(after));
                Ok(standing.filter(|of| *of >= number).map(|of| of == number))
            }
            Self::Redo => {
                let is_redo =
                    |of: &Revision| of.action == Action::Redo && of.undoes == Some(number);
                if history.iter().any(is_redo) {
                    return Ok(None);
                }
                let last = last.saturating_sub(after);
                let undo = last_undone(last, |number| Ok(numbered(history, number).cloned()))?;
                Ok(Some(undo == Some(number)))
            }
        }
    }

    /// The change that takes something back, if the note's last revision is this one.
    fn change(self, address: Address, last: Option<u64>) -> Change {
        match self {
            Self::Undo => Change::Undo {
                address,
                origin: None,
                last,
            },
            Self::Redo => Change::Redo { address, last },
        }
    }

    fn nothing(self) -> UndoError {
        let address = None;
        match self {
            Self::Undo => UndoError::NothingToUndo { address },
            Self::Redo => UndoError::NothingToRedo { address },
        }
    }
}

/// How often a change is looked for again, because somebody has changed its note meanwhile.
const TRIES: usize = 8;

/// Finds changes and applies them, if their notes are still as they were found; else looks again.
fn take_back(store: &dyn Store, way: Way, reach: &UndoScope, stamp: &Stamp) -> Result<UndoReport> {
    let reach = &UndoScope {
        agent: notebook(store, &reach.agent)?,
        ..reach.clone()
    };
    let mut tries = 1..TRIES;
    loop {
        let changes = store.on_one_state(|store| match taken_back(store, stamp)? {
            done if done.is_empty() => last_call(store, way, reach, &author(store, stamp)?),
            done => Ok(done),
        })?;
        let applied = match store.apply(&changes, stamp) {
            Err(Error::Conflict { .. }) if tries.next().is_some() => continue,
            applied => applied?,
        };
        // A note that changed twice is told once, as it is now.
        let mut others: Vec<Applied> = Vec::new();
        for applied in applied {
            match others.iter_mut().find(|of| of.address == applied.address) {
                Some(earlier) => earlier.note = applied.note,
                None => others.push(applied),
            }
        }
        if others.is_empty() {
            return Err(way.nothing().into());
        }
        let applied = others.remove(0);
        return Ok(UndoReport { applied, others });
    }
}

/// The changes that this call made, if it was carried out already.
fn taken_back(store: &dyn Reader, stamp: &Stamp) -> Result<Vec<Change>> {
    let Some(operation) = stamp.operation else {
        return Ok(Vec::new());
    };
    let mut done = store.operation(operation)?;
    done.sort_by_key(|done| done.step);
    let change = |done: Done| {
        let FeedContent::Changed(revision) = done.entry.happened else {
            return None;
        };
        match revision.action {
            Action::Undo => Some(Change::undo(revision.address().clone())),
            Action::Redo => Some(Change::redo(revision.address().clone())),
            _ => None,
        }
    };
    Ok(done.into_iter().filter_map(change).collect())
}

/// The changes that take back the author's last call within reach that still can be.
fn last_call(
    store: &dyn Reader,
    way: Way,
    reach: &UndoScope,
    author: &Name,
) -> Result<Vec<Change>> {
    let is_within =
        |of: &Revision| of.author() == author && reach.covers(of.address()) && !is_passed_over(of);
    for call in calls(store) {
        let mut call = call?;
        let Some(first) = call.iter().find(|of| is_within(of)) else {
            continue;
        };
        if way.ends_at(first) {
            break;
        }
        // A call may have changed a note twice: each step back adds a revision, and goes one further back.
        call.retain(|of| way.takes(of));
        let histories = histories(store, &call)?;
        let (mut changes, mut is_meant, mut superseded) = (Vec::new(), false, None);
        let mut taken: HashMap<&Address, u64> = HashMap::new();
        for (revision, history) in call.iter().zip(&histories) {
            let address = revision.address();
            let after = taken.entry(address).or_default();
            let Some(is_next) = way.is_next(revision, history, *after)? else {
                continue;
            };
            is_meant |= is_within(revision);
            if is_next {
                let last = last_number(history) + *after;
                changes.push(way.change(address.clone(), Some(last)));
                *after += 1;
            } else {
                superseded = Some((address.clone(), history));
            }
        }
        match superseded {
            _ if !is_meant => {}
            None => return Ok(changes),
            // Later changes of the same note by this author came before this one.
            Some((address, history)) => {
                let by = history.last().map_or(author, Revision::author).clone();
                return Err(UndoError::Superseded { address, by }.into());
            }
        }
    }
    Err(way.nothing().into())
}

/// The histories of the notes of these revisions, in their order.
fn histories(store: &dyn Reader, call: &[Revision]) -> Result<Vec<Vec<Revision>>> {
    let mut histories = Vec::with_capacity(call.len());
    for part in call.chunks(Limits::QUESTIONS) {
        let addresses = part.iter().map(|of| of.address().clone());
        histories.extend(answers!(store, histories: addresses.collect()));
    }
    Ok(histories)
}

/// True if an undo or a redo without an address ignores this revision.
fn is_passed_over(revision: &Revision) -> bool {
    matches!(revision.address(), Address::Session(..))
        || revision.action == Action::Forget
        || revision.forgotten().is_some()
        || matches!(Author::of(revision.author()), Author::Import(_))
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
    let standing = last_standing(last_number(history), undoes)?.unwrap_or(0);
    let is_forgotten = numbered(history, standing)
        .is_some_and(|revision| matches!(revision.state, State::Forgotten { .. }));
    Ok((!is_forgotten).then_some(standing))
}

/// What `undo` and `redo` without an address look at, latest first: the revisions that one call wrote, together. The
/// rows of a call follow one another.
fn calls(store: &dyn Reader) -> impl Iterator<Item = Result<Vec<Revision>>> {
    let mut journal = journal(store).peekable();
    std::iter::from_fn(move || {
        let (mut call, mut of) = (Vec::new(), None);
        loop {
            let is_next = |next: &Result<Written>| match (next, of) {
                (Ok((_, operation)), Some(of)) => *operation == of,
                _ => of.is_none(),
            };
            match journal.next_if(is_next) {
                Some(Ok((revision, operation))) => {
                    of = Some(operation);
                    call.extend(Some(revision).filter(|of| !is_passed_over(of)));
                }
                Some(Err(error)) => return Some(Err(error)),
                None => return of.map(|_| Ok(call)),
            }
        }
    })
}

/// A revision, and the call that wrote it.
type Written = (Revision, Option<OperationId>);

/// The changes of a whole store, latest first, read in pages.
fn journal(store: &dyn Reader) -> impl Iterator<Item = Result<Written>> {
    const PAGE: usize = 64;
    let (mut page, mut before) = (Vec::new().into_iter(), None);
    std::iter::from_fn(move || {
        if page.len() == 0 {
            match with_calls(store, before, PAGE) {
                Ok(next) => page = next.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        let (revision, operation): Written = page.next()?;
        before = revision.position;
        Some(Ok((revision, operation)))
    })
}

fn with_calls(store: &dyn Reader, before: Option<Position>, limit: usize) -> Result<Vec<Written>> {
    let revisions = store.journal(before, limit)?;
    let positions = revisions.iter().filter_map(|of| of.position).collect();
    let steps = answers!(store, steps: positions).into_iter();
    let calls = steps.map(|step| step.map(|step| step.operation));
    Ok(revisions.into_iter().zip(calls).collect())
}
