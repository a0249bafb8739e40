//! The graph of the MCP server `server-memory`: a file with an entity or a relation as JSON on each line.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use waynote::{Address, Content, Error, Key, Result, Scope};

use crate::files::key;
use crate::format::{Format, Takes};
use crate::incoming::{Incoming, Precedence};

/// What is known of this format.
pub const FORMAT: Format = Format {
    name: "server-memory",
    about: "The file of the MCP server `server-memory`: a note for each entity, in the agent's notebook",
    details: "",
    takes: Takes::Source {
        help: "The file, memory.jsonl as a rule",
        read,
    },
};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Entity {
        name: String,
        #[serde(rename = "entityType", default)]
        kind: String,
        #[serde(default)]
        observations: Vec<String>,
    },
    Relation {
        from: String,
        to: String,
        #[serde(rename = "relationType", default)]
        kind: String,
    },
}

#[derive(Default)]
struct Entity {
    /// Names that come to the same key are one note.
    headings: Vec<String>,
    facts: Vec<String>,
}

/// Reads a file. An entity becomes a keyed note of `scope`, with what was observed and its relations to others, a line
/// each. A line that cannot be read is left out with its number.
///
/// # Errors
/// [`Error::File`] when the file cannot be read.
pub fn read(path: &Path, scope: &Scope) -> Result<Incoming> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, "read", error))?;
    let written_at = std::fs::metadata(path)
        .and_then(|file| file.modified())
        .ok()
        .and_then(|time| time.try_into().ok());
    let mut incoming = Incoming::of(FORMAT.name, Precedence::Here)?;
    let mut entities: BTreeMap<String, (Key, Entity)> = BTreeMap::new();
    let mut relations = Vec::new();
    // Editors on Windows begin a file with a byte order mark.
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let place = format!("line {}", number + 1);
        match serde_json::from_slice(line) {
            Ok(Line::Entity {
                name,
                kind,
                observations,
            }) => {
                let key = key(&name)?;
                let (_, entity) = entities
                    .entry(key.to_string())
                    .or_insert_with(|| (key, Entity::default()));
                let heading = match kind.as_str() {
                    "" => name,
                    kind => format!("{name} ({kind})"),
                };
                if !entity.headings.contains(&heading) {
                    entity.headings.push(heading);
                }
                for fact in observations {
                    if !entity.facts.contains(&fact) {
                        entity.facts.push(fact);
                    }
                }
            }
            Ok(Line::Relation { from, to, kind }) => relations.push((place, from, to, kind)),
            Err(error) => incoming.skip(place, error.to_string()),
        }
    }
    for (place, from, to, kind) in relations {
        match entities.get_mut(key(&from)?.as_str()) {
            Some((_, entity)) => entity.facts.push(format!("{kind}: {to}")),
            None => {
                let reason = format!("it is about `{from}`, which is no entity of the file");
                incoming.skip(place, reason);
            }
        }
    }
    for (_, (key, entity)) in entities {
        let mut text = entity.headings.join(", ");
        for fact in &entity.facts {
            text.push_str("\n- ");
            text.push_str(fact);
        }
        let address = Address::keyed(scope, key)?;
        let name = address.to_string();
        incoming.push_text(&name, address, Content::imported(text), written_at);
    }
    Ok(incoming)
}
