//! `waynote answer`: a person answers the question of a session.

use std::ffi::OsStr;

use serde_json::json;
use waynote::{Name, SessionState, SessionStatus, loops};
use waynote_loop::identity::known_dead;

use super::looping::started;
use crate::error::Outcome;
use crate::input;
use crate::invocation::Context;

pub(super) fn run(context: &mut Context<'_>, session: &Name, text: &OsStr) -> Outcome {
    let answer = input::text(text)?.shown().into_owned();
    let stamp = context.stamp()?;
    let (next, status) = context.write(|store| {
        loops::answer(store, session, &answer, &stamp)?;
        let status = SessionStatus::read(store, session, &known_dead)?;
        Ok((started::next(store, session)?, status))
    })?;
    let value = json!({ "session": session, "answer": answer, "state": status.state.as_str(), "next": next });
    context.answer(&value, || {
        let next = match &next {
            _ if status.state == SessionState::Running => {
                "the loop still runs and stops after this iteration; then continue it".into()
            }
            Some(next) => format!("go on with `{next}`"),
            None => "go on with the loop's whole command, where it ran".into(),
        };
        format!("answered session {session}; {next}")
    })
}
