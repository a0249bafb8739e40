//! Properties of the editor of TOML.

use proptest::prelude::*;

use super::*;

fn server() -> Server {
    Server {
        command: "/opt/way \"note\"/waynote".into(),
        args: vec!["mcp".into()],
        author: "agent:codex".into(),
        variables: vec!["WAYNOTE_STORE".into()],
        endpoint: None,
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

/// With the end of the last line, which our table needs.
fn ended(text: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        line_end(text)
    };
    format!("{text}{end}")
}

fn lines_of(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .collect()
}

proptest! {
    #[test]
    fn what_is_added_is_taken_back_to_the_byte(text in file()) {
        let added = add(&text, &server()).unwrap();
        prop_assert_eq!(&add(&added, &server()).unwrap(), &added);
        let value: ::toml::Table = added.parse().unwrap();
        prop_assert_eq!(value["mcp_servers"]["waynote"]["command"].as_str(), Some(&*server().command));
        let is_windows = text.contains("\r\n");
        prop_assert_eq!(added.matches('\n').count() == added.matches("\r\n").count(), is_windows);
        let back = take_back(&added).unwrap();
        prop_assert!(back == text || back == ended(&text), "{added}\n---\n{back}");
    }

    #[test]
    fn what_somebody_writes_meanwhile_stays(text in file(), gap in "[ \n]{0,3}", mark in "[a-z]{0,8}") {
        // In an empty file, the blank line above our table could be ours or a person's.
        prop_assume!(!text.is_empty());
        let text = ended(&text);
        let added = add(&text, &server()).unwrap();
        let comment = format!("# by hand {mark}\n{gap}\n");
        let edited = |text: &str| {
            let text = text.replace("# kept", "# changed").replace("'never'", "\"always\"");
            format!("{comment}{text}{comment}[late]\nx = '{mark}'\n")
        };
        prop_assert_eq!(take_back(&edited(&added)).unwrap(), edited(&text));
        // Directly before our table too.
        let with = added.replace("[mcp_servers.waynote]", &format!("{comment}[mcp_servers.waynote]"));
        let back = take_back(&with).unwrap();
        let line = format!("# by hand {mark}\n");
        prop_assert!(back.contains(&line), "{with}\n---\n{back}");
        let back = back.replacen(&line, "", 1);
        prop_assert_eq!(lines_of(&back), lines_of(&text));
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
        let value: ::toml::Table = added.parse().unwrap();
        let command = value["mcp_servers"]["waynote"]["command"].as_str();
        assert_eq!(command, Some(&*server().command), "{added}");
        let back: toml::Table = take_back(&added).unwrap().parse().unwrap();
        let before: toml::Table = text.parse().unwrap();
        assert_eq!(back, before);
    }
    assert!(add("mcp_servers = 5\n", &server()).is_err());
    let error = add("a = 1\nb = \n", &server()).unwrap_err();
    assert!(matches!(error, Refusal::Damaged { line: Some(2), .. }));
}

#[test]
fn all_that_makes_up_our_entry_goes_and_nothing_else() {
    let ours = "[mcp_servers.waynote] # ours\n# about it\ncommand = '/x/waynote'\nargs = [\n  'mcp', # all\n]\nlimits.calls = 5\n";
    for (before, text) in [
        ("# a\n", format!("# a\n\n{ours}")),
        ("# a\n# b\n\n[tui]\n", format!("# a\n{ours}# b\n\n[tui]\n")),
        (
            "a = 1\n# b\n[tui]\nx = 1\n# c\n",
            format!(
                "a = 1\n{ours}# b\n[tui]\nx = 1\n# c\n\n[mcp_servers.waynote.env]\nA = '1' # d\n"
            ),
        ),
        (
            "[mcp_servers]\n# b\nother = { command = 'x' }\n",
            "[mcp_servers]\n# b\nwaynote = { command = 'waynote', args = ['mcp'] } # c\nother = { command = 'x' }\n".into(),
        ),
        (
            "# a\n",
            format!("# a\n[mcp_servers.waynote.env]\nA = '1'\n\n{ours}"),
        ),
        (
            "[mcp_servers]\n# b\nx.y = 1\n",
            "[mcp_servers]\nwaynote.command = 'waynote'\n# b\nx.y = 1\nwaynote.args = ['mcp']\n".into(),
        ),
        (
            "a = 1\r\n# b\nc = 1\r\n",
            format!("a = 1\r\n# b\nc = 1\r\n{ours}"),
        ),
    ] {
        assert_eq!(take_back(&text).unwrap(), before, "{text}");
    }
}

#[test]
fn line_ends_of_all_kinds_stay() {
    let text = "a = 1\r\nb = 2\n[tui]\r\nc = '''x\r\ny\n'''\n";
    let added = add(text, &server()).unwrap();
    assert_eq!(take_back(&added).unwrap(), text);
    for line in text.split_inclusive('\n') {
        assert!(added.contains(line), "{line:?} in {added:?}");
    }
}
