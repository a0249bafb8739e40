//! A store's file: missing, made by the first write, damaged, gone; and one store that threads share.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use waynote::{
    Address, Change, Content, Error, Kind, LocalStore, Name, Options, Reader, Scope, SessionLog,
    SqliteStore, Stamp, Store,
};

fn at(path: &Path) -> SqliteStore {
    SqliteStore::at(path, &Options::default())
}

fn open(path: &Path) -> waynote::Result<SqliteStore> {
    SqliteStore::open(path, &Options::default())
}

fn stamp() -> Stamp {
    Stamp::new(Timestamp::UNIX_EPOCH, "agent:tester".parse().unwrap())
}

fn session() -> Name {
    "nightly".parse().unwrap()
}

fn add(store: &dyn LocalStore, text: &str) -> waynote::Result<()> {
    let log = SessionLog::new(store, session());
    let note = log.add(Kind::Tip, Some(1), Content::text(text)?, &stamp());
    note.map(|_| ())
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
        let delete = Change::Delete {
            address: absent.clone(),
        };
        store.apply(&[delete], &stamp()).unwrap();
        (store as &dyn LocalStore)
            .alone(|store| count(store))
            .unwrap();
    }
    assert!(!folder.path().join("new").exists());
    add(&stores[0], "one").unwrap();
    // One that had looked in vain finds what another has made.
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
            lost(dynamic.alone(|store| count(store))),
            lost(dynamic.on_one_state(|store| store.count(&Scope::Session(session())))),
        ]
    };
    fs::rename(&here, &aside).unwrap();
    assert_eq!(all(&store), ["it was deleted after it was opened"; 4]);
    assert!(!here.exists());
    let other = open(&path).unwrap();
    add(&other, "of another one").unwrap();
    let replaced = "another file has taken its place since it was opened";
    assert_eq!(all(&store), [replaced; 4]);
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
    let request = waynote::Forget {
        address: "agent:a#k".parse().unwrap(),
        revision: None,
        everywhere: true,
    };
    let refused = open(&path).unwrap().forget(&request, &stamp());
    assert!(matches!(refused, Err(Error::NotFound { .. })));
    assert!(!path.exists());
}
