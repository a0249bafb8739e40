//! Copying a whole store into another engine.

mod writer;

use jiff::Timestamp;
use waynote::copy::{Copied, CopyError, CopyPhase, copy};
use waynote::engine::Engine;
use waynote::event::SessionEvent;
use waynote::event::SessionsEvent;
use waynote::forget::Forget;
use waynote::store::{Cursor, FeedEntry, Happened, SideValue};
use waynote::{
    Address, Change, EngineStore, Error, ErrorClass, Expect, Limits, LocalStore, Name, OperationId,
    Options, Position, Reader, SideData, SqliteStore, Stamp, Store,
};

use super::conformance::{name, place, text};
use super::memory::Memory;
use super::old_store::Old;
use writer::Writer;

fn filled(store: &dyn LocalStore, seed: u64, times: usize) -> Writer {
    let mut writer = Writer::new(seed);
    (0..times).for_each(|_| writer.once(store));
    assert_eq!(store.verify().unwrap().problems, [""; 0]);
    writer
}

fn file(folder: &tempfile::TempDir, name: &str) -> SqliteStore {
    SqliteStore::open(folder.path().join(name), &Options::default()).unwrap()
}

fn copied(from: &dyn Engine, to: &dyn Engine) -> Copied {
    copy(from, to, &mut |_| Ok(())).unwrap()
}

fn feed(store: &dyn Reader) -> Vec<FeedEntry> {
    store.feed(Cursor::START, usize::MAX >> 1).unwrap()
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
        assert_eq!(Some(told.from), store.store_id().unwrap());
        assert_eq!(Some(told.to), copy_of.store_id().unwrap());
        assert_ne!(told.from, told.to);
        assert!(
            told.revisions > 300 && told.events > 20 && told.forgettings > 2,
            "{told:?}"
        );
        assert!(
            told.side_values > 4 && told.blocks >= 4 && !told.is_renumbered,
            "{told:?}"
        );
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
        // It goes on as a store like any other, by the same rules.
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
fn an_interrupted_copy_goes_on_and_cannot_be_written_before_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let store = file(&folder, "a.db");
    let mut writer = filled(&store, 3, 900);
    let copy_of = file(&folder, "b.db");
    let mut interrupted = 0;
    let told = loop {
        let mut steps = 0;
        let outcome = copy(store.engine(), copy_of.engine(), &mut |_| {
            steps += 1;
            match steps {
                3 => Err(Error::Empty {
                    what: "test".into(),
                }),
                _ => Ok(()),
            }
        });
        match outcome {
            Ok(told) => break told,
            Err(Error::Empty { .. }) => interrupted += 1,
            Err(error) => panic!("{error}"),
        }
        if interrupted == 5 {
            // From here on it is not interrupted any more.
            break copied(store.engine(), copy_of.engine());
        }
        // Each refusal names the copy, and changes nothing.
        let before = feed(&copy_of);
        let save = writer.save();
        let stamp = writer.stamp();
        let value = SideValue {
            key: "k".into(),
            value: vec![1],
            about: None,
        };
        let address = Address::Place(place("~/p"));
        // A program that opens it only now.
        let opened = file(&folder, "b.db");
        for refused in [
            opened.apply(&[save], &stamp).map(drop).unwrap_err(),
            opened.keep_side_values("audit", &[value], &[]).unwrap_err(),
            opened
                .forget(&Forget::new(address), &stamp)
                .map(drop)
                .unwrap_err(),
        ] {
            assert_eq!(refused.class(), ErrorClass::Busy);
            assert!(matches!(why(&refused), CopyError::Unfinished { .. }));
        }
        assert_eq!(feed(&copy_of), before);
        // Meanwhile the source goes on: texts are forgotten that are in the copy already.
        (0..20).for_each(|_| writer.once(&store));
    };
    assert!(interrupted >= 3);
    assert!(told.resumed_after > Some(Position::new(200)));
    assert_eq!(feed(&store), feed(&copy_of));
    assert!(copy_of.verify().unwrap().is_clean());
    let stamp = writer.stamp();
    file(&folder, "b.db")
        .apply(&[writer.save()], &stamp)
        .unwrap();
}

