//! Sessions as people see them: the iterations, and the notes by type in colour.

use anstyle::{AnsiColor, Color, Style};
use waynote::event::IterationOutcome;
use waynote::session_state::{AgentSignal, Iteration};
use waynote::text::{cut, shell_word};
use waynote::{EntryType, Name, Note, SessionState, SessionStatus};

use crate::table::table;
use crate::{duration, program, when};

/// Iterations that are listed.
pub(crate) const LISTED: usize = 20;

/// A session's name as a word of a shell, in characters that a terminal only shows.
pub(crate) fn named(session: &Name) -> String {
    waynote::visible::visible(&shell_word(session.as_str()))
}

/// A part of the display with a title above it; nothing where there is nothing to show.
fn titled(title: &str, body: &str, colour: bool) -> String {
    let style = Style::new()
        .bold()
        .fg_color(Some(Color::Ansi(AnsiColor::Magenta)));
    format!("\n{}\n{body}", painted(title, style, colour))
}

/// The latest iterations, oldest first, each with its begin, duration, outcome and number of notes.
pub(crate) fn iterations(iterations: &[Iteration], is_live: bool, colour: bool) -> String {
    if iterations.is_empty() {
        return String::new();
    }
    let earlier = iterations.len().saturating_sub(LISTED);
    let last = iterations.last().map(|last| last.number);
    let rows = iterations[earlier..].iter().map(|of| {
        let ended = match of.outcome {
            Some(outcome) if outcome.is_success() && of.is_blocked => "blocked".into(),
            Some(outcome) => outcome.to_string(),
            None if is_live && Some(of.number) == last => "running".into(),
            None => "lost".into(),
        };
        let attempts = match of.attempts {
            0 | 1 => String::new(),
            attempts => format!(", {attempts} attempts"),
        };
        vec![
            format!("#{}", of.number),
            when::minute(of.started_at),
            of.duration.map_or("-".into(), duration::rounded),
            format!("{ended}{attempts}"),
            of.notes_added.to_string(),
        ]
    });
    let started = format!("started{}", when::zone_in_heading());
    let heading = ["iteration", &started, "took", "ended", "notes"];
    let mut body = format!("\n{}\n", table(&heading, rows));
    if earlier > 0 {
        body += &format!("and {earlier} earlier\n");
    }
    for of in &iterations[earlier..] {
        let Some(said) = &of.said else { continue };
        // One that came round after all failed before.
        let when = match of.outcome.is_some_and(IterationOutcome::is_success) {
            true => "at first failed",
            false => "failed",
        };
        body += &format!("#{} {when} with: {said}\n", of.number);
    }
    titled("ITERATIONS", &body, colour)
}

/// A text by an agent, each line with a mark before it, so that none of it reads as our own words.
pub(crate) fn quoted(text: &str) -> String {
    marked(text, "  | ")
}

/// Lines of our own that belong to the one above.
pub(crate) fn indented(text: &str) -> String {
    marked(text, "  ")
}

fn marked(text: &str, mark: &str) -> String {
    let text = waynote::secrets::masked(text);
    let lines = text.lines().map(waynote::visible::visible);
    let lines = lines.map(|line| format!("{}\n", format!("{mark}{line}").trim_end()));
    lines.collect()
}

/// The details of a session's state, in one line.
pub(crate) fn detail(status: &SessionStatus) -> String {
    match status.detail() {
        Some(detail) if status.state == SessionState::Waiting => format!("`{}`", one_line(&detail)),
        Some(detail) => one_line(&detail),
        None => String::new(),
    }
}

/// The colour of a state.
pub(crate) fn state_style(state: SessionState) -> Style {
    match state {
        SessionState::Waiting | SessionState::Answered => AnsiColor::Yellow,
        SessionState::Running => AnsiColor::Cyan,
        SessionState::Done => AnsiColor::Green,
        SessionState::NoLoop | SessionState::Stopped => return Style::new(),
        _ => AnsiColor::Red,
    }
    .on_default()
}

