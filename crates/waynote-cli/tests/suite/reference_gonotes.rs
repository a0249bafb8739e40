//! The behaviour of the Go package `notes`, case by case. The renderers' own cases are beside the renderers.

use serde_json::{Value, json};

use super::common::{Run, Scratch, cases, text};

fn at(run: Run, seconds: &Value) -> Run {
    let start: jiff::Timestamp = super::common::NOW.parse().unwrap();
    let time = start + jiff::SignedDuration::from_secs(seconds.as_i64().unwrap_or(0));
    run.env("WAYNOTE_NOW", time.to_string())
}

#[test]
fn the_store_is_as_recorded() {
    for case in cases("gonotes/cases.json")["store"].as_array().unwrap() {
        let scratch = Scratch::new();
        for op in case["ops"].as_array().unwrap() {
            let key = || text(op, "key");
            let output = match text(op, "op") {
                "save" => {
                    let (bytes, notes) = (&op["max_bytes"], &op["max_count"]);
                    let words = format!("- --allow-empty --max-bytes {bytes} --max-notes {notes}");
                    let words = ["key", "save", key()].into_iter().chain(words.split(' '));
                    let run = scratch.waynote(words).stdin(text(op, "content"));
                    at(run, &op["at_s"])
                }
                "get" => scratch.waynote(["key", "show", key(), "--json"]),
                "count" => scratch.run("key count"),
                "delete" => at(scratch.waynote(["key", "delete", key()]), &op["at_s"]),
                "set_in_context" => {
                    let is_pinned = op["in_context"] == json!(true);
                    let word = if is_pinned { "pin" } else { "unpin" };
                    at(scratch.waynote(["key", word, key()]), &op["at_s"])
                }
                "list" => scratch.run("key list --json"),
                "list_in_context" => scratch.run("key list --pinned --json"),
                "reopen" => continue,
                other => panic!("unknown op {other}"),
            }
            .output();
            let name = text(case, "name");
            match op["want_error"].as_str() {
                Some(kind) => {
                    let kinds = json!({
                        "NoteTooLarge": "the note is too large", "TooManyNotes": "is full",
                        "NotFound": "no note here has the key", "InvalidKey": "is not a valid key",
                    });
                    let error = String::from_utf8_lossy(&output.stderr).into_owned();
                    assert_eq!(output.status.code(), Some(1), "{name}: {op}");
                    assert!(error.contains(text(&kinds, kind)), "{name}: {error}");
                    for piece in op["error_text_has"].as_array().into_iter().flatten() {
                        assert!(error.contains(piece.as_str().unwrap()), "{name}: {error}");
                    }
                    continue;
                }
                // At the command line, a deletion that finds nothing is reported; the tools answer as openotters does.
                None if text(op, "op") == "delete" && !output.status.success() => {
                    let error = String::from_utf8_lossy(&output.stderr).into_owned();
                    let is_said = ["no note here has the key", "is not a valid key"];
                    let is_said = is_said.iter().any(|said| error.contains(said));
                    assert!(is_said, "{name}: {error}");
                    continue;
                }
                None => assert!(output.status.success(), "{name}: {op}: {output:?}"),
            }
            let got: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
            match (text(op, "op"), &op["want"]) {
                (_, Value::Null) => {}
                ("get", want) => {
                    assert_eq!(got["content"], want["content"], "{name}");
                    assert_eq!(got["preview"], want["preview"], "{name}");
                    assert_eq!(got["pinned"], want["in_context"], "{name}");
                    assert_eq!(got["created_at"], time(&want["created_s"]), "{name}");
                    assert_eq!(got["updated_at"], time(&want["updated_s"]), "{name}");
                }
                ("count", want) => assert_eq!(&got, want, "{name}"),
                (_, want) => {
                    let notes = got.as_array().unwrap().iter();
                    let keys: Value = notes.map(|note| note["key"].clone()).collect();
                    assert_eq!(keys, *want, "{name}");
                }
            }
        }
    }
}

fn time(seconds: &Value) -> Value {
    let start: jiff::Timestamp = super::common::NOW.parse().unwrap();
    json!((start + jiff::SignedDuration::from_secs(seconds.as_i64().unwrap())).to_string())
}

#[test]
fn the_table_is_the_go_packages_own() {
    let scratch = Scratch::new();
    scratch.ok("key save k v");
    let path = scratch.path("memory.db");
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch("CREATE TABLE messages (text TEXT); INSERT INTO messages VALUES ('hello')")
        .unwrap();
    scratch.ok("export openotters ../../memory.db");
    let schema = &cases("gonotes/cases.json")["schema"];
    let mut statement = conn
        .prepare("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('notes')")
        .unwrap();
    let columns: Vec<Value> = statement
        .query_map([], |row| {
            Ok(json!({
                "name": row.get::<_, String>(0)?, "type": row.get::<_, String>(1)?,
                "not_null": row.get::<_, bool>(2)?,
                "default": row.get::<_, Option<String>>(3)?.unwrap_or_default(),
                "primary_key": row.get::<_, bool>(4)?,
            }))
        })
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert_eq!(json!(columns), schema["columns_after_migration"]);
    let mut statement = conn
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'notes' AND sql IS NOT NULL ORDER BY name")
        .unwrap();
    let indexes: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert_eq!(json!(indexes), schema["indexes"]);
    let hello: String = conn
        .query_row("SELECT text FROM messages", [], |row| row.get(0))
        .unwrap();
    assert_eq!(hello, "hello");
}
