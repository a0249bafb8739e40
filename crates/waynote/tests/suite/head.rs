//! The head record: a store that has lost acknowledged writes is not written to until somebody accepts it.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use waynote::context::{Request, Style, render};
use waynote::engine::Writing;
use waynote::{
    Content, EntryType, Error, LocalStore, Name, OperationId, Options, Place, Reader, ReaderExt,
    Rollback, Scope, SessionLog, SqliteStore, Stamp, Store,
};
use waynote_testing::values::value;

pub(super) fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, &Options::default()).unwrap()
}

pub(super) fn at(path: &Path) -> SqliteStore {
    SqliteStore::at(path, &Options::default())
}

pub(super) fn session() -> Name {
    "nightly".parse().unwrap()
}

pub(super) fn stamp() -> Stamp {
    Stamp::new(Timestamp::UNIX_EPOCH, "agent:tester".parse().unwrap())
}

pub(super) fn add(store: &dyn LocalStore, text: &str) -> waynote::Result<()> {
    let log = SessionLog::new(store, session());
    let note = log.add(EntryType::Tip, Some(1), Content::text(text)?, &stamp());
    note.map(|_| ())
}

pub(super) fn count(store: &SqliteStore) -> u64 {
    store.count(&Scope::Session(session())).unwrap()
}

pub(super) fn lost(outcome: waynote::Result<()>) -> (i64, i64) {
    match outcome {
        Err(Error::LostWrites {
            acknowledged,
            found,
            ..
        }) => (acknowledged.number(), found.number()),
        other => panic!("{other:?}"),
    }
}

/// The positions of a rollback: the acknowledged one and the one found.
fn lost_by(rollback: waynote::Result<Option<Rollback>>) -> Option<(i64, i64)> {
    let rollback = rollback.unwrap();
    rollback.map(|lost| (lost.acknowledged.number(), lost.found.number()))
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(ending);
    beside.into()
}

/// A store of five notes, the last four in the WAL.
pub(super) fn five(folder: &Path) -> PathBuf {
    let path = folder.join("notes.db");
    // The tables fill the WAL, which is checkpointed when the connection that made them closes.
    add(&open(&path), "note 1").unwrap();
    let store = open(&path);
    for number in 2..=5 {
        add(&store, &format!("note {number}")).unwrap();
    }
    path
}

/// Changes one bit of the last frame but `back` of a WAL.
fn damage(path: &Path, back: u64) {
    const FRAME: u64 = 24 + 4096;
    let mut options = fs::OpenOptions::new();
    let wal = options.read(true).write(true).open(beside(path, "-wal"));
    let wal = wal.unwrap();
    let at = wal.metadata().unwrap().len() - back * FRAME + 1000;
    let mut byte = [0];
    wal.read_exact_at(&mut byte, at).unwrap();
    wal.write_all_at(&[byte[0] ^ 1], at).unwrap();
}

#[test]
fn one_damaged_bit_in_the_wal_is_noticed_and_nothing_is_written_over_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    damage(&path, 1);
    let wal = fs::read(beside(&path, "-wal")).unwrap();
    let store = open(&path);
    assert_eq!(lost(add(&store, "six")), (5, 4));
    let side = waynote::store::SideValue {
        key: "k".into(),
        value: b"v".to_vec(),
        about: None,
    };
    let dynamic: &dyn LocalStore = &store;
    assert_eq!(
        lost(dynamic.put_side_values("s", &[side], &[], Writing::Relaxed)),
        (5, 4)
    );
    assert_eq!(lost(dynamic.renew_id().map(|_| ())), (5, 4));
    // The rest can be read.
    assert_eq!(count(&store), 4);
    assert_eq!(
        store.verify().unwrap().problems,
        ["acknowledged writes are missing: the last was at position 5, the store is at 4"]
    );
    assert_eq!(lost_by(store.rollback()), Some((5, 4)));
    assert!(!store.checkpoint().unwrap_or(false));
    drop(store);
    assert_eq!(fs::read(beside(&path, "-wal")).unwrap(), wal);

    let store = open(&path);
    assert_eq!(lost_by(store.accept_rollback()), Some((5, 4)));
    assert_eq!(store.accept_rollback().unwrap(), None);
    add(&store, "six").unwrap();
    assert!(store.verify().unwrap().is_clean());
    assert_eq!(count(&open(&path)), 5);
}

