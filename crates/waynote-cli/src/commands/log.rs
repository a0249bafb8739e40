//! `waynote log`: notes by iteration, in a session's append-only log.

use std::borrow::Cow;

use serde_json::{Value, json};
use waynote::event::{EventAddress, RecordedEvent};
use waynote::loops;
use waynote::session_log::reply;
use waynote::session_state::{AgentSignal, EntryIteration, SessionReader, entry_iteration};
use waynote::{
    EntryType, Name, Reader, Scope, SessionLog, SessionState, SessionStatus, Store, instead,
};
use waynote_loop::identity::known_dead;

use super::list::Narrow;
use super::looping::started;
use super::sessions::SessionRow;
use crate::args::LogCommand;
use crate::error::{Failure, Outcome};
use crate::input;
use crate::inside::{self, Inside};
use crate::invocation::Context;
use crate::session_view;
use crate::table::list;

pub(super) fn run(context: &mut Context<'_>, command: &LogCommand) -> Outcome {
    match command {
        LogCommand::Add {
            text,
            kind,
            resolves,
            cites,
            allow,
        } => {
            let stamp = context.stamp_allowing(allow)?.citing(cites.given());
            let (session, iteration) = context.read(|store| {
                let named = context.settings.session.value.as_slice();
                let store = &SessionReader::for_entry(store, named)?;
                let (session, iteration) = context.session_in(store)?;
                let iteration = iteration_of_entry(store, &session, iteration)?;
                Ok((session, iteration))
            })?;
            let kind: EntryType = kind.trim().parse()?;
            let content = input::note_text(text, allow.empty)?;
            let given = content.shown().into_owned();
            let note = context.write(|store| {
                let log = SessionLog::new(store, session);
                let resolves = resolves.as_ref().map(|named| log.stuck(named));
                let resolves = resolves.transpose()?;
                Ok(log.add_resolving(kind, Some(iteration), content, resolves, &stamp)?)
            })?;
            let mut value = json!(note);
            value["repeat"] = json!(note.revision > 1);
            context.answer(&value, || {
                reply(&note, resolves.is_some()) + &waynote::visible::dropped(&given)
            })
        }
        LogCommand::List { kind, narrow } => {
            let narrow = Narrow::of(context, narrow)?;
            let (session, _) = context.session()?;
            let kind = kind.as_deref().map(EntryType::imported);
            let notes = context
                .read(|store| Ok(SessionLog::new(store, session.clone()).list(kind.as_ref())?))?;
            let notes = narrow.last(notes);
            let nothing = format!("no notes in {}", waynote::Scope::Session(session));
            let heading = ["iteration", "type", "preview", "note"];
            list(context.output, &notes, &nothing, &heading, |note| {
                let kind = note.kind.as_ref().map_or("", EntryType::as_str);
                // Another program may have written anything there.
                let kind = waynote::secrets::masked(kind).into_owned();
                let seen = match note.revision {
                    1 => String::new(),
                    seen => format!(" (seen {seen} times)"),
                };
                let resolved = note.resolved_by.map_or("", |_| " (resolved)");
                vec![
                    crate::table::iteration(note.iteration),
                    kind,
                    crate::table::preview(note) + resolved + &seen,
                    note.address.to_string(),
                ]
            })
        }
        LogCommand::Complete { summary } => {
            let summary = input::text(summary)?.shown().into_owned();
            signal(context, &AgentSignal::Completed(summary), "completed")
        }
        LogCommand::Blocked { question } => {
            let question = input::text(question)?.shown().into_owned();
            signal(context, &AgentSignal::Blocked(question), "blocked")
        }
        LogCommand::Show => {
            let (session, _) = context.session()?;
            let is_json = context.output.json;
            let (notes, iterations, status, events, again) = context.read(|store| {
                let notes = SessionLog::new(store, session.clone()).list(None)?;
                let iterations = loops::iterations(store, &session, usize::MAX)?;
                let events = match is_json {
                    true => events(store, &session)?,
                    false => Vec::new(),
                };
                let again = started::next(store, &session)?;
                Ok((notes, iterations, status(store, &session)?, events, again))
            })?;
            if notes.is_empty() && iterations.is_empty() {
                check_known(context, &session)?;
            }
            let is_live = status.state == SessionState::Running;
            if context.output.json {
                let stopped = status.end.as_ref().map(|end| {
                    let (summary, question) = match &end.signal {
                        Some(AgentSignal::Completed(summary)) => (Some(summary), None),
                        Some(AgentSignal::Blocked(question)) => (None, Some(question)),
                        _ => (None, None),
                    };
                    json!({
                        "reason": end.reason.as_str(), "detail": end.detail,
                        "summary": summary, "question": question,
                    })
                });
                let value = json!({
                    "iterations": iterations, "notes": notes, "events": events, "running": is_live,
                    "state": status.state.as_str(), "stopped": stopped, "question": question(&status),
                    "answer": answer(&status),
                });
                return context.value(&value);
            }
            let (colour, terminal) = (context.output.has_colour(), context.output.is_terminal());
            let text = session_view::iterations(&iterations, is_live, colour)
                + &session_view::status(&status, &session, again.as_deref())
                + &session_view::notes(&notes, colour, terminal);
            context.coloured(&text)
        }
        LogCommand::Sessions { all } => {
            let sessions = context.read(|store| SessionRow::all(store, *all))?;
            let is_read = context.output.is_terminal();
            let now = is_read.then(crate::clock::now).transpose()?;
            let heading = &SessionRow::HEADING;
            let row = |of: &SessionRow| of.row(now);
            list(context.output, &sessions, "no sessions", heading, row)
        }
    }
}

