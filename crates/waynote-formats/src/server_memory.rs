//! The graph of the MCP server `server-memory`: a file with an entity or a relation as JSON on each line.

use std::collections::BTreeMap;
use std::path::Path;

use indexmap::IndexSet;
use serde::Deserialize;
use serde_json::Value;
#[cfg(doc)]
use waynote::Error;
use waynote::json::mend;
use waynote::{Address, Content, Result, Scope};

use crate::files::key;
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::{self, Lines, unreadable};

/// The format, for a list of formats.
pub const FORMAT: Format = Format::new(
    "server-memory",
    "The file of the MCP server `server-memory`: a note for each entity, in the agent's notebook",
    SourceKind::Source {
        help: "The file, memory.jsonl as a rule",
        read,
    },
);

/// The known fields of an entity and of a relation, of any kind: one odd value costs no record.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Record {
    #[serde(rename = "type")]
    kind: Value,
    name: Value,
    entity_type: Value,
    observations: Value,
    from: Value,
    to: Value,
    relation_type: Value,
}

const NO_RECORD: &str = "it is no entity and no relation";

#[derive(Default)]
struct Entity {
    headings: IndexSet<String>,
    facts: IndexSet<String>,
}

/// Reads a file. An entity becomes a keyed note of `scope`, with what was observed and its relations to others, a line
/// each. What cannot be read is left out with its line.
///
/// # Errors
/// [`Error::File`] when the file cannot be read.
pub fn read(path: &Path, scope: &Scope) -> Result<ForeignNotes> {
    let (bytes, written_at) = source::read(path)?;
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Here)?;
    let mut entities: BTreeMap<String, Entity> = BTreeMap::new();
    // Where each stands, the entity that it is about, and its text.
    let mut relations = Vec::new();
    let mut lines = Lines::of(&*bytes);
    let unreadable = |error| unreadable(path, error);
    while let Some((at, line)) = lines.next(&mut incoming).map_err(unreadable)? {
        let record: Record = match serde_json::from_slice(&mend(line)) {
            Ok(record) => record,
            Err(error) if error.is_data() => {
                incoming.skip(at, NO_RECORD);
                continue;
            }
            Err(error) => {
                incoming.skip(at, error.to_string());
                continue;
            }
        };
        let [name, from, to] = [&record.name, &record.from, &record.to].map(text_of);
        let reason = match (record.kind.as_str(), name, from, to) {
            (Some("entity"), Some(name), ..) => {
                let entity = entities.entry(name.clone()).or_default();
                entity.headings.insert(match text_of(&record.entity_type) {
                    None => name,
                    Some(entity_type) => format!("{name} ({entity_type})"),
                });
                let facts = match &record.observations {
                    Value::Array(facts) => facts,
                    one => std::slice::from_ref(one),
                };
                entity.facts.extend(facts.iter().filter_map(text_of));
                continue;
            }
            (Some("relation"), _, Some(from), Some(to)) => {
                let relation_type = text_of(&record.relation_type).unwrap_or_default();
                relations.push((at, from, format!("{relation_type}: {to}")));
                continue;
            }
            (Some("entity"), ..) => "it has no name",
            (Some("relation"), ..) => "it does not say `from` and `to`",
            _ => NO_RECORD,
        };
        incoming.skip(at, reason);
    }
    for (at, from, text) in relations {
        match entities.get_mut(&from) {
            Some(entity) => drop(entity.facts.insert(text)),
            None => {
                let reason = format!("it is about `{from}`, which is no entity of the file");
                incoming.skip(at, reason);
            }
        }
    }
    for (name, entity) in entities {
        let headings: Vec<String> = entity.headings.into_iter().collect();
        let facts = entity.facts.iter().map(|fact| format!("\n- {fact}"));
        let content = Content::imported(headings.join(", ") + &facts.collect::<String>());
        let address = Address::keyed(scope, key(&name)?)?;
        incoming.push_text(&name, &name, address, content, written_at);
    }
    Ok(incoming)
}

/// A value as a text: a number and whatever else is no text as it stands. None for null and for an empty text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_value_costs_no_record() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("memory.jsonl");
        let lines = br#"
{"type":"entity","name":"db","entityType":null,"observations":["a", 5, null, {"b": 1}, true]}
{"type":"entity","name":7,"observations":"one"}
{"type":"entity","name":"cut","observations":["half \ud83d"]}
{"type":"relation","from":"db","to":"two","relationType":"uses"}
{"type":"relation","from":"nobody","to":"two"}
null
{"type":"entity","observations":["x"]}
{"type":"pet","name":"x"}
{"type":"entity","name":"last","observations":["x"]} and more
"#;
        std::fs::write(&path, lines).unwrap();
        let read = read(&path, &Scope::Agent("a".parse().unwrap())).unwrap();
        let notes = read.notes().iter();
        let notes = notes.map(|note| format!("{}\n{}\n", note.address, note.content.shown()));
        let skipped = read.skipped().iter();
        let skipped = skipped.map(|skipped| format!("{}: {}\n", skipped.what, skipped.reason));
        insta::assert_snapshot!(notes.chain(skipped).collect::<String>(), @r#"
        agent:a#7
        7
        - one
        agent:a#cut
        cut
        - half �
        agent:a#db
        db
        - a
        - 5
        - {"b":1}
        - true
        - uses: two
        line 7: it is no entity and no relation
        line 8: it has no name
        line 9: it is no entity and no relation
        line 10: trailing characters at line 1 column 54
        line 6: it is about `nobody`, which is no entity of the file
        "#);
    }
}
