//! Who is told that a loop has ended: the terminal, and the command of `--notify`.

use serde_json::json;
use waynote::{Name, SessionState};
use waynote_loop::{NOTIFY_LIMIT, Signals, Summary, notify};
use waynote_system::variables::{SESSION, STATE};

use super::summary;
use crate::error::{Failure, Outcome, complain, title};

/// Tells it, unless a person ended the loop. A failure is one line, and changes nothing.
pub(super) fn tell(command: Option<&str>, session: &Name, ended: Result<&Summary, &Failure>) {
    let (state, value) = match ended {
        Ok(summary) => (
            SessionState::after(summary.stop.reason()),
            summary::value(summary),
        ),
        Err(failure) => {
            let state = SessionState::Failed;
            let detail = failure.what();
            let value = json!({
                "session": session, "state": state.as_str(), "reason": "error", "detail": detail,
            });
            (state, value)
        }
    };
    let is_news = !matches!(state, SessionState::Stopped | SessionState::Interrupted);
    title(&format!("{session}: {state}"), is_news);
    let (Some(command), true) = (command, is_news) else {
        return;
    };
    let environment = [
        (SESSION.to_owned(), session.as_str().into()),
        (STATE.to_owned(), state.as_str().into()),
    ];
    let run = |signals| {
        notify(
            command,
            &environment,
            &value.to_string(),
            NOTIFY_LIMIT,
            &signals,
        )
    };
    let failed: Outcome<Option<String>> = Signals::listen().map(run).map_err(Into::into);
    let why = failed.unwrap_or_else(|failure| Some(failure.what()));
    if let Some(why) = why {
        complain(&format!("warning: the command of `--notify` failed: {why}"));
    }
}
