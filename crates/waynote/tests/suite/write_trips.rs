//! How often a write asks its engine: over a network, each time is a round trip.

use waynote::event::{EndReason, ProcessIdentity, SessionEvent};
use waynote::{
    Ancestor, Change, EngineStore, EntryType, Expect, OperationId, Stamp, Store, Writer,
};

use super::counting::CountingEngine;
use memory_engine::Memory;
use waynote_testing::stores::NEVER;
use waynote_testing::values::{entry, name, save_limited};

fn stamp() -> Stamp {
    Stamp::new(
        "2026-05-17T12:00:00Z".parse().unwrap(),
        "person".parse().unwrap(),
    )
}

fn save(key: &str, text: &str) -> Change {
    save_limited(format!("agent:a#{key}").parse().unwrap(), text, 64)
}

/// The round trips of a write of each kind, once the store knows how far its index reaches.
#[test]
fn a_write_takes_two_round_trips() {
    let store = EngineStore::new(CountingEngine::new(Memory::default())).with_indexing(NEVER);
    let address = || "agent:a#k".parse().unwrap();
    let many = (0..50).map(|number| save(&format!("m{number}"), "one of many"));
    let writes = [
        ("the first", vec![save("first", "v")]),
        ("a new key", vec![save("k", "v")]),
        ("a key that is there", vec![save("k", "w")]),
        ("a pin", vec![Change::pin(address(), true)]),
        ("an undo", vec![Change::undo(address())]),
        ("a redo", vec![Change::redo(address())]),
        (
            "a restore",
            vec![Change::Restore {
                address: address(),
                revision: 1,
                last: None,
            }],
        ),
        ("a deletion", vec![Change::delete(address())]),
        ("an entry", vec![entry(EntryType::Stuck, 1, "the wall")]),
        ("a repeat", vec![entry(EntryType::Stuck, 1, "the wall")]),
        ("many at once", many.collect()),
        (
            "one over another",
            vec![save("k", "x"), save("k", "y"), Change::delete(address())],
        ),
    ];
    for (what, changes) in writes {
        store.engine().writes.set(0);
        let applied = store.apply(&changes, &stamp()).unwrap();
        assert!(applied.iter().all(|applied| applied.changed), "{what}");
        assert_eq!(store.engine().writes.get(), 2, "{what}");
    }
    // A change without an effect puts nothing, and neither does a refused one.
    store.engine().writes.set(0);
    store.apply(&[Change::delete(address())], &stamp()).unwrap();
    store
        .apply(
            &[
                save("k", "v"),
                Change::Restore {
                    address: address(),
                    revision: 99,
                    last: None,
                },
            ],
            &stamp(),
        )
        .unwrap_err();
    assert_eq!(store.engine().writes.get(), 2);
    assert!(waynote::Reader::get(&store, &address()).unwrap().is_none());
}

/// The leases of loops tell if the process writes in a loop: they are read with the rest.
#[test]
fn a_write_of_a_process_in_the_name_of_a_person_takes_two_round_trips() {
    let store = EngineStore::new(CountingEngine::new(Memory::default())).with_indexing(NEVER);
    store.apply(&[save("k", "v")], &stamp()).unwrap();
    let above = vec![Ancestor { pid: 7, start: 9 }];
    let writer = |namespace| Writer::new("h", "b", namespace, above.clone()).agent(name("loop"));
    let authors = [("before", None), ("inside", None), ("elsewhere", Some(1))];
    for (number, (text, namespace)) in (1..).zip(authors) {
        let mut change = save("k", text);
        if let Change::Save { expect, .. } = &mut change {
            *expect = Expect::Revision(number);
        }
        let mut stamp = stamp();
        stamp.writer = Some(writer(namespace));
        store.engine().writes.set(0);
        store.apply(&[change], &stamp).unwrap();
        assert_eq!(store.engine().writes.get(), 2, "{text}");
        let author = waynote::Reader::get(&store, &"agent:a#k".parse().unwrap());
        let by = if text == "inside" { "loop" } else { "person" };
        assert_eq!(author.unwrap().unwrap().author.as_str(), by, "{text}");
        if text == "before" {
            let holder = ProcessIdentity::new("h", "b", 7, 9).namespace(2);
            let begin = SessionEvent::LoopStarted {
                holder,
                directory: "/".into(),
                iterations: None,
            };
            let session = name("s");
            store
                .record(&session, &[begin], Some(1), &self::stamp())
                .unwrap();
        }
    }
}

#[test]
fn recording_an_event_takes_two_round_trips() {
    let store = EngineStore::new(CountingEngine::new(Memory::default()));
    let session = "s".parse().unwrap();
    store.apply(&[save("k", "v")], &stamp()).unwrap();
    let begin = SessionEvent::LoopStarted {
        holder: waynote::event::ProcessIdentity::new("h", "b", 1, 1),
        directory: "/".into(),
        iterations: None,
    };
    let end = SessionEvent::LoopEnded {
        reason: EndReason::Iterations,
        detail: None,
    };
    let iteration = |iteration| SessionEvent::IterationStarted {
        iteration,
        block: None,
    };
    for events in [vec![begin], vec![iteration(1)], vec![end]] {
        store.engine().writes.set(0);
        let stamp = stamp().of_operation(OperationId::of(&format!("{events:?}")));
        store.record(&session, &events, Some(1), &stamp).unwrap();
        assert_eq!(store.engine().writes.get(), 2, "{events:?}");
        // Made again: it was carried out already.
        store.record(&session, &events, Some(1), &stamp).unwrap();
        assert_eq!(store.engine().writes.get(), 3, "{events:?}");
    }
}
