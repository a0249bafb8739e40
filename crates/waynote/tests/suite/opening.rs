//! A store's file: missing, made by the first write, damaged, gone; and one store that threads share.

use std::fs;
use std::path::Path;

use waynote::engine::Engine;
use waynote::{
    Address, Change, Content, EngineStore, EntryType, Error, LocalStore, Options, Reader,
    ReaderExt, Scope, SessionLog, SqliteStore, Store,
};

use super::head::{add, at, session, stamp};

fn open(path: &Path) -> waynote::Result<SqliteStore> {
    SqliteStore::open(path, &Options::default())
}

fn count(store: &dyn LocalStore) -> waynote::Result<u64> {
    store.count(&Scope::Session(session()))
}

#[test]
fn a_store_that_does_not_exist_is_made_by_the_first_write_that_has_something_to_put() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/notes.db");
    let stores = [open(&path).unwrap(), at(&path)];
    let absent: Address = "agent:a#k".parse().unwrap();
    for store in &stores {
        assert_eq!(count(store).unwrap(), 0);
        assert_eq!(store.history(&absent).unwrap(), []);
        assert!(store.verify().unwrap().is_clean());
        store.apply(&[], &stamp()).unwrap();
        let delete = Change::delete(absent.clone());
        store.apply(&[delete], &stamp()).unwrap();
    }
    assert!(!path.exists());
    add(&stores[0], "one").unwrap();
    // A store that looked in vain before finds the one that another has made.
    assert_eq!(count(&stores[1]).unwrap(), 1);
    add(&stores[1], "two").unwrap();
    assert_eq!(count(&stores[0]).unwrap(), 2);
}

#[test]
fn a_store_that_goes_while_it_is_open_is_lost_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (here, aside) = (folder.path().join("here"), folder.path().join("aside"));
    let path = here.join("notes.db");
    let store = at(&path);
    add(&store, "one").unwrap();
    let lost = |outcome: waynote::Result<u64>| match outcome {
        Err(Error::StoreLost { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let all = |store: &SqliteStore| {
        let dynamic: &dyn LocalStore = store;
        [
            lost(count(store)),
            lost(add(store, "two").map(|()| 0)),
            lost(dynamic.on_one_state(|store| store.count(&Scope::Session(session())))),
        ]
    };
    fs::rename(&here, &aside).unwrap();
    assert_eq!(all(&store), ["it was deleted after it was opened"; 3]);
    assert!(!here.exists());
    let other = open(&path).unwrap();
    add(&other, "of another one").unwrap();
    let replaced = "another file has taken its place since it was opened";
    assert_eq!(all(&store), [replaced; 3]);
    assert_eq!(count(&other).unwrap(), 1);
    drop(other);
    fs::remove_dir_all(&here).unwrap();
    fs::rename(&aside, &here).unwrap();
    add(&store, "two").unwrap();
    assert_eq!(count(&store).unwrap(), 2);
}

#[test]
fn what_is_wrong_is_told_when_it_is_opened_or_at_each_call_until_it_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    fs::write(&path, "no database ".repeat(500)).unwrap();
    assert!(matches!(open(&path), Err(Error::NotAStore { .. })));
    let store = at(&path);
    for _ in 0..2 {
        assert!(matches!(count(&store), Err(Error::NotAStore { .. })));
        assert!(matches!(add(&store, "one"), Err(Error::NotAStore { .. })));
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(count(&store).unwrap(), 0);
    add(&store, "one").unwrap();
    assert_eq!(count(&store).unwrap(), 1);
}

#[test]
fn threads_share_a_store() {
    const THREADS: usize = 8;
    const ADDS: usize = 25;
    let folder = tempfile::tempdir().unwrap();
    // It does not exist yet: they make it together.
    let store = at(&folder.path().join("notes.db"));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                let mut seen = 0;
                for number in 0..ADDS {
                    add(store, &format!("{thread}, {number}")).unwrap();
                    let now = count(store).unwrap();
                    assert!(now > seen, "{now} after {seen}");
                    seen = now;
                }
            });
        }
    });
    let log = SessionLog::new(&store, session());
    let texts: Vec<String> = log.list(None).unwrap().iter().map(text).collect();
    assert_eq!(texts.len(), THREADS * ADDS);
    // Those of each thread stand in the order in which it added them.
    for thread in 0..THREADS {
        let own = format!("{thread}, ");
        let added: Vec<&String> = texts.iter().filter(|of| of.starts_with(&own)).collect();
        let wanted: Vec<String> = (0..ADDS).map(|of| format!("{own}{of}")).collect();
        assert_eq!(added, wanted.iter().collect::<Vec<_>>());
    }
    assert!(store.verify().unwrap().is_clean());
}

