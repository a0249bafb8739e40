//! The conformance tests of a store: one suite for every implementation.

use waynote::moved::{MoveOptions, relocate};
use waynote::note::State;
use waynote::store::{Ask, NotedBefore};
use waynote::tend::merge;
use waynote::{
    Address, AsOf, Change, Citation, Content, EntryType, Error, ErrorClass, Expect, Filter, Forget,
    Limits, LocalStore, Note, NoteAsOf, Notebook, Origin, Places, SaveOptions, Scope, ScopeKind,
    SessionLog, Stamp, UndoError, undo_last,
};

use super::undo::reach;
use crate::values::{at, contents, key, kind, name, place, save, save_limited, text};

pub(crate) fn notes_of_places_cascade(store: &dyn LocalStore) {
    let places = Places::new(store);
    for (at_place, said) in [
        ("~/a/b", "3"),
        ("~", "1"),
        ("/etc", "x"),
        ("~/a", "2"),
        ("~/ab", "y"),
    ] {
        places.write(&place(at_place), text(said), &at(1)).unwrap();
    }
    let apply = |at: &str| {
        let chain = place(at).chain().into_iter().map(Scope::Place);
        contents(&store.select(&Filter::Scopes(chain.collect())).unwrap())
    };
    assert_eq!(apply("~/a/b/c"), ["1", "2", "3"]);
    assert_eq!(apply("/etc/nginx"), ["1", "x"]);
    assert_eq!(contents(&places.list().unwrap()), ["x", "1", "2", "3", "y"]);
    assert!(places.delete(&place("~/a"), &at(2)).unwrap());
    assert!(!places.delete(&place("~/a"), &at(3)).unwrap());
    assert_eq!(places.read(&place("~/a")).unwrap(), None);
    let keyed = save("place:~#k".parse().unwrap(), "v");
    store.apply(&[keyed], &at(4)).unwrap();
    let scopes = store.scopes(ScopeKind::Place).unwrap();
    let counts: Vec<u64> = scopes.iter().map(|of| of.notes).collect();
    assert_eq!(counts, [1, 2, 1, 1]);
}

pub(crate) fn all_changes_of_one_call_or_none(store: &dyn LocalStore) {
    let save = |of: &str, max_notes| save_limited(key(of), "v", max_notes);
    let refused = store.apply(&[save("k", 1), save("l", 1)], &at(1));
    assert_eq!(kind(refused), "too_many_notes");
    assert_eq!(store.count(&Scope::Agent(name("a"))).unwrap(), 0);
    assert_eq!(store.journal(None, 10).unwrap(), []);
    store.apply(&[save("k", 2), save("l", 2)], &at(1)).unwrap();
    assert_eq!(store.count(&Scope::Agent(name("a"))).unwrap(), 2);
}

pub(crate) fn every_change_is_a_revision_and_comes_back(store: &dyn LocalStore) {
    let notebook = Notebook::of_agent(store, name("a"));
    let key = "k".parse().unwrap();
    kept(&notebook, "k", "one", 10);
    kept(&notebook, "k", "two", 20);
    notebook.set_pinned(&key, true, &at(30)).unwrap();
    assert!(notebook.delete("k", &at(25)).unwrap());
    let address = Address::Agent(name("a"), key.clone());
    let history = store.history(&address).unwrap();
    assert!(history.iter().map(waynote::Revision::number).eq(1..=4));
    assert!(matches!(history[3].state, State::Deleted { .. }));
    let as_of = |when| {
        NoteAsOf::pick(when, &history)
            .and_then(|revision| revision.note())
            .map(|note| note.content.clone())
    };
    let time = |second| NoteAsOf::Time(jiff::Timestamp::from_second(second).unwrap());
    assert_eq!(as_of(time(15)), Some(text("one")));
    assert_eq!(as_of(NoteAsOf::Revision(2)), Some(text("two")));
    // The clock went back between the third change and the fourth: the last one that qualifies counts.
    assert_eq!(as_of(time(27)), None);
    let undone = undo_last(store, &reach(&["~/p"]), &at(40)).unwrap();
    assert_eq!(undone.applied.address, address);
    let note = notebook.get(&key).unwrap();
    assert_eq!(
        (note.revision, note.pinned, note.content),
        (5, true, text("two"))
    );
    store.apply(&[restore(&address, 1)], &at(50)).unwrap();
    let note = notebook.get(&key).unwrap();
    assert_eq!(
        (note.revision, note.pinned, note.content),
        (6, false, text("one"))
    );
    assert_eq!(note.created_at.as_second(), 10);
    assert!(store.verify().unwrap().is_clean());
}

