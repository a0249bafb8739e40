//! Properties of the editor of JSON with comments, on files that nobody would write by hand.

use proptest::prelude::*;

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

/// A value as it may stand in a file.
#[derive(Clone, Debug)]
enum Node {
    Leaf(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i32>().prop_map(|number| number.to_string()),
        "[ -~é\u{1F600}]{0,12}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ]
    .prop_map(Node::Leaf);
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Node::List),
            prop::collection::vec((name(), inner), 0..5).prop_map(|members| {
                let mut seen = std::collections::BTreeSet::new();
                let once = |(name, _): &(String, Node)| seen.insert(name.clone());
                Node::Object(members.into_iter().filter(once).collect())
            }),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("mcpServers".to_owned()),
        Just("hooks".to_owned()),
        Just("SessionStart".to_owned()),
        Just("waynotes".to_owned()),
        "[a-z /\"é]{0,6}",
    ]
}

/// Blanks and comments between tokens.
fn gaps() -> impl Strategy<Value = Vec<&'static str>> {
    let gap = prop_oneof![
        4 => Just(""), 2 => Just(" "), 2 => Just("\n  "), 1 => Just("\t"), 1 => Just("\r\n"),
        1 => Just(" // kept 1\n"), 1 => Just("/* kept 2 */"), 1 => Just("\n\n"),
    ];
    prop::collection::vec(gap, 1..24)
}

fn write(node: &Node, gap: &mut impl Iterator<Item = &'static str>, text: &mut String) {
    let mut push = |text: &mut String, token: &str| {
        text.push_str(token);
        text.push_str(gap.next().unwrap_or_default());
    };
    match node {
        Node::Leaf(leaf) => push(text, leaf),
        Node::List(values) => {
            push(text, "[");
            for (number, value) in values.iter().enumerate() {
                if number > 0 {
                    text.push_str(", ");
                }
                write(value, gap, text);
            }
            text.push(']');
        }
        Node::Object(members) => {
            push(text, "{");
            for (number, (name, value)) in members.iter().enumerate() {
                if number > 0 {
                    text.push(',');
                }
                text.push_str(&serde_json::Value::from(name.as_str()).to_string());
                text.push(':');
                write(value, gap, text);
            }
            text.push('}');
        }
    }
}

fn comments(text: &str) -> usize {
    text.matches("kept 1").count() + text.matches("kept 2").count()
}

/// Without our empty lists and objects, which mean as much as missing ones.
fn pruned(mut value: Value) -> Value {
    let Some(root) = value.as_object_mut() else {
        return value;
    };
    if let Some(hooks) = root.get_mut("hooks").and_then(Value::as_object_mut) {
        for event in ["SessionStart", "SubagentStart"] {
            if hooks.get(event) == Some(&Value::Array(Vec::new())) {
                hooks.remove(event);
            }
        }
    }
    for name in ["hooks", "mcpServers"] {
        if root
            .get(name)
            .and_then(Value::as_object)
            .is_some_and(serde_json::Map::is_empty)
        {
            root.remove(name);
        }
    }
    value
}

proptest! {
    #[test]
    fn what_is_added_is_taken_back_and_nothing_else_changes(
        members in prop::collection::vec((name(), node()), 0..5),
        gaps in gaps(),
    ) {
        let mut seen = std::collections::BTreeSet::new();
        let members: Vec<_> = members.into_iter().filter(|(name, _)| seen.insert(name.clone())).collect();
        let mut text = gaps[0].to_owned();
        write(&Node::Object(members), &mut gaps.iter().copied().cycle(), &mut text);
        let before = read(&text).unwrap();
        match add(&text, &edits()) {
            // Another program's value has that name: the file is left alone.
            Err(_) => {
                let is_taken = |at: &Value, what: fn(&Value) -> bool| !at.is_null() && !what(at);
                prop_assert!(
                    is_taken(&before["mcpServers"], Value::is_object)
                        || is_taken(&before["hooks"], Value::is_object)
                        || is_taken(&before["hooks"]["SessionStart"], Value::is_array)
                        // A null counts as a value too.
                        || before.to_string().contains("null")
                );
            }
            Ok(added) => {
                prop_assert_eq!(&add(&added, &edits()).unwrap(), &added);
                prop_assert_eq!(comments(&added), comments(&text));
                let now = read(&added).unwrap();
                prop_assert_eq!(&now["mcpServers"]["waynote"]["command"], PROGRAM);
                prop_assert!(now["hooks"]["SessionStart"].to_string().contains(HOOKED));
                let back = take_back(&added, &edits()).unwrap();
                prop_assert_eq!(pruned(read(&back).unwrap()), pruned(before));
                prop_assert_eq!(comments(&back), comments(&text), "{}\n---\n{}", added, back);
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[ -~\n]{0,64}") {
        let _ = add(&text, &edits());
        let _ = take_back(&text, &edits());
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

/// A file as programs write it: a member a line, comments on lines of their own.
fn pretty() -> impl Strategy<Value = String> {
    let member = (name(), node(), any::<bool>());
    let members = prop::collection::vec(member, 0..5);
    (members, any::<bool>()).prop_map(|(members, is_windows)| {
        let mut seen = std::collections::BTreeSet::new();
        let members: Vec<_> = members
            .into_iter()
            // Uninstalling removes empty ones too, which changes nothing but the bytes.
            .filter(|(name, _, _)| !["mcpServers", "hooks"].contains(&name.as_str()))
            .filter(|(name, _, _)| seen.insert(name.clone()))
            .collect();
        let mut text = "{\n".to_owned();
        for (number, (name, node, is_told)) in members.iter().enumerate() {
            if *is_told {
                text.push_str("  // kept 1\n");
            }
            let mut value = String::new();
            write(node, &mut std::iter::repeat(""), &mut value);
            let comma = if number + 1 < members.len() { "," } else { "" };
            let name = serde_json::Value::from(name.as_str());
            text.push_str(&format!("  {name}: {value}{comma}\n"));
        }
        text.push_str("}\n");
        match is_windows {
            true => text.replace('\n', "\r\n"),
            false => text,
        }
    })
}

proptest! {
    #[test]
    fn what_programs_wrote_comes_back_to_the_byte(text in pretty(), written in "[a-z0-9 ,{}/*]{0,20}") {
        let added = add(&text, &edits()).unwrap();
        let is_windows = text.contains("\r\n");
        prop_assert_eq!(added.matches('\n').count() == added.matches("\r\n").count(), is_windows);
        prop_assert_eq!(&take_back(&added, &edits()).unwrap(), &text, "{}", added);
        // Edits by hand elsewhere stay, and in the same place.
        let comment = format!("// by hand {written}\n");
        let edited = |text: &str| format!("{comment}{}{comment}", text.replace("// kept 1", "// changed"));
        prop_assert_eq!(take_back(&edited(&added), &edits()).unwrap(), edited(&text));
    }
}

#[test]
fn a_name_that_stands_twice_is_refused() {
    for (text, name, lines) in [
        ("{\"hooks\": {},\n\"hooks\": {}}", "hooks", [1, 2]),
        (
            "{\"mcpServers\": 1,\n\n\"mcpServers\": {}}",
            "mcpServers",
            [1, 3],
        ),
        (
            "{\"mcpServers\": {\"waynote\": {},\"waynote\": {}}}",
            "waynote",
            [1, 1],
        ),
    ] {
        let name = name.to_owned();
        let refusal = Refusal::Twice { name, lines };
        assert_eq!(once(text, &edits()), Err(refusal));
    }
}