/// Refuses a session that is not there, and says which ones are.
fn check_known(context: &Context<'_>, session: &Name) -> Outcome {
    let scope = Scope::Session(session.clone());
    context.read(|store| {
        let sessions = SessionLog::sessions(store)?;
        if sessions.iter().any(|of| of.scope == scope) {
            return Ok(());
        }
        let others = instead::of_scope(store, &scope)?;
        let hint = others.unwrap_or_else(|| "no session has begun yet".into());
        let what = format!("there is no {scope}");
        Err(Failure::refused("not_found", what, hint))
    })
}

/// The iteration of a new entry; a refusal for one that has not begun.
fn iteration_of_entry(store: &dyn Reader, session: &Name, given: Option<i64>) -> Outcome<i64> {
    let last = match entry_iteration(store, session, given)? {
        EntryIteration::Of(iteration) => return Ok(iteration),
        EntryIteration::Future { last } => last,
    };
    let given = given.unwrap_or_default();
    let what =
        format!("iteration {given} of session:{session} has not begun: the last one is {last}");
    let hint = "leave `--iteration` out: the next prompt has the entry";
    Err(Failure::refused("future_iteration", what, hint))
}

/// The events of a session, oldest first, as programs read them.
fn events(store: &dyn Store, session: &Name) -> Outcome<Vec<Value>> {
    let mut events = store.events(session, None, usize::MAX)?;
    events.reverse();
    let value = |recorded: &RecordedEvent| {
        let address = EventAddress {
            session: session.clone(),
            number: recorded.number,
        };
        super::event::value(&address, recorded)
    };
    Ok(events.iter().map(value).collect())
}

/// The state of a session, as this machine can tell.
pub(super) fn status(store: &dyn Store, session: &Name) -> Outcome<SessionStatus> {
    Ok(SessionStatus::read(store, session, &known_dead)?)
}

/// The open question, without credentials.
pub(super) fn question(status: &SessionStatus) -> Option<Cow<'_, str>> {
    let asked = status.question.as_ref()?;
    Some(waynote::secrets::masked(&asked.question))
}

/// The answer that no iteration has finished with, without credentials, with its author and time.
pub(super) fn answer(status: &SessionStatus) -> Option<Value> {
    let given = status.answer.as_ref()?;
    let answer = waynote::secrets::masked(&given.answer);
    Some(json!({ "answer": answer, "by": given.by.as_str(), "at": given.at.to_string() }))
}

/// Says something to the loop that waits for it.
fn signal(context: &mut Context<'_>, signal: &AgentSignal, done: &str) -> Outcome {
    let inside = context.read(|store| Inside::of(&context.settings, store))?;
    let (session, _) = context.session()?;
    let told = inside::told_lease(&context.settings)?;
    let own = inside.lease.or(told).map(|own| own.session);
    if let Some(own) = own.filter(|own| *own != session) {
        let what =
            format!("this agent runs in session {own} and cannot write to session {session}");
        let hint = "leave out `--session`";
        return Err(Failure::refused("another_session", what, hint));
    }
    let stamp = context.stamp()?;
    let iteration = context.settings.iteration.value;
    context.write(|store| Ok(loops::signal(store, &session, iteration, signal, &stamp)?))?;
    context.answer(&json!({ "done": done }), || signal.reply(&session))
}
