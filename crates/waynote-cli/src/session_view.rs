//! How a session is shown to people: what its iterations were, and its notes by type in colour.

use anstyle::{AnsiColor, Color, Style};
use waynote::event::{EndReason, IterationOutcome};
use waynote::loops::LoopState;
use waynote::session_state::{AgentSignal, End, Iteration};
use waynote::text::{cut, minute, shell_word};
use waynote::{EntryType, Name, Note};

use crate::duration;
use crate::table::table;

/// Iterations that are listed.
pub(crate) const LISTED: usize = 20;

/// A part of the display with a title above it; nothing where there is nothing to show.
fn titled(title: &str, body: &str, colour: bool) -> String {
    let style = Style::new()
        .bold()
        .fg_color(Some(Color::Ansi(AnsiColor::Magenta)));
    format!("\n{}\n{body}", painted(title, style, colour))
}

/// The latest iterations, oldest first: when each began, how long it took, how it ended, what it noted.
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
            minute(of.started_at),
            of.duration.map_or("-".into(), duration::rounded),
            format!("{ended}{attempts}"),
            of.notes_added.to_string(),
        ]
    });
    let heading = ["iteration", "started (UTC)", "took", "ended", "notes"];
    let mut body = format!("\n{}\n", table(&heading, rows));
    if earlier > 0 {
        body.push_str(&format!("and {earlier} earlier\n"));
    }
    for of in &iterations[earlier..] {
        // One that came round after all failed before.
        let when = match of.outcome.is_some_and(IterationOutcome::is_success) {
            true => "at first failed",
            false => "failed",
        };
        if let Some(said) = &of.said {
            body.push_str(&format!("#{} {when} with: {said}\n", of.number));
        }
    }
    titled("ITERATIONS", &body, colour)
}

/// What an agent said, each line with a mark before it: none of it reads as what we say.
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

/// How a session stands, in a few words.
pub(crate) fn standing(standing: &LoopState) -> String {
    match standing {
        LoopState::Running => "running".into(),
        LoopState::Lost => "lost: its loop was killed".into(),
        LoopState::Ended(End {
            reason: EndReason::Blocked,
            signal: Some(AgentSignal::Blocked(question)),
            ..
        }) => format!("blocked: `{}`", one_line(question)),
        LoopState::Ended(end) => reason(end.reason).into(),
        _ => "-".into(),
    }
}

/// The beginning of a text in one line.
fn one_line(text: &str) -> String {
    const MOST: usize = 80;
    let text = waynote::secrets::masked(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = waynote::visible::visible(&words.join(" "));
    cut(&line, MOST).into_owned()
}

/// Why a loop ended, as people say it.
fn reason(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Iterations => "iterations done",
        EndReason::Time => "time limit reached",
        EndReason::Until => "text printed",
        other => other.as_str(),
    }
}

/// Why the last loop stopped, what its agent said at the end, and what to do where it waits for somebody.
pub(crate) fn end(end: &End, session: &Name) -> String {
    let mut text = format!("\nstopped: {}\n", reason(end.reason));
    if let Some(detail) = &end.detail {
        text.push_str(&indented(detail));
    }
    if let Some(AgentSignal::Completed(said) | AgentSignal::Blocked(said)) = &end.signal {
        text.push_str(&quoted(said));
    }
    if end.reason == EndReason::Blocked {
        let session = shell_word(session.as_str());
        text.push_str(&format!(
            "continue with `waynote --session {session} loop --answer TEXT` and the rest of the loop's command\n"
        ));
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
            let iteration = note
                .iteration
                .map_or(String::new(), |iteration| format!("[#{iteration}]"));
            let shown = note.content.shown();
            let shown = waynote::secrets::masked(&shown);
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
    let bold = if style.get_effects().contains(anstyle::Effects::BOLD) {
        "1;"
    } else {
        ""
    };
    format!("\u{1b}[{bold}{number}m{text}\u{1b}[0m")
}

/// Whether to colour what is said on standard error.
pub(crate) fn stderr_has_colour() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
}
