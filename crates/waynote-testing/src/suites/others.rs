//! No text of another is replaced unread: which writers have to say which revision they have read, of which texts.

use std::collections::HashMap;

use waynote::moved::{MoveOptions, relocate};
use waynote::single::{self, SaveOptions};
use waynote::{
    Address, AsOf, Author, Change, Error, Expect, LocalStore, Replaces, Stamp, UndoScope,
    redo_last, undo_last,
};

use crate::values::{assert_clean, at, key, kind, name, save, text};

/// A writer, by the token of this holder.
fn by(author: &str, holder: Option<&str>) -> Stamp {
    Stamp {
        token: holder.map(name),
        ..Stamp::new(at(5).now, name(author))
    }
}

/// The kind of the refusal of one change; nothing if it is carried out.
fn refusal(store: &dyn LocalStore, change: Change, stamp: &Stamp) -> String {
    kind(store.apply(&[change], stamp))
}

pub(crate) fn a_careful_writer_replaces_only_its_own_persons_agents_texts_unread(
    store: &dyn LocalStore,
) {
    let (ann, bob) = (Some("ann"), Some("bob"));
    let cases = [
        // The last author of the text, who replaces it, and whether it has to be read first.
        (("person", None), ("agent:a", None), true),
        (("import:zrb", None), ("agent:a", None), true),
        (("import:zrb", None), ("person", None), true),
        (("ann", None), ("agent:a", None), true),
        (("agent:a", None), ("agent:a", None), false),
        (("agent:b", None), ("agent:a", None), false),
        (("agent:b", None), ("person", None), false),
        (("person", None), ("person", None), false),
        (("ann", ann), ("ann", ann), false),
        (("ann", ann), ("agent:a", ann), true),
        (("agent:b", ann), ("agent:a", ann), false),
        (("agent:a", bob), ("agent:a", ann), true),
        (("bob", bob), ("ann", ann), true),
        (("agent:a", bob), ("agent:a", None), true),
        (("agent:a", None), ("agent:a", ann), true),
    ];
    for (number, ((author, holder), (writer, own), is_others)) in cases.into_iter().enumerate() {
        let case = format!("{author} {holder:?}, {writer} {own:?}");
        let address = key(&format!("k{number}"));
        store
            .apply(&[save(address.clone(), "old")], &by(author, holder))
            .unwrap();
        // A pin leaves the author of the text, and who wrote it.
        let pin = Change::pin(address.clone(), true);
        store.apply(&[pin], &by("agent:pins", Some("eve"))).unwrap();
        let expected = if is_others { "others_text" } else { "" };
        let careful = by(writer, own).careful();
        let new = || save(address.clone(), "new");
        assert_eq!(refusal(store, new(), &careful), expected, "{case}");
        if !is_others {
            continue;
        }
        let note = store.get(&address).unwrap().unwrap();
        let Err(Error::OthersText {
            author: of,
            holder: held,
            revision,
            current,
            ..
        }) = store.apply(&[new()], &careful)
        else {
            panic!("{case}");
        };
        let recorded = holder.map(|own| Author::of(&name(author)).under(&name(own)));
        let recorded = recorded.unwrap_or_else(|| name(author));
        assert_eq!((of, held), (recorded, holder.map(name)), "{case}");
        assert_eq!((revision, current.as_deref()), (2, Some(&note)), "{case}");
        // Who has read it replaces it, and so does who is not asked to.
        let options = SaveOptions::default().expect(Expect::Revision(2));
        let read = options.change(address.clone(), text("new"));
        assert_eq!(refusal(store, read, &careful), "", "{case}");
        store
            .apply(&[Change::undo(address.clone())], &at(6))
            .unwrap();
        assert_eq!(refusal(store, new(), &by(writer, own)), "", "{case}");
    }
    assert_clean(store);
}

