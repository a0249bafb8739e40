//! Entries as earlier versions wrote them, and as people changed them.

use std::path::Path;

use super::*;
use crate::formats::entry::Json;

/// A server's entry, as some version writes it.
fn server(more: &[(&'static str, Json)]) -> Edit {
    let mut entry = vec![
        ("command", Json::Text("/bin/waynote".into())),
        ("args", Json::texts(["mcp"])),
        (
            "env",
            Json::Object(vec![("WAYNOTE_AUTHOR", Json::Text("agent:x".into()))]),
        ),
    ];
    entry.extend(more.iter().cloned());
    Edit::Json(vec![JsonEdit::Server {
        at: "mcpServers",
        program: "/bin/waynote".into(),
        entry,
    }])
}

fn hook(seconds: i64) -> Edit {
    Edit::Json(vec![JsonEdit::Hook {
        event: "SessionStart",
        command: "/bin/waynote hook x SessionStart".into(),
        more: vec![("timeout", Json::Number(seconds))],
        grouped: true,
    }])
}

/// The record that `install` makes of a text.
fn record(edit: &Edit, text: &str) -> Record {
    let mut record = Record::new(Path::new("f"), None, text);
    record.entries = edit.written(text, None);
    record
}

#[test]
fn what_the_first_version_wrote_is_brought_up_to_date_in_place() {
    let first = server(&[]).add("{\n  // mine\n  \"a\": 1\n}\n").unwrap();
    let first = first.replace("/bin/waynote", "/old/waynote");
    let now = server(&[("alwaysLoad", Json::Bool(true))]);
    let renewed = now.renew(&first, None).unwrap();
    assert_eq!(
        renewed.older,
        ["`mcpServers.waynote` needs `\"alwaysLoad\": true`"]
    );
    assert_eq!(renewed.kept, Vec::<String>::new());
    let expected = now.add("{\n  // mine\n  \"a\": 1\n}\n").unwrap();
    assert_eq!(renewed.text, expected);
    assert_eq!(now.renew(&renewed.text, None).unwrap().text, expected);
}

#[test]
fn what_a_person_changed_stays_and_is_named() {
    let first = server(&[]).add("").unwrap();
    let changed = first.replace("\"mcp\"", "\"mcp\", \"--tools\", \"all\"");
    let now = server(&[("alwaysLoad", Json::Bool(true))]);
    let renewed = now.renew(&changed, None).unwrap();
    assert_eq!(renewed.text, changed);
    assert_eq!(
        renewed.kept,
        ["`mcpServers.waynote` needs `\"alwaysLoad\": true`"]
    );
    // Done by hand, nothing is left to say; another choice of the person's is no fault.
    let done = changed.replace("\"env\"", "\"alwaysLoad\": true, \"env\"");
    assert!(now.renew(&done, None).unwrap().kept.is_empty());
    assert!(server(&[]).renew(&changed, None).unwrap().kept.is_empty());
}

#[test]
fn a_record_tells_what_a_later_version_wrote() {
    let second = server(&[
        ("alwaysLoad", Json::Bool(true)),
        ("timeout", Json::Number(5)),
    ]);
    let text = second.add("").unwrap();
    let record = record(&second, &text);
    let third = server(&[("timeout", Json::Number(9))]);
    let renewed = third.renew(&text, Some(&record)).unwrap();
    assert_eq!(renewed.text, third.add("").unwrap());
    assert_eq!(renewed.older.len(), 2, "{:?}", renewed.older);
    let changed = text
        .replace("/bin/waynote", "/else/waynote")
        .replace("5", "6");
    let kept = third.renew(&changed, Some(&record)).unwrap().kept;
    assert_eq!(
        kept,
        [
            "`mcpServers.waynote` needs `\"timeout\": 9`",
            "`mcpServers.waynote` no longer needs `alwaysLoad`: remove it",
        ]
    );
}

#[test]
fn a_hook_is_brought_up_to_date_with_its_options() {
    let first = hook(10).add("").unwrap();
    let first = first.replace("SessionStart\"", "SessionStart --budget 500\"");
    let first = first.replacen("SessionStart --budget 500\"", "SessionStart\"", 1);
    let renewed = hook(20)
        .renew(&first, Some(&record(&hook(10), &first)))
        .unwrap();
    assert!(renewed.text.contains("\"timeout\": 20"), "{}", renewed.text);
    assert!(renewed.text.contains("--budget 500") == first.contains("--budget 500"));
    // In a group with a matcher it is a person's.
    let matched = first.replace(
        "\"hooks\": [\n          {",
        "\"matcher\": \"startup\", \"hooks\": [\n          {",
    );
    assert_ne!(matched, first);
    let renewed = hook(20)
        .renew(&matched, Some(&record(&hook(10), &first)))
        .unwrap();
    assert_eq!(renewed.text, matched);
    assert_eq!(renewed.kept.len(), 1);
}

fn variables() -> Vec<String> {
    ["STORE", "CONFIG", "AGENT", "SESSION", "ITERATION", "LOOP"]
        .map(|name| format!("WAYNOTE_{name}"))
        .into()
}

#[test]
fn the_formats_of_codex_and_goose_are_read_back() {
    let server = Server {
        command: "/bin/waynote".into(),
        args: vec!["mcp".into()],
        author: "agent:x".into(),
        variables: variables(),
        endpoint: None,
    };
    for edit in [Edit::Toml(server.clone()), Edit::Yaml(server)] {
        let text = edit.add("").unwrap();
        let entries = edit.entries(&text);
        assert_eq!(entries.len(), 1, "{text}");
        assert_eq!(entries[0].found, entries[0].wanted, "{text}");
        let renewed = edit.renew(&text, None).unwrap();
        assert_eq!((renewed.text, renewed.kept.len()), (text.clone(), 0));
    }
    let older = "model = 'o' # mine\n\n[mcp_servers.waynote]\ncommand = \"/bin/waynote\"\nargs = [\"mcp\"]\nenv = { WAYNOTE_AUTHOR = \"agent:x\" }\nenv_vars = [\"WAYNOTE_STORE\"]\n\n[tui]\n";
    let edit = Edit::Toml(Server {
        command: "/bin/waynote".into(),
        args: vec!["mcp".into()],
        author: "agent:x".into(),
        variables: variables(),
        endpoint: None,
    });
    let mut written = record(&edit, older);
    written.entries.insert(
        "mcp_servers.waynote".into(),
        edit.entries(older)[0].found.clone(),
    );
    let renewed = edit.renew(older, Some(&written)).unwrap();
    assert_eq!(renewed.older.len(), 1);
    assert!(
        renewed.text.starts_with("model = 'o' # mine\n"),
        "{}",
        renewed.text
    );
    assert_eq!(
        edit.entries(&renewed.text)[0].found,
        edit.entries(&renewed.text)[0].wanted
    );
    // Without a record, a list that no version wrote is a person's: it stays, and the line to change is named.
    let kept = edit.renew(older, None).unwrap();
    assert_eq!((kept.text.as_str(), kept.kept.len()), (older, 1));
    // The first version's entry is brought up to date.
    let first = older.replace(
        "[\"WAYNOTE_STORE\"]",
        "[\"WAYNOTE_STORE\", \"WAYNOTE_CONFIG\", \"WAYNOTE_AGENT\", \"WAYNOTE_SESSION\", \"WAYNOTE_ITERATION\"]",
    );
    let renewed = edit.renew(&first, None).unwrap();
    assert!(renewed.kept.is_empty() && renewed.text.contains("WAYNOTE_LOOP"));
}
