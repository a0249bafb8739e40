//! A call that is made again because its answer was lost: nothing is written twice, and the answer is the same.

use waynote::event::SessionEvent;
use waynote::{
    Action, Address, Applied, Change, EntryType, Error, Forget, LocalStore, OperationId, Stamp,
    redo_last, undo_last,
};

use super::write_place;
use crate::has;
use crate::suites::undo::reach;
use crate::values::{at, ended, key, name, place, save, save_limited, started, text, whole_feed};

fn of(operation: &str, second: i64) -> Stamp {
    at(second).of_operation(OperationId::of(operation))
}

fn note(said: &str, resolves: Option<&Address>) -> Change {
    let resolves = resolves.map(|address| match address {
        Address::Session(_, entry) => *entry,
        other => panic!("{other}"),
    });
    Change::Append {
        session: name("s"),
        kind: if resolves.is_some() {
            EntryType::Learning
        } else {
            EntryType::Stuck
        },
        iteration: Some(3),
        content: text(said),
        resolves,
        id: None,
        created_at: None,
    }
}

/// Applies changes, then again: the answer, which is the same.
fn twice(store: &dyn LocalStore, changes: &[Change], operation: &str) -> Vec<Applied> {
    let first = store.apply(changes, &of(operation, 10)).unwrap();
    let before = whole_feed(store);
    // A later clock, as a client has that tries again.
    assert_eq!(store.apply(changes, &of(operation, 11)).unwrap(), first);
    assert_eq!(whole_feed(store), before);
    first
}

pub(crate) fn nothing_is_written_twice_and_the_answer_is_the_same(store: &dyn LocalStore) {
    let k = key("k");
    twice(store, &[save(k.clone(), "one")], "first");
    let undo = |address: &Address| Change::undo(address.clone());
    let batch = [
        save(k.clone(), "two"),
        Change::delete(key("never")),
        save(Address::Place(place("~/p")), "p"),
        Change::pin(k.clone(), true),
    ];
    let answer = twice(store, &batch, "batch");
    let changed: Vec<bool> = answer.iter().map(|applied| applied.changed).collect();
    assert_eq!(changed, [true, false, true, true]);
    twice(store, &[undo(&k)], "undo");
    twice(store, &[Change::delete(k)], "delete");

    let stuck = twice(store, &[note("wall", None)], "stuck").remove(0);
    let again = twice(store, &[note("wall", None)], "noted once more").remove(0);
    assert_eq!(again.address, stuck.address);
    assert_eq!(
        store.history(&stuck.address).unwrap()[1].action,
        Action::Repeat
    );
    twice(store, &[note("door", Some(&stuck.address))], "resolves");

    for (operation, lease, event) in [("start", None, started()), ("end", Some(2), ended())] {
        for second in [20, 21] {
            let stamp = of(operation, second);
            store
                .record(&name("s"), std::slice::from_ref(&event), lease, &stamp)
                .unwrap();
        }
    }
    let events = store.events(&name("s"), None, 9).unwrap();
    assert!(matches!(events[0].event, SessionEvent::LoopEnded { .. }));
    assert_eq!(events.len(), 3);
    assert!(store.verify().unwrap().is_clean());
}

pub(crate) fn the_answer_is_that_of_then_whatever_was_written_since(store: &dyn LocalStore) {
    let (k, p) = (key("k"), place("~/p"));
    let first = store
        .apply(&[save(k.clone(), "mine")], &of("mine", 1))
        .unwrap();
    let of_place = write_place(store, &p, "mine", &of("place", 1));
    store.apply(&[save(k.clone(), "theirs")], &at(2)).unwrap();
    write_place(store, &p, "theirs", &at(2));
    assert_eq!(
        store
            .apply(&[save(k.clone(), "mine")], &of("mine", 3))
            .unwrap(),
        first
    );
    assert_eq!(write_place(store, &p, "mine", &of("place", 3)), of_place);
    let said = |address: &Address| store.get(address).unwrap().unwrap().content;
    assert_eq!(
        (said(&k), said(&Address::Place(p))),
        (text("theirs"), text("theirs"))
    );
}

