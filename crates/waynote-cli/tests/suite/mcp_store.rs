//! A server whose store is missing, is damaged, or goes away while it runs.

use std::fs::{self, File};

use serde_json::json;

use super::common::Scratch;
use super::mcp_client::Client;

/// The reply with the scratch home left out.
fn said(scratch: &Scratch, reply: &str) -> String {
    reply.replace(scratch.home().to_str().unwrap(), "HOME")
}

fn save(client: &mut Client, key: &str) -> String {
    client.call("note_save", json!({ "key": key, "content": "v" }))
}

fn show(client: &mut Client, key: &str) -> String {
    client.call("note_show", json!({ "key": key }))
}

fn folder(scratch: &Scratch) -> std::path::PathBuf {
    scratch.store().parent().unwrap().to_owned()
}

#[test]
fn a_store_that_is_deleted_or_replaced_is_an_error() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    save(&mut client, "k");
    let aside = scratch.path("aside");
    fs::rename(folder(&scratch), &aside).unwrap();
    let replies = [show(&mut client, "k"), save(&mut client, "lost")];
    insta::assert_snapshot!(said(&scratch, &replies.join("\n")), @"
    error: the store HOME/.local/share/waynote/notes.db was deleted or replaced: it was deleted after it was opened
    a person has to put the file back, or restart this server
    error: the store HOME/.local/share/waynote/notes.db was deleted or replaced: it was deleted after it was opened
    a person has to put the file back, or restart this server
    ");
    // Nothing is made in its place, and nothing written into the one that was put aside.
    assert!(!folder(&scratch).exists());
    let in_aside = |words: &str| {
        let store = aside.join("notes.db");
        scratch.ok(&format!("--store {} {words}", store.display()))
    };
    assert_eq!(in_aside("key count"), "1\n");
    // The first one continues when its own store is put back.
    fs::rename(&aside, folder(&scratch)).unwrap();
    assert_eq!(show(&mut client, "k"), "v");
    assert_eq!(save(&mut client, "l"), "saved agent:default#l (new)");
    assert_eq!(scratch.ok("key count"), "2\n");
}

#[test]
fn a_store_that_cannot_be_opened_is_told_at_each_call_until_it_is_mended() {
    let scratch = Scratch::new();
    scratch.ok("key save k v");
    let whole = scratch.path("whole.db");
    fs::rename(folder(&scratch), &whole).unwrap();
    fs::create_dir(folder(&scratch)).unwrap();
    fs::write(scratch.store(), "x".repeat(5000)).unwrap();
    let mut client = Client::start(&scratch, "mcp");
    let told = show(&mut client, "k");
    insta::assert_snapshot!(said(&scratch, &told), @"
    error: HOME/.local/share/waynote/notes.db is not a waynote store: it is not a SQLite database
    a person has to set another file as the store of this server
    ");
    assert_eq!(save(&mut client, "l"), told);
    fs::remove_dir_all(folder(&scratch)).unwrap();
    fs::rename(&whole, folder(&scratch)).unwrap();
    assert_eq!(show(&mut client, "k"), "v");
    assert!(save(&mut client, "l").starts_with("saved agent:default#l ("));
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
    assert_eq!(client.call("ReadLongTermNote", json!({})), "");
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
    let token = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6");
    fs::write(&file, format!("{{\"~/p\": \"{token}\"}}")).unwrap();
    client.call("WriteLongTermNote", json!({ "content": "hello" }));
    let said = heard();
    assert!(!said.contains(&token), "{said}");
    insta::assert_snapshot!(said, @"
    warning: FOLDER/notes.json is damaged: line 1: EOF while parsing an object
      the store is used without it; mend it or move it away
    warning: 1 note taken in from outside holds a credential:
      place:~/p: github-token
      rotate it (create a new one, revoke the old one), then run `waynote forget ADDRESS`; prompts and lists mask it
    ");
    assert!(client.end().1.success());
}
