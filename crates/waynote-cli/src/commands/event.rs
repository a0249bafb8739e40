//! An event of a session, by its address.

use serde_json::{Value, json};
use waynote::author::shown;
use waynote::event::{EventAddress, RecordedEvent};
use waynote_system::shell::quoted;

use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::when;

/// Prints an event.
pub(super) fn show(context: &mut Context<'_>, address: &EventAddress) -> Outcome {
    let recorded = find(context, address)?;
    if context.output.json {
        return context.value(&value(address, &recorded));
    }
    let RecordedEvent {
        author,
        recorded_at,
        event,
        ..
    } = &recorded;
    let (zone, by) = (when::zone_in_heading(), shown(author, None));
    let said = format!("{}{zone}, {by}\n{event}", when::minute(*recorded_at));
    context.line(waynote::visible::lines(&said))
}

/// An event as programs read it.
pub(super) fn value(address: &EventAddress, recorded: &RecordedEvent) -> Value {
    let mut value = json!({
        "address": address,
        "position": recorded.position.number(),
        "author": recorded.author.as_str(),
        "recorded_at": recorded.recorded_at.to_string(),
    });
    if let (Value::Object(value), Value::Object(event)) = (&mut value, json!(recorded.event)) {
        value.extend(event);
    }
    value
}

fn find(context: &mut Context<'_>, address: &EventAddress) -> Outcome<RecordedEvent> {
    let recorded = context.read(|store| Ok(store.event(address)?))?;
    recorded.ok_or_else(|| {
        Failure::refused(
            "not_found",
            format!("there is no {address}"),
            format!(
                "`waynote --session {} log show --json` lists the events of that session",
                quoted(address.session.as_str())
            ),
        )
    })
}