pub(crate) fn a_pin_leaves_the_author_of_the_text(store: &dyn LocalStore) {
    let address = key("k");
    let apply = |change, stamp: &Stamp| store.apply(&[change], stamp).unwrap();
    let by = |author: &str, second| Stamp::new(at(second).now, name(author));
    apply(save(address.clone(), "one"), &by("agent:a", 1));
    let pin = Change::pin(address.clone(), true);
    let pinned = apply(pin.clone(), &by("person", 2)).pop().unwrap().note;
    let author = |note: Option<Note>| note.unwrap().author.to_string();
    assert_eq!(author(pinned.clone()), "agent:a");
    assert_eq!(store.get(&address).unwrap(), pinned);
    apply(Change::pin(address.clone(), false), &by("bob", 3));
    assert_eq!(author(store.get(&address).unwrap()), "agent:a");
    let history = store.history(&address).unwrap();
    let authors: Vec<&str> = history.iter().map(|of| of.author().as_str()).collect();
    assert_eq!(authors, ["agent:a", "person", "bob"]);
    let then = |number| NoteAsOf::Revision(number).note(&history).unwrap();
    assert_eq!(
        (author(then(2)), author(then(3))),
        ("agent:a".into(), "agent:a".into())
    );
    apply(save(address.clone(), "two"), &by("bob", 4));
    apply(pin, &by("person", 5));
    store
        .forget(&forget(&address, Some(4), false), &at(6))
        .unwrap();
    assert_eq!(author(store.get(&address).unwrap()), "bob");
    assert!(store.verify().unwrap().is_clean());
}

pub(crate) fn an_origin_keeps_its_times_and_author(store: &dyn LocalStore) {
    let address = Address::Agent(name("a"), "k".parse().unwrap());
    let time = |second| jiff::Timestamp::from_second(second).unwrap();
    let change = Change::Save {
        address: address.clone(),
        content: text("v"),
        pin: Some(true),
        limits: Limits::NONE,
        expect: Expect::Revision(0),
        origin: Some(Origin {
            is_synced: false,
            cites: Vec::new(),
            author: Some(name("them")),
            created_at: time(1),
            updated_at: time(2),
        }),
    };
    store
        .apply(std::slice::from_ref(&change), &at(100))
        .unwrap();
    let note = store.get(&address).unwrap().unwrap();
    assert_eq!(
        (note.created_at, note.updated_at, note.author),
        (time(1), time(2), name("them"))
    );
    assert_eq!(store.history(&address).unwrap()[0].recorded_at, time(100));
    let again = store.apply(&[change], &at(101));
    assert!(matches!(
        again,
        Err(Error::Conflict {
            current: Some(_),
            ..
        })
    ));
}

