//! A store of several people: what it takes, and what is each one's own.

use waynote::context::{Request, render};
use waynote::copy::copy;
use waynote::engine::Engine;
use waynote::moved::{MoveOptions, relocate};
use waynote::{
    Address, Change, EngineStore, EntryType, Error, Reader, SessionLog, SideData as _, Stamp,
    Store, UndoScope, person, redo_last, undo_last,
};

use crate::values::{assert_clean, at, kind, name, place, save, text};

fn address(of: &str) -> Address {
    of.parse().unwrap()
}

/// The store of an engine as this holder reaches it, each time opened anew.
fn of<'e>(engine: &'e dyn Engine, holder: &str) -> EngineStore<&'e dyn Engine> {
    EngineStore::new(engine).held_by(Some(name(holder)))
}

fn by(author: &str, second: i64) -> Stamp {
    Stamp::new(at(second).now, name(author))
}

/// The author of a note.
fn author(store: &dyn Reader, of: &str) -> String {
    store.get(&address(of)).unwrap().unwrap().author.to_string()
}

pub(crate) fn a_store_of_several_people_takes_no_note_on_a_path(engine: &dyn Engine) {
    // A process that has the store open, and has asked and written before.
    let store = EngineStore::new(engine);
    assert!(!store.is_shared().unwrap());
    store
        .apply(&[save(address("agent:a#k"), "v")], &at(0))
        .unwrap();
    EngineStore::new(engine).make_shared().unwrap();
    let shop = "repo:github.com/acme/shop";
    for (of, expected) in [
        ("place:~", "one_persons"),
        ("place:~/p", "one_persons"),
        ("place:~/p#k", "one_persons"),
        ("place:/etc/nginx", "one_persons"),
        ("place:/memories", "one_persons"),
        ("place:/memories/a/b.md", ""),
        (shop, ""),
        ("repo:github.com/acme/shop//src#k", ""),
        ("agent:a#k", ""),
    ] {
        let of = address(of);
        let both = [save(address("agent:a#with"), "v"), save(of.clone(), "v")];
        assert_eq!(kind(store.apply(&both, &at(1))), expected, "{of}");
        assert_eq!(store.get(&of).unwrap().is_some(), expected.is_empty());
    }
    assert!(store.is_shared().unwrap());
    let log = SessionLog::new(&store, name("s"));
    log.add(EntryType::Learning, None, text("it goes on"), &at(2))
        .unwrap();
    // A move is a save, too.
    let pair = [(address(shop), address("place:~/p"))];
    let moved = relocate(&store, &pair, MoveOptions::default(), &at(3));
    assert_eq!(kind(moved), "one_persons");
    let error = store.apply(&[save(address("place:~/p"), "v")], &at(4));
    let error = error.unwrap_err();
    assert_eq!(
        (error.to_string(), error.advice().unwrap_or_default()),
        (
            "place:~/p cannot be in a store of several people: it is on a path of one machine".into(),
            "name the repository's directory, `repo:HOST/NAME//DIRECTORY`, or keep the note in your own store"
                .into()
        )
    );
    assert_clean(&store);
}

pub(crate) fn a_store_with_notes_on_paths_stays_one_persons(engine: &dyn Engine) {
    let store = EngineStore::new(engine);
    let own = address("place:~/p");
    store.apply(&[save(own.clone(), "v")], &at(1)).unwrap();
    assert_eq!(kind(store.make_shared()), "one_persons");
    assert!(!EngineStore::new(engine).is_shared().unwrap());
    store.apply(&[Change::delete(own.clone())], &at(2)).unwrap();
    store.make_shared().unwrap();
    // What was there before does not come back.
    let undo = store.apply(&[Change::undo(own)], &at(3));
    assert_eq!(kind(undo), "one_persons");
    store.make_shared().unwrap();
}

