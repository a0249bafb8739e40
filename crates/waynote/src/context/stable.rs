//! The sections in bytes that stay: a fixed order, absolute dates, what changes most often last.

use std::fmt::Write;

use jiff::Timestamp;

use super::{Notes, Section};
use crate::note::{Kind, Note};

pub(super) fn section(section: Section, notes: &Notes) -> String {
    match section {
        Section::Pinned => whole("## Pinned notes", &by_key(&notes.notebook, true)),
        Section::Places => whole(
            "## Notes of this place",
            &notes.places.iter().collect::<Vec<_>>(),
        ),
        Section::Index => index(&by_key(&notes.notebook, false)),
        Section::Iterations => iterations(&notes.iterations),
    }
}

fn by_key(notes: &[Note], pinned: bool) -> Vec<&Note> {
    let mut notes: Vec<&Note> = notes.iter().filter(|note| note.pinned == pinned).collect();
    notes.sort_by_cached_key(|note| note.address.key());
    notes
}

fn whole(title: &str, notes: &[&Note]) -> String {
    let mut text = String::new();
    if !notes.is_empty() {
        text.push_str(title);
        text.push('\n');
    }
    for note in notes {
        let body = note.content.shown();
        let _ = write!(
            text,
            "\n### `{}` ({})\n\n{}\n",
            note.address,
            date(note.updated_at),
            body.trim()
        );
    }
    text
}

fn index(notes: &[&Note]) -> String {
    let mut text = String::new();
    if !notes.is_empty() {
        text.push_str("## Other notes\n\n");
    }
    for note in notes {
        let _ = writeln!(
            text,
            "- `{}` ({}): {}",
            note.address,
            date(note.updated_at),
            note.preview
        );
    }
    text
}

/// The four types in their order, then the others by name.
fn iterations(notes: &[Note]) -> String {
    let mut kinds: Vec<Kind> = Kind::ALL.to_vec();
    let mut others: Vec<&Kind> = notes.iter().filter_map(|note| note.kind.as_ref()).collect();
    others.retain(|kind| matches!(kind, Kind::Other(_)));
    others.sort_by_key(|kind| kind.as_str());
    others.dedup();
    kinds.extend(others.into_iter().cloned());
    let mut text = String::new();
    if !notes.is_empty() {
        text.push_str("## Notes from previous iterations\n");
    }
    for kind in kinds {
        let mut group = notes
            .iter()
            .filter(|note| note.kind.as_ref() == Some(&kind))
            .peekable();
        if group.peek().is_some() {
            let _ = write!(text, "\n{}:\n", heading(&kind));
        }
        for note in group {
            let iteration = note
                .iteration
                .map_or("[-]".into(), |iteration| format!("[#{iteration}]"));
            let _ = writeln!(text, "- {iteration} {}", note.content.shown().trim_end());
        }
    }
    text
}

fn date(time: Timestamp) -> String {
    jiff::tz::Offset::UTC.to_datetime(time).date().to_string()
}

/// A type in capitals. Other programs allow anything in one: line ends must not make lines.
fn heading(kind: &Kind) -> String {
    let word = kind
        .as_str()
        .to_uppercase()
        .replace(|char: char| char.is_control(), " ");
    if word.trim().is_empty() {
        "WITHOUT A TYPE".into()
    } else {
        word
    }
}
