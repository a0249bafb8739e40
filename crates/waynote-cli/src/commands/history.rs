//! `waynote history`: a note's revisions.

use jiff::Timestamp;
use waynote::Revision;

use super::Context;
use crate::error::Outcome;
use crate::input;
use crate::table::table;

pub(super) fn run(context: &mut Context<'_>, typed: &str) -> Outcome {
    let address = input::note(typed)?;
    let mut history = context.read(|store| Ok(store.history(&address)?))?;
    if history.is_empty() {
        return Err(waynote::Error::NotFound {
            what: format!("history of {address}"),
        }
        .into());
    }
    history.reverse();
    if context.output.json {
        return context.output.value(&history);
    }
    context.output.line(format!("{address}"))?;
    let heading = ["revision", "action", "author", "recorded", "preview"];
    context
        .output
        .line(table(&heading, history.iter().map(row)))
}

fn row(revision: &Revision) -> Vec<String> {
    let action = match (revision.undoes, revision.position) {
        (Some(undone), _) => format!("undo of {undone}"),
        (None, None) => "in the file".into(),
        (None, Some(_)) => revision.action.as_str().to_owned(),
    };
    vec![
        revision.number().to_string(),
        action,
        revision.author().to_string(),
        when(revision.recorded_at),
        revision
            .note()
            .map_or(String::new(), |note| note.preview.clone()),
    ]
}

/// A time to the second, for lists.
pub(super) fn when(time: Timestamp) -> String {
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    whole.to_string()
}
