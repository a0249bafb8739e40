//! Writes inside a loop: they are refused once the loop has lost its session.

use waynote::event::EventAddress;
use waynote::{Change, Content, Expect, Forget, OperationId, SessionLog};

use super::*;
use crate::values::{keep, key, save};

/// A stamp inside a loop.
fn inside(run: &Loop<'_>, second: i64) -> Stamp {
    let stamp = Stamp::new(at(second).now, name("agent:a"));
    stamp.inside(EventAddress {
        session: run.session().clone(),
        number: run.lease(),
    })
}

/// The holder that the error of a lost session names.
fn held<T: std::fmt::Debug>(outcome: waynote::Result<T>) -> Option<String> {
    match outcome {
        Err(Error::Loop(LoopError::LeaseLost {
            session,
            holder,
            since,
        })) => {
            assert_eq!(session, name("s"));
            assert_eq!(since, holder.as_ref().map(|_| at(1).now));
            holder
        }
        other => panic!("{other:?}"),
    }
}

/// Writes in every way with one stamp: notes and entries, the agent's signals, and forgetting.
fn writes(store: &dyn LocalStore, stamp: &Stamp) -> Vec<waynote::Result<()>> {
    let delete = Change::Delete {
        address: key("k1"),
        expect: Expect::Any,
    };
    let log = SessionLog::new(store, name("s"));
    let tip = Content::text("a tip").unwrap();
    vec![
        store.apply(&[save(key("new"), "text")], stamp).map(drop),
        store.apply(&[delete], stamp).map(drop),
        store
            .apply(&[Change::pin(key("k2"), true)], stamp)
            .map(drop),
        log.add(EntryType::Tip, Some(1), tip, stamp).map(drop),
        complete(store, &name("s"), Some(1), "done", stamp),
        store.forget(&Forget::new(key("k0")), stamp).map(drop),
    ]
}

pub(crate) fn what_is_written_inside_a_loop_is_refused_once_another_has_its_session(
    store: &dyn LocalStore,
) {
    keep(store, &["zero", "one", "two"]);
    let lost = begin(store, 1, None, &[]).unwrap();
    lost.start_iteration(None, &at(2)).unwrap();
    let first = inside(&lost, 3).of_operation(OperationId::of("first"));
    let change = [save(key("first"), "text")];
    let applied = store.apply(&change, &first).unwrap();
    // Taken for dead while it lives, as by another machine.
    let taken = begin(store, 2, None, &[1]).unwrap();
    let before = store.version().unwrap();
    for written in writes(store, &inside(&lost, 4)) {
        assert_eq!(held(written), Some(holder(2).to_string()));
    }
    assert_eq!(store.version().unwrap(), before);
    // Its answer was lost, and the same call comes again.
    assert_eq!(store.apply(&change, &first).unwrap(), applied);
    // A person's writes, and those of the other loop.
    store.apply(&change, &at(5)).unwrap();
    taken.start_iteration(None, &at(5)).unwrap();
    let mut others = writes(store, &inside(&taken, 6));
    // The iteration that is named is not its own.
    others.remove(4).unwrap_err();
    assert!(others.iter().all(Result::is_ok), "{others:?}");
    // When a person has ended that one, no loop has the session.
    taken.end(EndReason::Interrupted, None, &at(7)).unwrap();
    for lost in [&lost] {
        for written in writes(store, &inside(lost, 8)) {
            assert_eq!(held(written), None);
        }
    }
    assert!(store.verify().unwrap().problems.is_empty());
}
