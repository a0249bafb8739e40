//! Calls that arrive together and do not belong together.

use std::borrow::Cow;

use super::*;
use crate::event::{EventAddress, ProcessIdentity, SessionEvent};
use crate::{
    Change, Content, Expect, Limits, Name, OperationId, Options, SqliteStore, Stamp, Store,
};

fn at(second: i64) -> Stamp {
    let now = jiff::Timestamp::from_second(second).unwrap();
    Stamp::new(now, "agent:a".parse().unwrap())
}

fn save(address: &str, text: &str) -> Change {
    Change::Save {
        address: address.parse().unwrap(),
        content: Content::text(text).unwrap(),
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    }
}

/// The revisions that these calls make in one transaction, or the kinds of their errors.
fn written(store: &SqliteStore, calls: &[(Change, Stamp)]) -> Vec<String> {
    let calls: Vec<_> = calls
        .iter()
        .map(|(change, stamp)| Call::Apply {
            changes: std::slice::from_ref(change).into(),
            stamp: Cow::Borrowed(stamp),
        })
        .collect();
    let calls: Vec<_> = calls.iter().collect();
    let answers = store.write(&calls).unwrap().into_iter();
    let shown = answers.map(|answer| match answer {
        Ok(applied) => applied[0].note.as_ref().unwrap().revision.to_string(),
        Err(error) => error.kind().to_owned(),
    });
    shown.collect()
}

fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    (
        folder,
        SqliteStore::open(path, &Options::default()).unwrap(),
    )
}

#[test]
fn each_is_answered_for_itself() {
    let (_folder, store) = store();
    let of = |operation: &str| at(1).of_operation(OperationId::of(operation));
    let none = Change::pin("agent:a#none".parse().unwrap(), true);
    let calls = [
        (save("agent:a#k", "first"), at(1)),
        (save("place:~/p", "of a place"), at(1)),
        (none, at(1)),
        (save("agent:a#k", "second"), of("one")),
        (save("place:~/p", "of the same place"), at(1)),
        (save("agent:b#k", "of another"), at(1)),
    ];
    let expected = ["1", "1", "not_found", "2", "2", "1"];
    assert_eq!(written(&store, &calls), expected);
    assert!(store.verify().unwrap().is_clean());
}

#[test]
fn a_call_that_is_repeated_waits_for_the_first() {
    let call = |operation: Option<&str>| {
        let operation = operation.map(OperationId::of);
        let stamp = Stamp { operation, ..at(1) };
        Call::Apply {
            changes: vec![save("agent:a#k", "text")].into(),
            stamp: Cow::Owned(stamp),
        }
    };
    let group = Group::default();
    for operation in [None, Some("two"), None, Some("one"), Some("two")] {
        group.waiting.lock().threads.push(Arc::new(Waiter {
            call: call(operation),
            told: Mutex::new(Message::Nothing),
            tells: Condvar::new(),
        }));
    }
    let lengths = ["one", "one", "three"].map(|own| group.take(&call(Some(own))).len());
    assert_eq!(lengths, [3, 0, 2]);
}

#[test]
fn only_those_of_a_loop_that_has_lost_its_session_are_refused() {
    let (_folder, store) = store();
    let session: Name = "s".parse().unwrap();
    let started = SessionEvent::LoopStarted {
        holder: ProcessIdentity::new("here", "b", 1, 7),
        directory: "/p".into(),
        iterations: None,
    };
    store.record(&session, &[started], None, &at(1)).unwrap();
    let inside = |number| {
        let session = session.clone();
        at(2).inside(EventAddress { session, number })
    };
    let stamps = [inside(2), at(2), inside(1), inside(2)];
    let save = |(number, stamp)| (save(&format!("agent:a#k{number}"), "text"), stamp);
    let calls: Vec<_> = stamps.into_iter().enumerate().map(save).collect();
    assert_eq!(
        written(&store, &calls),
        ["lease_lost", "1", "1", "lease_lost"]
    );
}
