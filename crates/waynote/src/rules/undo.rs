//! Undo and redo: which change an undo takes back, and which undo a redo takes back.
//!
//! Both are new revisions that name the one they took back: an undo names a change, a redo names an undo. So the state
//! of a note is the one before the revision that its last undo or redo took back. All rules here follow that chain.

use std::cmp::Ordering;

use crate::address::Address;
use crate::author::Author;
use crate::change::{Applied, Change};
use crate::error::{Error, Result, UndoError};
use crate::id::OperationId;
use crate::key::Name;
use crate::limits::Limits;
use crate::note::{Action, Position, Revision, Stamp, State};
use crate::place::Place;
use crate::rules::person::author;
use crate::store::{Ask, Done, FeedContent, Reader, ReaderExt, Store};

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
    /// The note of a newer change by the same author that is not undone and not within reach. A repeated call does not
    /// look for it.
    pub later: Option<Address>,
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
    take_back(store, stamp, |store| {
        let (notes, later) = last_change(store, reach, &author(store, stamp)?)?;
        let undo = |(address, last)| Change::Undo {
            address,
            origin: None,
            last: Some(last),
        };
        Ok((notes.into_iter().map(undo).collect(), later))
    })
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
    take_back(store, stamp, |store| {
        let notes = last_undo(store, reach, &author(store, stamp)?)?;
        let redo = |(address, last)| Change::Redo {
            address,
            last: Some(last),
        };
        Ok((notes.into_iter().map(redo).collect(), None))
    })
}

/// The log entry that the author wrote last, if that was the author's last write to the store. [`undo_last`] skips log
/// entries, so it would take back something older: who calls it asks first.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn log_entry_written_last(store: &dyn Reader, author: &Name) -> Result<Option<Address>> {
    for revision in journal(store) {
        let (revision, _) = revision?;
        if revision.author() == author {
            let address = revision.address();
            return Ok(matches!(address, Address::Session(..)).then(|| address.clone()));
        }
    }
    Ok(None)
}

/// How often a change is looked for again, because somebody has changed its note meanwhile.
const TRIES: usize = 8;

