//! A store of the last schema, as the program of that time wrote it (`tests/data`), and its migration.

mod feed;
mod killed;
mod reads;

use std::path::Path;

use waynote::{
    AttachedStore, Error, Notebook, Options, Reader as _, SaveOptions, SqliteStore, Store,
};

use waynote_testing::old_store::{Old, killed as migrations};
use waynote_testing::values::{at, name, text};

fn refused<T>(outcome: rusqlite::Result<T>) -> String {
    outcome.err().expect("it was not refused").to_string()
}

const UPGRADED: &str =
    "a newer version of waynote has upgraded this store: start this program again";

#[test]
fn a_program_of_the_last_schema_that_runs_on_writes_nothing() {
    let old = Old::new();
    // Both have the store open from before it is migrated.
    let conn = old.raw();
    let scope: i64 = conn
        .query_row("SELECT min(scope) FROM waynote_journal", [], |row| {
            row.get(0)
        })
        .unwrap();
    let store = old.open();
    let inserted = conn.execute(
        "INSERT INTO waynote_journal (previous, scope, key, revision, action, undoes, content, kind, iteration, pinned,
                                      author, recorded_at, created_at, updated_at)
         VALUES (NULL, ?1, 'k', 1, 'save', NULL, NULL, NULL, NULL, 0, 'person', 1, 1, 1)",
        [scope],
    );
    assert_eq!(refused(inserted), UPGRADED);
    let forgotten = conn.execute(
        "UPDATE waynote_journal SET content = NULL, forgotten_at = 1, forgotten_by = 'person' WHERE position = 1",
        [],
    );
    assert_eq!(refused(forgotten), UPGRADED);
    let event = conn.execute(
        "INSERT INTO waynote_event (scope, number, after, author, recorded_at, event) VALUES (?1, 99, 1, 'person', 1, '')",
        [scope],
    );
    assert!(refused(event).contains("no column named after"));
    assert!(store.verify().unwrap().is_clean());
}

#[test]
fn a_migration_leaves_no_long_wal() {
    let old = Old::with_notes(2_000);
    let _store = old.open();
    let wal = std::fs::metadata(old.folder.path().join("notes.db-wal")).unwrap();
    assert_eq!(wal.len(), 0);
}

/// Programs use newer tables as far as their numbers allow.
#[test]
fn a_program_of_this_schema_uses_the_next_as_far_as_it_may() {
    let needs = |to: &str| {
        format!(
            " has version 10, and this program knows 9: it needs waynote 0.2.0 or newer to {to}"
        )
    };
    for (reader, writer, reads, writes) in [
        (9, 9, None, None),
        (9, 10, None, Some(needs("write"))),
        (10, 10, Some(needs("read")), Some(needs("read"))),
    ] {
        let old = Old::new();
        drop(old.open());
        let insert =
            "INSERT INTO waynote_migration VALUES (10, 'next', '', ?1, ?2, '0.2.0', '0.2.0')";
        old.raw().execute(insert, [reader, writer]).unwrap();
        let store = SqliteStore::at(old.path(), &Options::default());
        let says = |outcome: Result<(), Error>| {
            let said = outcome.err().map(|error| error.to_string());
            said.map(|said| said.replace(&format!("the store {}", old.path().display()), ""))
        };
        assert_eq!(says(store.version().map(|_| ())), reads);
        assert_eq!(says(save(&store)), writes);
        assert_eq!(store.upgraded(), None);
        // Also in an application's database.
        let conn = old.raw();
        match AttachedStore::attach(&conn) {
            Err(error) => assert_eq!(says(Err(error)), reads),
            Ok(attached) => {
                assert_eq!(reads, None);
                assert_eq!(says(save(&attached)), writes);
            }
        }
    }
}

fn save(store: &dyn Store) -> waynote::Result<()> {
    let saves = SaveOptions::default();
    Notebook::of_agent(store, name("new"))
        .save(&"k".parse()?, text("v"), saves, &at(1))
        .map(drop)
}

/// Reading leaves the file as it is. The first write upgrades it, and keeps it as it was.
#[test]
fn only_a_write_upgrades_a_store() {
    let old = Old::new();
    let before = std::fs::read(old.path()).unwrap();
    let readers = [old.open_to_read(), old.open_to_read()];
    for store in &readers {
        assert!(store.verify().unwrap().is_clean());
        assert_eq!(store.journal(None, usize::MAX).unwrap().len(), 269);
    }
    assert_eq!(std::fs::read(old.path()).unwrap(), before);
    assert_eq!(migrations::schema(&old.path()), 5);
    save(&readers[0]).unwrap();
    assert_eq!(migrations::schema(&old.path()), 9);
    let upgraded = readers[0].upgraded().unwrap();
    assert_eq!(upgraded.from, 5);
    assert_eq!(migrations::schema(&upgraded.kept), 5);
    let kept = SqliteStore::open(&upgraded.kept, &Options::default()).unwrap();
    assert_eq!(kept.journal(None, usize::MAX).unwrap().len(), 269);
    // The other process goes on with what is there now.
    assert_eq!(readers[1].journal(None, usize::MAX).unwrap().len(), 270);
    save(&readers[1]).unwrap();
    assert_eq!(readers[1].upgraded(), None);
}

/// The work of a separate process: it opens the store named by the variable.
#[test]
fn open_in_a_process() {
    if let Some(path) = std::env::var_os("WAYNOTE_TEST_OPEN") {
        let store = SqliteStore::open(Path::new(&path), &Options::default()).unwrap();
        store.upgrade().unwrap();
    }
}
