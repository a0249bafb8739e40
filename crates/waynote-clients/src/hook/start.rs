//! A session or a subagent begins, or goes on.

use waynote::Store;
use waynote::context::{Request, Section};

use super::Says;
use super::notes::{Notes, block, changes};
use super::payload::Payload;
use super::session::Session;
use crate::error::Result;
use crate::ledger::{Channel, Delivery, PendingDelivery};

/// The block with what is said of it, if the session lacks it; else the changes since.
pub(super) fn of_session(
    store: &dyn Store,
    request: Request,
    session: &Session,
    has_it_in_prompt: bool,
    says: Says<'_>,
) -> Result<(String, Option<PendingDelivery>)> {
    if has_it_in_prompt {
        return in_prompt(store, request, session);
    }
    if session.client.profile().channel == Channel::System {
        let delivery = Delivery::Block(Channel::System);
        return match session.given.block {
            Some(Channel::Server) => Ok(Default::default()),
            _ => Ok(given(told(store, request, says)?, session, delivery)),
        };
    }
    if session.is_named() && !session.is_owed() {
        let notes = changes(store, request, &Section::ALL, &session.given)?;
        return Ok(given(notes, session, Delivery::Notes));
    }
    Ok(given(told(store, request, says)?, session, session.block()))
}

/// The block, with what is said of where its notes stand.
pub(super) fn told(store: &dyn Store, request: Request, says: Says<'_>) -> Result<Notes> {
    let more = says(&request.lineage);
    block(store, request, &more)
}

/// The block: a subagent knows nothing of what its session was given.
pub(super) fn of_subagent(
    store: &dyn Store,
    request: Request,
    session: &Session,
    payload: &Payload,
) -> Result<(String, Option<PendingDelivery>)> {
    let notes = block(store, request, "")?;
    Ok(match payload.subagent() {
        Some(id) => given(notes, session, Delivery::Subagent(id.to_owned())),
        None => (notes.text, None),
    })
}

/// Nothing, since the loop's prompt holds the block. It counts as given.
pub(super) fn in_prompt(
    store: &dyn Store,
    request: Request,
    session: &Session,
) -> Result<(String, Option<PendingDelivery>)> {
    let notes = block(store, request, "")?;
    let delivery = match session.is_owed() {
        true => Delivery::Block(Channel::Loop),
        false => Delivery::Notes,
    };
    Ok((String::new(), session.prepare(delivery, notes.pieces)))
}

/// The text of notes and its delivery; none for an empty text.
pub(super) fn given(
    notes: Notes,
    session: &Session,
    delivery: Delivery,
) -> (String, Option<PendingDelivery>) {
    match notes.text.is_empty() {
        true => (String::new(), None),
        false => (notes.text, session.prepare(delivery, notes.pieces)),
    }
}