pub(crate) fn another_call_with_the_same_content_is_another_call(store: &dyn LocalStore) {
    let k = key("k");
    store.apply(&[save(k.clone(), "v")], &of("one", 1)).unwrap();
    store
        .apply(&[save(k.clone(), "v")], &of("other", 2))
        .unwrap();
    store.apply(&[note("wall", None)], &of("three", 3)).unwrap();
    let seen = store.apply(&[note("wall", None)], &of("four", 4)).unwrap();
    assert_eq!(seen[0].note.as_ref().unwrap().seen(), Some(2));
    let revisions = store.history(&k).unwrap().len();
    let alone = store.apply(&[save(k.clone(), "v")], &at(5)).unwrap();
    // As many as the same calls without an id make.
    let after = store.history(&k).unwrap().len();
    assert_eq!(
        (revisions, after),
        (2, if alone[0].changed { 3 } else { 2 })
    );
}

pub(crate) fn a_refused_call_can_be_made_again(store: &dyn LocalStore) {
    let limited = |max_notes| save_limited(key("l"), "v", max_notes);
    store.apply(&[save(key("k"), "v")], &at(1)).unwrap();
    let refused = store.apply(&[limited(1)], &of("call", 2));
    assert!(matches!(refused, Err(Error::TooManyNotes { .. })));
    assert!(store.apply(&[limited(2)], &of("call", 3)).unwrap()[0].changed);
}

pub(crate) fn an_id_that_another_call_went_by_is_refused(store: &dyn LocalStore) {
    let stamp = || of("one", 1);
    let entry = note("a tip", None);
    store.apply(&[save(key("k"), "v")], &stamp()).unwrap();
    let k = || key("k");
    let others = [
        save(key("l"), "v"),
        save(k(), "w"),
        Change::delete(k()),
        Change::pin(k(), true),
        entry,
    ];
    for other in others {
        let refused = store.apply(&[other], &stamp()).unwrap_err();
        has(refused.to_string(), "another call went by this id");
    }
    store
        .record(&name("s"), &[started()], None, &stamp())
        .unwrap_err();
    assert_eq!(whole_feed(store).len(), 1);
}

pub(crate) fn a_call_is_the_same_one_only_if_it_does_the_same(store: &dyn LocalStore) {
    for turn in 0.. {
        let k = || key(&format!("k{turn}"));
        let pair = |of: &str, with: &str| {
            let l = key(&format!("l{turn}"));
            vec![save(k(), of), save(l, with)]
        };
        let cases = [
            (vec![Change::delete(k())], vec![save(k(), "w")]),
            (vec![Change::delete(k())], vec![Change::pin(k(), true)]),
            (vec![Change::pin(k(), true)], vec![Change::pin(k(), false)]),
            (vec![Change::pin(k(), true)], vec![save(k(), "first")]),
            (vec![save(k(), "v")], vec![Change::undo(k())]),
            (vec![Change::undo(k())], vec![Change::delete(k())]),
            (pair("v", "w"), vec![save(k(), "v")]),
            (pair("v", "w"), pair("v", "x")),
            (vec![note("one", None)], vec![note("two", None)]),
        ];
        let Some((first, other)) = cases.into_iter().nth(turn) else {
            break;
        };
        store.apply(&[save(k(), "first")], &at(1)).unwrap();
        let stamp = || of(&format!("call {turn}"), 2);
        let answer = store.apply(&first, &stamp()).unwrap();
        let refused = store.apply(&other, &stamp()).unwrap_err();
        let said = refused.to_string();
        assert!(said.contains("another call went by this id"), "{said}");
        assert_eq!(store.apply(&first, &stamp()).unwrap(), answer);
    }
}

fn all_of(address: &Address) -> Forget {
    Forget::new(address.clone())
}

