//! Goose's file in the forms that people write it in.

use super::*;

fn server() -> Server {
    Server {
        command: "/opt/way \"note\"/waynote".into(),
        args: vec!["mcp".into()],
        author: "agent:goose".into(),
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
        "GOOSE_MODE: auto\nextensions:\n  developer: {enabled: true}",
    ] {
        let added = add(text, &server()).unwrap();
        assert_eq!(add(&added, &server()).unwrap(), added);
        let file = load(&added).unwrap();
        let own = get(extensions(&file).unwrap(), NAME).unwrap();
        assert_eq!(get(own, "cmd").unwrap().as_str(), Some(&*server().command));
        assert_eq!(take_back(&added).unwrap(), text, "{added}");
    }
}

#[test]
fn an_empty_list_of_extensions_is_filled() {
    for text in ["extensions: {}\n", "a: 1\nextensions:\nb: 2\n"] {
        let added = add(text, &server()).unwrap();
        assert!(same_but_ours(&load(text).unwrap(), &load(&added).unwrap()));
        let back = take_back(&added).unwrap();
        assert!(same_but_ours(&load(text).unwrap(), &load(&back).unwrap()));
    }
}

#[test]
fn what_cannot_be_edited_is_left_alone() {
    let line = |text: &str| add(text, &server()).unwrap_err().line;
    assert_eq!(
        line("a: 1\nextensions: {developer: {enabled: true}}\n"),
        Some(2)
    );
    assert_eq!(line("- a\n"), Some(1));
    assert_eq!(line("a: 1\nb: [\n"), Some(3));
    assert_eq!(line("a: 1\n---\nb: 2\n"), None);
    assert!(add("extensions: 5\n", &server()).is_err());
}

#[test]
fn an_entry_of_ours_is_brought_up_to_date() {
    let old = Server {
        command: "/old/waynote".into(),
        ..server()
    };
    let text = "extensions:\n  a:\n    enabled: true\n";
    let added = add(&add(text, &old).unwrap(), &server()).unwrap();
    assert!(!added.contains("/old/"));
    assert_eq!(take_back(&added).unwrap(), text);
}
