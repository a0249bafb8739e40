//! A store of the last schema, as the program of that time wrote it (`tests/data`), and its migration.

mod feed;
mod killed;
mod reads;

use std::path::Path;

use waynote::{Error, Options, SqliteStore, Store};

use waynote_testing::old_store::Old;

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

#[test]
fn a_program_of_this_schema_refuses_the_next() {
    let old = Old::new();
    drop(old.open());
    old.raw()
        .execute("INSERT INTO waynote_migration VALUES (10, 'next', '')", [])
        .unwrap();
    let refused = SqliteStore::open(old.path(), &Options::default());
    assert!(matches!(
        refused,
        Err(Error::NewerStore {
            found: 10,
            known: 9,
            ..
        })
    ));
}

/// The work of a separate process: it opens the store named by the variable.
#[test]
fn open_in_a_process() {
    if let Some(path) = std::env::var_os("WAYNOTE_TEST_OPEN") {
        SqliteStore::open(Path::new(&path), &Options::default()).unwrap();
    }
}
