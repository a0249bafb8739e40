//! Notes as of an earlier time.

use super::resolved::Resolutions;
use crate::engine;
use crate::error::Result;
use crate::note::Note;
use crate::scope::Scope;
use crate::store::{AsOf, EventPage};

use super::OneState;

/// The notes of these scopes as of an earlier time, by scope and key. Takes one round trip.
pub(super) fn select(state: &OneState<'_>, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
    let mut ask = engine::Ask {
        scope_histories: scopes.to_vec(),
        ..engine::Ask::default()
    };
    for scope in scopes {
        // The events tell the entries that were resolved then.
        if let Scope::Session(session) = scope {
            let all = EventPage::last(session.clone(), usize::MAX);
            ask.store.events.push(all);
        }
    }
    let rows = state.rows().read(&ask)?;
    state.notice(&rows.store.damaged);
    let mut events = rows.store.events.into_iter();
    let mut notes = Vec::new();
    for (scope, histories) in scopes.iter().zip(rows.scope_histories) {
        let mut resolved = Resolutions::default();
        if matches!(scope, Scope::Session(_)) {
            let latest_first = events.next().unwrap_or_default();
            for event in latest_first.into_iter().rev() {
                resolved.add(event, moment);
            }
        }
        for history in histories {
            let then = moment.until(&history);
            notes.extend(moment.pick(&history).map(|mut note| {
                note.resolved_by = resolved.of(&note, then);
                note
            }));
        }
    }
    Ok(notes)
}
