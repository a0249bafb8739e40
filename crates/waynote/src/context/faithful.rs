//! The sections as Zrb, ralph.nu and openotters write them, byte for byte, except for credentials and for tags of agent
//! clients.

use jiff::Timestamp;

use super::age::age;
use super::{Request, Section};
use crate::address::Address;
use crate::content::is_space;
use crate::model::lineage::Lineage;
use crate::note::{EntryType, Note};
use crate::secrets::masked;
use crate::visible::without_tags;

/// The notes that apply, with their whole texts.
pub(super) struct Notes {
    /// Most recently updated first.
    pub(super) notebook: Vec<Note>,
    /// Outermost place first.
    pub(super) places: Vec<Note>,
    /// Oldest first, without entries of this or later iterations, and without entries that have no iteration.
    pub(super) iterations: Vec<Note>,
}

pub(super) fn section(section: Section, notes: &Notes, request: &Request) -> String {
    match section {
        Section::Pinned => pinned(notes.notebook.iter().filter(|note| note.pinned)),
        Section::Places => places(&notes.places, &request.lineage),
        Section::Index => index(&notes.notebook, request.now),
        Section::Iterations => iterations(&notes.iterations),
    }
}

/// openotters: each note whole under a heading, trimmed, with a blank line between notes.
fn pinned<'n>(notes: impl Iterator<Item = &'n Note>) -> String {
    let blocks: Vec<String> = notes
        .map(|note| format!("## {}\n\n{}\n", key(note), said(note).trim()))
        .collect();
    blocks.join("\n")
}

/// openotters: the table of keys, ages and previews, and its hint.
fn index(notes: &[Note], now: Timestamp) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut text =
        "## Notes\n\n| Key | Updated | Preview |\n|-----|---------|---------|\n".to_owned();
    for note in notes {
        let preview = without_tags(&note.preview);
        let preview = preview.replace('\n', " ").replace('|', "\\|");
        let (key, age) = (key(note), age(now, note.updated_at));
        text.push_str(&format!("| `{key}` | {age} | {preview} |\n"));
    }
    text.push_str(
        "\nNotes persist across sessions. Use `note_show <key>` for full content; \
         `note_save` / `note_delete` to mutate.\n",
    );
    text
}

/// Zrb: the places, outermost first. It trims each note and demotes headings outside fences; a fence that a note leaves
/// open continues through the notes after it. A place of the repository has the name of its directory here.
fn places(notes: &[Note], lineage: &Lineage) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let block = |note: &Note| {
        let name = match &note.address {
            Address::Place(place) => lineage.path_of(place).to_string(),
            Address::PlaceKey(place, key) => format!("{}#{key}", lineage.path_of(place)),
            address => address.scope().name().to_owned(),
        };
        let name = masked(&name);
        format!("**{name}**:\n{}\n", said(note).trim_matches(is_space))
    };
    let blocks: Vec<String> = notes.iter().map(block).collect();
    format!(
        "### Notes & Context\n{}\n",
        demoted(blocks.join("\n").trim_matches(is_space))
    )
}

/// Moves every heading one level down, except inside fences (as Zrb does).
fn demoted(text: &str) -> String {
    let mut open: Vec<(char, usize)> = Vec::new();
    let lines = text.split('\n').map(|line| demoted_line(line, &mut open));
    let lines: Vec<String> = lines.collect();
    lines.join("\n").trim_end_matches(is_space).to_owned()
}

fn demoted_line(line: &str, open: &mut Vec<(char, usize)>) -> String {
    let stripped = line.trim_matches(is_space);
    if let Some(fence) = fence(stripped) {
        let (char, length) = fence;
        match open.last() {
            Some((opened, at_least)) if *opened == char && length >= *at_least => {
                open.pop();
            }
            _ => open.push(fence),
        }
        return line.to_owned();
    }
    let level = line.chars().take_while(|char| *char == '#').count();
    let heading = (1..=6).contains(&level) && line[level..].starts_with(is_space);
    if open.is_empty() && heading {
        format!("#{line}")
    } else {
        line.to_owned()
    }
}

/// The leading run of three or more backticks and tildes, even mixed, as Zrb reads it.
fn fence(line: &str) -> Option<(char, usize)> {
    let first = line.chars().next()?;
    let length = line
        .chars()
        .take_while(|char| matches!(char, '`' | '~'))
        .count();
    (length >= 3).then_some((first, length))
}

/// ralph.nu: the four types; only the title if all entries have other types.
fn iterations(notes: &[Note]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut lines = vec!["## Notes from Previous Iterations".to_owned()];
    for (kind, group) in EntryType::grouped(EntryType::ALL, notes) {
        lines.push(format!("{}:", kind.as_str().to_uppercase()));
        for note in group {
            let iteration = note.iteration.unwrap_or_default();
            lines.push(format!("  - [#{iteration}] {}", said(note)));
        }
    }
    lines.join("\n")
}

/// The text of a note, except for credentials and for tags that agent clients take for their own. No program that moves
/// to waynote needs those in a prompt.
fn said(note: &Note) -> String {
    without_tags(&masked(&note.content.shown())).into_owned()
}

fn key(note: &Note) -> String {
    masked(&note.address.key().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::content::{Content, ContentHash};
    use crate::key::Name;
    use crate::note::{Source, micros};

    fn cases() -> Value {
        let text = include_str!("../../tests/fixtures/reference/gonotes/cases.json");
        serde_json::from_str(text).unwrap()
    }

    fn note(case: &Value, now: Timestamp) -> Note {
        let agent: Name = "default".parse().unwrap();
        let age = jiff::SignedDuration::from_secs(case["age_s"].as_i64().unwrap_or(0));
        let text = case["content"].as_str().unwrap_or_default();
        Note {
            address: Address::Agent(
                agent.clone(),
                case["key"].as_str().unwrap().parse().unwrap(),
            ),
            content: Content::imported(text),
            preview: case["preview"].as_str().unwrap_or_default().to_owned(),
            kind: None,
            iteration: None,
            resolved_by: None,
            cites: Vec::new(),
            pinned: true,
            revision: 1,
            author: agent,
            created_at: now,
            updated_at: micros(now - age),
            source: Source::Own,
        }
    }

    fn notes(case: &Value, now: Timestamp) -> Vec<Note> {
        case["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|case| note(case, now))
            .collect()
    }

    #[test]
    fn tables_are_as_recorded() {
        let cases = cases();
        let now: Timestamp = cases["meta"]["now"].as_str().unwrap().parse().unwrap();
        for case in cases["prompt_section"].as_array().unwrap() {
            let text = index(&notes(case, now), now);
            let hash: ContentHash = Content::imported(text.as_str()).hash();
            assert_eq!(
                hash.to_string(),
                case["want"]["sha256"].as_str().unwrap(),
                "{}",
                case["name"]
            );
        }
    }

    #[test]
    fn pinned_blocks_are_as_the_text_has_them() {
        // The text has no heading above the notes, and theirs at level two.
        let above = "## Pinned notes\n\n{{PINNED_INTRO}}\n\n";
        let (cases, now) = (cases(), Timestamp::UNIX_EPOCH);
        for case in cases["pinned_block"].as_array().unwrap() {
            let notes = notes(case, now);
            let mut want = case["want"]["text"]
                .as_str()
                .unwrap()
                .replacen(above, "", 1);
            for note in &notes {
                want = want.replacen(
                    &format!("### {}", key(note)),
                    &format!("## {}", key(note)),
                    1,
                );
            }
            assert_eq!(pinned(notes.iter()), want, "{}", case["name"]);
        }
    }
}
