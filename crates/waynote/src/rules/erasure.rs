//! Decides the result of a request to forget.

use std::collections::{BTreeSet, HashSet};

use super::decide::{self, Before, Write};
use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::forget::Forget;
use crate::note::{Action, Revision, Stamp, State};

/// The error for reading a forgotten note. Takes the history, oldest first.
pub(crate) fn gone_by_forgetting(history: &[Revision]) -> Option<Error> {
    let last = history.last()?;
    (last.action == Action::Forget).then(|| Error::Forgotten {
        what: last.address().to_string(),
        at: last.recorded_at,
        by: last.author().clone(),
    })
}

/// The questions that a decision to forget may ask about the store, inside its transaction.
pub(crate) trait Holders: Before {
    /// A note's revisions, oldest first; empty if the note never existed.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    fn history(&self, address: &Address) -> Result<Vec<Revision>>;

    /// Every revision, of any note, that has one of these contents.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    fn holding(&self, contents: &[Content]) -> Result<Vec<AddressAt>>;
}

/// What a request to forget results in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Erasure {
    /// The revisions that lose their text and become tombstones: a note and a number each.
    pub(crate) revisions: BTreeSet<(Address, u64)>,
    /// What is written afterwards: the end of a note that existed.
    pub(crate) writes: Vec<Write>,
    /// The contents of these revisions. A content is removed unless a revision in [`Erasure::shared`] also has it.
    pub(crate) contents: Vec<Content>,
    /// Revisions that keep one of these contents.
    pub(crate) shared: BTreeSet<(Address, u64)>,
    /// How many revisions of the named note still have a text.
    pub(crate) kept: u64,
}

/// Decides the result of a request to forget.
///
/// # Errors
/// [`Error::NotFound`] when there never was such a note or revision; [`Error::Busy`], [`Error::DamagedStore`] or
/// [`Error::Engine`] when the store cannot be read.
pub(crate) fn decide(request: &Forget, before: &impl Holders, stamp: &Stamp) -> Result<Erasure> {
    let address = &request.address;
    let history = before.history(address)?;
    let is_meant = |revision: &&Revision| {
        let number = request.revision;
        number.is_none_or(|number| revision.number() == number)
    };
    if !history.iter().any(|revision| is_meant(&revision)) {
        return Err(request.not_found());
    }
    let is_entry = matches!(address, Address::Session(..));
    let meant = history
        .iter()
        .filter(|revision| is_entry || is_meant(revision))
        .filter_map(Revision::note);
    let mut revisions = BTreeSet::new();
    let mut contents = HashSet::new();
    for note in meant {
        revisions.insert((address.clone(), note.revision));
        contents.insert(&note.content);
    }
    let contents: Vec<Content> = contents.into_iter().cloned().collect();
    let holding = before.holding(&contents)?.into_iter();
    let mut holders: BTreeSet<_> = holding
        .filter_map(|at| Some((at.address, at.revision?)))
        .collect();
    if request.everywhere {
        revisions.append(&mut holders);
    }
    let notes: BTreeSet<&Address> = revisions.iter().map(|(address, _)| address).collect();
    let mut writes = Vec::new();
    for note in notes {
        if let Some(current) = before.current(note)?
            && revisions.contains(&(note.clone(), current.revision))
        {
            let state = decide::deleted(note, current.revision + 1, stamp);
            writes.push(decide::write(Action::Forget, state, true, stamp));
        }
    }
    let says = |revision: &&Revision| matches!(revision.state, State::Present(_));
    let kept = history
        .iter()
        .filter(says)
        .filter(|revision| !revisions.contains(&(address.clone(), revision.number())));
    Ok(Erasure {
        kept: kept.count() as u64,
        shared: holders.difference(&revisions).cloned().collect(),
        revisions,
        writes,
        contents,
    })
}
