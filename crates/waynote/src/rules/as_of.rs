//! Notes as of an earlier time.

use super::resolved::Resolutions;
use crate::engine;
use crate::error::Result;
use crate::event::RecordedEvent;
use crate::note::{Note, Revision};
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
        let latest_first = match scope {
            Scope::Session(_) => events.next().unwrap_or_default(),
            _ => Vec::new(),
        };
        notes.extend(self::notes(
            histories,
            latest_first.into_iter().rev(),
            moment,
        ));
    }
    Ok(notes)
}

/// The notes of a scope as of a time, from their histories and the scope's events, both oldest first.
pub(super) fn notes(
    histories: Vec<Vec<Revision>>,
    events: impl IntoIterator<Item = RecordedEvent>,
    moment: AsOf,
) -> Vec<Note> {
    let mut resolved = Resolutions::default();
    for event in events {
        resolved.add(event, moment);
    }
    let then = |history: Vec<Revision>| {
        let mut note = moment.pick(&history)?;
        note.resolved_by = resolved.of(&note, moment.until(&history));
        Some(note)
    };
    histories.into_iter().filter_map(then).collect()
}
