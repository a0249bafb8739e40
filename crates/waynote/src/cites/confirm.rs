//! Notes that cite what has changed: listed, and said to be still true.

use super::{Standing, cite, standing};
use crate::address::Address;
use crate::change::{Change, Expect};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::citation::Citation;
use crate::model::secret_policy::SecretPolicy;
use crate::note::{Note, Stamp};
use crate::scope::ScopeKind;
use crate::store::{Ask, Reader, Store};

/// Says that a note is still true: a revision with the same text, which cites what stands in the code now. What is not
/// there any more is no longer cited.
///
/// # Errors
/// [`Error::NotFound`] when there is no such note; [`Error::Conflict`] when it is written meanwhile; the others as
/// [`Store::apply`].
pub fn confirm(store: &dyn Store, address: &Address, stamp: &Stamp) -> Result<Note> {
    let note = store
        .get(address)?
        .ok_or_else(|| Error::not_found(address.to_string()))?;
    let renewed = |cited: &Citation| {
        let Some(checkouts) = store.checkouts() else {
            return Some(cited.clone());
        };
        checkouts.begin();
        let code = match standing(checkouts, cited) {
            Standing::Moved(code) => code,
            _ => cited.code.clone(),
        };
        cite(checkouts, cited.repository.as_ref(), &code, stamp.now).ok()
    };
    let cites = note.cites.iter().filter_map(renewed).collect::<Vec<_>>();
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
    crate::single::saved(store.apply(&[change], &stamp)?).map(|(note, _)| note)
}

/// The notes of a store that cite what has changed, by scope and key.
///
/// # Errors
/// As [`Reader::read`].
pub fn stale(store: &dyn Reader) -> Result<Vec<Note>> {
    let mut notes = every_note(store)?;
    notes.retain(Note::is_stale);
    Ok(notes)
}

/// The notes of all kinds, by scope and key.
pub(crate) fn every_note(store: &dyn Reader) -> Result<Vec<Note>> {
    let kinds = vec![ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session];
    let answers = store.read(&Ask {
        kinds,
        ..Ask::default()
    })?;
    Ok(answers.kinds.into_iter().flatten().collect())
}