/// Each row is a note: what was done to it in turn, by a person (`p`) or an agent (`a`), and whether the agent may then
/// replace it unread. A person's text stays his until what he wrote is gone.
pub(crate) fn a_text_that_stands_stays_its_writers(store: &dyn LocalStore) {
    let rows = [
        ("p=one", false),
        ("a=one", true),
        ("p=one a+two", false),
        ("p=one a+two a+three", false),
        ("a=one p+two", false),
        ("a=one p+two a+three", false),
        ("p=one a=one", false),
        ("a=one p=one", true),
        ("p=one a=one a+two", false),
        ("p=one a!", false),
        ("a=one p! p~", true),
        ("p=one a< a>", false),
        ("p=one a+two a< a> a<", false),
        ("p=one a+two p<", false),
        ("a=one p=two a<", true),
        ("a=one p=two a< a>", false),
        ("p=one p- a<", false),
        ("p=one a=two a@1", false),
        ("a=one p- p< a- a< p> p<", true),
        ("p=one a=two p< a> a< a! p@2 a@1", false),
        ("p=one p- a@1 a+two", false),
        ("p=one a=two", true),
        ("p=one a+two a=three", true),
        ("p=one a=two a+three p!", true),
    ];
    for (number, (row, is_free)) in rows.into_iter().enumerate() {
        let address = key(&format!("k{number}"));
        let note = || store.get(&address).unwrap();
        let mut writers = HashMap::new();
        for act in row.split(' ') {
            let (who, what) = act.split_at(1);
            let stamp = by(if who == "p" { "person" } else { "agent:a" }, None);
            let before = note();
            let change = match what.split_at(1) {
                ("=", said) => save(address.clone(), said),
                ("+", said) => {
                    let before = before.as_ref().unwrap().content.shown().into_owned();
                    save(address.clone(), &format!("{before}\n{said}"))
                }
                ("!", _) => Change::pin(address.clone(), true),
                ("~", _) => Change::pin(address.clone(), false),
                ("<", _) => Change::undo(address.clone()),
                (">", _) => Change::redo(address.clone()),
                ("-", _) => Change::delete(address.clone()),
                (_, revision) => Change::Restore {
                    address: address.clone(),
                    revision: revision.parse().unwrap(),
                    last: None,
                },
            };
            store.apply(&[change], &stamp).unwrap();
            // Who leaves a text or brings it back leaves its author, now and in the history.
            let after = note();
            if let Some(after) = after.clone() {
                let writer = writers.entry(after.content).or_insert(stamp.author.clone());
                assert_eq!(after.author, *writer, "{row}: {act}");
            }
            let revisions = store.history(&address).unwrap();
            assert_eq!(AsOf::Time(stamp.now).pick(&revisions), after, "{row}");
            assert_eq!(*revisions.last().unwrap().author(), stamp.author, "{row}");
        }
        let agent = by("agent:a", None).careful();
        let expected = if is_free { "" } else { "others_text" };
        assert_eq!(
            refusal(store, save(address.clone(), "new"), &agent),
            expected,
            "{row}"
        );
    }
    assert_clean(store);
}

pub(crate) fn what_a_careful_writer_may_do_to_anothers_text(store: &dyn LocalStore) {
    let address = key("k");
    let agent = by("agent:b", None).careful();
    store
        .apply(&[save(address.clone(), "one")], &at(1))
        .unwrap();
    store
        .apply(&[save(address.clone(), "two")], &at(2))
        .unwrap();
    let restore = |last| Change::Restore {
        address: address.clone(),
        revision: 1,
        last,
    };
    for change in [Change::delete(address.clone()), restore(None)] {
        assert_eq!(refusal(store, change.clone(), &agent), "others_text");
        // All of a call is refused.
        let call = [save(key("other"), "text"), change];
        assert_eq!(kind(store.apply(&call, &agent)), "others_text");
        assert_eq!(store.get(&key("other")).unwrap(), None);
    }
    // Moving reads the note, and the caller may not have. Copying takes nothing away.
    let to: Address = "agent:b#k".parse().unwrap();
    let pair = [(address.clone(), to)];
    let moving = |copy| {
        let options = MoveOptions {
            copy,
            ..MoveOptions::default()
        };
        kind(relocate(store, &pair, options, &agent))
    };
    assert_eq!(
        (moving(false), moving(true)),
        ("others_text".into(), String::new())
    );
    // A note in the way is overwritten at the revision that the caller has read.
    let mine: Address = "agent:b#in".parse().unwrap();
    assert_eq!(refusal(store, save(mine.clone(), "a"), &agent), "");
    let over = |revision: Option<u64>| {
        let options = MoveOptions {
            over: Some(revision.into()),
            ..MoveOptions::default()
        };
        kind(relocate(
            store,
            &[(mine.clone(), key("way"))],
            options,
            &agent,
        ))
    };
    store
        .apply(&[save(key("way"), "person's")], &at(2))
        .unwrap();
    assert_eq!(
        (over(None), over(Some(2))),
        ("others_text".into(), "conflict".into())
    );
    assert_eq!(over(Some(1)), "");
    let own = Stamp {
        replaces: Replaces::Own,
        ..agent.clone()
    };
    let expect = Expect::Revision(2);
    let read = Change::Delete {
        address: address.clone(),
        expect,
    };
    assert_eq!(refusal(store, read, &own), "others_text");
    assert_eq!(store.get(&address).unwrap().unwrap().content, text("two"));

    // The same text, a pin and an addition replace nothing.
    assert_eq!(refusal(store, save(address.clone(), "two"), &agent), "");
    store
        .apply(&[save(address.clone(), "two ")], &at(3))
        .unwrap();
    assert_eq!(
        refusal(store, Change::pin(address.clone(), true), &agent),
        ""
    );
    let options = SaveOptions::default();
    single::append(store, &address, &text("three"), options, &agent).unwrap();
    assert_eq!(
        refusal(store, save(address.clone(), "four"), &agent),
        "others_text"
    );
    // Undo and redo are exempt.
    assert_eq!(refusal(store, Change::undo(address.clone()), &agent), "");
    assert_eq!(refusal(store, Change::redo(address.clone()), &agent), "");
    let mine: Address = "agent:b#mine".parse().unwrap();
    assert_eq!(refusal(store, save(mine.clone(), "a"), &agent), "");
    store.apply(&[save(key("l"), "l")], &at(5)).unwrap();
    let reach = UndoScope::new(name("b"), Vec::new());
    let undone = undo_last(store, &reach, &agent).unwrap();
    assert_eq!(undone.applied.address, mine);
    redo_last(store, &reach, &agent).unwrap();
    assert_clean(store);
}
