//! Codex's file: the entry goes in and comes out, and the rest stays.

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

#[test]
fn an_entry_goes_in_and_comes_out() {
    for text in [
        "",
        "model = \"o3\" # kept\n",
        "# kept\n",
        "model = 'o'\n\n[features] # kept\nhooks=true\n# kept at the end\n",
        "[mcp_servers.other]\ncommand = \"x\"\nenv = { A = \"1\" }\n",
        "[[hooks.Stop]]\nmatcher = \"*\"\r\n[[hooks.Stop.hooks]]\r\ncommand = \"x\"\r\n",
        "mcp_servers.other.command = \"x\"\n",
        "[mcp_servers]\nother = { command = \"x\" }\n",
        "mcp_servers = { other = { command = \"x\" } } # kept\n",
    ] {
        let added = add(text, &server()).unwrap();
        assert_eq!(add(&added, &server()).unwrap(), added);
        let entry = read(&added).unwrap();
        assert_eq!(
            entry["mcp_servers"]["waynote"]["command"],
            *server().command,
            "{added}"
        );
        assert_eq!(added.matches("kept").count(), text.matches("kept").count());
        let back = take_back(&added).unwrap();
        assert_eq!(read(&back), read(text), "{back}");
        assert_eq!(back.matches("kept").count(), text.matches("kept").count());
    }
}

#[test]
fn comments_around_our_table_are_a_persons() {
    let added = add("a = 1\n# mine\n", &server()).unwrap();
    let edited = added.replace("[mcp_servers.waynote]", "# more\n[mcp_servers.waynote]")
        + "\n# below\n[tui]\nx = 1\n";
    let back = take_back(&edited).unwrap();
    assert_eq!(back, "a = 1\n# mine\n\n# more\n\n# below\n[tui]\nx = 1\n");
}

#[test]
fn a_program_that_moved_is_updated_and_nothing_else() {
    let text = "[mcp_servers.waynote] # ours\ncommand = '/old/waynote' # moved\nargs = [ 'mcp', '--tools', 'all' ]\n";
    let now = add(text, &server()).unwrap();
    let expected = text.replace("'/old/waynote'", "'/opt/way \"note\"/waynote'");
    assert_eq!(now, expected);
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_line() {
    assert!(add("mcp_servers = 5\n", &server()).is_err());
    let error = add("a = 1\nb = \n", &server()).unwrap_err();
    assert!(matches!(error, Refusal::Damaged { line: Some(2), .. }));
}
