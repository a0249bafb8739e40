//! Copying a whole store into another engine.

use std::time::Duration;

use waynote::copy::{CopyError, CopyPhase, CopyReport, copy};
use waynote::engine::Engine;
use waynote::store::FeedEntry;
use waynote::{
    EngineStore, Error, ErrorClass, LocalStore, OperationId, Options, Reader, SideData,
    SqliteStore, Store,
};

use memory_engine::Memory;
use waynote_testing::writer::Writer;

fn filled(store: &dyn LocalStore, seed: u64, times: usize) -> Writer {
    let mut writer = Writer::new(seed);
    (0..times).for_each(|_| writer.once(store));
    assert_eq!(store.verify().unwrap().problems, [""; 0]);
    writer
}

fn file(folder: &tempfile::TempDir, name: &str) -> SqliteStore {
    SqliteStore::open(folder.path().join(name), &Options::default()).unwrap()
}

fn copied(from: &dyn Engine, to: &dyn Engine) -> CopyReport {
    copy(from, to, &mut |_| Ok(())).unwrap()
}

fn feed(store: &dyn Reader) -> Vec<FeedEntry> {
    store.feed(None, usize::MAX >> 1).unwrap()
}

fn why(error: &Error) -> CopyError {
    error.downcast_ref::<CopyError>().unwrap().clone()
}

#[test]
fn all_of_a_store_is_in_its_copy() {
    for seed in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let store = file(&folder, "a.db");
        filled(&store, seed, 400);
        let copy_of = file(&folder, "b.db");
        let told = copied(store.engine(), copy_of.engine());
        assert_eq!(feed(&store), feed(&copy_of));
        assert_eq!(told.from, store.store_id().unwrap());
        assert_eq!(told.to, copy_of.store_id().unwrap());
        assert_ne!(told.from, told.to);
        assert!(told.report.revisions > 300 && told.items > 330, "{told:?}");
        assert_eq!(told.lost, [""; 0]);
        for space in store.engine().rows().unwrap().spaces().unwrap() {
            let values = |store: &SqliteStore| store.side_values(&space).unwrap();
            assert_eq!(values(&store), values(&copy_of));
        }
        assert!(copy_of.verify().unwrap().is_clean());
        // Calls are known by their ids: one that is repeated writes nothing.
        let operation = (1_000..2_000)
            .map(|second: i64| OperationId::of(&second.to_string()))
            .find(|operation| !store.operation(*operation).unwrap().is_empty())
            .unwrap();
        assert_eq!(
            store.operation(operation).unwrap(),
            copy_of.operation(operation).unwrap()
        );
        // The copy takes writes like any other store, by the same rules.
        let mut writer = Writer::new(seed + 100);
        writer.second = 5_000;
        writer.iteration = 1_000;
        (0..60).for_each(|_| writer.once(&copy_of));
        assert!(copy_of.verify().unwrap().is_clean());
    }
}

#[test]
fn an_engine_of_another_kind_takes_a_copy_and_gives_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = file(&folder, "a.db");
    filled(&store, 11, 300);
    let memory = EngineStore::new(Memory::default());
    copied(store.engine(), memory.engine());
    assert_eq!(feed(&store), feed(&memory));
    let back = file(&folder, "b.db");
    copied(memory.engine(), back.engine());
    assert_eq!(feed(&store), feed(&back));
    assert!(back.verify().unwrap().is_clean());
}

#[test]
fn a_copy_is_one_state_of_its_source() {
    let folder = tempfile::tempdir().unwrap();
    // A forgetting waits for readers, and the copy reads.
    let options = Options::default().wait(Duration::from_millis(20));
    let store = SqliteStore::open(folder.path().join("a.db"), &options).unwrap();
    let mut writer = filled(&store, 3, 300);
    let copy_of = file(&folder, "b.db");
    let before = feed(&store);
    copy(store.engine(), copy_of.engine(), &mut |_| {
        writer.once(&store);
        Ok(())
    })
    .unwrap();
    assert_ne!(feed(&store), before);
    assert_eq!(feed(&copy_of), before);
    assert!(copy_of.verify().unwrap().is_clean());
}

#[test]
fn a_store_is_there_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.db");
    let store = file(&folder, "a.db");
    let mut writer = filled(&store, 1, 60);
    let options = Options::default();
    let beside = || -> Vec<String> {
        let names = std::fs::read_dir(folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.starts_with("b.db")).collect();
        names.sort();
        names
    };
    // One that was killed leaves it so.
    std::fs::write(folder.path().join("b.db.partial"), "half").unwrap();
    std::fs::write(folder.path().join("b.db.partial-wal"), "half").unwrap();
    let made = SqliteStore::make(&path, &options, |to| {
        copy(store.engine(), to, &mut |progress| match progress.phase {
            CopyPhase::Index => Err(CopyError::Stopped.into()),
            _ => {
                assert!(!path.exists());
                // Nobody else makes it meanwhile.
                let other = SqliteStore::open(&path, &options.wait(Duration::ZERO)).unwrap();
                let made = other.apply(&[writer.save()], &writer.stamp());
                assert_eq!(made.unwrap_err().class(), ErrorClass::Busy);
                Ok(())
            }
        })
    });
    assert_eq!(why(&made.unwrap_err()), CopyError::Stopped);
    assert_eq!(beside(), ["b.db-lock"]);
    let make = || {
        SqliteStore::make(&path, &options, |to| {
            copy(store.engine(), to, &mut |_| Ok(()))
        })
    };
    make().unwrap();
    assert_eq!(beside(), ["b.db", "b.db-lock"]);
    let made = file(&folder, "b.db");
    assert_eq!(feed(&store), feed(&made));
    // An existing store is not overwritten.
    assert!(matches!(make().unwrap_err(), Error::File { .. }));
    made.apply(&[writer.save()], &writer.stamp()).unwrap();
    assert!(made.verify().unwrap().is_clean());
}

#[test]
fn only_an_empty_store_takes_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let store = file(&folder, "a.db");
    filled(&store, 1, 60);
    let refused = copy(store.engine(), store.engine(), &mut |_| Ok(())).unwrap_err();
    assert!(matches!(why(&refused), CopyError::NotEmpty { .. }));
    // There is no source.
    let none = file(&folder, "none.db");
    let error = copy(none.engine(), file(&folder, "b.db").engine(), &mut |_| {
        Ok(())
    })
    .unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}