pub(crate) fn a_log_is_ordered_by_id_and_refuses_changes(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("s"));
    for number in 0..20 {
        // A clock that stops, jumps and goes back.
        let second = [5, 5, 9, 1, 7][number % 5];
        let kind = EntryType::ALL[number % 4].clone();
        let (iteration, said) = (1 + number as i64, text(&number.to_string()));
        log.add(kind, Some(iteration), said, &at(second)).unwrap();
    }
    let all = contents(&log.list(None).unwrap());
    assert!(all.into_iter().eq((0..20).map(|number| number.to_string())));
    assert_eq!(log.list(Some(&EntryType::Tip)).unwrap().len(), 5);
    assert_eq!(contents(&log.before(4).unwrap()), ["0", "1", "2"]);
    let address = log.list(None).unwrap()[0].address.clone();
    for change in [Change::delete(address.clone()), Change::undo(address)] {
        assert_eq!(kind(store.apply(&[change], &at(1))), "append_only");
    }
    assert!(matches!(
        undo_last(store, &reach(&["~"]), &at(1)),
        Err(Error::Undo(UndoError::NothingToUndo { .. }))
    ));
    assert_eq!(store.count(&Scope::Session(name("s"))).unwrap(), 20);
}

pub(crate) fn contents_are_kept_whatever_they_are(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("s"));
    let bytes: Vec<Vec<u8>> = vec![
        vec![],
        vec![0],
        vec![0xff, 0xfe],
        "é\0\r\n".into(),
        vec![b'x'; 300_000],
    ];
    for content in &bytes {
        let content = Content::imported(content.clone());
        log.add(EntryType::Tip, None, content, &at(1)).unwrap();
    }
    let stored = log.list(None).unwrap();
    assert!(stored.iter().map(|note| note.content.as_bytes()).eq(&bytes));
}

pub(crate) fn selecting_keeps_the_order_of_the_scopes(store: &dyn LocalStore) {
    let notebook = |agent: &str| Notebook::of_agent(store, name(agent));
    for (agent, key) in [("b", "z"), ("a", "y"), ("b", "a")] {
        kept(&notebook(agent), key, agent, 1);
    }
    let scopes = ["b", "nobody", "a"].map(|agent| Scope::Agent(name(agent)));
    let addresses = |notes: Vec<Note>| -> Vec<String> {
        let addresses = notes.iter().map(|note| note.address.to_string());
        addresses.collect()
    };
    let some = store.select(&Filter::Scopes(scopes.to_vec())).unwrap();
    assert_eq!(addresses(some), ["agent:b#a", "agent:b#z", "agent:a#y"]);
    let all = store.select(&Filter::Kind(ScopeKind::Agent)).unwrap();
    assert_eq!(addresses(all), ["agent:a#y", "agent:b#a", "agent:b#z"]);
}

