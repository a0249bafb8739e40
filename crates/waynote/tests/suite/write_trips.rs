//! How often a write asks its engine: over a network, each time is a round trip.

use std::cell::Cell;

use waynote::engine::{
    Ask, Engine, IndexState, JournalRow, Read, Row, Rows, SegmentHead, Transaction, Writing,
};
use waynote::event::{EndReason, SessionEvent};
use waynote::forget::Residue;
use waynote::store::SideValue;
use waynote::{
    Change, Content, EngineStore, EntryType, Expect, Indexing, Limits, OperationId, Report, Result,
    Stamp, Store, StoreId,
};

use super::memory::Memory;

/// An engine that counts what is asked and put within its transactions.
struct Counting {
    engine: Memory,
    trips: Cell<usize>,
}

struct Counted<'t> {
    tx: &'t dyn Transaction,
    trips: &'t Cell<usize>,
}

impl Counted<'_> {
    fn trip(&self) -> &dyn Transaction {
        self.trips.update(|trips| trips + 1);
        self.tx
    }
}

impl Read for Counted<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        self.trip().read(ask)
    }

    fn each_row(
        &self,
        after: i64,
        limit: usize,
        each: &mut dyn FnMut(&JournalRow<'_>) -> bool,
    ) -> Result<()> {
        self.trip().each_row(after, limit, each)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        self.trip().verify(report)
    }
}

impl Transaction for Counted<'_> {
    fn put(&self, rows: &[Row<'_>]) -> Result<()> {
        self.trip().put(rows)
    }

    fn remove_contents(&self, contents: &[Content]) -> Result<()> {
        self.trip().remove_contents(contents)
    }

    fn put_side(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()> {
        self.trip().put_side(space, values, removed)
    }

    fn renew_id(&self) -> Result<StoreId> {
        self.trip().renew_id()
    }

    fn put_segment(
        &self,
        head: &SegmentHead,
        notes: &[u8],
        blocks: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<()> {
        self.trip().put_segment(head, notes, blocks)
    }

    fn put_dead(&self, segment: i64, dead: u32, bits: &[u8]) -> Result<()> {
        self.trip().put_dead(segment, dead, bits)
    }

    fn clear_index(&self) -> Result<()> {
        self.trip().clear_index()
    }

    fn remove_segments(&self, ids: &[i64]) -> Result<()> {
        self.trip().remove_segments(ids)
    }

    fn put_index(&self, state: IndexState) -> Result<()> {
        self.trip().put_index(state)
    }
}

impl Engine for Counting {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        self.engine.rows()
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        self.engine.snapshot(work)
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let trips = &self.trips;
        self.engine
            .write(writing, &mut |tx| work(&Counted { tx, trips }))
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn scrub(&self) -> Option<Residue> {
        self.engine.scrub()
    }

    fn name(&self) -> String {
        self.engine.name()
    }
}

fn stamp() -> Stamp {
    Stamp::new(
        "2026-05-17T12:00:00Z".parse().unwrap(),
        "person".parse().unwrap(),
    )
}

fn save(key: &str, text: &str) -> Change {
    Change::Save {
        address: format!("agent:a#{key}").parse().unwrap(),
        content: Content::text(text).unwrap(),
        pin: None,
        limits: Limits::default(),
        expect: Expect::Any,
        origin: None,
    }
}

fn append(kind: EntryType, text: &str) -> Change {
    Change::Append {
        session: "s".parse().unwrap(),
        kind,
        iteration: Some(1),
        content: Content::text(text).unwrap(),
        resolves: None,
        id: None,
        created_at: None,
    }
}

/// What a write of each kind takes, once the store knows how far its index reaches.
#[test]
fn a_write_takes_two_round_trips() {
    let store = EngineStore::new(Counting {
        engine: Memory::default(),
        trips: Cell::new(0),
    })
    .with_indexing(Indexing::default().tail(10_000, 2048));
    let address = || "agent:a#k".parse().unwrap();
    let many = (0..50).map(|number| save(&format!("m{number}"), "one of many"));
    let writes = [
        ("the first", vec![save("first", "v")]),
        ("a new key", vec![save("k", "v")]),
        ("a key that is there", vec![save("k", "w")]),
        (
            "a pin",
            vec![Change::Pin {
                address: address(),
                pinned: true,
            }],
        ),
        (
            "an undo",
            vec![Change::Undo {
                address: address(),
                origin: None,
            }],
        ),
        ("a redo", vec![Change::Redo { address: address() }]),
        (
            "a restore",
            vec![Change::Restore {
                address: address(),
                revision: 1,
            }],
        ),
        ("a deletion", vec![Change::Delete { address: address() }]),
        ("an entry", vec![append(EntryType::Stuck, "the wall")]),
        ("a repeat", vec![append(EntryType::Stuck, "the wall")]),
        ("many at once", many.collect()),
        (
            "one over another",
            vec![
                save("k", "x"),
                save("k", "y"),
                Change::Delete { address: address() },
            ],
        ),
    ];
    for (what, changes) in writes {
        store.engine().trips.set(0);
        let applied = store.apply(&changes, &stamp()).unwrap();
        assert!(applied.iter().all(|applied| applied.changed), "{what}");
        assert_eq!(store.engine().trips.get(), 2, "{what}");
    }
    // What changes nothing puts nothing, and what is refused neither.
    store.engine().trips.set(0);
    store
        .apply(&[Change::Delete { address: address() }], &stamp())
        .unwrap();
    store
        .apply(
            &[
                save("k", "v"),
                Change::Restore {
                    address: address(),
                    revision: 99,
                },
            ],
            &stamp(),
        )
        .unwrap_err();
    assert_eq!(store.engine().trips.get(), 2);
    assert!(waynote::Reader::get(&store, &address()).unwrap().is_none());
}

#[test]
fn recording_an_event_takes_two_round_trips() {
    let store = EngineStore::new(Counting {
        engine: Memory::default(),
        trips: Cell::new(0),
    });
    let session = "s".parse().unwrap();
    store.apply(&[save("k", "v")], &stamp()).unwrap();
    let begin = SessionEvent::LoopStarted {
        holder: waynote::event::ProcessIdentity {
            host: "h".into(),
            boot: "b".into(),
            pid: 1,
            start: 1,
        },
        directory: "/".into(),
        iterations: None,
    };
    let end = SessionEvent::LoopEnded {
        reason: EndReason::Iterations,
        detail: None,
    };
    let iteration = |iteration| SessionEvent::IterationStarted { iteration };
    for events in [vec![begin], vec![iteration(1)], vec![end]] {
        store.engine().trips.set(0);
        let stamp = stamp().of_operation(OperationId::of(&format!("{events:?}")));
        store.record(&session, &events, Some(1), &stamp).unwrap();
        assert_eq!(store.engine().trips.get(), 2, "{events:?}");
        // Made again: it was carried out already.
        store.record(&session, &events, Some(1), &stamp).unwrap();
        assert_eq!(store.engine().trips.get(), 3, "{events:?}");
    }
}
