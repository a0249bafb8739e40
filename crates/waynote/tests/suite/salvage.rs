//! Salvage: the intact part of a damaged store is saved into a new one, and the rest is named.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use waynote::sqlite::{SalvageReport, salvage};
use waynote::store::{Cursor, FeedEntry, Filter};
use waynote::{
    Content, EntryType, LocalStore, Options, Reader, ScopeKind, SessionLog, SqliteStore, Store,
};

use waynote_testing::values::{assert_clean, at, keep, key, name, open, save};

/// A store with histories, a deleted note, a forgotten one, entries, repeats, and events.
pub(super) fn fill(path: &Path) {
    let store = open(path, waynote_testing::stores::TINY);
    let texts: Vec<String> = (0..40)
        .map(|number| format!("text {number} {}", "words ".repeat(number * 7)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    keep(&store, &texts);
    keep(&store, &["again zero", "again one", "again two"]);
    keep(&store, &["thrice zero"]);
    let change = waynote::Change::delete(key("k5"));
    store.apply(&[change], &at(200)).unwrap();
    store
        .forget(&waynote::Forget::new(key("k6")), &at(201))
        .unwrap();
    let log = SessionLog::new(&store, name("s"));
    let text = |text: &str| Content::text(text).unwrap();
    log.add(EntryType::Stuck, Some(1), text("wall"), &at(202))
        .unwrap();
    log.add(EntryType::Tip, Some(1), text("tip"), &at(203))
        .unwrap();
    log.add(EntryType::Tip, Some(2), text("tip"), &at(204))
        .unwrap();
    let entry = log.stuck("wall").unwrap();
    log.add_resolving(
        EntryType::Learning,
        Some(2),
        text("ladder"),
        Some(entry),
        &at(205),
    )
    .unwrap();
    let change = save(waynote::Address::Place("~/p".parse().unwrap()), "place");
    store.apply(&[change], &at(206)).unwrap();
    assert_clean(&store);
    drop(store);
    let conn = Connection::open(path).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
}

fn everything(store: &dyn LocalStore) -> (Vec<FeedEntry>, Vec<waynote::Note>) {
    let kinds = [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session];
    let notes = kinds.map(|kind| store.select(&Filter::Kind(kind)).unwrap());
    let feed = store.feed(Cursor::START, 10_000).unwrap();
    (feed, notes.into_iter().flatten().collect())
}

fn saved_after(sql: &str) -> (SqliteStore, SqliteStore, SalvageReport, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
    fill(&old);
    let before = open(&folder.path().join("old.db"), waynote_testing::stores::TINY);
    let conn = Connection::open(&old).unwrap();
    conn.pragma_update(None, "foreign_keys", "OFF").unwrap();
    conn.execute_batch(sql).unwrap();
    drop(conn);
    let bytes = fs::read(&old).unwrap();
    let salvaged = salvage(&old, &new, &Options::default()).unwrap();
    assert_eq!(
        fs::read(&old).unwrap(),
        bytes,
        "the old store was written to"
    );
    let left = fs::read_dir(folder.path()).unwrap();
    assert!(
        left.flatten()
            .all(|file| !file.file_type().unwrap().is_dir())
    );
    let store = SqliteStore::open(&new, &Options::default()).unwrap();
    (before, store, salvaged, folder)
}

#[test]
fn a_sound_store_is_saved_whole() {
    let (old, new, salvaged, _folder) = saved_after("");
    assert_eq!(salvaged.lost, []);
    assert!(salvaged.is_complete());
    assert_eq!(everything(&new), everything(&old));
    assert_clean(&new);
    assert_ne!(new.store_id().unwrap(), old.store_id().unwrap());
}

#[test]
fn a_note_without_its_history_is_saved_as_it_is() {
    let (_, new, salvaged, _folder) = saved_after(
        "UPDATE waynote_content SET body = 'x' WHERE body = CAST('again zero' AS BLOB)",
    );
    let lost: Vec<&str> = salvaged
        .lost
        .iter()
        .map(|lost| lost.what.as_str())
        .collect();
    assert_eq!(lost, ["agent:a#k0"], "{salvaged:?}");
    let note = new.get(&key("k0")).unwrap().unwrap();
    assert_eq!(
        (note.content.to_string().as_str(), note.revision),
        ("thrice zero", 1)
    );
    assert_eq!(new.history(&key("k1")).unwrap().len(), 2);
    assert_clean(&new);
}

#[test]
fn a_note_whose_row_is_lost_is_rebuilt_from_its_history() {
    for sql in [
        "UPDATE waynote_note SET author = 'x'",
        "DELETE FROM waynote_note",
    ] {
        let (old, new, salvaged, _folder) = saved_after(sql);
        assert_eq!(salvaged.lost, [], "{sql}");
        let notes = everything(&new).1;
        assert_eq!(notes.len(), 38 + 3 + 1, "{sql}");
        let feed = |store: &SqliteStore| store.feed(Cursor::START, 10_000).unwrap();
        assert_eq!(feed(&new), feed(&old), "{sql}");
        assert_clean(&new);
    }
}

#[test]
fn a_note_whose_text_is_damaged_is_named() {
    let (_, new, salvaged, _folder) =
        saved_after("UPDATE waynote_content SET body = 'x' WHERE body = CAST('again one' AS BLOB)");
    assert_eq!(salvaged.lost.len(), 1, "{salvaged:?}");
    assert_eq!(salvaged.lost[0].what, "agent:a#k1");
    assert_eq!(
        salvaged.lost[0].why,
        "damaged; the last undamaged revision is 1"
    );
    assert_eq!(new.get(&key("k1")).unwrap(), None);
    assert_eq!(new.get(&key("k2")).unwrap().unwrap().revision, 2);
    assert_clean(&new);
}

#[test]
fn events_that_are_lost_leave_no_gap() {
    let (_, new, salvaged, _folder) = saved_after("UPDATE waynote_event SET author = 'x'");
    assert_eq!(salvaged.events, 0);
    assert!(
        salvaged
            .lost
            .iter()
            .any(|lost| lost.what == "session:s#event-1"),
        "{salvaged:?}"
    );
    assert_clean(&new);
}

#[test]
fn what_is_there_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.db");
    fill(&path);
    let taken = folder.path().join("new.db");
    fs::write(&taken, "mine").unwrap();
    salvage(&path, &taken, &Options::default()).unwrap_err();
    assert_eq!(fs::read(&taken).unwrap(), b"mine");
    let missing = folder.path().join("missing.db");
    salvage(
        &missing,
        &folder.path().join("other.db"),
        &Options::default(),
    )
    .unwrap_err();
    assert!(!missing.exists());
    assert!(!folder.path().join("other.db").exists());
}
