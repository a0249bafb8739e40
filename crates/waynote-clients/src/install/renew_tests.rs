//! Entries as earlier versions wrote them, and as people changed them.

use std::path::Path;

use super::*;
use crate::formats::entry::{Json, Server};

/// A server's entry, as some version writes it.
fn server(more: &[(&'static str, Json)]) -> Edit {
    let mut entry = vec![
        ("command", "/bin/waynote".into()),
        ("args", vec!["mcp"].into()),
        ("env", object(&[("WAYNOTE_AUTHOR", "agent:x".into())])),
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
        matcher: None,
        only_if_there: false,
        call: None,
        command: "/bin/waynote hook x SessionStart".into(),
        more: vec![("timeout", seconds.into())],
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
fn without_a_record_what_differs_is_a_persons() {
    let first = server(&[]).add("{\n  // mine\n  \"a\": 1\n}\n").unwrap();
    let now = server(&[("alwaysLoad", true.into())]);
    let renewed = now.renew(&first, None).unwrap();
    assert_eq!(
        (renewed.text, renewed.kept, renewed.older),
        (first, vec![], vec![])
    );
}

#[test]
fn a_persons_comments_outlast_a_new_version() {
    let first = server(&[("gone", 1.into())]).add("").unwrap();
    let commented = first.replace("\"args\"", "/* mine */ \"args\"");
    let now = server(&[("alwaysLoad", true.into())]);
    let record = record(&server(&[("gone", 1.into())]), &first);
    let renewed = now.renew(&commented, Some(&record)).unwrap();
    assert!(renewed.kept.is_empty());
    assert!(
        renewed.text.contains("/* mine */ \"args\""),
        "{}",
        renewed.text
    );
    assert_eq!(
        now.entries(&renewed.text)[0].found,
        now.entries(&renewed.text)[0].wanted
    );
}

#[test]
fn a_record_tells_what_a_later_version_wrote() {
    let second = server(&[("alwaysLoad", true.into()), ("timeout", 5.into())]);
    let text = second.add("").unwrap();
    let record = record(&second, &text);
    let third = server(&[("timeout", 9.into())]);
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
}