pub(crate) fn a_forgetting_that_is_made_again_forgets_nothing_that_was_written_since(
    store: &dyn LocalStore,
) {
    let (k, l) = (key("k"), key("l"));
    for said in ["one", "two"] {
        store.apply(&[save(k.clone(), said)], &at(1)).unwrap();
    }
    store.apply(&[save(l.clone(), "two")], &at(1)).unwrap();
    let mut first = store.forget(&all_of(&k), &of("all", 2)).unwrap();
    assert_eq!((first.revisions.len(), first.gone.len()), (2, 1));
    assert_eq!(first.shared.len(), 1);
    store.apply(&[save(k.clone(), "three")], &at(3)).unwrap();
    let before = whole_feed(store);
    // The other address with the same text is not stored: it would give away the forgotten text.
    first.shared.clear();
    assert_eq!(store.forget(&all_of(&k), &of("all", 4)).unwrap(), first);
    assert_eq!(whole_feed(store), before);
    assert_eq!(store.get(&k).unwrap().unwrap().content, text("three"));

    // One revision; the note keeps the others.
    let one = all_of(&l).revision(Some(1));
    store.apply(&[save(l.clone(), "more")], &at(5)).unwrap();
    let first = store.forget(&one, &of("one", 6)).unwrap();
    assert_eq!((first.revisions.len(), first.kept), (1, 1));
    store.apply(&[save(l, "still more")], &at(7)).unwrap();
    assert_eq!(store.forget(&one, &of("one", 8)).unwrap(), first);
    assert!(store.verify().unwrap().is_clean());
}

pub(crate) fn a_forgetting_that_found_nothing_is_known_too(store: &dyn LocalStore) {
    let k = key("k");
    store.apply(&[save(k.clone(), "gone")], &at(1)).unwrap();
    store.forget(&all_of(&k), &at(2)).unwrap();
    let first = store.forget(&all_of(&k), &of("again", 3)).unwrap();
    assert!(first.revisions.is_empty());
    store.apply(&[save(k.clone(), "new")], &at(4)).unwrap();
    assert_eq!(store.forget(&all_of(&k), &of("again", 5)).unwrap(), first);
    assert!(store.get(&k).unwrap().is_some());
    assert!(store.verify().unwrap().is_clean());
}

pub(crate) fn an_id_belongs_to_a_forgetting_or_to_another_call(store: &dyn LocalStore) {
    let (k, l) = (key("k"), key("l"));
    for address in [&k, &l] {
        let change = save(address.clone(), address.scope().name());
        store
            .apply(&[change], &of(&address.to_string(), 1))
            .unwrap();
    }
    let is_refused = |error: Error| {
        let said = error.to_string();
        assert!(said.contains("another call went by this id"), "{said}");
    };
    is_refused(
        store
            .forget(&all_of(&k), &of(&k.to_string(), 2))
            .unwrap_err(),
    );
    store.forget(&all_of(&k), &of("forget", 3)).unwrap();
    is_refused(store.forget(&all_of(&l), &of("forget", 4)).unwrap_err());
    let delete = Change::delete(k);
    is_refused(store.apply(&[delete], &of("forget", 5)).unwrap_err());
    assert!(store.get(&l).unwrap().is_some());
}

pub(crate) fn an_undo_that_is_made_again_takes_back_one_change(store: &dyn LocalStore) {
    let (k, l) = (key("k"), key("l"));
    for (second, address, said) in [
        (1, &k, "one"),
        (2, &l, "one"),
        (3, &k, "two"),
        (4, &l, "two"),
    ] {
        let change = save(address.clone(), said);
        store.apply(&[change], &at(second)).unwrap();
    }
    let said = |address: &Address| store.get(address).unwrap().unwrap().content;
    let first = undo_last(store, &reach(&[]), &of("undo", 2)).unwrap();
    assert_eq!((said(&k), said(&l)), (text("two"), text("one")));
    let again = undo_last(store, &reach(&[]), &of("undo", 3)).unwrap();
    assert_eq!(again.applied, first.applied);
    assert_eq!((said(&k), said(&l)), (text("two"), text("one")));
    undo_last(store, &reach(&[]), &of("another", 4)).unwrap();
    assert_eq!((said(&k), said(&l)), (text("one"), text("one")));

    let first = redo_last(store, &reach(&[]), &of("redo", 5)).unwrap();
    assert_eq!((said(&k), said(&l)), (text("two"), text("one")));
    let again = redo_last(store, &reach(&[]), &of("redo", 6)).unwrap();
    assert_eq!(again, first);
    assert_eq!((said(&k), said(&l)), (text("two"), text("one")));
}
