//! Every writing function × every scope × every right: nothing outside of a grant is written, and a refusal does not
//! depend on whether the note exists.

use waynote::change::{Change, Expect, Origin};
use waynote::event::{EventAddress, SessionEvent};
use waynote::forget::Forget;
use waynote::jiff::Timestamp;
use waynote::{
    Address, Content, EntryType, Error, ErrorClass, Limits, Name, OperationId, Reader, Scope,
    SessionLog, Stamp, Store, UndoScope, redo_last, undo_last,
};
use waynote_access::{Grant, NarrowedStore, Rights};
use waynote_testing::values;

use super::world::{ANN, CANARY, TWIN, at, grants, name, no_canary, store_of};

fn stamp() -> Stamp {
    at(5000, "agent:ann")
}

fn text(text: &str) -> Content {
    Content::text(text).unwrap()
}

fn save(address: &Address, content: &Content) -> Change {
    values::save(address.clone(), &content.shown())
}

/// Every change of a note.
fn changes(address: &Address) -> Vec<Change> {
    let address = address.clone();
    let origin = || Origin {
        author: Some(name("agent:canary")),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        is_synced: true,
        cites: Vec::new(),
    };
    let mut changes = vec![
        save(&address, &text("mine now")),
        Change::Save {
            address: address.clone(),
            content: text("mine now"),
            pin: Some(true),
            limits: Limits::default(),
            expect: Expect::Revision(77),
            origin: Some(origin()),
        },
        Change::pin(address.clone(), true),
        Change::delete(address.clone()),
        Change::Restore {
            address: address.clone(),
            revision: 1,
        },
        Change::Undo {
            address: address.clone(),
            origin: Some(origin()),
            last: Some(77),
        },
        Change::undo(address.clone()),
        Change::Redo {
            address: address.clone(),
            last: Some(77),
        },
        Change::redo(address.clone()),
    ];
    if let Address::Session(session, id) = address {
        for (id, resolves) in [(None, None), (None, Some(id)), (Some(id), None)] {
            changes.push(Change::Append {
                session: session.clone(),
                kind: EntryType::Tip,
                iteration: Some(1),
                content: text("mine now"),
                resolves,
                id,
                created_at: None,
            });
        }
    }
    changes
}

fn events() -> Vec<SessionEvent> {
    vec![
        SessionEvent::IterationStarted {
            iteration: 2,
            block: None,
        },
        SessionEvent::Completed {
            iteration: 1,
            summary: "all of it".into(),
        },
        SessionEvent::Answered {
            answer: "left".into(),
        },
        SessionEvent::StopRequested,
    ]
}

fn forgettings(address: &Address) -> Vec<Forget> {
    let mut all = vec![
        Forget::new(address.clone()),
        Forget::new(address.clone()).everywhere(true),
        Forget::new(address.clone()).revision(1),
    ];
    if let Address::Session(session, _) = address {
        all.push(Forget::session(session.clone()));
        for number in [1, 99] {
            let session = session.clone();
            all.push(Forget::event(EventAddress { session, number }));
        }
    }
    all
}

/// The addresses of the other one, and some that do not exist.
fn outside() -> Vec<Address> {
    let mut outside = CANARY.addresses();
    for address in
        "agent:canary-too#k place:~/canaries place:~ session:canaries#0000000000000000000000000"
            .split_whitespace()
    {
        outside.push(address.parse().unwrap());
    }
    outside
}

/// The words of a refusal, without the address that the caller has named.
fn words(error: &Error, address: &Address) -> String {
    assert_eq!(error.class(), ErrorClass::Denied, "{error:?}");
    let said = format!("{error} / {error:?} / {:?}", error.advice());
    let said = said.replace(&address.to_string(), "ADDRESS");
    said.replace(&address.scope().to_string(), "SCOPE")
}

