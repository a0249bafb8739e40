//! Notes that cite what has changed: listed, and said to be still true.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{Checkouts, Standing, cite, standing};
use crate::address::Address;
use crate::change::{Change, Expect};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::citation::Citation;
use crate::model::secret_policy::SecretPolicy;
use crate::note::{Note, Stamp};
use crate::place::Place;
use crate::scope::ScopeKind;
use crate::store::{Ask, Reader, Store, answers, check_own};

/// Says that a note is still true: a revision with the same text, which cites what stands in the code now. Also returns
/// what it no longer cites, because it is not there any more. In a repository that cannot be read, nothing is looked up.
///
/// # Errors
/// [`Error::NotFound`] when there is no such note; [`Error::AppendOnly`] for an entry that is resolved;
/// [`Error::OthersNote`] for a note of others; [`Error::Conflict`] when it is written meanwhile; the others as
/// [`Store::apply`].
pub fn confirm(
    store: &dyn Store,
    address: &Address,
    stamp: &Stamp,
) -> Result<(Note, Vec<Citation>)> {
    let note = store
        .get(address)?
        .ok_or_else(|| Error::not_found(address.to_string()))?;
    check_own(store, &note)?;
    if note.resolved_by.is_some() {
        // To note it again would say that it is not solved.
        let address = address.clone();
        return Err(Error::AppendOnly { address });
    }
    let (cites, gone) = renewed(store.checkouts(), &note, stamp.now);
    // Its text is there already, whatever it holds.
    let stamp = stamp.clone().citing(cites).allowing(SecretPolicy::AllowAll);
    let change = match (address, note.kind) {
        (Address::Session(session, _), Some(kind)) => Change::Append {
            session: session.clone(),
            kind,
            iteration: None,
            content: note.content,
            resolves: None,
            id: None,
            created_at: None,
        },
        _ => Change::Save {
            address: address.clone(),
            content: note.content,
            pin: None,
            limits: Limits::NONE,
            expect: Expect::Revision(note.revision),
            origin: None,
        },
    };
    let (note, _) = crate::single::saved(store.apply(&[change], &stamp)?)?;
    Ok((note, gone))
}

/// What a note cites once it is said to be still true: the code as it is now; and what it no longer cites, because it is
/// not there any more. In a repository that cannot be read, nothing is looked up.
pub fn renewed(
    checkouts: Option<&dyn Checkouts>,
    note: &Note,
    now: Timestamp,
) -> (Vec<Citation>, Vec<Citation>) {
    let (mut cites, mut gone) = (Vec::new(), Vec::new());
    for cited in &note.cites {
        let can_read = |checkouts: &&dyn Checkouts| {
            let repository = cited.repository.as_ref();
            repository.is_some_and(|of| checkouts.commit(of).is_some())
        };
        let Some(checkouts) = checkouts.filter(can_read) else {
            cites.push(cited.clone());
            continue;
        };
        checkouts.begin();
        let code = match standing(checkouts, cited) {
            Standing::Moved(code) => code,
            _ => cited.code.clone(),
        };
        match cite(checkouts, cited.repository.as_ref(), &code, now) {
            Ok(renewed) => cites.push(renewed),
            Err(_) => gone.push(cited.clone()),
        }
    }
    (cites, gone)
}

/// The notes of a store that cite what has changed, by scope and key; and the repositories that are cited and cannot be
/// read.
///
/// # Errors
/// As [`Reader::read`].
pub fn stale(store: &dyn Reader) -> Result<(Vec<Note>, BTreeSet<Place>)> {
    let mut notes = every_note(store)?;
    let cites = notes.iter().flat_map(|note| &note.cites);
    let cited = cites.filter_map(|cited| cited.repository.clone());
    let mut unread: BTreeSet<Place> = cited.collect();
    let checkouts = store.checkouts();
    unread.retain(|of| checkouts.is_none_or(|checkouts| checkouts.commit(of).is_none()));
    notes.retain(Note::is_stale);
    Ok((notes, unread))
}

/// The notes of all kinds, by scope and key.
pub(crate) fn every_note(store: &dyn Reader) -> Result<Vec<Note>> {
    let kinds = vec![ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session];
    Ok(answers!(store, kinds: kinds)
        .into_iter()
        .flatten()
        .collect())
}
