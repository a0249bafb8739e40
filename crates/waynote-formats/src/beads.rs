//! The JSONL file of beads: an issue or a memory on each line.

use std::path::Path;

use serde::Deserialize;
use waynote::{Address, Content, Result, Scope};

use crate::files::key;
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::{self, Lines, unreadable};

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    name: "beads",
    about: "The issues.jsonl of beads: a note for each memory and each open issue, in the agent's notebook",
    details: "",
    takes: SourceKind::Source {
        help: "The file, .beads/issues.jsonl as a rule",
        read,
    },
    usual: &[".beads/issues.jsonl"],
    loaded_by: &[],
};

/// The known fields of a line: those of a memory, and those of an issue.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Line {
    key: String,
    value: String,
    id: String,
    title: String,
    status: String,
    description: String,
    design: String,
    notes: String,
    acceptance_criteria: String,
}

impl Line {
    /// The name of the note, and its text; none for an issue that is not open.
    fn note(self) -> Option<(String, String)> {
        if !self.key.is_empty() {
            return Some((self.key, self.value));
        }
        if self.id.is_empty() || matches!(self.status.as_str(), "closed" | "tombstone") {
            return None;
        }
        let parts = [
            self.title,
            self.description,
            self.design,
            self.acceptance_criteria,
            self.notes,
        ];
        let parts = parts.iter().map(|part| part.trim());
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        Some((self.id, parts.join("\n\n")))
    }
}

/// Reads a file. A line that cannot be read is left out with its number; issues that are closed are passed over.
///
/// # Errors
/// [`waynote::Error::File`] when the file cannot be read.
pub fn read(path: &Path, scope: &Scope) -> Result<ForeignNotes> {
    let (bytes, written_at) = source::read(path)?;
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Here)?;
    let mut lines = Lines::of(&*bytes);
    while let Some((number, line)) = lines
        .next(&mut incoming)
        .map_err(|error| unreadable(path, error))?
    {
        match serde_json::from_slice::<Line>(line) {
            Err(error) => incoming.skip(number, format!("it is no issue and no memory: {error}")),
            Ok(line) => {
                if let Some((name, text)) = line.note() {
                    let address = Address::keyed(scope, key(&name)?)?;
                    incoming.push_text(&number, address, Content::imported(text), written_at);
                }
            }
        }
    }
    Ok(incoming)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_and_open_issues_are_notes() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("issues.jsonl");
        let lines = [
            r#"{"id":"shop-1a","title":"Prices","description":"in cents","status":"open","priority":1}"#,
            r#"{"id":"shop-2b","title":"Done","status":"closed"}"#,
            "",
            r#"{"_type":"memory","key":"build","value":"make all"}"#,
            "7",
            "no JSON",
        ];
        std::fs::write(&file, lines.join("\n")).unwrap();
        let scope = Scope::Agent("a".parse().unwrap());
        let incoming = read(&file, &scope).unwrap();
        let notes = incoming.notes().iter();
        let notes: Vec<String> = notes
            .map(|note| format!("{}: {}", note.address, note.content.shown()))
            .collect();
        assert_eq!(
            notes,
            [
                "agent:a#shop-1a: Prices\n\nin cents",
                "agent:a#build: make all"
            ]
        );
        let skipped = incoming.skipped().iter();
        let skipped: Vec<&str> = skipped.map(|skipped| skipped.what.as_str()).collect();
        assert_eq!(skipped, ["line 5", "line 6"]);
    }
}