#[test]
fn a_block_says_once_what_a_store_has_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    // A type of another program is read by itself.
    let other = EntryType::imported("idea");
    let text = Content::text("an idea").unwrap();
    let store = open(&path);
    let log = SessionLog::new(&store, session());
    log.add(other, Some(1), text, &stamp()).unwrap();
    assert!(store.checkpoint().unwrap());
    drop(store);
    add(&open(&path), "seven").unwrap();
    damage(&path, 1);
    let store = open(&path);
    let agent = "a".parse().unwrap();
    let request = Request::new(agent, Place::home(), Timestamp::UNIX_EPOCH);
    let request = request.session(Some(session()));
    let line = "The store has lost acknowledged writes: it was at position 7, and now it is at 6";
    for style in [Style::Stable, Style::Faithful] {
        let block = render(&store, &request.clone().style(style)).unwrap();
        let lines = block.text.lines().filter(|of| of.contains("lost")).count();
        assert_eq!(lines, 1, "{}", block.text);
        assert_eq!(block.receipt.damaged, [line], "{}", block.text);
    }
}

#[test]
fn every_damage_of_the_wal_that_loses_a_note_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let bytes = fs::read(beside(&path, "-wal")).unwrap();
    for back in 1..=12 {
        damage(&path, back);
        let store = open(&path);
        let found = count(&store);
        assert!(found < 5, "{back}");
        assert!(!store.verify().unwrap().is_clean());
        assert_eq!(lost(add(&store, "more")), (5, found as i64));
        drop(store);
        fs::write(beside(&path, "-wal"), &bytes).unwrap();
        let _ = fs::remove_file(beside(&path, "-shm"));
    }
    assert!(open(&path).verify().unwrap().is_clean());
}

#[test]
fn a_wal_that_was_deleted_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    assert!(open(&path).checkpoint().unwrap());
    let store = open(&path);
    add(&store, "six").unwrap();
    drop(store);
    fs::remove_file(beside(&path, "-wal")).unwrap();
    let store = open(&path);
    assert_eq!((count(&store), lost(add(&store, "seven"))), (5, (6, 5)));
}

#[test]
fn a_store_that_was_emptied_or_deleted_is_no_new_one() {
    for is_deleted in [false, true] {
        for has_wal in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = five(folder.path());
            match is_deleted {
                true => fs::remove_file(&path).unwrap(),
                false => fs::write(&path, "").unwrap(),
            }
            if !has_wal {
                fs::remove_file(beside(&path, "-wal")).unwrap();
            }
            let opened = SqliteStore::open(&path, &Options::default());
            assert_eq!(lost(opened.map(|_| ())), (5, 0));
            let store = at(&path);
            assert_eq!(lost(add(&store, "six")), (5, 0));
            assert_eq!(lost(store.verify().map(|_| ())), (5, 0));
            assert_eq!(beside(&path, "-wal").exists(), has_wal);
            assert_eq!(path.exists(), !is_deleted);
            assert_eq!(lost_by(store.rollback()), Some((5, 0)));
            assert_eq!(lost_by(store.accept_rollback()), Some((5, 0)));
            if has_wal {
                // The engine would delete it, and it has notes.
                let refused = add(&store, "six");
                assert!(matches!(refused, Err(Error::DamagedStore { .. })));
                fs::remove_file(beside(&path, "-wal")).unwrap();
            }
            add(&store, "six").unwrap();
            assert_eq!(count(&store), 1);
        }
    }
}

#[test]
fn an_older_copy_of_the_store_is_noticed_and_one_of_the_same_state_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    assert!(open(&path).checkpoint().unwrap());
    let copy = folder.path().join("copy.db");
    fs::copy(&path, &copy).unwrap();
    fs::copy(&copy, &path).unwrap();
    add(&open(&path), "six").unwrap();
    open(&path).checkpoint().unwrap();
    fs::copy(&copy, &path).unwrap();
    assert_eq!(lost(add(&open(&path), "seven")), (6, 5));
    // Without the lock file it is another store, of which nothing was noted.
    add(&open(&copy), "another six").unwrap();
}

#[test]
fn another_write_at_the_last_position_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    open(&path).checkpoint().unwrap();
    let copy = folder.path().join("copy.db");
    fs::copy(&path, &copy).unwrap();
    let called = |path: &Path, id: &str| {
        let store = open(path);
        let log = SessionLog::new(&store, session());
        let stamp = stamp().of_operation(OperationId::of(id));
        let text = Content::text(id).unwrap();
        log.add(EntryType::Tip, Some(1), text, &stamp).unwrap();
        store.checkpoint().unwrap();
    };
    called(&path, "one");
    called(&copy, "other");
    fs::copy(&copy, &path).unwrap();
    assert_eq!(lost(add(&open(&path), "seven")), (6, 5));
}

