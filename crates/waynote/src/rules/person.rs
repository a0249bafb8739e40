//! A person's acts: inside a loop an agent writes, whoever is named as the author, and only a person answers.

use std::borrow::Cow;

use crate::author::Author;
use crate::error::{Error, LoopError, PersonalAct, Result};
use crate::event::SessionsEvent;
use crate::key::Name;
use crate::note::Stamp;
use crate::store::Reader;

/// The author that a store records for a write with this stamp. A person is the holder of the token with which the store
/// is reached; inside a loop it is the loop's agent, even if the stamp names a person.
///
/// # Errors
/// [`LoopError::NotAPerson`] when the stamp insists on a person; the others as [`Reader::read`].
pub fn author(store: &dyn Reader, stamp: &Stamp) -> Result<Name> {
    let author = stamped(stamp, || store.leases())?.author.clone();
    match Author::of(&author) {
        Author::Person => Ok(store.holder()?.unwrap_or(author)),
        _ => Ok(author),
    }
}

/// Refuses what only a person may do to an agent.
///
/// # Errors
/// [`LoopError::NotAPerson`]; the others as [`Reader::read`].
pub fn only(store: &dyn Reader, stamp: &Stamp, act: PersonalAct) -> Result<()> {
    match is_agents(stamp, || store.leases())? {
        true => Err(refused(act)),
        false => Ok(()),
    }
}

/// True if the recorded author depends on the leases of all loops.
pub(super) fn depends_on_leases(stamp: &Stamp) -> bool {
    Author::of(&stamp.author) == Author::Person && is_agents_by_stamp(stamp).is_none()
}

/// The stamp with the author that is recorded.
pub(crate) fn stamped(
    stamp: &Stamp,
    leases: impl FnOnce() -> Result<Vec<SessionsEvent>>,
) -> Result<Cow<'_, Stamp>> {
    if Author::of(&stamp.author) != Author::Person {
        return Ok(Cow::Borrowed(stamp));
    }
    let agent = || stamp.writer.as_ref()?.agent.clone();
    let is_agents = is_agents(stamp, leases)?;
    let author = match (is_agents, &stamp.token) {
        (true, _) => agent().ok_or_else(|| refused(PersonalAct::Write))?,
        (false, Some(holder)) => holder.clone(),
        (false, None) => return Ok(Cow::Borrowed(stamp)),
    };
    let stamp = stamp.clone();
    Ok(Cow::Owned(Stamp {
        author,
        ..if is_agents { stamp.careful() } else { stamp }
    }))
}

/// True if an agent writes, by the stamp and the leases of all loops.
fn is_agents(stamp: &Stamp, leases: impl FnOnce() -> Result<Vec<SessionsEvent>>) -> Result<bool> {
    match (is_agents_by_stamp(stamp), &stamp.writer) {
        (None, Some(writer)) => Ok(writer.nearest_loop(&leases()?).is_some()),
        (by_stamp, _) => Ok(by_stamp == Some(true)),
    }
}

/// The same by the stamp alone; none if that depends on the leases.
fn is_agents_by_stamp(stamp: &Stamp) -> Option<bool> {
    match &stamp.writer {
        _ if stamp.is_agents || stamp.lease.is_some() => Some(true),
        Some(_) => None,
        None => Some(false),
    }
}

fn refused(act: PersonalAct) -> Error {
    LoopError::NotAPerson { act }.into()
}
