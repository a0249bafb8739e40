//! The editor of JSON with comments: an entry goes in and comes out, and the rest stays.

use super::*;

const PROGRAM: &str = "/opt/\"way\" note/waynote";

const HOOKED: &str = "'/opt/way note/waynote' hook claude-code SessionStart";

fn edits() -> Vec<JsonEdit> {
    vec![
        JsonEdit::Server {
            at: "mcpServers",
            program: PROGRAM.into(),
            entry: vec![
                ("command", PROGRAM.into()),
                ("args", vec!["mcp"].into()),
                ("env", object(&[("WAYNOTE_AUTHOR", "agent:x".into())])),
            ],
        },
        JsonEdit::Hook {
            event: "SessionStart",
            matcher: None,
            only_if_there: false,
            call: None,
            command: HOOKED.into(),
            more: vec![("timeout", 10.into())],
            grouped: true,
        },
        JsonEdit::Hook {
            event: "SubagentStart",
            matcher: None,
            only_if_there: false,
            call: None,
            command: "waynote hook claude-code SubagentStart".into(),
            more: Vec::new(),
            grouped: false,
        },
    ]
}

#[test]
fn entries_go_in_and_come_out() {
    for text in [
        "",
        "{}",
        "{\n  \"a\": 1 // kept\n}\n",
        "{ /* kept */ \"mcpServers\": { \"other\": {} }, \"hooks\": { \"SessionStart\": [ { \"command\": \"date\" } ] } }",
        "{\n\t\"hooks\": {\n\t\t// kept\n\t\t\"Stop\": []\n\t},\n}\n",
        "{\r\n  \"a\": [1, 2],\r\n  \"b\": {}\r\n}\r\n",
    ] {
        let added = add(text, &edits()).unwrap();
        assert_eq!(add(&added, &edits()).unwrap(), added);
        let now = read(&added).unwrap();
        assert_eq!(now["mcpServers"]["waynote"]["command"], PROGRAM);
        assert!(now["hooks"]["SessionStart"].to_string().contains(HOOKED));
        assert_eq!(added.matches("kept").count(), text.matches("kept").count());
        let back = take_back(&added, &edits()).unwrap();
        let before = read(text).unwrap_or_else(|| serde_json::json!({}));
        assert_eq!(read(&back).unwrap(), before, "{back}");
        assert_eq!(back.matches("kept").count(), text.matches("kept").count());
    }
}

#[test]
fn another_programs_value_is_refused() {
    for text in [
        "{\"mcpServers\": 5}",
        "{\"hooks\": []}",
        "{\"hooks\": {\"SessionStart\": {}}}",
        "[]",
        "{\"a\": }",
    ] {
        assert!(add(text, &edits()).is_err(), "{text}");
    }
}

#[test]
fn what_a_person_added_to_our_entries_stays() {
    let text = r#"{
  "mcpServers": {
    "waynote": { "command": "/old/waynote", "args": ["mcp"], "env": { "WAYNOTE_AGENT": "mine" }, "timeout": 5 } // mine
  },
  "hooks": { "SessionStart": [ { "matcher": "startup", "hooks": [ { "type": "command", "command": "/old/waynote hook claude-code SessionStart" }, { "type": "command", "command": "say hi" } ] } ] }
}"#;
    let added = add(text, &edits()[..2]).unwrap();
    let now = read(&added).unwrap();
    assert_eq!(now["mcpServers"]["waynote"]["env"]["WAYNOTE_AGENT"], "mine");
    assert_eq!(now["mcpServers"]["waynote"]["timeout"], 5);
    assert_eq!(
        now["hooks"]["SessionStart"][0]["hooks"][0]["command"],
        HOOKED
    );
    assert!(added.contains("// mine"));
    let back = take_back(&added, &edits()[..2]).unwrap();
    assert_eq!(
        read(&back).unwrap()["hooks"]["SessionStart"][0]["hooks"][0]["command"],
        "say hi"
    );
}
