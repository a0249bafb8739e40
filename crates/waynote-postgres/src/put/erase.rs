//! Forgetting: revisions lose their contents, and events lose their texts.

use jiff::Timestamp;
use waynote::engine::Step;
use waynote::event::RecordedEvent;
use waynote::{AddressAt, Name, Position, Result};

use crate::read::Forgetting;
use crate::read::plan::session_hash;
use crate::trip::{big, bigs, many_bytes, text, texts};

use super::batch::{Batch, json, operation, signed};
use crate::cells::Cell::{Big, Bytes, Text};

const REVISIONS: &str =
    "UPDATE waynote.journal SET content = NULL, cites = NULL, forgotten_at = $3, forgotten_by = $4
     WHERE store = $1 AND position = ANY ($2)";

const EVENTS: &str = "UPDATE waynote.event e SET event = u.event
     FROM unnest($2, $3, $4) u (scope, number, event), waynote.scope s
     WHERE s.store = $1 AND s.hash = u.scope AND e.store = $1 AND e.scope = s.scope AND e.number = u.number";

impl Batch {
    /// Records at a position the forgotten revisions and events, the time and the author.
    pub(super) fn forgotten(
        &mut self,
        position: Position,
        (at, by): (Timestamp, &Name),
        revisions: &[(AddressAt, Position)],
        events: &[(Name, RecordedEvent)],
        step: Option<Step>,
    ) -> Result<()> {
        if !revisions.is_empty() {
            let positions = revisions.iter().map(|(_, position)| position.number());
            let values = vec![bigs(positions), big(at.as_microsecond()), text(by.as_str())];
            self.others.push((REVISIONS, values));
        }
        if !events.is_empty() {
            let (mut scopes, mut numbers, mut says) = (Vec::new(), Vec::new(), Vec::new());
            for (session, recorded) in events {
                scopes.push(session_hash(session));
                numbers.push(signed(recorded.number));
                says.push(json(&recorded.event)?);
            }
            self.others
                .push((EVENTS, vec![many_bytes(scopes), bigs(numbers), texts(says)]));
        }
        let forgetting = Forgetting {
            revisions: revisions.iter().map(|(at, _)| at.clone()).collect(),
            events: events
                .iter()
                .map(|(session, recorded)| recorded.address(session))
                .collect(),
        };
        let event = serde_json::to_string(&forgetting)
            .map_err(|error| waynote::Error::engine("forgetting", error.to_string()))?;
        let [operation, step] = operation(step);
        let position = self.takes(position);
        self.events.push(vec![
            Big(Some(position)),
            Bytes(None),
            Big(None),
            Text(Some(by.as_str().to_owned())),
            Big(Some(at.as_microsecond())),
            Text(Some(event)),
            operation,
            step,
        ]);
        Ok(())
    }
}