pub(crate) fn each_holder_has_a_notebook_of_his_own(engine: &dyn Engine) {
    EngineStore::new(engine).make_shared().unwrap();
    let (alice, bob) = (of(engine, "alice"), of(engine, "bob"));
    let unnamed = name("default");
    let refused = alice.apply(&[save(address("agent:default#k"), "v")], &at(1));
    let Err(Error::OnePersons { ref holder, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(*holder, Some(name("alice")));
    for file in ["place:/memories/default/a.md", "place:/memories/default"] {
        let refused = alice.apply(&[save(address(file), "v")], &at(1));
        assert_eq!(kind(refused), "one_persons");
    }
    for (store, own) in [(&alice, "alice"), (&bob, "bob")] {
        assert_eq!(person::notebook(store, &unnamed).unwrap(), name(own));
        // A name is chosen, and so is who has the same one.
        assert_eq!(person::notebook(store, &name("b")).unwrap(), name("b"));
    }
    for (store, of, author) in [
        (&alice, "agent:alice#language", "person"),
        (&alice, "agent:alice#tests", "agent:default"),
        (&alice, "repo:github.com/acme/shop#fees", "agent:default"),
        (&alice, "repo:github.com/acme/shop#port", "agent:codex"),
        (&bob, "agent:bob#language", "person"),
        (&bob, "repo:github.com/acme/shop#db", "person"),
    ] {
        store
            .apply(&[save(address(of), "said")], &by(author, 2))
            .unwrap();
    }
    let block = |store: &dyn Reader| {
        let shop = place("repo:github.com/acme/shop");
        let request = Request::new(unnamed.clone(), shop, at(3).now);
        render(store, &request).unwrap().text
    };
    let (hers, his) = (block(&alice), block(&bob));
    for (block, part, is_in) in [
        (&hers, "agent:alice#language", true),
        (&hers, "agent:bob#language", false),
        (&hers, "#fees`: `said`\n", true),
        (&hers, "#port` (by alice's agent codex)", true),
        (&hers, "#db` (by bob)", true),
        (&his, "agent:bob#language", true),
        (&his, "agent:alice", false),
        (&his, "#fees` (by alice's agent)", true),
        (&his, "#port` (by alice's agent codex)", true),
        (&his, "#db`: `said`\n", true),
    ] {
        assert_eq!(block.contains(part), is_in, "{part}:\n{block}");
    }
    assert_clean(&alice);
}

pub(crate) fn each_holder_takes_back_only_what_is_his(engine: &dyn Engine) {
    EngineStore::new(engine).make_shared().unwrap();
    let (alice, bob) = (of(engine, "alice"), of(engine, "bob"));
    let shop = |key: &str| format!("repo:github.com/acme/shop#{key}");
    for (store, key, writer) in [
        (&bob, "bobs", "person"),
        (&bob, "his", "agent:default"),
        (&alice, "alices", "person"),
        (&alice, "hers", "agent:default"),
    ] {
        store
            .apply(&[save(address(&shop(key)), "v")], &by(writer, 1))
            .unwrap();
    }
    assert_eq!(author(&alice, &shop("alices")), "alice");
    assert_eq!(author(&alice, &shop("hers")), "agent:alice/default");
    assert_eq!(author(&alice, &shop("his")), "agent:bob/default");
    let reach = UndoScope::new(name("default"), vec![place("repo:github.com/acme/shop")]);
    let mut second = 2;
    for (store, writer, takes) in [
        (&bob, "person", Some("bobs")),
        (&bob, "person", None),
        (&bob, "agent:default", Some("his")),
        (&bob, "agent:default", None),
        // A name is only claimed.
        (&bob, "agent:alice/default", None),
        (&bob, "alice", None),
        (&alice, "agent:default", Some("hers")),
        (&alice, "person", Some("alices")),
    ] {
        second += 1;
        let undone = undo_last(store, &reach, &by(writer, second));
        let undone = undone.ok().map(|of| of.applied.address.to_string());
        assert_eq!(undone, takes.map(shop), "{writer}");
    }
    assert_eq!(kind(redo_last(&bob, &reach, &by("person", 20))), "");
    assert_eq!(
        kind(redo_last(&bob, &reach, &by("person", 21))),
        "nothing_to_redo"
    );
    // By its name too. A holder's agents are the holder's own.
    let fees = address(&shop("fees"));
    let (undo, redo) = (Change::undo(fees.clone()), Change::redo(fees.clone()));
    for (store, writer, change, expected) in [
        (&alice, "agent:default", save(fees.clone(), "2 %"), ""),
        (&bob, "person", undo.clone(), "superseded"),
        (&bob, "agent:alice/default", undo.clone(), "superseded"),
        (&alice, "person", undo.clone(), ""),
        (&bob, "person", redo.clone(), "superseded"),
        (&alice, "agent:codex", redo.clone(), ""),
        (&bob, "person", save(fees, "3 %"), ""),
        (&alice, "person", undo.clone(), "superseded"),
        (&bob, "agent:default", undo, ""),
        (&alice, "person", redo, "superseded"),
    ] {
        let done = store.apply(std::slice::from_ref(&change), &by(writer, 21));
        assert_eq!(kind(done), expected, "{writer}: {change:?}");
    }
    assert_eq!(author(&bob, &shop("fees")), "agent:alice/default");
    // A bare undo reaches the holder's own notebook.
    let own = save(address("agent:bob#k"), "v");
    bob.apply(&[own], &by("person", 22)).unwrap();
    let undone = undo_last(&bob, &reach, &by("person", 23)).unwrap();
    assert_eq!(undone.applied.address, address("agent:bob#k"));
    assert_clean(&alice);
}

pub(crate) fn a_copy_into_a_store_of_several_people_is_refused_with_a_path(engine: &dyn Engine) {
    EngineStore::new(engine).make_shared().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let own = crate::values::open(&folder.path().join("own.db"), waynote::Indexing::DEFAULT);
    let shop = address("repo:github.com/acme/shop");
    own.apply(&[save(shop.clone(), "v")], &at(1)).unwrap();
    own.apply(&[save(address("place:~/p"), "v")], &at(2))
        .unwrap();
    let copied = copy(own.engine(), engine, &mut |_| Ok(()));
    assert_eq!(kind(copied), "one_persons");
    assert_eq!(EngineStore::new(engine).get(&shop).unwrap(), None);
}