pub(crate) fn a_text_noted_again_is_a_repeat_of_its_entry(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("s"));
    let by = |author: &str, second| Stamp {
        author: name(author),
        ..at(second)
    };
    let add = |iteration, said: &str, stamp: &Stamp| {
        log.add(EntryType::Stuck, iteration, text(said), stamp)
            .unwrap()
    };
    let first = add(Some(5), "wall", &by("one", 10));
    add(Some(5), "door", &by("one", 11));
    // It belongs to the earliest iteration that noted it, in any order.
    for (iteration, author, belongs) in
        [(Some(6), "two", 5), (None, "two", 5), (Some(2), "three", 2)]
    {
        let again = add(iteration, "wall", &by(author, 20));
        assert_eq!(
            (&again.address, again.iteration),
            (&first.address, Some(belongs))
        );
        assert_eq!(again.author, name("one"));
        assert_eq!(store.get(&again.address).unwrap().unwrap(), again);
    }
    // Another type, and another session, are other entries.
    log.add(EntryType::Tip, Some(6), text("wall"), &at(21))
        .unwrap();
    let other = SessionLog::new(store, name("t"));
    other
        .add(EntryType::Stuck, None, text("wall"), &at(21))
        .unwrap();
    assert_eq!(contents(&log.list(None).unwrap()), ["wall", "door", "wall"]);
    assert_eq!(store.count(&Scope::Session(name("s"))).unwrap(), 3);
    let now = store.get(&first.address).unwrap().unwrap();
    assert_eq!(now.seen(), Some(4));
    assert_eq!(
        (now.created_at, now.updated_at),
        (first.created_at, first.updated_at)
    );

    let history = store.history(&first.address).unwrap();
    let iterations: Vec<_> = history
        .iter()
        .map(|of| of.note().unwrap().iteration)
        .collect();
    assert_eq!(iterations, [Some(5), Some(6), None, Some(2)]);
    assert_eq!(history[1].action, waynote::Action::Repeat);
    assert_eq!(history[3].author(), &name("three"));
    let then = NoteAsOf::Time(at(20).now).note(&history).unwrap().unwrap();
    assert_eq!(then, now);
    assert_eq!(
        NoteAsOf::Revision(1).note(&history).unwrap().unwrap(),
        first
    );
    let journal = store.journal(None, 3).unwrap();
    assert_eq!(journal.len(), 3);

    for (iteration, seen) in [(7, 3), (6, 2), (3, 1), (2, 0)] {
        let address = now.address.clone();
        let ask = Ask {
            noted_before: vec![NotedBefore { address, iteration }],
            ..Ask::default()
        };
        let noted = store.read(&ask).unwrap().noted_before;
        assert_eq!(noted, [seen], "{iteration}");
    }
    let early = log.before(3).unwrap();
    assert_eq!(contents(&early), ["wall"]);
    assert_eq!(early[0].iteration, Some(2));
    assert_eq!(contents(&log.before(6).unwrap()), ["wall", "door"]);
    assert!(log.before(2).unwrap().is_empty());

    // Entries from elsewhere are kept as they are: equal ones are not merged.
    let bring = |id: &str| Change::Append {
        resolves: None,
        session: name("s"),
        kind: EntryType::Stuck,
        iteration: Some(1),
        content: text("wall"),
        id: Some(id.parse().unwrap()),
        created_at: None,
    };
    let brought = ["03ha3k08o7ty8aejjfa1xvzas", "03ha3k08o7ty8aejjfa1xvzat"].map(bring);
    store.apply(&brought, &at(30)).unwrap();
    assert_eq!(log.list(None).unwrap().len(), 5);
    assert!(store.verify().unwrap().is_clean());
}

/// Saves a text under a key.
fn kept(notebook: &Notebook<'_>, key: &str, said: &str, second: i64) {
    let (key, options) = (key.parse().unwrap(), SaveOptions::default());
    notebook
        .save(&key, text(said), options, &at(second))
        .unwrap();
}

fn restore(address: &Address, revision: u64) -> Change {
    Change::Restore {
        address: address.clone(),
        revision,
        last: None,
    }
}

fn forget(address: &Address, revision: Option<u64>, everywhere: bool) -> Forget {
    Forget::new(address.clone())
        .revision(revision)
        .everywhere(everywhere)
}

/// A text that another writer saves between the list and the yes is not forgotten with it, whatever the list was of.
pub(crate) fn what_was_written_after_what_was_shown_is_not_forgotten(store: &dyn LocalStore) {
    let notebook = Notebook::of_agent(store, name("a"));
    let log = SessionLog::new(store, name("s"));
    let write = |said: &str, second| {
        kept(&notebook, "k", said, second);
        log.add(EntryType::Tip, None, text(said), &at(second))
            .unwrap();
    };
    write("shown", 1);
    let note = key("k");
    let shared = Address::Place(place("~/p"));
    let requests = [
        Forget::new(note.clone()),
        Forget::new(note.clone()).everywhere(true),
        Forget::session(name("s")),
    ];
    for (request, second) in requests.into_iter().zip([2, 3, 4]) {
        let shown = store.would_forget(&request, &at(9)).unwrap();
        let yes = request.clone().up_to(shown.up_to);
        match request.everywhere {
            // A text of the list, written elsewhere.
            true => {
                let again = save(shared.clone(), "shown");
                store.apply(&[again], &at(second)).unwrap();
            }
            false => write(&format!("not shown {second}"), second),
        }
        let before = store.version().unwrap();
        let refused = store.forget(&yes, &at(9)).unwrap_err();
        assert!(matches!(refused, Error::ForgetsMore { .. }), "{refused}");
        assert_eq!(refused.class(), ErrorClass::Conflict);
        assert_eq!(store.version().unwrap(), before);
    }
    // The list that shows it all is carried out.
    let request = Forget::new(note.clone());
    let shown = store.would_forget(&request, &at(9)).unwrap();
    let forgotten = store.forget(&request.up_to(shown.up_to), &at(9)).unwrap();
    assert_eq!(forgotten.revisions, shown.revisions);
    assert_eq!(store.get(&note).unwrap(), None);
}