#[test]
fn a_text_forgotten_meanwhile_is_not_left_in_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let store = file(&folder, "a.db");
    let address = Address::Agent(name("a"), "secret".parse().unwrap());
    let save = Change::Save {
        address: address.clone(),
        content: text("an unforgettable sentence"),
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    };
    let stamp = Stamp::new(Timestamp::UNIX_EPOCH, name("person"));
    store.apply(&[save], &stamp).unwrap();
    let copy_of = file(&folder, "b.db");
    // Ends after the first batch.
    let mut steps = 0;
    copy(store.engine(), copy_of.engine(), &mut |_| {
        steps += 1;
        match steps {
            2 => Err(Error::Empty {
                what: "test".into(),
            }),
            _ => Ok(()),
        }
    })
    .unwrap_err();
    assert!(copy_of.get(&address).unwrap().is_some());
    store.forget(&Forget::new(address), &stamp).unwrap();
    copied(store.engine(), copy_of.engine());
    assert_eq!(feed(&store), feed(&copy_of));
    drop(copy_of);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let sentence = b"unforgettable";
        let is_there = bytes.windows(sentence.len()).any(|some| some == sentence);
        assert!(!is_there, "{}", path.display());
    }
}

#[test]
fn a_store_that_is_not_the_unfinished_copy_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = file(&folder, "a.db");
    filled(&store, 1, 60);
    let other = file(&folder, "b.db");
    filled(&other, 2, 60);
    let refused = |from: &SqliteStore, to: &SqliteStore| {
        why(&copy(from.engine(), to.engine(), &mut |_| Ok(())).unwrap_err())
    };
    assert!(matches!(
        refused(&store, &other),
        CopyError::NotEmpty { .. }
    ));
    assert!(matches!(
        refused(&store, &store),
        CopyError::NotEmpty { .. }
    ));
    // The unfinished copy of another store.
    let copy_of = file(&folder, "c.db");
    copy(
        store.engine(),
        copy_of.engine(),
        &mut |progress| match progress.phase {
            CopyPhase::Index => Err(Error::Empty {
                what: "test".into(),
            }),
            _ => Ok(()),
        },
    )
    .unwrap_err();
    assert!(matches!(
        refused(&other, &copy_of),
        CopyError::OfAnother { .. }
    ));
    copied(store.engine(), copy_of.engine());
    // Again: nothing is left to do, until one of the two is written.
    assert!(copied(store.engine(), copy_of.engine()).was_complete);
    let mut writer = Writer::new(9);
    let stamp = writer.stamp();
    store.apply(&[writer.save()], &stamp).unwrap();
    assert!(matches!(
        refused(&store, &copy_of),
        CopyError::Outdated { .. }
    ));
    copy_of.apply(&[writer.save()], &stamp).unwrap();
    assert!(matches!(
        refused(&store, &copy_of),
        CopyError::NotEmpty { .. }
    ));
    // There is no source.
    let none = file(&folder, "none.db");
    let error = copy(none.engine(), other.engine(), &mut |_| Ok(())).unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}

#[test]
fn events_of_an_older_store_get_positions_of_their_own() {
    let old = Old::new();
    let store = old.open();
    let before = feed(&store);
    assert!(before.iter().any(|entry| entry.at.ordinal > 0));
    let folder = tempfile::tempdir().unwrap();
    let copy_of = file(&folder, "b.db");
    let told = copied(store.engine(), copy_of.engine());
    assert!(told.is_renumbered);
    let after = feed(&copy_of);
    assert_eq!(before.len(), after.len());
    for (index, entry) in after.iter().enumerate() {
        assert_eq!(entry.at, Cursor::at(Position::new(index as i64 + 1)));
    }
    let events = |feed: &[FeedEntry]| -> Vec<(Name, SessionEvent)> {
        let feed = feed.iter();
        feed.filter_map(|entry| match &entry.happened {
            Happened::Event(SessionsEvent { session, recorded }) => {
                Some((session.clone(), recorded.event.clone()))
            }
            _ => None,
        })
        .collect()
    };
    assert_eq!(events(&before), events(&after));
    assert!(copy_of.verify().unwrap().is_clean());
    assert!(copied(store.engine(), copy_of.engine()).was_complete);
}
