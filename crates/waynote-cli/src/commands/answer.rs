//! `waynote answer`: a person answers the question of a session.

use std::ffi::OsStr;

use serde_json::{Value, json};
use waynote::{Name, SessionState, SessionStatus, Stamp, Store, loops};
use waynote_loop::identity::known_dead;

use super::looping::started;
use crate::error::Outcome;
use crate::input;
use crate::invocation::Context;
use crate::session_view;

pub(super) fn run(context: &mut Context<'_>, session: &Name, text: &OsStr) -> Outcome {
    let answer = input::text(text)?.shown().into_owned();
    let stamp = context.stamp()?;
    let (given, said) = context.write(|store| answered(store, session, &answer, &stamp))?;
    context.answer(&given, || said)
}

/// Records a person's answer. Returns it as JSON and in words, with what to do next.
pub(super) fn answered(
    store: &dyn Store,
    session: &Name,
    answer: &str,
    stamp: &Stamp,
) -> Outcome<(Value, String)> {
    loops::answer(store, session, answer, stamp)?;
    let state = SessionStatus::read(store, session, &known_dead)?.state;
    let next = started::next(store, session)?;
    let then = match &next {
        _ if state == SessionState::Running => {
            "the loop still runs and stops after this iteration; then continue it".into()
        }
        Some(next) => format!("go on with `{next}`"),
        None => "go on with the loop's whole command, where it ran".into(),
    };
    let value =
        json!({ "session": session, "answer": answer, "state": state.as_str(), "next": next });
    let session = session_view::named(session);
    Ok((value, format!("answered session {session}; {then}")))
}
