//! Chooses the events to keep: all that are whole, numbered anew if some are missing. From them come the holder of a
//! session's lease, and the entries that are resolved.

use std::collections::HashMap;

use rusqlite::types::Value;

use crate::event::{EventAddress, SessionEvent};
use crate::scope::Scope;

use super::Lost;
use super::around::{Found, integer, text};
use super::chains::{Kept, note};

const POSITION: usize = 0;
pub(super) const SCOPE: usize = 2;
const NUMBER: usize = 3;
const EVENT: usize = 6;
pub(super) const COLUMNS: usize = 9;

pub(super) fn keep(kept: &mut Kept, found: Found) {
    for (scope, number) in &found.damaged_events {
        let session = scope.and_then(|id| kept.scopes.get(&id));
        let number = number.and_then(|number| u64::try_from(number).ok());
        let what = match (session, number) {
            (Some(Scope::Session(session)), Some(number)) => EventAddress {
                session: session.clone(),
                number,
            }
            .to_string(),
            (Some(scope), _) => format!("an event of {scope}"),
            (None, _) => "events".to_owned(),
        };
        kept.lost.push(Lost::new(what, "damaged"));
    }
    let mut numbers: HashMap<i64, i64> = HashMap::new();
    // The last position at which an entry was resolved, and by which one.
    let mut resolved: HashMap<(i64, String), (i64, String)> = HashMap::new();
    for mut row in found.events {
        row.truncate(COLUMNS);
        let Some(scope) = integer(&row, SCOPE) else {
            kept.events.push(row);
            continue;
        };
        if !kept.scopes.contains_key(&scope) {
            continue;
        }
        let number = numbers.entry(scope).or_default();
        *number += 1;
        row[NUMBER] = (*number).into();
        let event = text(&row, EVENT).and_then(|text| serde_json::from_str(text).ok());
        match event {
            Some(SessionEvent::LoopStarted { .. }) => {
                kept.leases.insert(scope, *number);
            }
            Some(SessionEvent::LoopEnded { .. }) => {
                kept.leases.remove(&scope);
            }
            Some(SessionEvent::Resolved { entry, by }) => {
                let position = integer(&row, POSITION).unwrap_or_default();
                resolved.insert((scope, entry.to_string()), (position, by.to_string()));
            }
            _ => {}
        }
        kept.events.push(row);
    }
    for row in &mut kept.notes {
        let key = integer(row, 0).zip(text(row, 1).map(str::to_owned));
        let by = key.and_then(|key| resolved.get(&key));
        let noted = integer(row, note::POSITION).unwrap_or_default();
        row[note::RESOLVED_BY] = match by {
            Some((position, by)) if noted <= *position => by.clone().into(),
            _ => Value::Null,
        };
    }
}
