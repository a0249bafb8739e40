//! Goose's file in the forms that people write it in.

use proptest::prelude::*;

use super::*;

fn server() -> Server {
    Server {
        command: "/opt/way \"note\"/waynote".into(),
        args: vec!["mcp".into()],
        author: "agent:goose".into(),
        variables: vec!["WAYNOTE_STORE".into()],
        endpoint: None,
    }
}

#[test]
fn what_is_added_is_taken_back_to_the_byte() {
    for text in [
        "",
        "GOOSE_PROVIDER: openai # mine\n",
        "extensions:\n  developer:\n    enabled: true\n    type: builtin\n",
        "# mine\nextensions: # all\n\n    # indented by four\n    developer:\n        enabled: true\nGOOSE_MODE: auto\n",
        "extensions:\r\n  developer:\r\n    enabled: true\r\nGOOSE_MODE: auto\r\n",
        "GOOSE_MODE: auto\nextensions:\n  developer: {enabled: true}\n",
    ] {
        let added = add(text, &server()).unwrap();
        assert_eq!(add(&added, &server()).unwrap(), added);
        let file = load(&added).unwrap();
        let (_, own) = get(extensions(&file).unwrap(), NAME).unwrap();
        let (_, command) = get(own, "cmd").unwrap();
        assert_eq!(command.data.as_str(), Some(&*server().command));
        assert_eq!(take_back(&added).unwrap(), text, "{added}");
    }
}

#[test]
fn an_empty_list_of_extensions_is_filled() {
    for text in ["extensions: {}\n", "a: 1\nextensions:\nb: 2\n"] {
        let added = add(text, &server()).unwrap();
        assert_eq!(meaning(text), meaning(&added));
        let back = take_back(&added).unwrap();
        assert_eq!(meaning(text), meaning(&back));
    }
}

#[test]
fn what_cannot_be_edited_is_left_alone() {
    let refusal = |text: &str| add(text, &server()).unwrap_err();
    let line = |text: &str| match refusal(text) {
        Refusal::Damaged { line, .. } => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(line("- a\n"), Some(1));
    assert_eq!(line("a: 1\nb: [\n"), Some(3));
    assert_eq!(line("a: 1\n---\nb: 2\n"), None);
    assert_eq!(line("a: 1\nextensions: 5\n"), Some(2));
    let deep: String = (0..9000)
        .map(|level| format!("{}a:\n", " ".repeat(level)))
        .collect();
    assert_eq!(line(&deep), Some(258));
    assert_eq!(line(&format!("a:\n{}b", "- ".repeat(9000))), Some(2));
    let braces = refusal("a: 1\nextensions: {developer: {enabled: true}}\n");
    assert!(matches!(braces, Refusal::ByHand { line: Some(2), .. }));
    let ours = "extensions:\n  {waynote: {cmd: waynote, args: [mcp]}}\n";
    let braces = take_back(ours).unwrap_err();
    assert!(matches!(braces, Refusal::ByHand { line: Some(2), .. }));
}

#[test]
fn an_entry_of_ours_is_found_where_the_extensions_are() {
    // Texts like it elsewhere are none of ours.
    let elsewhere = "mcp:\n  waynote:\n    cmd: other\nnote: |\n  waynote:\n    cmd: text\n";
    for (key, indent) in [
        ("waynote", "  "),
        ("\"waynote\"", "    "),
        ("'waynote' ", " "),
    ] {
        for end in ["\n", "\r\n"] {
            let own = |command: &str| {
                format!(
                    "{indent}{key}:\n{indent}  cmd: {command}\n{indent}  args:\n{indent}  - mcp\n\n{indent}  env_keys: [\n{indent}   A]\n"
                )
            };
            let rest = format!("{indent}# b\n{indent}b: 1\n# c\nz: é\n");
            let file = |own: &str| {
                format!("{elsewhere}extensions:\n{indent}a: é\n{own}\n{rest}").replace('\n', end)
            };
            let text = file(&own("'waynote' # d"));
            assert_eq!(take_back(&text).unwrap(), file(""), "{text}");
            let command = string(&server().command) + " # d";
            assert_eq!(add(&text, &server()).unwrap(), file(&own(&command)));
        }
    }
}

/// Parts of a file that can follow one another in any choice.
fn file() -> impl Strategy<Value = String> {
    let top = |parts: [&'static str; 3]| prop::sample::subsequence(parts.to_vec(), 0..=3);
    let above = top([
        "GOOSE_PROVIDER: openai # kept\n",
        "# kept\n\n",
        "text: |\n  # no comment\n  extensions:\n    waynote:\n\n",
    ]);
    let below = top([
        "list:\n- a\n- 'b: c' # kept\n",
        "# kept\nwaynote:\n  extensions: é\n\n",
        "folded: >-\n  waynote:\n   a\n",
    ]);
    let entries = prop::sample::subsequence(
        vec![
            "  # kept\n",
            "  developer:\n    enabled: true # kept\n\n",
            "  memory: {enabled: true}\n",
            "  other:\n    args:\n    - a\n    - waynote\n  # kept\n",
            "  waynotes:\n    cmd: x\n",
        ],
        0..=5,
    );
    (above, entries, below, any::<bool>()).prop_map(|(above, entries, below, is_windows)| {
        let mut text = above.concat();
        if entries.iter().any(|entry| !entry.starts_with("  #")) {
            text += &format!("extensions: # kept\n{}", entries.concat());
        }
        text += &below.concat();
        match is_windows {
            true => text.replace('\n', "\r\n"),
            false => text,
        }
    })
}

proptest! {
    #[test]
    fn what_is_added_is_taken_back(text in file()) {
        let added = add(&text, &server()).unwrap();
        prop_assert_eq!(&add(&added, &server()).unwrap(), &added);
        let is_windows = text.contains("\r\n");
        prop_assert_eq!(added.matches('\n').count() == added.matches("\r\n").count(), is_windows);
        prop_assert_eq!(&take_back(&added).unwrap(), &text, "{}", added);
    }

    #[test]
    fn what_somebody_writes_meanwhile_stays(text in file(), mark in "[a-z]{0,8}") {
        let added = add(&text, &server()).unwrap();
        let comment = format!("# by hand {mark}\n");
        let edited = |text: &str| {
            let text = text.replace("# kept", "# changed").replace("openai", &mark);
            format!("{comment}{text}{comment}late: '{mark}'\n")
        };
        prop_assert_eq!(take_back(&edited(&added)).unwrap(), edited(&text));
    }

    #[test]
    fn no_text_panics(text in "[ -~\n]{0,64}") {
        let _ = add(&text, &server());
        let _ = take_back(&text);
    }
}
