//! Properties of the editor of TOML.

use proptest::prelude::*;

use super::*;

fn server() -> Server {
    Server {
        command: "/opt/way \"note\"/waynote".into(),
        args: vec!["mcp".into()],
        author: "agent:codex".into(),
    }
}

/// Parts of a file that can follow one another in any choice; top-level keys first.
fn file() -> impl Strategy<Value = String> {
    let top = prop::sample::subsequence(
        vec![
            "model = \"o3\" # kept\n",
            "# kept\n\n",
            "notify = [\n  \"a\", # kept\n  'b'\n]\n",
            "approval.policy='never'\n",
            "text = \"\"\"\nx # no comment\n\"\"\"\n",
        ],
        0..=5,
    );
    let tables = prop::sample::subsequence(
        vec![
            "[features] # kept\nhooks=true\n",
            "[mcp_servers.other]\ncommand = \"x\"\nenv = { A = \"1\" }\n",
            "[mcp_servers.other.tools]\n# kept\na = 1\n",
            "[projects.\"/home/u/é\"]\ntrust_level = \"trusted\"\n",
            "[[hooks.Stop]]\nmatcher = \"*\"\n[[hooks.Stop.hooks]]\ncommand = \"x\"\n",
            "[mcp_servers.late]\ncommand = \"y\"\n# kept at the end",
        ],
        0..=6,
    );
    (top, tables, any::<bool>()).prop_map(|(top, tables, windows)| {
        let text = top.concat() + &tables.concat();
        if windows {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    })
}

proptest! {
    #[test]
    fn what_is_added_is_taken_back(text in file()) {
        let added = add(&text, &server()).unwrap();
        prop_assert_eq!(&add(&added, &server()).unwrap(), &added);
        let value: toml::Table = added.parse().unwrap();
        prop_assert_eq!(value["mcp_servers"]["waynote"]["command"].as_str(), Some(&*server().command));
        prop_assert_eq!(added.matches("kept").count(), text.matches("kept").count());
        let back = take_back(&added).unwrap();
        let (before, after): (toml::Table, toml::Table) = (text.parse().unwrap(), back.parse().unwrap());
        prop_assert_eq!(after, before);
        prop_assert_eq!(back.matches("kept").count(), text.matches("kept").count());
        // What stood there stands there as it did, line by line.
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            prop_assert!(back.contains(line.trim_end()), "{line} in {back}");
        }
    }

    #[test]
    fn no_text_panics(text in "[ -~\n]{0,64}") {
        let _ = add(&text, &server());
        let _ = take_back(&text);
    }
}

#[test]
fn servers_written_in_other_ways_are_met_or_left_alone() {
    for text in [
        "mcp_servers = { other = { command = \"x\" } } # kept\n",
        "mcp_servers.other.command = \"x\"\n",
        "[mcp_servers]\n",
        "[mcp_servers]\nother = { command = \"x\" }\n",
    ] {
        let added = add(text, &server()).unwrap();
        let value: toml::Table = added.parse().unwrap();
        let command = value["mcp_servers"]["waynote"]["command"].as_str();
        assert_eq!(command, Some(&*server().command), "{added}");
        let back: toml::Table = take_back(&added).unwrap().parse().unwrap();
        let mut before: toml::Table = text.parse().unwrap();
        if text == "[mcp_servers]\n" {
            before.remove("mcp_servers");
        }
        assert_eq!(back, before);
    }
    assert!(add("mcp_servers = 5\n", &server()).is_err());
    let error = add("a = 1\nb = \n", &server()).unwrap_err();
    assert_eq!(error.line, Some(2));
}