#[test]
fn nothing_outside_is_written_and_no_refusal_tells_whether_it_exists() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let before = store.version().unwrap();
    for grant in grants() {
        let narrowed = NarrowedStore::new(&store, grant.clone());
        let mut refusals = [const { Vec::<String>::new() }; 4];
        for address in outside() {
            for change in changes(&address) {
                let refused = narrowed.apply(&[change], &stamp()).unwrap_err();
                refusals[0].push(words(&refused, &address));
            }
            for request in forgettings(&address) {
                let refused = narrowed.forget(&request, &stamp()).unwrap_err();
                let would = narrowed.would_forget(&request, &stamp()).unwrap_err();
                assert_eq!(words(&refused, &address), words(&would, &address));
                refusals[1].push(words(&refused, &address));
            }
            let Scope::Session(session) = address.scope() else {
                continue;
            };
            for event in events() {
                for lease in [None, Some(6)] {
                    let event = event.clone();
                    let refused = narrowed.record(&session, &[event], lease, &stamp());
                    refusals[2].push(words(&refused.unwrap_err(), &address));
                }
            }
            for lease in [1, 6] {
                let refused = narrowed.heartbeat(&session, lease).unwrap_err();
                refusals[2].push(words(&refused, &address));
            }
        }
        refusals[3].push(words(&narrowed.verify().unwrap_err(), &outside()[0]));
        for of_function in &mut refusals {
            of_function.sort();
            of_function.dedup();
            no_canary(&of_function, &grant);
            // The text of a refusal names the kind, a note or a session, and never the note or the session itself.
            assert!(of_function.len() <= 2, "{of_function:#?}");
        }
    }
    assert_eq!(store.version().unwrap(), before);
    // A change of its own before one outside is not made either.
    let grant = grants().pop().unwrap();
    let mine: Address = "agent:ann#plan".parse().unwrap();
    let both = [
        save(&mine, &text("one")),
        save(&CANARY.addresses()[0], &text("two")),
    ];
    NarrowedStore::new(&store, grant)
        .apply(&both, &stamp())
        .unwrap_err();
    assert_eq!(store.version().unwrap(), before);
}

#[test]
fn a_reader_writes_nothing_and_only_an_admin_forgets_and_verifies() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let before = store.version().unwrap();
    for grant in grants() {
        let narrowed = NarrowedStore::new(&store, grant.clone());
        for address in ANN.addresses() {
            if grant.rights == Rights::Read {
                for change in changes(&address) {
                    let refused = narrowed.apply(&[change], &stamp()).unwrap_err();
                    assert_eq!(
                        refused.to_string(),
                        "writing is not allowed here: this token may only read"
                    );
                }
                let refused = narrowed.record(&ANN.session(), &events(), None, &stamp());
                assert_eq!(refused.unwrap_err().class(), ErrorClass::Denied);
                let refused = narrowed.heartbeat(&ANN.session(), 1).unwrap_err();
                assert_eq!(refused.class(), ErrorClass::Denied);
            }
            if grant.rights != Rights::Admin {
                for request in forgettings(&address) {
                    let refused = narrowed.would_forget(&request, &stamp()).unwrap_err();
                    assert_eq!(
                        refused.to_string(),
                        "forgetting is not allowed here: it needs an admin token"
                    );
                    narrowed.forget(&request, &stamp()).unwrap_err();
                }
            }
        }
    }
    let of_all = |rights| Grant {
        rights,
        ..Grant::everything()
    };
    for rights in [Rights::Read, Rights::Write] {
        let refused = NarrowedStore::new(&store, of_all(rights))
            .verify()
            .unwrap_err();
        assert_eq!(refused.class(), ErrorClass::Denied);
    }
    assert!(
        NarrowedStore::new(&store, of_all(Rights::Admin))
            .verify()
            .unwrap()
            .is_clean()
    );
    assert_eq!(store.version().unwrap(), before);
}