pub(crate) fn what_is_forgotten_is_gone_and_says_so(store: &dyn LocalStore) {
    let notebook = Notebook::of_agent(store, name("a"));
    let key = "k".parse().unwrap();
    let address = Address::Agent(name("a"), "k".parse().unwrap());
    for (second, said) in [(1, "one"), (2, "two"), (3, "three")] {
        kept(&notebook, "k", said, second);
    }
    let by = Stamp {
        author: name("warden"),
        ..at(9)
    };
    let old = store
        .forget(&forget(&address, Some(2), false), &by)
        .unwrap();
    assert_eq!((old.revisions.len(), old.kept), (1, 2));
    assert_eq!(notebook.get(&key).unwrap().content, text("three"));
    let history = store.history(&address).unwrap();
    assert_eq!(history.len(), 3);
    let State::Forgotten {
        author,
        forgotten_at,
        forgotten_by,
        ..
    } = &history[1].state
    else {
        panic!("{:?}", history[1]);
    };
    assert_eq!(
        (author, forgotten_by, *forgotten_at),
        (&name("person"), &name("warden"), by.now)
    );
    let refused = |error| matches!(error, Err(Error::Forgotten { .. }));
    let change = |change| store.apply(&[change], &at(10));
    let undo = || Change::undo(address.clone());
    assert!(refused(change(undo())));
    assert!(refused(change(restore(&address, 2))));
    let old = NoteAsOf::Revision(2).note(&history);
    assert_eq!(kind(old), "forgotten");

    let current = store
        .forget(&forget(&address, Some(3), false), &by)
        .unwrap();
    assert_eq!((current.gone.len(), current.kept), (1, 1));
    assert_eq!(store.get(&address).unwrap(), None);
    assert_eq!(notebook.count().unwrap(), 0);
    change(restore(&address, 1)).unwrap();
    assert_eq!(notebook.get(&key).unwrap().revision, 5);
    let all = store.forget(&forget(&address, None, false), &by).unwrap();
    assert_eq!((all.revisions.len(), all.kept), (2, 0));
    let again = store.forget(&forget(&address, None, false), &by).unwrap();
    assert_eq!((again.revisions.len(), again.gone.len()), (0, 0));
    assert!(matches!(
        change(undo()),
        Err(Error::Forgotten { .. } | Error::Undo(UndoError::NothingToUndo { .. }))
    ));
    assert!(matches!(
        undo_last(store, &reach(&["~"]), &at(20)),
        Err(Error::Undo(UndoError::NothingToUndo { .. }))
    ));
    let never = Address::Agent(name("a"), "never".parse().unwrap());
    for request in [
        forget(&never, None, true),
        forget(&address, Some(99), false),
    ] {
        assert_eq!(kind(store.forget(&request, &by)), "not_found");
    }
    // A new life under the old address.
    kept(&notebook, "k", "new", 30);
    assert_eq!(notebook.get(&key).unwrap().revision, 7);
    assert!(store.verify().unwrap().is_clean());
    assert_eq!(store.verify().unwrap().contents, 1);
}

