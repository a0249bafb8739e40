//! `waynote log`: notes by iteration, in a session's append-only log.

use anstyle::{AnsiColor, Color, Style};
use serde_json::json;
use waynote::{Kind, Note, SessionLog, already_noted, confirmation};

use super::Context;
use crate::args::LogCommand;
use crate::error::Outcome;
use crate::input;
use crate::table::table;

pub(super) fn run(context: &mut Context<'_>, command: &LogCommand) -> Outcome {
    match command {
        LogCommand::Add { text, kind } => {
            let session = context.settings.session()?.clone();
            let kind: Kind = kind.trim().parse()?;
            let (content, stamp) = (input::text(text)?, context.stamp()?);
            let iteration = context.settings.iteration.value;
            let note =
                context.write(|store| {
                    Ok(SessionLog::new(store, session).add(
                        kind.clone(),
                        iteration,
                        content,
                        &stamp,
                    )?)
                })?;
            let is_repeat = note.revision > 1;
            let mut value = json!(note);
            value["repeat"] = json!(is_repeat);
            context.output.answer(&value, || match is_repeat {
                true => already_noted(&note),
                false => confirmation(&kind, &note.content),
            })
        }
        LogCommand::List { kind } => {
            let session = context.settings.session()?.clone();
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
                let kind = note.kind.as_ref().map(Kind::to_string).unwrap_or_default();
                let mut row = vec![
                    self::iteration(note.iteration),
                    kind,
                    note.preview.clone(),
                    note.address.to_string(),
                ];
                if some_repeated {
                    row.insert(SEEN, note.revision.to_string());
                }
                row
            });
            context.output.line(table(&heading, rows))
        }
        LogCommand::Show => {
            let session = context.settings.session()?.clone();
            let notes = context.read(|store| Ok(SessionLog::new(store, session).list(None)?))?;
            if context.output.json {
                return context.output.value(&notes);
            }
            let text = display(
                &notes,
                context.output.has_colour(),
                context.output.is_terminal(),
            );
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

/// Where the count of an entry's repeats stands in the table.
const SEEN: usize = 2;

/// An iteration in a table.
pub(super) fn iteration(iteration: Option<i64>) -> String {
    iteration.map_or("-".into(), |iteration| format!("#{iteration}"))
}

/// The start-up display of source 001: the four types in colour, nothing when there are no notes.
fn display(notes: &[Note], colour: bool, terminal: bool) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let title = Style::new()
        .bold()
        .fg_color(Some(Color::Ansi(AnsiColor::Magenta)));
    let mut text = format!("\n{}\n", painted("SESSION NOTES", title, colour));
    for kind in Kind::ALL {
        let group: Vec<&Note> = notes
            .iter()
            .filter(|note| note.kind.as_ref() == Some(&kind))
            .collect();
        if group.is_empty() {
            continue;
        }
        let style = Style::new().fg_color(Some(Color::Ansi(match kind {
            Kind::Stuck => AnsiColor::Red,
            Kind::Learning => AnsiColor::Green,
            Kind::Tip => AnsiColor::Cyan,
            Kind::Decision | Kind::Other(_) => AnsiColor::Yellow,
        })));
        text.push_str(&format!(
            "\n{}\n",
            painted(&kind.as_str().to_uppercase(), style, colour)
        ));
        for note in group {
            let iteration = note
                .iteration
                .map_or(String::new(), |iteration| format!("[#{iteration}]"));
            let shown = note.content.shown();
            // A terminal would act on what a note holds; a pipe gets it as it is.
            let shown = if terminal {
                waynote::visible::lines(&shown)
            } else {
                shown.into_owned()
            };
            let seen = match note.seen() {
                Some(seen) if seen > 1 => format!(" ({seen} times)"),
                _ => String::new(),
            };
            text.push_str(&format!("  {iteration} {shown}{seen}\n"));
        }
    }
    text
}

/// The source's own sequences: the attribute and the colour in one.
fn painted(text: &str, style: Style, colour: bool) -> String {
    if !colour {
        return text.to_owned();
    }
    let number = match style.get_fg_color() {
        Some(Color::Ansi(colour)) => 30 + colour as u8,
        _ => 39,
    };
    let bold = if style.get_effects().contains(anstyle::Effects::BOLD) {
        "1;"
    } else {
        ""
    };
    format!("\u{1b}[{bold}{number}m{text}\u{1b}[0m")
}