#[test]
fn what_is_inside_is_written_as_ever() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    for grant in grants()
        .into_iter()
        .filter(|grant| grant.rights != Rights::Read)
    {
        let narrowed = NarrowedStore::new(&store, grant.clone());
        for address in ANN
            .addresses()
            .iter()
            .filter(|address| grant.sees_note(address))
        {
            if let Address::Session(session, _) = address {
                let log = SessionLog::new(&narrowed, session.clone());
                let said = format!("{grant:?}");
                log.add(EntryType::Tip, None, text(&said), &stamp())
                    .unwrap();
                continue;
            }
            let applied = narrowed
                .apply(&[save(address, &text("mine now"))], &stamp())
                .unwrap();
            assert_eq!(applied[0].note.as_ref().unwrap().content, text("mine now"));
            narrowed
                .apply(&[Change::undo(address.clone())], &stamp())
                .unwrap();
            let expect = Change::delete(address.clone());
            no_canary(narrowed.apply(&[expect], &stamp()).unwrap(), &grant);
        }
    }
}

#[test]
fn a_forgetting_names_and_reaches_nothing_outside() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let grant = grants().pop().unwrap();
    assert_eq!(grant.rights, Rights::Admin);
    let narrowed = NarrowedStore::new(&store, grant.clone());
    let (mine, theirs) = (&ANN.addresses()[2], &CANARY.addresses()[2]);
    let request = Forget::new(mine.clone());
    let shared = store.would_forget(&request, &stamp()).unwrap().shared;
    assert_eq!(shared[0].address, *theirs);
    for forgotten in [
        narrowed.would_forget(&request, &stamp()).unwrap(),
        narrowed.forget(&request, &stamp()).unwrap(),
    ] {
        no_canary(&forgotten, &grant);
        assert_eq!(forgotten.gone, std::slice::from_ref(mine));
        assert_eq!((forgotten.shared.len(), forgotten.spaces.len()), (0, 0));
    }
    let kept = store.get(theirs).unwrap().unwrap();
    assert_eq!(kept.content, text(TWIN));
}

#[test]
fn an_operation_id_of_another_token_is_nothing() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let of = |token: &str, agents: &[&str]| Grant {
        token: Some(name(token)),
        rights: Rights::Write,
        agents: agents.iter().map(|agent| name(agent)).collect(),
        ..Grant::everything()
    };
    let theirs = OperationId::of(CANARY.operation);
    let key: Address = "agent:ann#by-id".parse().unwrap();
    for grant in [
        of("ann-token", &["ann"]),
        of("other", &["ann"]),
        of("all", &[]),
    ] {
        let narrowed = NarrowedStore::new(&store, grant.clone());
        for id in [theirs, OperationId::of("a fresh one")] {
            assert_eq!(narrowed.operation(id).unwrap(), Vec::new());
            let stamp = stamp().of_operation(id);
            let change = save(&key, &text(&format!("{:?}", grant.token)));
            let first = narrowed
                .apply(std::slice::from_ref(&change), &stamp)
                .unwrap();
            assert!(first[0].changed);
            no_canary(&first, &grant);
            // Its own call is found again.
            assert_eq!(narrowed.apply(&[change], &stamp).unwrap(), first);
            assert_eq!(narrowed.operation(id).unwrap().len(), 1);
            let other: Address = "agent:ann#other".parse().unwrap();
            let refused = narrowed
                .apply(&[save(&other, &text("x"))], &stamp)
                .unwrap_err();
            assert!(refused.to_string().contains(&id.to_string()), "{refused}");
        }
    }
}