pub(crate) fn a_shared_text_goes_with_the_last_that_says_it(store: &dyn LocalStore) {
    let places = Places::new(store);
    let log = SessionLog::new(store, name("s"));
    let notebook = Notebook::of_agent(store, name("a"));
    places.write(&place("~/p"), text("same"), &at(1)).unwrap();
    places.write(&place("~/q"), text("other"), &at(1)).unwrap();
    kept(&notebook, "k", "same", 2);
    for iteration in 1..4 {
        let (kind, by) = (EntryType::Tip, at(iteration));
        log.add(kind, Some(iteration), text("same"), &by).unwrap();
    }
    log.add(EntryType::Tip, Some(4), text("after"), &at(4))
        .unwrap();
    let entries = log.list(None).unwrap();
    let entry = &entries[0].address;
    // Any revision of an entry is the entry.
    let forgotten = store
        .forget(&forget(entry, Some(2), false), &at(10))
        .unwrap();
    assert_eq!(forgotten.revisions.len(), 3);
    let shared: Vec<String> = forgotten.shared.iter().map(ToString::to_string).collect();
    assert_eq!(shared, ["place:~/p@1", "agent:a#k@1"]);
    assert_eq!(contents(&log.list(None).unwrap()), ["after"]);
    // The same text again is a new entry, after all that were.
    let new = log.add(EntryType::Tip, None, text("same"), &at(3)).unwrap();
    assert_eq!(new.seen(), Some(1));
    assert!(new.address.key() > entries[1].address.key());

    let everywhere = forget(&Address::Place(place("~/p")), None, true);
    let forgotten = store.forget(&everywhere, &at(11)).unwrap();
    assert_eq!(forgotten.gone.len(), 3);
    assert!(forgotten.shared.is_empty() && forgotten.spaces.is_empty());
    assert_eq!(contents(&places.list().unwrap()), ["other"]);
    assert_eq!(notebook.count().unwrap(), 0);
    assert_eq!(store.count(&Scope::Session(name("s"))).unwrap(), 1);
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report.contents, 2);
}

pub(crate) fn a_credential_is_refused_unless_it_is_allowed_or_comes_from_elsewhere(
    store: &dyn LocalStore,
) {
    // Assembled at run time, so that this file holds no credential.
    let token = format!("gh{}_{}6wq2", 'p', "aZ3kQ9xW".repeat(4));
    let says = || text(&format!("push with\n {token}"));
    let address = Address::Place(place("~/p"));
    let save = |origin| Change::Save {
        address: address.clone(),
        content: says(),
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin,
    };
    let refused = store.apply(&[save(None)], &at(1)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the text holds a credential (github-token) at line 2, column 2"
    );
    assert_eq!(refused.kind(), "holds_secret");
    let log = SessionLog::new(store, name("s"));
    assert!(log.add(EntryType::Tip, None, says(), &at(1)).is_err());
    let other = at(1).allowing(waynote::SecretPolicy::Allow(vec!["jwt"]));
    assert!(store.apply(&[save(None)], &other).is_err());
    assert_eq!(store.get(&address).unwrap(), None);

    let allowed = at(2).allowing(waynote::SecretPolicy::Allow(vec!["github-token"]));
    store.apply(&[save(None)], &allowed).unwrap();
    log.add(EntryType::Tip, None, says(), &allowed).unwrap();
    let imported = Origin {
        is_synced: false,
        cites: Vec::new(),
        author: None,
        created_at: at(1).now,
        updated_at: at(3).now,
    };
    store.apply(&[save(Some(imported))], &at(3)).unwrap();
    let note = store.get(&address).unwrap().unwrap();
    assert_eq!(note.secrets(), ["github-token"]);
    assert_eq!(note.preview, "push with");
    // A restore brings back an earlier text, so its credential is not refused.
    Places::new(store)
        .write(&place("~/p"), text("nothing"), &at(4))
        .unwrap();
    store.apply(&[restore(&address, 1)], &at(5)).unwrap();
    assert_eq!(store.get(&address).unwrap().unwrap().content, says());
}

