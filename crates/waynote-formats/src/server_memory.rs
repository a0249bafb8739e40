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

use crate::decoded::{decoded, not_utf8};
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

/// The whole graph as one document.
#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    entities: Vec<Value>,
    #[serde(default)]
    relations: Vec<Value>,
}

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
    let (bytes, written_at) = source::read(path)?;
    // In UTF-8, one line that is not costs that line.
    let bytes = match decoded(bytes.clone()) {
        Ok(text) => text.into_bytes(),
        Err(_) => bytes,
    };
    let mut graph = Graph {
        entities: BTreeMap::new(),
        relations: Vec::new(),
        incoming: ForeignNotes::of(FORMAT.name, Precedence::Here)?,
    };
    match document(&bytes) {
        Some(document) => {
            let kinds = [
                ("entity", document.entities),
                ("relation", document.relations),
            ];
            for (kind, records) in kinds {
                for record in records {
                    match serde_json::from_value(record) {
                        Ok(record) => graph.take("the file", &record, kind),
                        Err(_) => graph.incoming.skip("the file", NO_RECORD),
                    }
                }
            }
        }
        None => {
            let mut lines = Lines::of(&*bytes);
            while let Some((number, line)) = lines
                .next(&mut graph.incoming)
                .map_err(|error| unreadable(path, error))?
            {
                graph.take_line(&number, line);
            }
        }
    }
    graph.notes(scope, written_at)
}

/// The file as one document, if it is one that is not too large: its values take more memory than their text.
fn document(bytes: &[u8]) -> Option<Document> {
    const LONGEST: usize = 64 << 20;
    let is_short = bytes.len() <= LONGEST && std::str::from_utf8(bytes).is_ok();
    let document: Document = serde_json::from_slice(&mend(is_short.then_some(bytes)?)).ok()?;
    (!document.entities.is_empty() || !document.relations.is_empty()).then_some(document)
}

impl Graph {
    /// Reads a line, which may hold several records.
    fn take_line(&mut self, number: &str, line: &[u8]) {
        if std::str::from_utf8(line).is_err() {
            self.incoming.skip(number, not_utf8(line));
            return;
        }
        let line = mend(line);
        for record in serde_json::Deserializer::from_slice(&line).into_iter::<&RawValue>() {
            let read = match record.map(RawValue::get) {
                Ok(list) if list.starts_with('[') => serde_json::from_str::<Vec<Record>>(list),
                Ok(record) => serde_json::from_str(record).map(|record| vec![record]),
                Err(error) => Err(error),
            };
            match read {
                Ok(records) => {
                    (records.into_iter()).for_each(|record| self.take(number, &record, ""));
                }
                Err(error) if error.is_data() => self.incoming.skip(number, NO_RECORD),
                Err(error) => self.incoming.skip(number, error.to_string()),
            }
        }
    }

    /// Reads a record of a kind, unless it names its own.
    fn take(&mut self, at: &str, record: &Record, kind: &str) {
        let own_kind = text_of(&record.kind);
        let [name, from, to] = [&record.name, &record.from, &record.to].map(text_of);
        let reason = match (own_kind.as_deref().unwrap_or(kind), name, from, to) {
            ("entity", Some(name), ..) => {
                let entity = self.entities.entry(name.clone()).or_default();
                let entity_type = text_of(&record.entity_type).filter(|text| !text.is_empty());
                entity.headings.insert(match entity_type {
                    None => name,
                    Some(entity_type) => format!("{name} ({entity_type})"),
                });
                let facts = match &record.observations {
                    Value::Array(facts) => facts,
                    one => std::slice::from_ref(one),
                };
                let facts = facts.iter().filter_map(text_of);
                entity.facts.extend(facts.filter(|fact| !fact.is_empty()));
                return;
            }
            ("relation", _, Some(from), Some(to)) => {
                let relation_type = text_of(&record.relation_type).unwrap_or_default();
                let text = format!("{relation_type}: {to}");
                self.relations.push((at.to_owned(), from, text));
                return;
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
            let text = headings.join(", ") + &facts.collect::<String>();
            let address = Address::keyed(scope, key(&name)?)?;
            let content = Content::imported(text);
            self.incoming
                .push_text(&name, &name, address, content, written_at);
        }
        Ok(self.incoming)
    }
}

/// A value as a text: a number and whatever else is no text as it stands. None for null.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
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