fn text(note: &waynote::Note) -> String {
    note.content.shown().into_owned()
}

#[test]
fn nothing_is_forgotten_where_there_is_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let request = waynote::Forget::new("agent:a#k".parse().unwrap()).everywhere(true);
    let refused = open(&path).unwrap().forget(&request, &stamp());
    assert!(matches!(refused, Err(Error::NotFound { .. })));
    assert!(!path.exists());
}

#[test]
fn a_write_that_waited_while_the_store_was_deleted_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let (one, other) = (open(&path).unwrap(), open(&path).unwrap());
    add(&one, "first").unwrap();
    add(&other, "second").unwrap();
    std::thread::scope(|scope| {
        let mut waiting = None;
        one.engine()
            .exclusively(&mut |_| {
                waiting = Some(scope.spawn(|| add(&other, "late")));
                while !is_waited_for(&path) {
                    std::thread::yield_now();
                }
                fs::remove_file(&path).unwrap();
                Ok(())
            })
            .unwrap();
        let late = waiting.unwrap().join().unwrap();
        assert!(matches!(late, Err(Error::StoreLost { .. })), "{late:?}");
    });
}

/// True if somebody waits for the lock beside a store, which Linux lists with an arrow.
fn is_waited_for(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let lock = path.with_file_name("notes.db-lock");
    let inode = fs::metadata(lock).unwrap().ino().to_string();
    let locks = fs::read_to_string("/proc/locks").unwrap();
    locks
        .lines()
        .any(|line| line.contains("->") && line.contains(&format!(":{inode} ")))
}

#[test]
fn one_store_has_one_queue_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (
        folder.path().join("notes.db"),
        folder.path().join("link.db"),
    );
    let store = open(&path).unwrap();
    add(&store, "first").unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let options = Options::default().wait(std::time::Duration::from_millis(20));
    let other = SqliteStore::open(&link, &options).unwrap();
    let engine = store.engine();
    engine
        .exclusively(&mut |_| {
            assert!(matches!(add(&other, "second"), Err(Error::Busy { .. })));
            // Nor does a lock file that somebody removed make two.
            Ok(())
        })
        .unwrap();
    fs::remove_file(folder.path().join("notes.db-lock")).unwrap();
    add(&other, "third").unwrap();
    engine
        .exclusively(&mut |_| {
            assert!(matches!(add(&other, "fourth"), Err(Error::Busy { .. })));
            Ok(())
        })
        .unwrap();
}

#[test]
fn nobody_makes_a_store_while_another_one_has_it_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let options = Options::default().wait(std::time::Duration::from_millis(20));
    let other = SqliteStore::open(&path, &options).unwrap();
    let store = open(&path).unwrap();
    store
        .engine()
        .exclusively(&mut |alone| {
            let alone = &EngineStore::new(alone);
            assert!(matches!(add(&other, "second"), Err(Error::Busy { .. })));
            add(alone, "first")?;
            assert_eq!(alone.count(&Scope::Session(session()))?, 1);
            Ok(())
        })
        .unwrap();
    add(&other, "second").unwrap();
    assert_eq!(store.count(&Scope::Session(session())).unwrap(), 2);
}

#[test]
fn a_feed_that_is_read_while_others_write_leaves_nothing_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("notes.db")).unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..150 {
                // A revision and an event, in turn with others.
                let wall = format!("wall {number}");
                let log = SessionLog::new(&store, session());
                let wall = log.add(
                    EntryType::Stuck,
                    None,
                    Content::text(&*wall).unwrap(),
                    &stamp(),
                );
                let Address::Session(_, entry) = wall.unwrap().address else {
                    unreachable!()
                };
                let way = Content::text(format!("way {number}")).unwrap();
                log.add_resolving(EntryType::Tip, None, way, Some(entry), &stamp())
                    .unwrap();
            }
            is_done.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        let (mut at, mut seen) = (None, Vec::new());
        loop {
            let was_done = is_done.load(std::sync::atomic::Ordering::SeqCst);
            let feed = store.feed(at, 7).unwrap();
            at = feed.last().map(|last| last.at).or(at);
            seen.extend(feed.iter().map(|entry| entry.at.number()));
            if was_done && feed.is_empty() {
                break;
            }
        }
        let all: Vec<i64> = (1..=450).collect();
        assert_eq!(seen, all);
    });
}