#[test]
fn a_token_writes_under_a_name_of_its_own() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let grants = grants();
    let grant = grants
        .iter()
        .find(|grant| grant.rights == Rights::Write && !grant.agents.is_empty());
    let narrowed = NarrowedStore::new(&store, grant.unwrap().clone());
    let author = |claim: &str, origin: Option<Name>| {
        let key: Address = "agent:ann#claimed".parse().unwrap();
        let mut change = save(&key, &text(claim));
        if let Change::Save { origin: of, .. } = &mut change {
            *of = origin.map(|author| Origin {
                author: Some(author),
                created_at: Timestamp::UNIX_EPOCH,
                updated_at: Timestamp::UNIX_EPOCH,
                is_synced: false,
                cites: Vec::new(),
            });
        }
        let applied = narrowed.apply(&[change], &at(6000, claim)).unwrap();
        applied[0].note.as_ref().unwrap().author.to_string()
    };
    assert_eq!(author("agent:ann", None), "agent:ann");
    assert_eq!(author("agent:canary", None), "token:ann-token");
    assert_eq!(author("person", None), "token:ann-token");
    assert_eq!(author("agent:ann", Some(name("person"))), "token:ann-token");
    assert_eq!(author("person", Some(name("agent:ann"))), "agent:ann");
    let deleted = Change::delete("agent:ann#claimed".parse().unwrap());
    narrowed.apply(&[deleted], &at(6001, "person")).unwrap();
    let last = store.journal(None, 1).unwrap();
    assert_eq!(last[0].author().as_str(), "token:ann-token");
}

#[test]
fn an_agent_does_not_answer_for_a_person() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    for grant in grants()
        .into_iter()
        .filter(|grant| grant.rights == Rights::Write)
    {
        let answer = SessionEvent::Answered {
            answer: "left".into(),
        };
        let narrowed = NarrowedStore::new(&store, grant.clone());
        let answered = narrowed.record(&ANN.session(), &[answer], None, &stamp());
        let may = grant.agents.is_empty() && !grant.sessions.is_empty();
        match answered {
            Ok(()) => assert!(may),
            Err(error) => assert!(!may && error.class() == ErrorClass::Denied, "{error:?}"),
        }
    }
}

#[test]
fn undoing_the_last_change_passes_over_others() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let mine: Address = "agent:ann#plan".parse().unwrap();
    let grant = Grant {
        token: Some(name("ann-token")),
        rights: Rights::Write,
        agents: vec![name("ann")],
        ..Grant::everything()
    };
    let narrowed = NarrowedStore::new(&store, grant.clone());
    // Even reached for, the places of the other are not seen.
    let places = [ANN.place, CANARY.place, "~"].map(|place| place.parse().unwrap());
    let reach = UndoScope::new(name("ann"), places.into());
    let undone = undo_last(&narrowed, &reach, &stamp()).unwrap();
    no_canary(&undone, &grant);
    assert_eq!(undone.applied.address, "agent:ann#gone".parse().unwrap());
    no_canary(redo_last(&narrowed, &reach, &stamp()).unwrap(), &grant);
    let by_other = at(5001, "agent:canary");
    store
        .apply(&[save(&mine, &text("changed by another"))], &by_other)
        .unwrap();
    let nobody = at(5002, "token:ann-token");
    for refused in [
        undo_last(&narrowed, &reach, &nobody)
            .map(|_| ())
            .unwrap_err(),
        redo_last(&narrowed, &reach, &nobody)
            .map(|_| ())
            .unwrap_err(),
    ] {
        let said = format!("{refused} {:?}", refused.advice());
        assert!(
            !said.contains("place:~/canary") && !said.contains("agent:canary#"),
            "{said}"
        );
    }
}

#[test]
fn an_entry_resolves_only_one_of_its_own_log() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let theirs = SessionLog::new(&store, CANARY.session())
        .list(Some(&EntryType::Stuck))
        .unwrap();
    let Address::Session(_, entry) = theirs[0].address else {
        panic!("{theirs:?}");
    };
    let grant = grants().pop().unwrap();
    let narrowed = NarrowedStore::new(&store, grant.clone());
    let log = SessionLog::new(&narrowed, ANN.session());
    let resolved = |entry| {
        let said = log.add_resolving(EntryType::Tip, None, text("so"), Some(entry), &stamp());
        said.unwrap_err()
            .to_string()
            .replace(&entry.to_string(), "ID")
    };
    let never = "0".repeat(25).parse().unwrap();
    assert_eq!(resolved(entry), resolved(never));
    for word in ["build", "canary", "nothing"] {
        let found = log.stuck(word);
        no_canary(
            found.map_err(|error| (error.advice(), error.to_string().replace("`canary`", ""))),
            &grant,
        );
    }
}
