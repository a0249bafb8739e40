//! A person's acts: inside a loop an agent writes, whoever is named as the author, and only a person answers. Where a
//! store has a holder in place of a person, the holder's agents have his name too, and his notebook is his own.

use std::borrow::Cow;

use crate::author::{Author, UNNAMED};
use crate::block::Request;
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
    recorded(store, &stamped(stamp, || store.leases())?.author)
}

/// The author that a store records for this one.
///
/// # Errors
/// As [`Reader::read`].
pub(super) fn recorded(store: &dyn Reader, author: &Name) -> Result<Name> {
    Ok(match store.holder()? {
        Some(own) => Author::of(author).under(&own),
        None => author.clone(),
    })
}

/// The notebook that an agent's name stands for. In a store of several people, an agent without a name has the notebook
/// of its holder: preferences of one person reach no other one's agent.
///
/// # Errors
/// As [`Reader::read`].
pub fn notebook(store: &dyn Reader, agent: &Name) -> Result<Name> {
    if agent.as_str() != UNNAMED {
        return Ok(agent.clone());
    }
    match store.holder()? {
        Some(own) if store.is_shared()? => own.holder().parse(),
        _ => Ok(agent.clone()),
    }
}

/// The request of a block as this store's holder asks it.
pub(crate) fn reading<'r>(store: &dyn Reader, request: &'r Request) -> Result<Cow<'r, Request>> {
    let Some(own) = store.holder()? else {
        return Ok(Cow::Borrowed(request));
    };
    let mut request = request.clone();
    let agent = Author::Agent(request.agent.as_str());
    let author = request.author.iter().map(Author::of).chain([agent]);
    request.recorded = author
        .map(|of| of.under(&own))
        .chain([own.clone()])
        .collect();
    request.agent = notebook(store, &request.agent)?;
    Ok(Cow::Owned(request))
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
    let mut stamp = Cow::Borrowed(stamp);
    if Author::of(&stamp.author) == Author::Person && is_agents(&stamp, leases)? {
        let agent = stamp.writer.as_ref().and_then(|of| of.agent.clone());
        stamp = Cow::Owned(Stamp {
            author: agent.ok_or_else(|| refused(PersonalAct::Write))?,
            ..stamp.into_owned().careful()
        });
    }
    if let Some(holder) = &stamp.token {
        let author = Author::of(&stamp.author).under(holder);
        if author != stamp.author {
            stamp.to_mut().author = author;
        }
    }
    Ok(stamp)
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
