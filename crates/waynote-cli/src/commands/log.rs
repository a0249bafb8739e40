//! `waynote log`: notes by iteration, in a session's append-only log.

use serde_json::json;
use waynote::event::{self, Event, Recorded, Said};
use waynote::looping;
use waynote::session::reply;
use waynote::{Kind, SessionLog};

use super::Context;
use crate::args::LogCommand;
use crate::error::{Outcome, say};
use crate::input;
use crate::plot::Plot;
use crate::table::table;
use crate::{inside, session_view};

pub(super) fn run(context: &mut Context<'_>, command: &LogCommand) -> Outcome {
    match command {
        LogCommand::Add {
            text,
            kind,
            resolves,
            allow,
        } => {
            let (session, iteration) = context.session()?;
            let kind: Kind = kind.trim().parse()?;
            let content = input::note_text(text, allow.empty)?;
            let stamp = context.stamp_allowing(allow)?;
            let note = context.write(|store| {
                let log = SessionLog::new(store, session);
                let resolves = resolves
                    .as_ref()
                    .map(|named| log.stuck(named))
                    .transpose()?;
                Ok(log.add_resolving(kind, iteration, content, resolves, &stamp)?)
            })?;
            let is_repeat = note.revision > 1;
            let mut value = json!(note);
            value["repeat"] = json!(is_repeat);
            context
                .output
                .answer(&value, || reply(&note, resolves.is_some()))
        }
        LogCommand::List { kind } => {
            let (session, _) = context.session()?;
            let kind = kind.as_deref().map(Kind::imported);
            let notes = context
                .read(|store| Ok(SessionLog::new(store, session.clone()).list(kind.as_ref())?))?;
            if context.output.json {
                return context.output.value(&notes);
            }
            if notes.is_empty() {
                return context
                    .output
                    .line(format!("no notes in {}", waynote::Scope::Session(session)));
            }
            let mut heading = vec!["iteration", "type", "preview", "note"];
            let some_repeated = notes.iter().any(|note| note.revision > 1);
            if some_repeated {
                heading.insert(SEEN, "seen");
            }
            let rows = notes.iter().map(|note| {
                let kind = note.kind.as_ref().map(Kind::as_str).unwrap_or_default();
                // Another program may have written anything there.
                let kind = waynote::secrets::masked(kind).into_owned();
                let mut row = vec![
                    self::iteration(note.iteration),
                    kind,
                    match note.resolved_by {
                        Some(_) => format!("{} (resolved)", note.preview),
                        None => note.preview.clone(),
                    },
                    note.address.to_string(),
                ];
                if some_repeated {
                    row.insert(SEEN, note.revision.to_string());
                }
                row
            });
            context.output.line(table(&heading, rows))
        }
        LogCommand::Complete { summary } => {
            let summary = input::text(summary)?.shown().into_owned();
            tell(context, &Said::Completed(summary), "completed")
        }
        LogCommand::Blocked { question } => {
            let question = input::text(question)?.shown().into_owned();
            tell(context, &Said::Blocked(question), "blocked")
        }
        LogCommand::Plot { width } => {
            let (session, _) = context.session()?;
            let (notes, iterations) = context.read(|store| {
                let notes = SessionLog::new(store, session.clone()).list(None)?;
                let mut iterations = event::iterations(store, &session, usize::MAX)?;
                if !store.lease(&session)?.is_some_and(|held| is_running(&held)) {
                    // Its loop was killed, and no other one has looked since.
                    let open = iterations.iter_mut().filter(|of| of.outcome.is_none());
                    open.for_each(|of| of.outcome = Some(event::Outcome::Lost));
                }
                Ok((notes, iterations))
            })?;
            let entries = notes
                .into_iter()
                .filter_map(|note| note.kind.zip(note.iteration));
            let plot = Plot::new(&iterations, entries);
            if context.output.json {
                return context.output.value(&plot);
            }
            let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
            let width = width.or(terminal).unwrap_or(80);
            let text = plot.draw(width, context.output.has_colour());
            match text.is_empty() {
                true => context
                    .output
                    .line(format!("no iterations in session:{session}")),
                false => context.output.bytes(text.as_bytes()),
            }
        }
        LogCommand::Show => {
            let (session, _) = context.session()?;
            let (notes, iterations, is_live, end) = context.read(|store| {
                let notes = SessionLog::new(store, session.clone()).list(None)?;
                let iterations = event::iterations(store, &session, usize::MAX)?;
                let is_live = store.lease(&session)?.is_some_and(|held| is_running(&held));
                Ok((
                    notes,
                    iterations,
                    is_live,
                    event::last_end(store, &session)?,
                ))
            })?;
            if context.output.json {
                let stopped = end.as_ref().map(|(reason, said)| {
                    let mut stopped = json!({ "reason": reason.as_str() });
                    match said {
                        Some(Said::Completed(summary)) => {
                            stopped["summary"] = summary.as_str().into();
                        }
                        Some(Said::Blocked(question)) => {
                            stopped["question"] = question.as_str().into();
                        }
                        None => {}
                    }
                    stopped
                });
                let value = json!({
                    "iterations": iterations, "notes": notes, "running": is_live, "stopped": stopped,
                });
                return context.output.value(&value);
            }
            let (colour, terminal) = (context.output.has_colour(), context.output.is_terminal());
            if notes.is_empty() && iterations.is_empty() {
                say(&format!(
                    "nothing is in session:{session}; `waynote log sessions` lists those with notes"
                ));
            }
            let text = session_view::iterations(&iterations, is_live, colour)
                + &end.map_or(String::new(), |end| session_view::end(&end, &session))
                + &session_view::notes(&notes, colour, terminal);
            context.output.bytes(text.as_bytes())
        }
        LogCommand::Sessions => {
            let sessions = context.read(|store| Ok(SessionLog::sessions(store)?))?;
            if context.output.json {
                let list: Vec<_> = sessions
                    .iter()
                    .map(|session| json!({ "session": session.scope.name(), "notes": session.notes }))
                    .collect();
                return context.output.value(&list);
            }
            if sessions.is_empty() {
                return context.output.line("no sessions");
            }
            let rows = sessions
                .iter()
                .map(|session| vec![session.scope.name().to_owned(), session.notes.to_string()]);
            context.output.line(table(&["session", "notes"], rows))
        }
    }
}

/// Says something to the loop that waits for it.
fn tell(context: &mut Context<'_>, said: &Said, done: &str) -> Outcome {
    let (session, _) = context.session()?;
    let stamp = context.stamp()?;
    let iteration = context.settings.iteration.value;
    context.change(|store| Ok(looping::say(store, &session, iteration, said, &stamp)?))?;
    context
        .output
        .answer(&json!({ "done": done }), || said.reply(&session))
}

/// Where the count of an entry's repeats stands in the table.
const SEEN: usize = 2;

/// An iteration in a table.
pub(super) fn iteration(iteration: Option<i64>) -> String {
    iteration.map_or("-".into(), |iteration| format!("#{iteration}"))
}

/// Whether the loop that has a session still lives.
fn is_running(held: &Recorded) -> bool {
    matches!(&held.event, Event::LoopStarted { holder, .. } if !inside::is_dead(holder))
}