/// The beginning of a text in one line.
pub(crate) fn one_line(text: &str) -> String {
    const MOST: usize = 80;
    let text = waynote::secrets::masked(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = waynote::visible::visible(&words.join(" "));
    cut(&line, MOST).into_owned()
}

/// The state of a session: why its last loop ended, what its agent said at the end, who answered, and how it goes on.
/// Nothing if no loop has run in it.
pub(crate) fn status(status: &SessionStatus, session: &Name, again: Option<&str>) -> String {
    let state = status.state;
    if state == SessionState::NoLoop {
        return String::new();
    }
    let end = status.end.as_ref();
    let mut text = format!("\nstate: {state}\n");
    match (state, end.and_then(|end| end.detail.as_ref())) {
        // Its question and its answer follow.
        (SessionState::Waiting | SessionState::Answered, _) => {}
        (_, Some(detail)) => text.push_str(&indented(detail)),
        (_, None) => text.push_str(&indented(&status.detail().unwrap_or_default())),
    }
    match (&status.question, end.and_then(|end| end.signal.as_ref())) {
        (Some(asked), _) => text.push_str(&quoted(&asked.question)),
        (None, Some(AgentSignal::Completed(said) | AgentSignal::Blocked(said))) => {
            text.push_str(&quoted(said));
        }
        _ => {}
    }
    if let Some(given) = &status.answer {
        let (at, zone, answer) = (when::minute(given.at), when::zone(), quoted(&given.answer));
        text += &format!("answered by {} on {at}{zone}:\n{answer}", given.by);
    }
    let (program, name) = (program::called(), named(session));
    let again = match again {
        Some(again) => format!("`{again}`"),
        None => format!("`{program} --session {name} loop` and the rest of the loop's command"),
    };
    match state {
        SessionState::Waiting => text.push_str(&format!(
            "answer with `{program} answer {name} TEXT`; then go on: {again}\n"
        )),
        SessionState::Running | SessionState::Done => {}
        _ => text.push_str(&format!("to go on: {again}\n")),
    }
    text
}

/// The start-up display of ralph.nu: the four types in colour, nothing when there are no notes.
pub(crate) fn notes(notes: &[Note], colour: bool, terminal: bool) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for (kind, group) in EntryType::grouped(EntryType::ALL, notes) {
        let title = painted(&kind.as_str().to_uppercase(), style(&kind), colour);
        text.push_str(&format!("\n{title}\n"));
        for note in group {
            let iteration = note.iteration.map(|iteration| format!("[#{iteration}]"));
            let iteration = iteration.unwrap_or_default();
            let shown = note.content.shown();
            let shown = waynote::secrets::masked(&shown);
            // A terminal would act on control characters in a note; a pipe gets them as they are.
            let shown = match terminal {
                true => waynote::visible::lines(&shown),
                false => shown.into_owned(),
            };
            let seen = match note.seen() {
                Some(seen) if seen > 1 => format!(" ({seen} times)"),
                _ => String::new(),
            };
            let resolved = note.resolved_by.map_or("", |_| " (resolved)");
            text.push_str(&format!("  {iteration} {shown}{seen}{resolved}\n"));
        }
    }
    titled("SESSION NOTES", &text, colour)
}

/// A type's colour (as in ralph.nu).
pub(crate) fn style(kind: &EntryType) -> Style {
    Style::new().fg_color(Some(Color::Ansi(match kind {
        EntryType::Stuck => AnsiColor::Red,
        EntryType::Learning => AnsiColor::Green,
        EntryType::Tip => AnsiColor::Cyan,
        _ => AnsiColor::Yellow,
    })))
}

/// The source's own sequences: the attribute and the colour in one.
pub(crate) fn painted(text: &str, style: Style, colour: bool) -> String {
    if !colour {
        return text.to_owned();
    }
    let number = match style.get_fg_color() {
        Some(Color::Ansi(colour)) => 30 + colour as u8,
        _ => 39,
    };
    let bold = match style.get_effects().contains(anstyle::Effects::BOLD) {
        true => "1;",
        false => "",
    };
    format!("\u{1b}[{bold}{number}m{text}\u{1b}[0m")
}

/// True if standard error is coloured.
pub(crate) fn stderr_has_colour() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
}
