//! Threads that share a store and its commits.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};

use waynote::{
    Address, Change, EngineStore, EntryType, Error, OperationId, Options, Reader, Scope,
    SqliteStore, Store,
};

use waynote_testing::hooked::{Hooked, Hooks};
use waynote_testing::values::{
    at, ended, entry, key, name, save, save_limited, started, whole_feed,
};

const THREADS: usize = 16;

fn open(folder: &tempfile::TempDir) -> SqliteStore {
    SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap()
}

fn limited(of: &str) -> Change {
    save_limited(key(of), of, 40)
}

/// Positions are 1, 2, 3 …
fn assert_no_gap(store: &SqliteStore) {
    let positions: Vec<i64> = whole_feed(store)
        .iter()
        .map(|entry| entry.at.number())
        .collect();
    assert_eq!(positions, (1..=positions.len() as i64).collect::<Vec<_>>());
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
}

#[test]
fn many_threads_at_a_cap() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let (kept, refused) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let begin = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, kept, refused, begin) = (&store, &kept, &refused, &begin);
            scope.spawn(move || {
                let session = name(&format!("s{thread}"));
                begin.wait();
                store.record(&session, &[started()], None, &at(1)).unwrap();
                for number in 0..6 {
                    let of = format!("k{thread}-{number}");
                    match store.apply(&[limited(&of)], &at(2)) {
                        Ok(applied) => kept.lock().unwrap().push(applied[0].address.clone()),
                        Err(Error::TooManyNotes { notes: 40, .. }) => {
                            refused.lock().unwrap().push(key(&of));
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
                store.record(&session, &[ended()], Some(1), &at(3)).unwrap();
            });
        }
    });
    let (kept, refused) = (kept.into_inner().unwrap(), refused.into_inner().unwrap());
    assert_eq!((kept.len(), refused.len()), (40, 6 * THREADS - 40));
    assert_eq!(store.count(&Scope::Agent(name("a"))).unwrap(), 40);
    assert!(
        kept.iter()
            .all(|address| store.get(address).unwrap().is_some())
    );
    assert!(
        refused
            .iter()
            .all(|address| store.history(address).unwrap().is_empty())
    );
    assert_eq!(whole_feed(&store).len(), 40 + 2 * THREADS);
    assert_no_gap(&store);
}

#[test]
fn a_call_that_is_made_again_while_the_first_waits_is_one_call() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let begin = Barrier::new(THREADS);
    let answers = Mutex::new(Vec::new());
    const CALLS: usize = 20;
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let (store, begin, answers) = (&store, &begin, &answers);
            scope.spawn(move || {
                for call in 0..CALLS {
                    let append = entry(EntryType::Tip, 1, &format!("call {call}"));
                    let stamp = at(1).of_operation(OperationId::of(&call.to_string()));
                    begin.wait();
                    let applied = store.apply(&[append], &stamp).unwrap().remove(0);
                    answers
                        .lock()
                        .unwrap()
                        .push((call, applied.address, applied.note));
                }
            });
        }
    });
    let answers = answers.into_inner().unwrap();
    let distinct: HashSet<(usize, Address)> = answers
        .iter()
        .map(|(call, at, _)| (*call, at.clone()))
        .collect();
    assert_eq!((answers.len(), distinct.len()), (THREADS * CALLS, CALLS));
    assert!(
        answers
            .iter()
            .all(|(.., note)| note.as_ref().unwrap().seen() == Some(1))
    );
    assert_eq!(whole_feed(&store).len(), CALLS);
    assert_no_gap(&store);
}

/// Panics once, when a call has put its rows.
struct Panics(AtomicBool);

impl Hooks for Panics {
    fn in_write(&self) {
        assert!(
            !self.0.swap(false, Ordering::SeqCst),
            "as the test wants it"
        );
    }
}

#[test]
fn a_panic_in_one_call_leaves_the_others_working() {
    let folder = tempfile::tempdir().unwrap();
    let own = open(&folder);
    own.apply(&[save(key("first"), "v")], &at(1)).unwrap();
    let store = EngineStore::new(Hooked::new(own.engine(), Panics(AtomicBool::new(true))));
    let begin = Barrier::new(THREADS);
    let written = Mutex::new(Vec::new());
    let panicked = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (store, begin, written) = (&store, &begin, &written);
                scope.spawn(move || {
                    begin.wait();
                    for number in 0..4 {
                        let address = key(&format!("k{thread}-{number}"));
                        // The callers whose writes the panicking thread carried out get its failure.
                        if store.apply(&[save(address.clone(), "v")], &at(2)).is_ok() {
                            written.lock().unwrap().push(address);
                        }
                    }
                })
            })
            .collect();
        let ends = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        ends.filter(std::result::Result::is_err).count()
    });
    assert_eq!(panicked, 1);
    let written = written.into_inner().unwrap();
    // One thread ended, and no group is larger than all threads.
    assert!(
        written.len() >= 4 * THREADS - 4 - (THREADS - 1),
        "{}",
        written.len()
    );
    assert!(
        written
            .iter()
            .all(|address| own.get(address).unwrap().is_some())
    );
    assert_eq!(
        own.count(&Scope::Agent(name("a"))).unwrap() as usize,
        1 + written.len()
    );
    store.apply(&[save(key("last"), "v")], &at(3)).unwrap();
    assert_no_gap(&own);
}
