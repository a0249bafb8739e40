//! A server whose store's files are deleted, overwritten or replaced while it runs, and an idle server.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::common::{Scratch, until};
use super::mcp_client::Client;

fn beside(scratch: &Scratch, ending: &str) -> PathBuf {
    let mut path = scratch.store().into_os_string();
    path.push(ending);
    path.into()
}

fn wal_bytes(scratch: &Scratch) -> u64 {
    fs::metadata(beside(scratch, "-wal")).unwrap().len()
}

fn save(client: &mut Client, key: &str) -> String {
    client.call("note_save", json!({ "key": key, "content": "v" }))
}

fn keys(scratch: &Scratch) -> usize {
    scratch.ok("key count").trim().parse().unwrap()
}

#[test]
fn an_idle_server_and_one_that_ends_empty_the_wal() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    save(&mut client, "one");
    until("the WAL is empty", || wal_bytes(&scratch) == 0);
    save(&mut client, "two");
    drop(client);
    until("the WAL is empty", || wal_bytes(&scratch) == 0);
    assert_eq!(keys(&scratch), 2);
    assert!(scratch.ok("verify").contains("is sound"));
}

#[test]
fn a_server_whose_wal_is_deleted_writes_nothing_until_that_is_accepted() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    save(&mut client, "one");
    until("the WAL is empty", || wal_bytes(&scratch) == 0);
    save(&mut client, "two");
    // Else it was idle for so long that nothing is lost.
    let is_lost = wal_bytes(&scratch) > 0;
    fs::remove_file(beside(&scratch, "-wal")).unwrap();
    let said = save(&mut client, "three");
    if is_lost {
        let said = said.replace(scratch.home().to_str().unwrap(), "HOME");
        insta::assert_snapshot!(said, @"
        error: the store HOME/.local/share/waynote/notes.db has lost acknowledged writes: it was at position 2, and now it is at 1
        a person has to restore a backup, or to accept the loss; until then notes can only be read
        ");
        assert_eq!(keys(&scratch), 1);
        scratch.ok("verify --accept-rollback --yes");
        assert_eq!(
            save(&mut client, "three"),
            "saved agent:default#three (new)"
        );
    }
    assert_eq!(keys(&scratch), if is_lost { 2 } else { 3 });
    assert!(scratch.ok("verify").contains("is sound"));
}

#[test]
fn a_server_does_not_write_into_an_older_backup_and_goes_on_with_it_once_it_is_accepted() {
    for is_renamed in [false, true] {
        let scratch = Scratch::new();
        let mut client = Client::start(&scratch, "mcp");
        save(&mut client, "one");
        let backup = scratch.path("backup.db");
        let database = rusqlite::Connection::open(scratch.store()).unwrap();
        let into = backup.to_str().unwrap();
        database.execute("VACUUM INTO ?1", [into]).unwrap();
        drop(database);
        save(&mut client, "two");
        for ending in ["-wal", "-shm"] {
            fs::remove_file(beside(&scratch, ending)).unwrap();
        }
        let whole = fs::read(&backup).unwrap();
        match is_renamed {
            true => fs::rename(&backup, scratch.store()).unwrap(),
            false => {
                fs::copy(&backup, scratch.store()).unwrap();
            }
        }
        let said = save(&mut client, "three");
        assert!(said.contains("has lost acknowledged writes"), "{said}");
        assert!(fs::read(scratch.store()).unwrap() == whole);
        scratch.ok("verify --accept-rollback --yes");
        assert_eq!(
            save(&mut client, "three"),
            "saved agent:default#three (new)"
        );
        scratch.ok("key save four text");
        drop(client);
        assert_eq!(keys(&scratch), 3);
        assert!(scratch.ok("verify").contains("is sound"));
    }
}

#[test]
fn a_server_whose_index_of_the_wal_is_deleted_goes_on() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    save(&mut client, "one");
    fs::remove_file(beside(&scratch, "-shm")).unwrap();
    assert_eq!(save(&mut client, "two"), "saved agent:default#two (new)");
    scratch.ok("key save three text");
    assert_eq!(save(&mut client, "four"), "saved agent:default#four (new)");
    assert_eq!(keys(&scratch), 4);
    drop(client);
    assert!(scratch.ok("verify").contains("is sound"));
}
