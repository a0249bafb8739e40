//! The graph of the MCP server `server-memory`: a file with an entity or a relation as JSON on each line.

use std::collections::BTreeMap;
use std::path::Path;

use indexmap::IndexSet;
use serde::Deserialize;
#[cfg(doc)]
use waynote::Error;
use waynote::{Address, Content, Key, Result, Scope};

use crate::files::key;
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::{self, Lines, unreadable};

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    name: "server-memory",
    about: "The file of the MCP server `server-memory`: a note for each entity, in the agent's notebook",
    details: "",
    takes: SourceKind::Source {
        help: "The file, memory.jsonl as a rule",
        read,
    },
    usual: &[],
    loaded_by: &[],
};

/// The known fields of a line; others take no memory.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: LineKind,
    name: Option<String>,
    #[serde(rename = "entityType", default)]
    entity_type: String,
    #[serde(default)]
    observations: Vec<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(rename = "relationType", default)]
    relation_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LineKind {
    Entity,
    Relation,
}

#[derive(Default)]
struct Entity {
    /// Names with the same key are one note.
    headings: IndexSet<String>,
    facts: IndexSet<String>,
}

struct Relation {
    line: String,
    from: String,
    text: String,
}

/// Reads a file. An entity becomes a keyed note of `scope`, with what was observed and its relations to others, a line
/// each. A line that cannot be read is left out with its number.
///
/// # Errors
/// [`Error::File`] when the file cannot be read.
pub fn read(path: &Path, scope: &Scope) -> Result<ForeignNotes> {
    let (bytes, written_at) = source::read(path)?;
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Here)?;
    let mut entities: BTreeMap<Key, Entity> = BTreeMap::new();
    let mut relations = Vec::new();
    // Editors on Windows begin a file with a byte order mark.
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let mut lines = Lines::of(text);
    while let Some((number, line)) = lines
        .next(&mut incoming)
        .map_err(|error| unreadable(path, error))?
    {
        let refused = match serde_json::from_slice(line) {
            Ok(Line {
                kind: LineKind::Entity,
                name: Some(name),
                entity_type,
                observations,
                ..
            }) => {
                let entity = entities.entry(key(&name)?).or_default();
                entity.headings.insert(match entity_type.as_str() {
                    "" => name,
                    entity_type => format!("{name} ({entity_type})"),
                });
                let facts = observations.into_iter().filter(|fact| !fact.is_empty());
                entity.facts.extend(facts);
                continue;
            }
            Ok(Line {
                kind: LineKind::Relation,
                from: Some(from),
                to: Some(to),
                relation_type,
                ..
            }) => {
                relations.push(Relation {
                    line: number,
                    from,
                    text: format!("{relation_type}: {to}"),
                });
                continue;
            }
            Ok(Line {
                kind: LineKind::Entity,
                ..
            }) => "missing field `name`".into(),
            Ok(Line { from: None, .. }) => "missing field `from`".into(),
            Ok(_) => "missing field `to`".into(),
            Err(error) => error.to_string(),
        };
        incoming.skip(number, refused);
    }
    for Relation { line, from, text } in relations {
        match entities.get_mut(&key(&from)?) {
            Some(entity) => {
                entity.facts.insert(text);
            }
            None => {
                let reason = format!("it is about `{from}`, which is no entity of the file");
                incoming.skip(line, reason);
            }
        }
    }
    for (key, entity) in entities {
        let headings: Vec<String> = entity.headings.into_iter().collect();
        let mut text = headings.join(", ");
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
