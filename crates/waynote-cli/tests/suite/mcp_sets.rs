//! The sources' own tools, for programs that move over: their names, arguments and replies.

use std::path::Path;

use serde_json::json;

use super::common::{Scratch, cases, fields, has, text};
use super::mcp_client::{Client, assert_calls};

fn names(client: &mut Client) -> Vec<String> {
    let tools = client.tools();
    tools.iter().map(|tool| fields(tool, "name")).collect()
}

#[test]
fn openotters_tools_answer_as_recorded() {
    let tools = cases("gonotes/cases.json")["tools"].take();
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp --tools openotters");
    assert_eq!(json!(names(&mut client)), tools["order"]);
    for tool in client.tools() {
        let known = tools["arguments"][text(&tool, "name")].as_object();
        for argument in known.unwrap().keys() {
            let property = &tool["inputSchema"]["properties"][argument];
            assert!(!property.is_null(), "{tool}: {argument}");
        }
    }
    // In the order in which the cases need the store to be.
    for (when, call) in [
        ("empty store", r#"note_list {}"#),
        ("missing key, empty store", r#"note_show {"key":"k"}"#),
        ("missing key, empty store", r#"note_pin {"key":" k "}"#),
        ("missing key, empty store", r#"note_unpin {"key":"k"}"#),
        ("new key", r#"note_save {"key":" k ","content":"v\n"}"#),
        ("existing key", r#"note_save {"key":"k","content":"w"}"#),
        (
            "pin true (later version)",
            r#"note_save {"key":"k","content":"w","pin":true}"#,
        ),
        ("found", r#"note_show {"key":"k"}"#),
        ("found", r#"note_pin {"key":"k"}"#),
        ("found, pinned or not", r#"note_unpin {"key":"k"}"#),
        ("found, pinned or not", r#"note_unpin {"key":"k"}"#),
        ("found", r#"note_delete {"key":"k"}"#),
        ("missing", r#"note_delete {"key":"k"}"#),
    ] {
        let (tool, arguments) = call.split_once(' ').unwrap();
        let result = client.result(tool, serde_json::from_str(arguments).unwrap());
        let reply = text(&result["content"][0], "text").to_owned();
        let case = tools["replies"].as_array().unwrap().iter().find(|case| {
            text(case, "when") == when && text(case, "call").split(", ").any(|call| call == tool)
        });
        let case = case.unwrap_or_else(|| panic!("{tool}, {when}"));
        assert_eq!(result["isError"], case["is_error"], "{tool}, {when}");
        for part in case["has"].as_array().into_iter().flatten() {
            has(&reply, part.as_str().unwrap());
        }
        if let Some(end) = case["ends"].as_str() {
            assert!(reply.ends_with(end), "{reply}");
        }
    }
}

#[test]
fn openotters_refusals_and_lists_are_its_own() {
    let scratch = Scratch::new();
    for number in 0..25 {
        scratch.ok(&format!("key save k{number:02} v{number}"));
    }
    let mut client = Client::start(&scratch, "mcp --tools openotters");
    assert_eq!(
        client.call("note_list", json!({})),
        scratch.ok("context --style faithful --only index")
    );
    assert_calls!(client, @r#"
    $ note_show {"key":"none"}
    error: no note named "none"; there are: k00, k01, k02, k03, k04, k05, k06, k07, k08, k09, k10, k11, k12, k13, k14, k15, k16, k17, k18, k19, and 5 more

    $ note_save {"key":"No Such Key","content":"v"}
    error: invalid note key: `No Such Key` is not a valid key
    a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit; for example `no-such-key`

    $ note_delete {"key":"No Such Key"}
    "No Such Key" was already absent
    "#);
    let large = json!({ "key": "k", "content": "x".repeat(4097) });
    insta::assert_snapshot!(client.call("note_save", large), @"
    error: note content exceeds size cap: the note is too large: 4097 bytes, the limit is 4096
    shorten it, or split it over several keys; only a person can raise `max_bytes`
    ");
    let mut command = scratch.command("mcp --tools openotters");
    command.env("WAYNOTE_MAX_NOTES", "25");
    let mut full = Client::spawn(command);
    full.initialize(json!({}));
    assert_calls!(full, @r#"
    $ note_save {"key":"k","content":"v"}
    error: note count would exceed cap: agent:default is full: 25 notes, the limit is 25
    save under a key that exists, or add the text to another note; only a person can raise `max_notes`
    "#);
}

#[test]
fn ralph_tools_answer_as_recorded() {
    let scratch = Scratch::new();
    let cases = cases("ralph/cases.json");
    let mut tried = 0;
    for case in cases["note_add"].as_array().unwrap() {
        let Some(returned) = case["returned"].as_str() else {
            continue;
        };
        let (content, iteration) = (text(case, "content"), &case["iteration"]);
        // Defects of the program: a cut through a character, options of its shell.
        if returned.ends_with('\u{fffd}')
            || content.starts_with('-')
            || content.encode_utf16().count() > 50 && !content.is_ascii()
        {
            continue;
        }
        let words = format!("--session s{tried} --iteration {iteration} mcp --tools ralph");
        let mut client = Client::start(&scratch, &words);
        assert_eq!(names(&mut client), ["note_add", "note_list"]);
        let arguments = json!({ "content": content, "type": case["type"] });
        assert_eq!(client.call("note_add", arguments), returned);
        tried += 1;
    }
    assert!(tried >= 5, "{tried}");
}

/// As the source's text has them.
#[test]
fn ralph_tools_are_described_as_in_the_source() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "--session s mcp --tools ralph");
    let mut said = Vec::new();
    for tool in client.tools() {
        said.push(fields(&tool, "name description"));
        for of in tool["inputSchema"]["properties"].as_object().unwrap() {
            said.push(format!("  {}: {}", of.0, fields(of.1, "description enum")));
        }
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    note_add Add a note for future iterations (learnings, tips, blockers, decisions)
      content: Note content - be specific and actionable (none)
      session_name: The session, as the prompt names it (none)
      type: Note category ["learning","stuck","tip","decision"]
    note_list List notes from this session
      session_name: The session, as the prompt names it (none)
      type: Filter by type ["learning","stuck","tip","decision"]
    "#);
    assert_eq!(
        client.call("note_list", json!({ "type": "" })),
        "No notes yet"
    );
}

#[test]
fn ralph_tools_take_the_name_of_the_session() {
    let scratch = Scratch::new();
    // Without a session of its own the server takes the one that each call names.
    let mut client = Client::start(&scratch, "mcp --tools ralph");
    assert_eq!(names(&mut client), ["note_add", "note_list"]);
    assert_calls!(client, @r#"
    $ note_add {"content":"use the cache","type":"tip","session_name":"nightly"}
    Note added: [tip] use the cache

    $ note_list {"session_name":"nightly"}
    TIP:
      - [-] use the cache

    $ note_list {}
    error: no session is named
    send `session_name`: the session, as the prompt names it
    "#);
    let mut own = Client::start(
        &scratch,
        "--session nightly --iteration 2 mcp --tools ralph",
    );
    assert_calls!(own, @r#"
    $ note_add {"content":"mine","type":"tip","session_name":"nightly"}
    Note added: [tip] mine

    $ note_add {"content":"use the cache","type":"tip","session_name":"other"}
    error: this is session `nightly`, not `other`
    leave `session_name` out, or send the name of this session; nothing was done

    $ note_list {"session_name":""}
    TIP:
      - [-] use the cache
      - [#2] mine
    "#);
}

#[test]
fn zrb_tools_read_and_write_one_directory() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp --tools zrb");
    assert_eq!(
        names(&mut client),
        [
            "ReadLongTermNote",
            "WriteLongTermNote",
            "ReadContextualNote",
            "WriteContextualNote"
        ]
    );
    // Models also send empty texts and nulls; relative paths start from the working directory.
    assert_calls!(client, @r#"
    $ ReadLongTermNote {}


    $ WriteLongTermNote {"content":"short answers"}
    The global note was saved.

    $ ReadLongTermNote {}
    short answers

    $ WriteContextualNote {"content":"a workspace","path":"~/p/../p"}
    The note was saved for ~/p/../p

    $ ReadContextualNote {"path":"~/p"}
    a workspace

    $ WriteContextualNote {"content":"here"}
    The note was saved for HOME/work

    $ ReadContextualNote {"path":""}
    here
    "#);
    assert_eq!(scratch.ok("place read"), "here");
}

#[test]
fn zrb_tools_at_home_mean_home() {
    let scratch = Scratch::new();
    let in_folder = |folder: &Path| {
        let mut command = scratch.command("mcp --tools zrb");
        command.current_dir(folder);
        let mut client = Client::spawn(command);
        client.initialize(json!({}));
        client
    };
    assert_calls!(in_folder(&scratch.home()), @r#"
    $ WriteContextualNote {"content":"at home","path":""}
    The note was saved for HOME

    $ ReadLongTermNote {}
    at home

    $ ReadContextualNote {"path":"."}
    at home
    "#);
    assert_calls!(in_folder(Path::new("/")), @"
    $ ReadContextualNote {}
    error: no project directory is known
    give an absolute path, `repo:HOST/NAME//inside`, or `~` for everywhere
    ");
}

#[test]
fn sets_are_put_together_and_the_first_keeps_a_name() {
    let scratch = Scratch::new();
    let mut all = Client::start(&scratch, "--session s mcp --tools all");
    let all = names(&mut all);
    assert_eq!(all.len(), 8 + 1 + 4 + 1, "{all:?}");
    let mut both = Client::start(&scratch, "--session s mcp --tools ralph,default");
    assert_eq!(both.call("note_list", json!({})), "No notes yet");
    assert_eq!(names(&mut both).len(), 8);
    insta::assert_snapshot!(scratch.run("mcp --tools ralph,rabbit").said(), @"
    exit 2
    error: `rabbit` is not a set of tools
      the sets are default, openotters, ralph, zrb, memory and all
    ");
}
