//! Notes as they were.

use crate::error::Result;
use crate::event::{Resolutions, latest};
use crate::note::Note;
use crate::scope::Scope;
use crate::store::Moment;

use super::OneState;

/// The notes of scopes as they were, by scope and key.
pub(super) fn select(state: &OneState<'_>, scopes: &[Scope], moment: Moment) -> Result<Vec<Note>> {
    let mut notes = Vec::new();
    for scope in scopes {
        let resolved = resolved_at(state, scope, moment)?;
        for history in state.rows().scope_histories(scope)? {
            let then = moment.until(&history);
            notes.extend(moment.pick(&history).map(|mut note| {
                note.resolved_by = resolved.of(&note, then);
                note
            }));
        }
    }
    Ok(notes)
}

/// Which entries of a scope were resolved then.
fn resolved_at(state: &OneState<'_>, scope: &Scope, moment: Moment) -> Result<Resolutions> {
    let mut resolved = Resolutions::default();
    let Scope::Session(session) = scope else {
        return Ok(resolved);
    };
    let events: Vec<_> = latest(state, session).collect::<Result<_>>()?;
    for event in events.into_iter().rev() {
        resolved.add(event, moment);
    }
    Ok(resolved)
}