#[test]
fn what_is_absent_torn_old_or_of_another_store_means_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let lock = beside(&path, "-lock");
    let noted = fs::read(&lock).unwrap();
    let mut torn = noted.clone();
    torn.iter_mut().step_by(7).for_each(|byte| *byte ^= 0x55);
    let other = tempfile::tempdir().unwrap();
    let other = five(other.path());
    add(&open(&other), "six").unwrap();
    let of_another = fs::read(beside(&other, "-lock")).unwrap();
    let mut position = 5;
    for content in [&[][..], &noted[..20], &torn, &noted, &of_another] {
        assert!(open(&path).checkpoint().unwrap());
        fs::write(&lock, content).unwrap();
        let store = open(&path);
        assert!(store.verify().unwrap().is_clean());
        add(&store, &format!("after {position}")).unwrap();
        position += 1;
        drop(store);
        // The next write stores it again.
        let wal = fs::read(beside(&path, "-wal")).unwrap();
        damage(&path, 1);
        let _ = fs::remove_file(beside(&path, "-shm"));
        assert_eq!(lost(add(&open(&path), "no")), (position, position - 1));
        fs::write(beside(&path, "-wal"), wal).unwrap();
        let _ = fs::remove_file(beside(&path, "-shm"));
    }
    fs::remove_file(&lock).unwrap();
    add(&open(&path), "without").unwrap();
}

/// A copy of a store with all files beside it.
fn copied(path: &Path, to: &Path) -> PathBuf {
    let copy = to.join("notes.db");
    for ending in ["", "-wal", "-lock"] {
        fs::write(
            beside(&copy, ending),
            fs::read(beside(path, ending)).unwrap(),
        )
        .unwrap();
    }
    copy
}

#[test]
fn only_a_copy_with_a_wal_is_read_as_a_whole_before_its_first_write() {
    for is_folded in [true, false] {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = five(folder.path());
        if is_folded {
            assert!(open(&path).checkpoint().unwrap());
        }
        // A page that no write looks at.
        let page: u32 = {
            let file = format!("file:{}?immutable=1", path.display());
            let conn = rusqlite::Connection::open(file).unwrap();
            let index = "SELECT rootpage FROM sqlite_schema WHERE name = 'waynote_side_about'";
            value(&conn, index)
        };
        let copy = copied(&path, other.path());
        let file = fs::OpenOptions::new().write(true).open(&copy).unwrap();
        file.write_all_at(&[0xff], u64::from(page - 1) * 4096)
            .unwrap();
        let added = add(&open(&copy), "six");
        assert_eq!(added.is_ok(), is_folded, "{added:?}");
    }
}

#[test]
fn forgetting_and_folding_keep_the_record_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let store = open(&path);
    let log = SessionLog::new(&store, session());
    for note in log.list(None).unwrap() {
        let forgotten = store
            .forget(&waynote::Forget::new(note.address), &stamp())
            .unwrap();
        assert_eq!(forgotten.residue, None);
        assert_eq!(store.rollback().unwrap(), None);
        assert!(store.checkpoint().unwrap());
    }
    add(&store, "six").unwrap();
    drop(store);
    damage(&path, 1);
    // Five notes, and two positions for each that is forgotten.
    assert_eq!(lost(add(&open(&path), "no")), (16, 15));
}

#[test]
fn after_a_failed_sync_nothing_is_acknowledged_before_the_wal_is_in_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let mut writing = fs::OpenOptions::new();
    let lock = writing.write(true).open(beside(&path, "-lock")).unwrap();
    lock.write_all_at(b"unsynced", 1024).unwrap();
    let options = Options::default().wait(std::time::Duration::from_millis(20));
    let store = SqliteStore::open(&path, &options).unwrap();
    let reader = open(&path);
    // A reader of the WAL keeps it from being emptied.
    reader
        .on_one_state(|state| {
            state.count(&Scope::Session(session()))?;
            assert!(matches!(add(&store, "six"), Err(Error::Busy { .. })));
            Ok(())
        })
        .unwrap();
    assert_eq!(count(&store), 5);
    let bytes = |ending| fs::metadata(beside(&path, ending)).unwrap().len();
    let before = bytes("-wal");
    add(&store, "six").unwrap();
    // Emptied, then written again from its begin.
    assert!(bytes("-wal") < before);
    let noted = fs::read(beside(&path, "-lock")).unwrap();
    assert_eq!(noted[1024..], [0; 8]);
}

#[test]
fn a_database_that_an_application_keeps_has_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let app = waynote::rusqlite::Connection::open(&path).unwrap();
    app.execute_batch("CREATE TABLE messages (text TEXT)")
        .unwrap();
    let store = SqliteStore::open(&path, &Options::default().attach(true)).unwrap();
    add(&store, "one").unwrap();
    assert_eq!(fs::read(beside(&path, "-lock")).unwrap(), b"");
}
