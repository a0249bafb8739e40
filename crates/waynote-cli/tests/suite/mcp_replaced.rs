//! A server whose store's files are deleted, overwritten or replaced while it runs, and an idle server.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::common::{Scratch, has, until};
use super::mcp_client::Client;

fn beside(scratch: &Scratch, ending: &str) -> PathBuf {
    let mut path = scratch.store().into_os_string();
    path.push(ending);
    path.into()
}

fn wal_bytes(scratch: &Scratch) -> u64 {
    fs::metadata(beside(scratch, "-wal")).map_or(0, |wal| wal.len())
}

fn save(client: &mut Client, key: &str) -> String {
    client.call("note_save", json!({ "key": key, "content": "v" }))
}

fn keys(scratch: &Scratch) -> usize {
    scratch.ok("key count").trim().parse().unwrap()
}

/// An idle server and one that ends empty the WAL.
#[test]
fn a_server_whose_wal_is_deleted_writes_nothing_more() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    save(&mut client, "one");
    until("the WAL is empty", || wal_bytes(&scratch) == 0);
    save(&mut client, "two");
    // Else it was idle for so long that nothing is lost.
    let is_lost = wal_bytes(&scratch) > 0;
    fs::remove_file(beside(&scratch, "-wal")).unwrap();
    let said = save(&mut client, "three");
    // It has to be started again, and what is there now is for a person to accept.
    let said = said.replace(scratch.home().to_str().unwrap(), "HOME");
    insta::assert_snapshot!(said, @"
    error: the store HOME/.local/share/waynote/notes.db was deleted or replaced: a file of its write-ahead log was deleted or replaced
    a person has to put the file back, or restart this server
    ");
    drop(client);
    if is_lost {
        assert_eq!(keys(&scratch), 1);
        has(
            scratch.run("key save three v").said(),
            "it was at position 2, and now it is at 1",
        );
        scratch.ok("verify --accept-rollback --yes");
    }
    let mut client = Client::start(&scratch, "mcp");
    assert_eq!(
        save(&mut client, "three"),
        "saved agent:default#three (new)"
    );
    drop(client);
    until("the WAL is empty", || wal_bytes(&scratch) == 0);
    assert_eq!(keys(&scratch), if is_lost { 2 } else { 3 });
    assert!(scratch.ok("verify").contains("is sound"));
}
