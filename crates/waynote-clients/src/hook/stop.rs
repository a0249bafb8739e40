//! At the end of a turn, an agent that changed files and noted nothing is asked once for what the next run should know.

use waynote::{Author, Store};

use super::session::Session;
use crate::error::Result;
use crate::ledger::{Delivery, PendingDelivery};

const QUESTION: &str = "waynote: this session changed files and has left no note. What should the next run know that the \
    code does not say: a decision, a trap, something that failed? Save it with `note_save`, in a sentence or two. If there \
    is nothing, say so and end.";

/// How many of the latest changes of the store are looked through.
const LOOKED_AT: usize = 64;

/// The question, if it is to be asked.
pub(super) fn at(
    store: &dyn Store,
    session: &Session,
) -> Result<(String, Option<PendingDelivery>)> {
    let (Some(begun), false) = (session.begun(), session.given.was_asked) else {
        return Ok(Default::default());
    };
    let journal = store.journal(None, LOOKED_AT)?;
    // Another session's note counts too: a question less is better than one too many.
    let is_noted = journal.into_iter().any(|revision| {
        let at = u64::try_from(revision.recorded_at.as_millisecond()).unwrap_or_default();
        at >= begun
            && !matches!(
                Author::of(revision.author()),
                Author::Person | Author::Import(_)
            )
    });
    let pending = session.prepare(Delivery::Question, Vec::new());
    Ok(match (is_noted, pending) {
        (false, Some(pending)) => (QUESTION.to_owned(), Some(pending)),
        _ => Default::default(),
    })
}
