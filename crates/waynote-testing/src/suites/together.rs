//! Changes that are written together: of one note in one call, and calls of several threads in one commit.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use waynote::engine::Engine;
use waynote::event::SessionEvent;
use waynote::{
    Address, Applied, Change, EngineStore, EntryId, EntryType, LocalStore, Name, NoteBefore,
    OperationId, Reader as _, Result, Scope, Store as _,
};

use crate::hooked::{Hooked, Hooks};
use crate::values::{assert_clean, at, key, name, save_limited, text};

fn save(of: &str, said: &str) -> Change {
    save_limited(key(of), said, 2)
}

pub(crate) fn a_note_is_deleted_and_saved_in_one_call(store: &dyn LocalStore) {
    store.apply(&[save("k", "one")], &at(1)).unwrap();
    let seen = |applied: &[Applied]| -> Vec<_> {
        let seen = applied.iter();
        seen.map(|of| {
            (
                of.before.is_some(),
                of.changed,
                of.note.as_ref().map(|of| of.revision),
            )
        })
        .collect()
    };
    let texts = || {
        let note = store.get(&key("k")).unwrap();
        let count = store.count(&Scope::Agent(name("a"))).unwrap();
        (note.map(|note| note.content.shown().into_owned()), count)
    };
    let both = [Change::delete(key("k")), save("k", "two")];
    let applied = store.apply(&both, &at(2)).unwrap();
    assert_eq!(seen(&applied), [(true, true, None), (false, true, Some(3))]);
    assert_eq!(texts(), (Some("two".into()), 1));
    assert_clean(store);
    // The other way round, of a new note, and again and again.
    let both = [save("l", "three"), Change::delete(key("l"))];
    store.apply(&both, &at(3)).unwrap();
    assert_eq!(store.get(&key("l")).unwrap(), None);
    let turns: Vec<Change> = (0..3)
        .flat_map(|turn| [Change::delete(key("k")), save("k", &format!("turn {turn}"))])
        .collect();
    store.apply(&turns, &at(4)).unwrap();
    assert_eq!(texts(), (Some("turn 2".into()), 1));
    assert_eq!(store.history(&key("k")).unwrap().len(), 9);
    assert_clean(store);
}

pub(crate) fn a_save_tells_what_was_there_before(store: &dyn LocalStore) {
    let of = |said: &str| -> Option<NoteBefore> {
        let stamp = at(1).of_operation(OperationId::of(said));
        store.apply(&[save("k", said)], &stamp).unwrap()[0].before
    };
    let before = |revision, said| {
        let hash = text(said).hash();
        Some(NoteBefore { revision, hash })
    };
    assert_eq!(of("one"), None);
    assert_eq!(of("two"), before(1, "one"));
    assert_eq!(of("three"), before(2, "two"));
    // A call whose answer was lost gets the same answer.
    assert_eq!((of("two"), of("one")), (before(1, "one"), None));
    let again = store.apply(&[save("k", "three"), Change::pin(key("k"), true)], &at(2));
    let again: Vec<_> = again.unwrap().iter().map(|of| of.before).collect();
    assert_eq!(again, [before(3, "three"), before(4, "three")]);
    store.apply(&[Change::delete(key("k"))], &at(3)).unwrap();
    assert_eq!(of("four"), None);
}

/// Writes that wait until a gate opens.
#[derive(Default)]
struct Gate {
    /// True if writes are to wait, and true if one waits.
    is_shut: Mutex<(bool, bool)>,
    moves: Condvar,
    writes: AtomicUsize,
}

impl Gate {
    fn shut(&self) {
        *self.is_shut.lock().unwrap() = (true, false);
        self.writes.store(0, Ordering::SeqCst);
    }

    fn wait_for_a_write(&self) {
        let mut shut = self.is_shut.lock().unwrap();
        while !shut.1 {
            shut = self.moves.wait(shut).unwrap();
        }
    }

    fn open(&self) {
        self.is_shut.lock().unwrap().0 = false;
        self.moves.notify_all();
    }
}

