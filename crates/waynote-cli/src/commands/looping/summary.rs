//! The summary of a loop that has ended: for people, and as JSON.

use serde_json::{Map, Value, json};
use waynote::text::plural;
use waynote_loop::{RunRemainder, Stop, Summary};

use super::words::{details, exit_code, headline, line};
use crate::{duration, program, session_view};

/// The summary for people. `again` is the command that continues the loop.
pub(super) fn text(summary: &Summary, again: Option<&str>) -> String {
    let notes: u64 = summary.notes.iter().map(|(_, count)| count).sum();
    let mut text = format!(
        "session {}: {} in {}, {} added",
        session_view::named(&summary.session),
        plural(summary.iterations.len() as u64, "iteration"),
        duration::rounded(summary.duration),
        plural(notes, "note"),
    );
    text += &format!("\n{}", headline(&summary.stop));
    let details = details(&summary.stop).join("\n");
    let details = match &summary.stop {
        Stop::Completed(_) | Stop::Blocked(_) => session_view::quoted(&details),
        _ => session_view::indented(&details),
    };
    text += &format!("\n{details}");
    text.truncate(text.trim_end().len());
    let has_failed = matches!(summary.stop, Stop::Failed(_) | Stop::FailedAtOnce(..));
    if let Some(said) = summary.last_words().filter(|_| has_failed) {
        text += &format!("\n  failed with: {said}");
    }
    text + &next(summary, again).map_or(String::new(), |next| format!("\n{next}"))
}

/// The hint: the user's next step.
fn next(summary: &Summary, again: Option<&str>) -> Option<String> {
    let (session, program) = (session_view::named(&summary.session), program::called());
    let quoted = |again| format!("`{again}`");
    let again = again.map_or("run the same command again".into(), quoted);
    Some(match &summary.stop {
        Stop::Blocked(_) => {
            format!("answer with `{program} answer {session} TEXT`; then go on: {again}")
        }
        Stop::Stalled { .. } | Stop::Failed(_) | Stop::FailedAtOnce(..) => format!(
            "see `{program} --session {session} log show`; when the cause is fixed, go on: {again}"
        ),
        Stop::Interrupted(_) | Stop::Time | Stop::Requested(_) => match &summary.left {
            None => format!("go on: {again}"),
            Some(RunRemainder { iterations, all }) => {
                format!("go on: {again} ({iterations} of {all} iterations left)")
            }
        },
        _ => return None,
    })
}

/// The summary as JSON.
pub(super) fn value(summary: &Summary) -> Value {
    let stop = &summary.stop;
    let masked = |text: &String| waynote::secrets::masked(text).into_owned();
    let details: Vec<String> = details(stop).iter().map(masked).collect();
    let (name, said) = match stop {
        Stop::Completed(_) => ("summary", details.join("\n").into()),
        Stop::Blocked(_) => ("question", details.join("\n").into()),
        Stop::Stalled { .. } => ("evidence", details.into()),
        _ => ("detail", Value::from(masked(&line(stop)))),
    };
    let notes = summary.notes.iter();
    let notes = notes.map(|(kind, count)| (kind.as_str().to_owned(), Value::from(*count)));
    json!({
        "session": summary.session.as_str(),
        "state": waynote::SessionState::after(stop.reason()).as_str(),
        "reason": stop.reason().as_str(),
        "exit_code": exit_code(stop),
        name: said,
        "iterations": summary.iterations,
        "seconds": summary.duration.as_secs_f64(),
        "notes_added": notes.collect::<Map<String, Value>>(),
    })
}
