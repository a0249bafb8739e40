//! The graph of the MCP server `server-memory`: a file with an entity or a relation as JSON on each line, or the whole
//! graph as one document.

use std::collections::BTreeMap;
use std::path::Path;

use indexmap::IndexSet;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
#[cfg(doc)]
use waynote::Error;
use waynote::json::mend;
use waynote::{Address, Content, Result, Scope};

use crate::files::key;
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::{self, Lines, decoded, unreadable};

/// The format, for a list of formats.
pub const FORMAT: Format = Format::new(
    "server-memory",
    "The file of the MCP server `server-memory`: a note for each entity, in the agent's notebook",
    SourceKind::Source(read),
);

/// The known fields of an entity, of a relation, and of a whole graph. Those of any kind are a [`Value`]: one odd value
/// costs no record.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Record<'j> {
    #[serde(rename = "type")]
    kind: Value,
    name: Value,
    entity_type: Value,
    observations: Value,
    from: Value,
    to: Value,
    relation_type: Value,
    #[serde(borrow)]
    entities: Option<Vec<&'j RawValue>>,
    #[serde(borrow)]
    relations: Option<Vec<&'j RawValue>>,
}

const NO_RECORD: &str = "it is no entity and no relation";

/// The longest document: its values take more memory than their text.
const MAX_DOCUMENT: usize = 64 << 20;

#[derive(Default)]
struct Entity {
    headings: IndexSet<String>,
    facts: IndexSet<String>,
}

/// The graph as far as it is read.
struct Graph {
    entities: BTreeMap<String, Entity>,
    /// Where each stands, the entity that it is about, and its text.
    relations: Vec<(String, String, String)>,
    incoming: ForeignNotes,
}

/// Reads a file. An entity becomes a keyed note of `scope`, with what was observed and its relations to others, a line
/// each. What cannot be read is left out with its line.
///
/// # Errors
/// [`Error::File`] when the file cannot be read.
pub fn read(path: &Path, scope: &Scope) -> Result<ForeignNotes> {
    let (mut bytes, written_at) = source::read(path)?;
    let mut graph = Graph {
        entities: BTreeMap::new(),
        relations: Vec::new(),
        incoming: ForeignNotes::of(FORMAT.name, Precedence::Here)?,
    };
    // In UTF-8, a line that is not costs that line alone.
    if let Ok(text) = decoded(bytes.clone()) {
        if text.len() <= MAX_DOCUMENT && serde_json::from_str::<&RawValue>(&text).is_ok() {
            graph.take_text("the file", &text);
            return graph.notes(scope, written_at);
        }
        bytes = text.into_bytes();
    }
    let mut lines = Lines::of(&*bytes);
    let unreadable = |error| unreadable(path, error);
    while let Some((at, line)) = lines.next(&mut graph.incoming).map_err(unreadable)? {
        match decoded(line.to_vec()) {
            Ok(line) => graph.take_text(&at, &line),
            Err(reason) => graph.incoming.skip(at, reason),
        }
    }
    graph.notes(scope, written_at)
}

impl Graph {
    /// Reads the records in a text, which may be in lists.
    fn take_text(&mut self, at: &str, text: &str) {
        let text = mend(text.as_bytes());
        for record in serde_json::Deserializer::from_slice(&text).into_iter::<&RawValue>() {
            match record.map(RawValue::get) {
                Ok(list) if list.starts_with('[') => {
                    let records: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
                    self.take_all(at, &records, "");
                }
                Ok(record) => self.take(at, record, ""),
                Err(error) => self.incoming.skip(at, error.to_string()),
            }
        }
    }

    fn take_all(&mut self, at: &str, records: &[&RawValue], kind: &str) {
        for record in records {
            self.take(at, record.get(), kind);
        }
    }