impl Hooks for Gate {
    fn before_write(&self) {
        self.writes.fetch_add(1, Ordering::SeqCst);
        let mut shut = self.is_shut.lock().unwrap();
        while shut.0 {
            shut.1 = true;
            self.moves.notify_all();
            shut = self.moves.wait(shut).unwrap();
        }
    }
}

fn entry(session: &Name, kind: EntryType, said: &str, resolves: Option<EntryId>) -> Change {
    Change::Append {
        session: session.clone(),
        kind,
        iteration: Some(1),
        content: text(said),
        resolves,
        id: None,
        created_at: None,
    }
}

fn id(applied: &[Applied]) -> EntryId {
    match &applied[0].address {
        Address::Session(_, id) => *id,
        other => panic!("{other}"),
    }
}

/// Calls that arrive together: one that resolves an entry, the same call again, one that was carried out long ago, and
/// one that is refused.
pub(crate) fn an_entry_is_resolved_beside_repeated_and_refused_calls_in_one_commit(
    engine: &(dyn Engine + Sync),
) {
    const ROUNDS: usize = 60;
    let hooked = Hooked::new(engine, Gate::default());
    let gate = &hooked.hooks;
    let store = EngineStore::new(&hooked);
    store
        .apply(&[save("k", "one"), save("l", "one")], &at(1))
        .unwrap();
    let mut shared = 0;
    for round in 0..ROUNDS {
        let session = name(&format!("s{round}"));
        let of = |what: &str| at(2).of_operation(OperationId::of(&format!("{what} {round}")));
        let stuck = [entry(&session, EntryType::Stuck, "the wall", None)];
        let stuck = id(&store.apply(&stuck, &at(2)).unwrap());
        let before = [entry(&session, EntryType::Tip, "a tip", None)];
        let tip = id(&store.apply(&before, &of("tip")).unwrap());
        let resolving = [entry(&session, EntryType::Learning, "a door", Some(stuck))];
        let too_many = [save("m", "refused")];
        let begun = AtomicUsize::new(0);
        gate.shut();
        let (first, again, repeated) = std::thread::scope(|scope| {
            scope.spawn(|| store.apply(&[save("k", "first")], &at(3)).unwrap());
            gate.wait_for_a_write();
            let call = |changes, stamp| {
                let (store, begun) = (&store, &begun);
                scope.spawn(move || {
                    begun.fetch_add(1, Ordering::SeqCst);
                    store.apply(changes, &stamp)
                })
            };
            let first = call(&resolving[..], of("resolving"));
            let again = call(&resolving[..], of("resolving"));
            let repeated = call(&before[..], of("tip"));
            let refused = scope.spawn(|| {
                begun.fetch_add(1, Ordering::SeqCst);
                store.apply(&too_many, &at(3))
            });
            // They are about to wait for the one at the gate.
            while begun.load(Ordering::SeqCst) < 4 {
                std::thread::yield_now();
            }
            std::thread::yield_now();
            gate.open();
            let answer = |of: std::thread::ScopedJoinHandle<'_, Result<Vec<Applied>>>| {
                id(&of.join().unwrap().unwrap())
            };
            assert!(refused.join().unwrap().is_err());
            (answer(first), answer(again), answer(repeated))
        });
        // The same call again waits for the commit of the first.
        shared += usize::from(gate.writes.load(Ordering::SeqCst) == 3);
        assert_eq!((first, repeated), (again, tip));
        let wall = Address::Session(session.clone(), stuck);
        let wall = store.get(&wall).unwrap().unwrap();
        assert_eq!((wall.resolved_by, wall.revision), (Some(first), 1));
        let events = store.events(&session, None, 10).unwrap();
        let [event] = &events[..] else {
            panic!("{events:?}");
        };
        let resolved = SessionEvent::Resolved {
            entry: stuck,
            by: first,
        };
        assert_eq!(event.event, resolved);
        if shared == 5 {
            break;
        }
    }
    assert!(shared > 0, "the calls never shared a commit");
    assert_clean(&store);
}