pub(super) fn a_note_keeps_what_it_cites(store: &dyn LocalStore) {
    let cited = |code: &str| Citation {
        repository: Some(place("~/p")),
        commit: Some("c0ffee".into()),
        said: Some("3-300-ab".into()),
        cited_at: Some(at(1).now),
        // A reader's own view, which no store keeps.
        changed: true,
        ..Citation::new(code)
    };
    let citing = |second, code: &str| at(second).citing(vec![cited(code)]);
    let codes = |note: &Note| {
        let kept = |cited: &Citation| !cited.changed && cited.commit.is_some();
        assert!(note.cites.iter().all(kept));
        let codes = note.cites.iter().map(|cited| cited.code.as_str());
        codes.collect::<Vec<_>>().join(" ")
    };
    let now = |address: &Address| codes(&store.get(address).unwrap().unwrap());
    let address = key("k");
    let change = |change: Change, stamp: &Stamp| store.apply(&[change], stamp).unwrap();
    change(save(address.clone(), "one"), &citing(1, "src/pay.rs:4-6"));
    change(Change::pin(address.clone(), true), &at(2));
    assert_eq!(now(&address), "src/pay.rs:4-6");
    change(save(address.clone(), "two"), &at(3).citing(Vec::new()));
    assert_eq!(now(&address), "");
    change(Change::undo(address.clone()), &at(4));
    assert_eq!(now(&address), "src/pay.rs:4-6");
    let history = store.history(&address).unwrap();
    let history: Vec<String> = history.iter().map(|of| codes(of.note().unwrap())).collect();
    assert_eq!(
        history,
        ["src/pay.rs:4-6", "src/pay.rs:4-6", "", "src/pay.rs:4-6"]
    );
    // Without a word about it, what was cited beside the text stays, and what the text named goes with it.
    let named = |second, code: &str| Stamp {
        named: vec![Citation {
            changed: false,
            ..cited(code)
        }],
        ..at(second)
    };
    change(save(address.clone(), "see `a.rs:1`"), &named(5, "a.rs:1"));
    assert_eq!(now(&address), "a.rs:1 src/pay.rs:4-6");
    change(save(address.clone(), "see `b.rs:1`"), &named(5, "b.rs:1"));
    assert_eq!(now(&address), "b.rs:1 src/pay.rs:4-6");
    change(save(address.clone(), "`b.rs:1` is not looked up"), &at(5));
    assert_eq!(now(&address), "b.rs:1 src/pay.rs:4-6");
    let (pairs, options) = ([(address.clone(), key("new"))], MoveOptions::default());
    let moved = relocate(store, &pairs, options, &at(5)).unwrap();
    let moved = moved[0].note.as_ref().unwrap();
    assert_eq!(codes(moved), "b.rs:1 src/pay.rs:4-6");
    change(save(key("other"), "more"), &citing(5, "src/pay.rs:4-6"));
    change(save(key("third"), "more of it"), &citing(5, "fn other"));
    let note = |of: &str| store.get(&key(of)).unwrap().unwrap();
    merge(store, &note("other"), &note("third"), Limits::NONE, &at(5)).unwrap();
    assert_eq!(now(&key("other")), "src/pay.rs:4-6 fn other");
    let then = store
        .select_at(&[address.scope()], AsOf::Time(at(3).now))
        .unwrap();
    assert_eq!(codes(&then[0]), "");

    let log = SessionLog::new(store, name("s"));
    let add = |stamp: &Stamp| {
        log.add(EntryType::Stuck, Some(1), text("wall"), stamp)
            .unwrap()
    };
    let entry = add(&citing(5, "fn charge")).address;
    add(&at(6));
    assert_eq!(now(&entry), "fn charge");
    add(&citing(7, "fn bill"));
    assert_eq!(now(&entry), "fn bill");
    assert_eq!(
        codes(&store.history(&entry).unwrap()[0].note().unwrap().clone()),
        "fn charge"
    );

    for code in ["../x.rs:1", "/etc/passwd", "a\nb", ""] {
        let refused = store.apply(&[save(key("k"), "three")], &citing(8, code));
        assert_eq!(kind(refused), "invalid_citation", "{code}");
    }
    store.forget(&Forget::new(address.clone()), &at(9)).unwrap();
    assert_eq!(store.get(&address).unwrap(), None);
    assert!(store.verify().unwrap().is_clean());
}
