//! The sessions of a store, with their states: those where a person can do something come first, then the newest.

use jiff::Timestamp;
use serde::ser::{Serialize, Serializer};
use serde_json::json;
use waynote::session_state::{Iteration, SessionReader};
use waynote::session_status::{last_events, without_archived};
use waynote::text::shell_word;
use waynote::{Name, Reader as _, Scope, SessionLog, SessionState, SessionStatus, Store, loops};

use super::log;
use super::looping::started;
use crate::error::Outcome;
use crate::invocation::Context;
use crate::{program, session_view, when};

/// A session in the list of all.
pub(super) struct SessionRow {
    pub(super) session: Name,
    notes: u64,
    /// The last iteration that a loop ran.
    last: Option<Iteration>,
    pub(super) status: SessionStatus,
    /// The time of its last event.
    at: Option<Timestamp>,
    /// The command that continues its loop, if the user started it here.
    again: Option<String>,
}

impl SessionRow {
    /// All sessions; `archived` ones too, if that is asked for.
    pub(super) fn all(store: &dyn Store, archived: bool) -> Outcome<Vec<Self>> {
        let sessions = SessionLog::sessions(store)?.into_iter();
        let names = sessions.map(|of| of.scope.name().parse());
        let mut names = names.collect::<Result<Vec<Name>, _>>()?;
        let store = &SessionReader::for_list(store, &names)?;
        if !archived {
            names = without_archived(store, names)?;
        }
        Self::of(store, names, usize::MAX)
    }

    /// The `most` newest ones of these, in the order of the list.
    pub(super) fn of(
        store: &SessionReader<'_>,
        names: Vec<Name>,
        most: usize,
    ) -> Outcome<Vec<Self>> {
        let events = last_events(store, names)?;
        let newest = events.into_iter().map(|(session, events)| {
            let last = events.into_iter().next();
            (last.map(|last| (last.position, last.recorded_at)), session)
        });
        let mut newest: Vec<_> = newest.collect();
        newest.sort_by(|(one, _), (other, _)| other.cmp(one));
        let mut listed = Vec::new();
        for (last, session) in newest.into_iter().take(most) {
            listed.push(Self {
                notes: store.count(&Scope::Session(session.clone()))?,
                last: loops::iterations(store, &session, 1)?.pop(),
                status: log::status(store, &session)?,
                at: last.map(|(_, at)| at),
                again: started::next(store, &session)?,
                session,
            });
        }
        // The sort is stable: equals stay newest first.
        listed.sort_by_key(|of| rank(of.status.state));
        Ok(listed)
    }

    pub(super) const HEADING: [&str; 5] = ["session", "state", "last iteration", "notes", "detail"];

    /// The command that continues its loop, if that ended before its work was done.
    pub(super) fn again(&self) -> Option<&str> {
        let is_open = !matches!(
            self.status.state,
            SessionState::NoLoop | SessionState::Running | SessionState::Done
        );
        self.again.as_deref().filter(|_| is_open)
    }

    /// A row of a table. Ages are for people, who read it now.
    pub(super) fn row(&self, now: Option<Timestamp>) -> Vec<String> {
        let last = self.last.as_ref().map(|last| {
            let at = self.at.unwrap_or(last.started_at);
            let started = || when::minute(last.started_at);
            let at = now.map_or_else(started, |now| when::ago(at, now));
            format!("#{}, {at}", last.number)
        });
        vec![
            self.session.as_str().to_owned(),
            self.status.state.as_str().to_owned(),
            last.unwrap_or_else(|| "-".into()),
            self.notes.to_string(),
            session_view::detail(&self.status),
        ]
    }
}

/// First those that wait for a person, then those that ended badly.
fn rank(state: SessionState) -> u8 {
    match state {
        SessionState::Waiting => 0,
        SessionState::Failed | SessionState::Stalled | SessionState::Lost => 1,
        _ => 2,
    }
}

impl Serialize for SessionRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = json!({
            "session": self.session, "notes": self.notes, "last_iteration": self.last,
            "state": self.status.state.as_str(), "detail": self.status.detail(),
            "question": log::question(&self.status), "answer": log::answer(&self.status),
        });
        if let Some(again) = self.again() {
            value["continue"] = again.into();
        }
        value.serialize(serializer)
    }
}

/// Archives a session, or puts it back on the list.
pub(super) fn archive(context: &mut Context<'_>, session: &Name, undo: bool) -> Outcome {
    let stamp = context.stamp()?;
    context.write(|store| Ok(loops::archive(store, session, !undo, &stamp)?))?;
    let value = json!({ "session": session, "archived": !undo });
    context.answer(&value, || match undo {
        true => format!("session {session} is on the list again"),
        false => format!(
            "archived session {session}: `{} log sessions --all` lists it, `session archive {} --undo` puts it back",
            program::called(),
            shell_word(session.as_str())
        ),
    })
}
