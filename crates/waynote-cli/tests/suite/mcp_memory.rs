//! Anthropic's memory tool: its contract, and that its files are notes like any other.

use serde_json::{Value, json};

use super::common::Scratch;
use super::mcp_client::Client;

/// Calls the tool with its arguments, one call after another. Returns the replies.
fn play(client: &mut Client, calls: &[Value]) -> String {
    let said = calls.iter().map(|call| {
        let reply = client.call("memory", call.clone());
        let command = call["command"].as_str().unwrap();
        format!("{command}: {}", reply.replace('\n', "\n    "))
    });
    said.collect::<Vec<_>>().join("\n")
}

#[test]
fn files_are_made_changed_moved_and_deleted() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp --tools memory");
    insta::assert_snapshot!(play(&mut client, &[
        json!({ "command": "view", "path": "/memories" }),
        json!({ "command": "create", "path": "/memories/Plan.md", "file_text": "one\ntwo\nthree\nfour\nfive\nsix\n" }),
        json!({ "command": "create", "path": "/memories/Plan.md", "file_text": "again" }),
        json!({ "command": "create", "path": "/memories/a/b/c/deep.txt", "file_text": "x".repeat(2000) }),
        json!({ "command": "create", "path": "/memories/Plan.md/below", "file_text": "h" }),
        json!({ "command": "view", "path": "/memories" }),
        json!({ "command": "view", "path": "/memories/Plan.md" }),
        json!({ "command": "view", "path": "/memories/Plan.md", "view_range": [5, -1] }),
        json!({ "command": "view", "path": "/memories/Plan.md", "view_range": [9, 10] }),
        json!({ "command": "str_replace", "path": "/memories/Plan.md", "old_str": "three\nfour", "new_str": "3 $& 4" }),
        json!({ "command": "insert", "path": "/memories/Plan.md", "insert_line": 0, "insert_text": "zero" }),
        json!({ "command": "view", "path": "/memories/Plan.md" }),
        json!({ "command": "rename", "old_path": "/memories/a", "new_path": "/memories/z/y" }),
        json!({ "command": "delete", "path": "/memories/z" }),
        json!({ "command": "view", "path": "/memories" }),
    ]), @"
    view: Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:
        0	/memories
    create: File created successfully at: /memories/Plan.md
    create: error: File /memories/Plan.md already exists
    create: File created successfully at: /memories/a/b/c/deep.txt
    create: error: /memories/Plan.md is a file, not a directory
    view: Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:
        2.0K	/memories
        28	/memories/Plan.md
        2.0K	/memories/a
        2.0K	/memories/a/b
    view: Here's the content of /memories/Plan.md with line numbers:
             1	one
             2	two
             3	three
             4	four
             5	five
             6	six
    view: Here's the content of /memories/Plan.md with line numbers:
             5	five
             6	six
    view: error: Invalid `view_range` parameter: [9, 10]. It should be within the range [1, 6].
    str_replace: The memory file has been edited.
             1	one
             2	two
             3	3 $& 4
             4	five
             5	six
    insert: The file /memories/Plan.md has been edited.
    view: Here's the content of /memories/Plan.md with line numbers:
             1	zero
             2	one
             3	two
             4	3 $& 4
             5	five
             6	six
    rename: Successfully renamed /memories/a to /memories/z/y
    delete: Successfully deleted /memories/z
    view: Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:
        29	/memories
        29	/memories/Plan.md
    ");
}

#[test]
fn what_cannot_be_done_is_said_in_the_tools_words() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp --tools memory");
    insta::assert_snapshot!(play(&mut client, &[
        json!({ "command": "create", "path": "/memories/f", "file_text": "aa aa\nb\naa" }),
        json!({ "command": "create", "path": "/memories/d/e", "file_text": "" }),
        json!({ "command": "view", "path": "/memories/none" }),
        json!({ "command": "view", "path": "/memories/%2e%2e/x" }),
        json!({ "command": "str_replace", "path": "/memories/f", "old_str": "zz", "new_str": "b" }),
        json!({ "command": "str_replace", "path": "/memories/f", "old_str": "aa", "new_str": "b" }),
        json!({ "command": "str_replace", "path": "/memories/f", "old_str": "aa a", "new_str": "$&" }),
        json!({ "command": "insert", "path": "/memories/f", "insert_line": 4, "insert_text": "b" }),
        json!({ "command": "delete", "path": "/memories" }),
        json!({ "command": "rename", "old_path": "/memories/f", "new_path": "/memories/d/e" }),
        json!({ "command": "rename", "old_path": "/memories/d", "new_path": "/memories/d/e/f" }),
        json!({ "command": "view", "path": "/memories/f" }),
    ]), @"
    create: File created successfully at: /memories/f
    create: File created successfully at: /memories/d/e
    view: error: The path /memories/none does not exist. Please provide a valid path.
    view: error: Path /memories/%2e%2e/x would escape /memories directory
    str_replace: error: No replacement was performed, old_str `zz` did not appear verbatim in /memories/f.
    str_replace: error: No replacement was performed. Multiple occurrences of old_str `aa` in lines: 1, 1, 3. Please ensure it is unique
    str_replace: The memory file has been edited.
             1	$&a
             2	b
             3	aa
    insert: error: Invalid `insert_line` parameter: 4. It should be within the range [0, 3].
    delete: error: Cannot delete the /memories directory itself
    rename: error: The destination /memories/d/e already exists
    rename: error: /memories/d/e/f lies in /memories/d itself
    view: Here's the content of /memories/f with line numbers:
             1	$&a
             2	b
             3	aa
    ");
}

#[test]
fn edits_at_once_are_all_kept() {
    let scratch = Scratch::new();
    let mut first = Client::start(&scratch, "mcp --tools memory");
    play(
        &mut first,
        &[json!({ "command": "create", "path": "/memories/f", "file_text": "" })],
    );
    std::thread::scope(|scope| {
        for process in 0..4 {
            let scratch = &scratch;
            scope.spawn(move || {
                let mut client = Client::start(scratch, "mcp --tools memory");
                for number in 0..10 {
                    let text = format!("{process}-{number}\n");
                    let insert = json!({ "command": "insert", "path": "/memories/f", "insert_line": 0, "insert_text": text });
                    assert!(client.call("memory", insert).ends_with("has been edited."));
                }
            });
        }
    });
    let lines = scratch.ok("show place:/memories/default/f");
    assert_eq!(lines.lines().count(), 40);
}
