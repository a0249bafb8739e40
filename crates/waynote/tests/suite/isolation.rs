//! The guarantees of an engine's transactions: one state for a reader, no other writer, all or nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use waynote::engine::{Engine, Read, Writing};
use waynote::store::SideValue;
use waynote::{
    Attachment, EngineStore, Error, LocalStore, Options, Reader, ReaderExt, SqliteStore, Store,
};

use memory_engine::Memory;
use waynote_testing::values::{at, name, text};

/// Two handles on one store, of every engine.
fn each_pair(test: impl Fn(&dyn Engine, &dyn Engine)) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().wait(Duration::from_millis(20));
    let open = || SqliteStore::open(folder.path().join("notes.db"), &options).unwrap();
    let (one, other) = (open(), open());
    test(one.engine(), other.engine());
    // Threads share one handle.
    test(one.engine(), one.engine());

    let connect = || {
        let conn = rusqlite::Connection::open(folder.path().join("host.db")).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        conn.busy_timeout(Duration::from_millis(20)).unwrap();
        conn
    };
    let (one, other) = (connect(), connect());
    let notes = Attachment::prepare(&one).unwrap();
    test(notes.on(&one).engine(), notes.on(&other).engine());

    let memory = Memory::default();
    test(&memory.clone(), &memory);
}

/// Every engine, with an existing store.
fn each_engine(test: impl Fn(&dyn Engine)) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
    store.renew_id().unwrap();
    test(store.engine());
    let conn = rusqlite::Connection::open_in_memory().unwrap();
    test(waynote::AttachedStore::attach(&conn).unwrap().engine());
    test(&Memory::default());
}

/// Notes a tip in session `s`, which has as many entries as tips.
fn note(store: &dyn LocalStore, said: &str) -> waynote::Result<()> {
    let log = waynote::SessionLog::new(store, name("s"));
    log.add(waynote::EntryType::Tip, Some(1), text(said), &at(1))?;
    Ok(())
}

fn notes(store: &dyn Reader) -> u64 {
    let session = waynote::Scope::Session(name("s"));
    store.count(&session).unwrap()
}

#[test]
fn one_state_is_one_state_whatever_is_written_meanwhile() {
    each_pair(|one, other| {
        let (one, other) = (&EngineStore::new(one), &EngineStore::new(other));
        note(one, &format!("before, {}", notes(one))).unwrap();
        let before = notes(one);
        let version = one
            .on_one_state(|reader| {
                assert_eq!(notes(reader), before);
                let version = reader.version()?;
                note(other, &format!("meanwhile, after {before}"))?;
                assert_eq!(notes(reader), before);
                assert_eq!(reader.version()?, version);
                assert_eq!(reader.journal(None, 9)?.len() as u64, before);
                Ok(version)
            })
            .unwrap();
        assert_eq!(notes(one), before + 1);
        assert_ne!(one.version().unwrap(), version);
    });
}

#[test]
fn nobody_else_writes_while_one_runs_alone() {
    each_pair(|one, other| {
        let is_one_handle = std::ptr::addr_eq(one, other);
        let (engine, another) = (one, other);
        let (one, other) = (&EngineStore::new(one), &EngineStore::new(other));
        note(one, &format!("before, {}", notes(one))).unwrap();
        let before = notes(one);
        let alone = engine.exclusively(&mut |alone| {
            let alone = &EngineStore::new(alone);
            note(alone, &format!("alone, first, {before}"))?;
            // Reading waits for nobody. On a lent connection all of this is one transaction, which others do not see
            // yet.
            assert!([before, before + 1].contains(&notes(other)));
            if !is_one_handle {
                let busy = note(other, &format!("too early, {before}"));
                assert!(matches!(busy, Err(Error::Busy { .. })), "{busy:?}");
                let busy = another.exclusively(&mut |_| Ok(()));
                assert!(matches!(busy, Err(Error::Busy { .. })), "{busy:?}");
            }
            note(alone, &format!("alone, last, {before}"))
        });
        alone.unwrap();
        assert_eq!(notes(other), before + 2);
        note(other, &format!("after, {before}")).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            engine.exclusively(&mut |_| panic!("this test wants it"))
        }));
        assert!(panicked.is_err());
        note(other, &format!("after a panic, {before}")).unwrap();
        assert_eq!(notes(one), before + 4);
        assert!(one.verify().unwrap().is_clean());
    });
}

#[test]
fn what_a_transaction_wrote_is_taken_back_when_it_fails_or_panics() {
    each_engine(|engine| {
        let value = |key: &str| SideValue {
            key: key.into(),
            value: vec![1],
            about: None,
        };
        let rows = || {
            let rows = engine.rows().unwrap();
            let id = rows.ask(waynote::store::Ask {
                store_id: true,
                ..Default::default()
            });
            (rows.side("s").unwrap(), id.unwrap().store_id)
        };
        let write = |key: &str, end: &dyn Fn() -> waynote::Result<()>| {
            engine.write(Writing::Durable, &mut |tx| {
                tx.put_side("s", &[value(key)], &[])?;
                tx.renew_id()?;
                // The transaction reads its own writes.
                let rows: &dyn Read = tx;
                assert_eq!(rows.side("s")?.last(), Some(&value(key)));
                end()
            })
        };
        write("1", &|| Ok(())).unwrap();
        let before = rows();
        assert_eq!(before.0, [value("1")]);
        let failed = write("2", &|| {
            Err(Error::Empty {
                what: "test".into(),
            })
        });
        assert!(matches!(failed, Err(Error::Empty { .. })), "{failed:?}");
        assert_eq!(rows(), before);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            write("3", &|| panic!("this test wants it"))
        }));
        assert!(panicked.is_err());
        assert_eq!(rows(), before);
        write("4", &|| Ok(())).unwrap();
        assert_eq!(rows().0, [value("1"), value("4")]);
    });
}
