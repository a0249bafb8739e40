//! A copy of a damaged store: it has what is whole, and the rest is named.

use std::fs;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use waynote::copy::{CopyReport, copy};
use waynote::store::{FeedEntry, Filter};
use waynote::{
    Content, EntryType, LocalStore, Options, Reader, ScopeKind, SessionLog, SqliteStore, Store,
};

use waynote_testing::values::{assert_clean, at, keep, key, name, open, save};

/// SQLite's page size.
const PAGE: usize = 4096;

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
    let feed = store.feed(None, 10_000).unwrap();
    (feed, notes.into_iter().flatten().collect())
}

pub(super) fn copied(old: &Path, new: &Path) -> waynote::Result<CopyReport> {
    let store = SqliteStore::open(old, &Options::default())?;
    SqliteStore::make(new, &Options::default(), |to| {
        copy(store.engine(), to, &mut |_| Ok(()))
    })
}

fn saved_after(sql: &str) -> (SqliteStore, SqliteStore, CopyReport, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
    fill(&old);
    let before = open(&old, waynote_testing::stores::TINY);
    let conn = Connection::open(&old).unwrap();
    conn.pragma_update(None, "foreign_keys", "OFF").unwrap();
    conn.execute_batch(sql).unwrap();
    drop(conn);
    let bytes = fs::read(&old).unwrap();
    let report = copied(&old, &new).unwrap();
    assert_eq!(
        fs::read(&old).unwrap(),
        bytes,
        "the old store was written to"
    );
    let store = SqliteStore::open(&new, &Options::default()).unwrap();
    assert_clean(&store);
    (before, store, report, folder)
}

#[test]
fn a_sound_store_is_copied_whole() {
    let (old, new, report, _folder) = saved_after("");
    assert_eq!(report.lost, [""; 0]);
    assert_eq!(everything(&new), everything(&old));
    assert_ne!(new.store_id().unwrap(), old.store_id().unwrap());
}

#[test]
fn a_note_without_its_history_is_copied_as_it_is() {
    for sql in [
        "UPDATE waynote_content SET body = 'x' WHERE body = CAST('again zero' AS BLOB)",
        "DELETE FROM waynote_journal WHERE key = 'k0' AND revision = 2",
    ] {
        let (_, new, report, _folder) = saved_after(sql);
        assert!(
            report
                .lost
                .contains(&"the history of agent:a#k0".to_owned()),
            "{report:?}"
        );
        let note = new.get(&key("k0")).unwrap().unwrap();
        assert_eq!(
            (note.content.to_string().as_str(), note.revision),
            ("thrice zero", 1)
        );
        assert_eq!(new.history(&key("k1")).unwrap().len(), 2);
    }
}

#[test]
fn a_note_whose_row_is_lost_is_made_of_its_history() {
    for sql in [
        "UPDATE waynote_note SET author = 'x'",
        "DELETE FROM waynote_note",
    ] {
        let (old, new, report, _folder) = saved_after(sql);
        assert_eq!(report.lost, [""; 0], "{sql}");
        let notes = everything(&new).1;
        assert_eq!(notes.len(), 38 + 3 + 1, "{sql}");
        let feed = |store: &SqliteStore| store.feed(None, 10_000).unwrap();
        assert_eq!(feed(&new), feed(&old), "{sql}");
    }
}

#[test]
fn a_note_whose_text_is_damaged_is_named() {
    let (_, new, report, _folder) =
        saved_after("UPDATE waynote_content SET body = 'x' WHERE body = CAST('again one' AS BLOB)");
    assert_eq!(report.lost, ["agent:a#k1", "agent:a#k1@2"]);
    assert_eq!(new.get(&key("k1")).unwrap(), None);
    assert_eq!(new.get(&key("k2")).unwrap().unwrap().revision, 2);
}

#[test]
fn events_that_are_lost_leave_no_gap() {
    let (_, new, report, _folder) = saved_after("UPDATE waynote_event SET author = 'x'");
    assert_eq!(new.events(&name("s"), None, 10).unwrap(), []);
    assert!(
        report.lost.iter().any(|lost| lost == "session:s#event-1"),
        "{report:?}"
    );
}

/// The commands of `docs/backup.md`: the first where this machine's program can do it, else the second.
fn recovered(old: &Path, read: &Path) -> bool {
    let commands = [
        "sqlite3 \"$1\" .recover > \"$2.sql\" && sqlite3 \"$2\" < \"$2.sql\" && test -s \"$2\"",
        "sqlite3 \"$1\" .dump | sed 's/^ROLLBACK;.*/COMMIT;/' | sqlite3 \"$2\" && test -s \"$2\"",
    ];
    commands.iter().any(|command| {
        let _ = fs::remove_file(read);
        let mut shell = Command::new("sh");
        let run = shell.args(["-c", command, "sh"]).args([old, read]);
        run.output().is_ok_and(|ran| ran.status.success())
    })
}

/// As `docs/backup.md` gives it: broken pages are read by SQLite's own program, and a copy leaves out what is lost.
#[test]
fn what_sqlite_recovers_of_broken_pages_becomes_a_sound_store() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    fill(&whole);
    let bytes = fs::read(&whole).unwrap();
    let before = everything(&open(&whole, waynote_testing::stores::TINY)).1;
    let pages = bytes.len() / PAGE;
    let mut recovered_pages = 0;
    for page in 1..pages {
        let [old, read, new] =
            ["old", "read", "new"].map(|of| folder.path().join(format!("{of}-{page}.db")));
        let mut broken = bytes.clone();
        broken[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        fs::write(&old, broken).unwrap();
        if copied(&old, &new).is_ok() {
            continue;
        }
        // The list of the tables is lost.
        if !recovered(&old, &read) {
            continue;
        }
        let report = copied(&read, &new).unwrap();
        recovered_pages += 1;
        let store = open(&new, waynote_testing::stores::TINY);
        assert_clean(&store);
        let after = everything(&store).1;
        for note in &before {
            let is_there = after
                .iter()
                .any(|of| of.address == note.address && of.content == note.content);
            let address = note.address.to_string();
            // Of a scope whose row is lost, no note has a name.
            let names = [address.as_str(), "scope"];
            let mut lost = report.lost.iter();
            let is_named = lost.any(|lost| names.iter().any(|name| lost.contains(name)));
            assert!(
                is_there || is_named,
                "page {page}: {address} is lost and not named: {:?}",
                report.lost
            );
        }
    }
    match recovered_pages {
        0 => waynote_testing::not_checked("recovering broken pages", "sqlite3 cannot do it"),
        pages => assert!(pages > 3, "{pages}"),
    }
}
