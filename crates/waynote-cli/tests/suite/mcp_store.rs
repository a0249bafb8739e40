//! A server whose store goes away while it runs, or is kept in sync with a file.

use std::fs::{self, File};

use serde_json::json;

use super::common::{Scratch, until};
use super::mcp_client::{Client, assert_calls};

fn folder(scratch: &Scratch) -> std::path::PathBuf {
    scratch.store().parent().unwrap().to_owned()
}

#[test]
fn a_store_that_is_deleted_or_replaced_is_an_error() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    assert_calls!(client, @r#"
    $ note_save {"key":"k","content":"v"}
    saved agent:default#k (new); it applies in every project, as none is known here
    "#);
    until("an idle server empties the WAL", || {
        let wal = fs::metadata(folder(&scratch).join("notes.db-wal"));
        wal.map_or(0, |wal| wal.len()) == 0
    });
    let aside = scratch.path("aside");
    fs::rename(folder(&scratch), &aside).unwrap();
    assert_calls!(client, @r#"
    $ note_show {"key":"k"}
    error: the store HOME/.local/share/waynote/notes.db was deleted or replaced: it was deleted after it was opened
    a person has to put the file back, or restart this server

    $ note_save {"key":"lost","content":"v"}
    error: the store HOME/.local/share/waynote/notes.db was deleted or replaced: it was deleted after it was opened
    a person has to put the file back, or restart this server
    "#);
    // Nothing is made in its place, and nothing written into the one that was put aside.
    assert!(!folder(&scratch).exists());
    let store = aside.join("notes.db");
    let count = format!("--store {} key count", store.display());
    assert_eq!(scratch.ok(&count), "1\n");
    // It continues when its own store is put back.
    fs::rename(&aside, folder(&scratch)).unwrap();
    assert_calls!(client, @r#"
    $ note_save {"key":"l","content":"v"}
    saved agent:default#l (new); it applies in every project, as none is known here
    "#);
    assert_eq!(scratch.ok("key count"), "2\n");
}

#[test]
fn what_is_wrong_with_the_file_in_sync_is_said_after_the_call_and_once() {
    let scratch = Scratch::new();
    let (file, heard) = (scratch.path("notes.json"), scratch.path("heard"));
    let mut command = scratch.command("mcp --tools zrb");
    command.env("ZRB_LLM_NOTE_FILE", &file);
    command.stderr(File::create(&heard).unwrap());
    let mut client = Client::spawn_heard(command);
    client.initialize(json!({}));
    let heard = || {
        let text = fs::read_to_string(&heard).unwrap();
        text.replace(scratch.path("").to_str().unwrap(), "FOLDER/")
    };
    fs::write(&file, r#"{"~": "from the file"}"#).unwrap();
    assert_eq!(client.call("ReadLongTermNote", json!({})), "from the file");
    client.call("WriteLongTermNote", json!({ "content": "from the tool" }));
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, "{\n  \"~\": \"from the tool\"\n}");
    assert_eq!(heard(), "");
    fs::write(&file, "{").unwrap();
    client.call("ReadLongTermNote", json!({}));
    let once = heard();
    insta::assert_snapshot!(once, @"
    warning: FOLDER/notes.json is damaged: line 1: EOF while parsing an object
      the store is used without it; mend it or move it away
    ");
    client.call("ReadLongTermNote", json!({}));
    assert_eq!(heard(), once);
    assert!(client.end().1.success());
}
