//! The answer to a caller who named a missing note: the near miss, and what is there instead.

use crate::address::{Address, AddressAt};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::note::Revision;
use crate::notebook::Notebook;
use crate::scope::{Scope, ScopeKind};
use crate::session_log::SessionLog;
use crate::store::{Store, check_own};
use crate::text::nearest;

/// The most keys, scopes or places that a message names.
const SHOWN: usize = 20;

/// The notes that exist instead of one that does not, in words: the near miss first. None when nothing is like it.
///
/// # Errors
/// [`Error::OthersNote`] if others have it alone; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the
/// store cannot be read.
pub fn of_note(store: &dyn Store, missing: &AddressAt) -> Result<Option<String>> {
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
    if let Some(note) = store.get(address)? {
        return check_own(store, &note).map(|()| None);
    }
    store.others(address)?;
    match address {
        Address::PlaceKey(_, key) | Address::Agent(_, key) => {
            let scope = address.scope();
            if let Some(keys) = keys(store, std::slice::from_ref(&scope), Some(key.as_str()))? {
                return Ok(Some(keys));
            }
            let others = of_scope(store, &scope)?;
            Ok(others.or_else(|| Some("the notebook has no notes".into())))
        }
        _ => of_scope(store, &address.scope()),
    }
}

/// The keys in some scopes in words, the one first that was perhaps meant; none if they have no keyed notes.
///
/// # Errors
/// As [`of_note`].
pub fn keys(store: &dyn Store, scopes: &[Scope], meant: Option<&str>) -> Result<Option<String>> {
    let mut keys: Vec<String> = Vec::new();
    for scope in scopes {
        let notes = Notebook::of(store, scope.clone()).latest(2 * SHOWN)?;
        for key in notes.iter().filter_map(|note| note.address.key()) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    if keys.is_empty() {
        return Ok(None);
    }
    let guess = guess(meant, keys.iter().map(String::as_str));
    let more = if keys.len() > SHOWN { ", and more" } else { "" };
    keys.truncate(SHOWN);
    Ok(Some(format!("{guess}there are: {}{more}", keys.join(", "))))
}

/// The name that was perhaps meant, as a question; empty if none is like it.
fn guess<'n>(meant: Option<&str>, names: impl Iterator<Item = &'n str>) -> String {
    let near = meant.and_then(|meant| nearest(meant, names));
    near.map_or(String::new(), |near| format!("did you mean `{near}`? "))
}

/// The other scopes of the same kind in words, the one first that was perhaps meant. None if there are none, or if this
/// one has notes.
///
/// # Errors
/// As [`of_note`].
pub fn of_scope(store: &dyn Store, missing: &Scope) -> Result<Option<String>> {
    let kind = missing.kind();
    let scopes = match kind {
        ScopeKind::Session => SessionLog::sessions(store)?,
        _ => store.scopes(kind)?,
    };
    let names: Vec<&str> = scopes.iter().map(|of| of.scope.name()).collect();
    if names.is_empty() || names.contains(&missing.name()) {
        return Ok(None);
    }
    let guess = guess(Some(missing.name()), names.iter().copied());
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