    /// Reads a record of a kind, unless it names its own; without a kind, it may be a whole graph.
    fn take(&mut self, at: &str, text: &str, kind: &str) {
        let record: Record<'_> = match serde_json::from_str(text) {
            Ok(record) => record,
            Err(error) if error.is_data() => return self.incoming.skip(at, NO_RECORD),
            Err(error) => return self.incoming.skip(at, error.to_string()),
        };
        if kind.is_empty() && (record.entities.is_some() || record.relations.is_some()) {
            self.take_all(at, &record.entities.unwrap_or_default(), "entity");
            self.take_all(at, &record.relations.unwrap_or_default(), "relation");
            return;
        }
        let [name, from, to] = [&record.name, &record.from, &record.to].map(text_of);
        let reason = match (record.kind.as_str().unwrap_or(kind), name, from, to) {
            ("entity", Some(name), ..) => {
                let entity = self.entities.entry(name.clone()).or_default();
                entity.headings.insert(match text_of(&record.entity_type) {
                    None => name,
                    Some(entity_type) => format!("{name} ({entity_type})"),
                });
                let facts = match &record.observations {
                    Value::Array(facts) => facts,
                    one => std::slice::from_ref(one),
                };
                return (entity.facts).extend(facts.iter().filter_map(text_of));
            }
            ("relation", _, Some(from), Some(to)) => {
                let relation_type = text_of(&record.relation_type).unwrap_or_default();
                let text = format!("{relation_type}: {to}");
                return self.relations.push((at.to_owned(), from, text));
            }
            ("entity", ..) => "it has no name",
            ("relation", ..) => "it does not say `from` and `to`",
            _ => NO_RECORD,
        };
        self.incoming.skip(at, reason);
    }

    /// A note for each entity.
    fn notes(mut self, scope: &Scope, written_at: Option<Timestamp>) -> Result<ForeignNotes> {
        for (at, from, text) in self.relations {
            match self.entities.get_mut(&from) {
                Some(entity) => drop(entity.facts.insert(text)),
                None => {
                    let reason = format!("it is about `{from}`, which is no entity of the file");
                    self.incoming.skip(at, reason);
                }
            }
        }
        for (name, entity) in self.entities {
            let headings: Vec<String> = entity.headings.into_iter().collect();
            let facts = entity.facts.iter().map(|fact| format!("\n- {fact}"));
            let content = Content::imported(headings.join(", ") + &facts.collect::<String>());
            let address = Address::keyed(scope, key(&name)?)?;
            self.incoming
                .push_text(&name, &name, address, content, written_at);
        }
        Ok(self.incoming)
    }
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

    fn read_bytes(bytes: &[u8]) -> String {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("memory.jsonl");
        std::fs::write(&path, bytes).unwrap();
        let read = read(&path, &Scope::Agent("a".parse().unwrap())).unwrap();
        let notes = read.notes().iter();
        let notes = notes.map(|note| format!("{}\n{}\n", note.address, note.content.shown()));
        let skipped = read.skipped().iter();
        let skipped = skipped.map(|skipped| format!("{}: {}\n", skipped.what, skipped.reason));
        notes.chain(skipped).collect()
    }

    #[test]
    fn an_odd_value_costs_no_record() {
        insta::assert_snapshot!(read_bytes(br#"
{"type":"entity","name":"db","entityType":null,"observations":["a", 5, null, {"b": 1}, true]}
{"type":"entity","name":7,"observations":"one"}{"type":"entity","name":"two","observations":null}
{"type":"entity","name":"cut","observations":["half \ud83d"]}
{"type":"relation","from":"db","to":"two","relationType":"uses"}
{"type":"relation","from":"nobody","to":"two"}
null
{"type":"entity","observations":["x"]}
{"type":"pet","name":"x"}
{"type":"entity","name":"last","observations":["x"]} and more
"#), @r#"
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
        agent:a#last
        last
        - x
        agent:a#two
        two
        line 7: it is no entity and no relation
        line 8: it has no name
        line 9: it is no entity and no relation
        line 10: expected value at line 1 column 54
        line 6: it is about `nobody`, which is no entity of the file
        "#);
    }

    #[test]
    fn a_graph_may_be_one_document_in_any_encoding() {
        let graph = r#"{
  "entities": [{"name": "Zürich", "entityType": "city", "observations": ["is large"]}, 7],
  "relations": [{"from": "Zürich", "to": "CH", "relationType": "in"}]
}"#;
        let expected = "agent:a#z-rich-4251685e\nZürich (city)\n- is large\n- in: CH\nthe file: it is no entity and no relation\n";
        let utf16 = graph.encode_utf16().flat_map(u16::to_le_bytes);
        let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(utf16).collect();
        let marked = ["\u{FEFF}", graph].concat();
        for bytes in [graph.as_bytes(), marked.as_bytes(), &utf16] {
            assert_eq!(read_bytes(bytes), expected);
        }
        let list = br#"[{"type":"entity","name":"a","observations":[]}]"#;
        assert_eq!(read_bytes(list), "agent:a#a\na\n");
        let latin =
            b"{\"type\":\"entity\",\"name\":\"a\"}\n{\"type\":\"entity\",\"name\":\"Z\xFCrich\"}\n";
        assert_eq!(
            read_bytes(latin),
            "agent:a#a\na\nline 2: it is not UTF-8: byte 0xFC at offset 26; convert it to UTF-8\n"
        );
    }
}