/// Finds changes and applies them, if their notes are still as they were found; else looks again.
fn take_back(
    store: &dyn Store,
    stamp: &Stamp,
    find: impl Fn(&dyn Reader) -> Result<(Vec<Change>, Option<Address>)>,
) -> Result<UndoReport> {
    let mut tries = 1..TRIES;
    loop {
        let (changes, later) = store.on_one_state(|store| match taken_back(store, stamp)? {
            done if done.is_empty() => find(store),
            done => Ok((done, None)),
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
            let (address, last) = (None, None);
            return Err(UndoError::NothingToUndo { address, last }.into());
        }
        let applied = others.remove(0);
        return Ok(UndoReport {
            applied,
            others,
            later,
        });
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
        let address = revision.address().clone();
        match revision.action {
            Action::Undo => Some(Change::undo(address)),
            Action::Redo => Some(Change::redo(address)),
            _ => None,
        }
    };
    Ok(done.into_iter().filter_map(change).collect())
}

/// Notes to take something back of, each with its last revision by then.
type Targets = Vec<(Address, u64)>;

/// The notes of the author's last call within reach that is not undone, and the note of a newer change out of reach.
fn last_change(
    store: &dyn Reader,
    reach: &UndoScope,
    author: &Name,
) -> Result<(Targets, Option<Address>)> {
    // The last change that is skipped, for the message.
    let mut passed: Option<(Address, Name)> = None;
    for call in calls(store) {
        let mut call = call?;
        call.retain(|of| !matches!(of.action, Action::Undo | Action::Redo));
        let is_within = |of: &Revision| of.author() == author && reach.covers(of.address());
        if !call.iter().any(is_within) {
            // Only for the message.
            call.truncate(usize::from(passed.is_none()));
        }
        let histories = histories(store, &call)?;
        let (mut targets, mut is_meant) = (Targets::new(), false);
        let mut changed_since = None;
        for (revision, history) in call.iter().zip(&histories) {
            let Some(standing) = standing(history)? else {
                continue;
            };
            let address = revision.address();
            // A call may have changed a note twice: each undo adds a revision, and goes one further back.
            let undone = targets.iter().filter(|of| of.0 == *address).count() as u64;
            match standing.saturating_sub(undone).cmp(&revision.number()) {
                Ordering::Less => continue,
                Ordering::Equal => targets.push((address.clone(), last_number(history) + undone)),
                // Later changes of the same note by this author came before this one.
                Ordering::Greater => changed_since = Some((revision, history)),
            }
            is_meant |= is_within(revision);
        }
        match (is_meant, changed_since) {
            (true, Some((revision, history))) => {
                return Err(superseded("change", revision, history).into());
            }
            (true, None) => {
                let later = passed.filter(|(_, by)| by == author);
                return Ok((targets, later.map(|(address, _)| address)));
            }
            (false, _) => {
                let first = targets.into_iter().next().zip(call.first());
                passed = passed.or(first.map(|(of, by)| (of.0, by.author().clone())));
            }
        }
    }
    Err(UndoError::NothingToUndo {
        address: None,
        last: passed.map(Box::new),
    }
    .into())
}

/// The notes of the author's last undo within reach that no redo has taken back.
fn last_undo(store: &dyn Reader, reach: &UndoScope, author: &Name) -> Result<Targets> {
    let nothing = || UndoError::NothingToRedo { address: None };
    for call in calls(store) {
        let call = call?;
        let is_within = |of: &&Revision| of.author() == author && reach.covers(of.address());
        let Some(within) = call.iter().find(is_within) else {
            continue;
        };
        match within.action {
            Action::Redo => continue,
            Action::Undo if is_bookkeeping(within) => continue,
            Action::Undo => {}
            _ => return Err(nothing().into()),
        }
        let mut targets = Targets::new();
        for (revision, history) in call.iter().zip(histories(store, &call)?) {
            let (address, number) = (revision.address(), revision.number());
            let takes_it_back =
                |of: &Revision| of.action == Action::Redo && of.undoes == Some(number);
            if history.iter().any(takes_it_back) {
                continue;
            }
            let redone = targets.iter().filter(|of| of.0 == *address).count() as u64;
            let last = last_number(&history);
            let from = last.saturating_sub(redone);
            let undo = last_undone(from, |number| Ok(numbered(&history, number).cloned()))?;
            if undo != Some(number) {
                return Err(superseded("undo", revision, &history).into());
            }
            targets.push((address.clone(), last + redone));
        }
        if targets.iter().any(|of| reach.covers(&of.0)) {
            return Ok(targets);
        }
    }
    Err(nothing().into())
}

/// The histories of the notes of these revisions, in their order.
fn histories(store: &dyn Reader, call: &[Revision]) -> Result<Vec<Vec<Revision>>> {
    let mut histories = Vec::with_capacity(call.len());
    for part in call.chunks(Limits::QUESTIONS) {
        let ask = Ask {
            histories: part.iter().map(|of| of.address().clone()).collect(),
            ..Ask::default()
        };
        histories.extend(store.read(&ask)?.histories);
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
            match written(store, before, PAGE) {
                Ok(next) => page = next.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        let (revision, operation): Written = page.next()?;
        before = revision.position;
        Some(Ok((revision, operation)))
    })
}

fn written(store: &dyn Reader, before: Option<Position>, limit: usize) -> Result<Vec<Written>> {
    let revisions = store.journal(before, limit)?;
    let ask = Ask {
        steps: revisions.iter().filter_map(|of| of.position).collect(),
        ..Ask::default()
    };
    let steps = match ask.steps.is_empty() {
        true => Vec::new(),
        false => store.read(&ask)?.steps,
    };
    let mut steps = steps.into_iter();
    let with_call = |revision: Revision| {
        // A text that lies only in a synced file has no position.
        let step = revision.position.and_then(|_| steps.next()).flatten();
        (revision, step.map(|step| step.operation))
    };
    Ok(revisions.into_iter().map(with_call).collect())
}
