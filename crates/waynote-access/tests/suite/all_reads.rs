//! Every question to a store × every scope × every right: nothing of another agent is in any answer, and no answer
//! differs from that of a store in which the other does not exist.

use waynote::context::{Request, block_and_notes, matching};
use waynote::error::Error;
use waynote::event::{EventAddress, SessionsEvent};
use waynote::jiff::Timestamp;
use waynote::search::SearchKind;
use waynote::store::{
    Answers, Ask, Count, Cursor, Done, EventPage, FeedContent, FeedEntry, FeedPage, ForgottenTexts,
    JournalPage, NotedBefore, Page,
};
use waynote::{
    Address, AsOf, EntryType, Filter, OperationId, Position, Reader, ReaderExt, Recent, Scope,
    ScopeKind, SearchRequest, SessionLog, single,
};
use waynote_access::{Grant, NarrowedStore};

use super::world::{ANN, CANARY, Owner, grants, name, no_canary, store_of};

const KINDS: [ScopeKind; 3] = [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session];

fn scopes(who: Owner) -> Vec<Scope> {
    vec![
        Scope::Agent(name(who.name)),
        Scope::Place(who.place.parse().unwrap()),
        Scope::Place(format!("{}/deep", who.place).parse().unwrap()),
        Scope::Session(who.session()),
    ]
}

fn each<T>(all: &[Owner], of: impl Fn(Owner) -> Vec<T>) -> Vec<T> {
    all.iter().flat_map(|who| of(*who)).collect()
}

/// Every question about these. All fields are named, so that a new one is thought about here too.
fn everything(all: &[Owner], entries: &[Address]) -> Ask {
    let notes: Vec<Address> = [each(all, Owner::addresses), entries.to_vec()].concat();
    let pages = each(all, |who| {
        let mut of = vec![Recent::Entries {
            session: who.session(),
            kind: EntryType::Stuck,
            before: Some(5),
            open: false,
        }];
        for scope in scopes(who) {
            for pinned in [true, false] {
                let scope = scope.clone();
                of.push(Recent::Keyed { scope, pinned });
            }
            of.push(Recent::ByKey { scope });
        }
        let page = |of| Page {
            of,
            skip: 0,
            limit: 10,
        };
        of.into_iter().map(page).collect()
    });
    let counts = each(all, |who| {
        let mut counts = vec![Count::Entries {
            session: who.session(),
            kind: None,
            before: None,
            open: true,
        }];
        for scope in scopes(who) {
            counts.push(Count::Counted(scope.clone()));
            counts.push(Count::Keyed {
                scope,
                pinned: true,
            });
        }
        counts
    });
    let sessions = each(all, |who| vec![who.session()]);
    Ask {
        scopes: each(all, scopes),
        kinds: KINDS.into(),
        pages,
        counts,
        summaries: KINDS.into(),
        noted_before: notes
            .iter()
            .map(|note| NotedBefore {
                address: note.clone(),
                iteration: 9,
            })
            .collect(),
        histories: notes.clone(),
        notes,
        journal: [(None, 1000), (None, 3), (Some(40), 5), (None, 0)]
            .map(|(before, limit)| JournalPage {
                before: before.map(Position::new),
                limit,
            })
            .to_vec(),
        entry_types: sessions.clone(),
        last_iterations: sessions.clone(),
        events: sessions
            .iter()
            .map(|of| EventPage::last(of.clone(), 99))
            .collect(),
        leases: sessions,
        all_leases: true,
        event_sessions: true,
        feed: [(0, 1000), (0, 3), (3, 4), (0, 0)]
            .map(|(after, limit)| FeedPage {
                after: Cursor::at(Position::new(after)),
                limit,
            })
            .to_vec(),
        steps: Vec::new(),
        operations: all
            .iter()
            .map(|who| OperationId::of(who.operation))
            .collect(),
        store_id: true,
        version: true,
    }
}

/// The fields of the answers as text. The flag is true if an unlimited caller finds data of the other agent in it.
fn fields(answers: &Answers) -> Vec<(&'static str, String, bool)> {
    let Answers {
        notes,
        scopes,
        kinds,
        pages,
        pages_noted,
        counts,
        summaries,
        histories,
        noted_before,
        journal,
        entry_types,
        last_iterations,
        events,
        leases,
        all_leases,
        event_sessions,
        feed,
        operations,
        steps: _,
        store_id,
        version,
        damaged,
    } = answers;
    // These two are about the whole store; see docs/security.md.
    let _ = (store_id, version);
    vec![
        ("notes", format!("{notes:?}"), true),
        ("scopes", format!("{scopes:?}"), true),
        ("kinds", format!("{kinds:?}"), true),
        ("pages", format!("{pages:?}"), true),
        ("pages_noted", format!("{pages_noted:?}"), false),
        ("counts", format!("{counts:?}"), false),
        ("summaries", format!("{summaries:?}"), true),
        ("histories", format!("{histories:?}"), true),
        ("noted_before", format!("{noted_before:?}"), false),
        ("journal", format!("{journal:?}"), true),
        ("entry_types", format!("{entry_types:?}"), false),
        ("last_iterations", format!("{last_iterations:?}"), false),
        ("events", format!("{events:?}"), true),
        ("leases", format!("{leases:?}"), true),
        ("all_leases", format!("{all_leases:?}"), true),
        ("event_sessions", format!("{event_sessions:?}"), true),
        ("feed", format!("{feed:?}"), true),
        ("operations", format!("{operations:?}"), true),
        ("damaged", format!("{damaged:?}"), false),
    ]
}

/// True if the grant sees all notes and sessions in the answers.
fn all_seen(answers: &Answers, grant: &Grant) -> bool {
    let entry_seen = |entry: &FeedEntry| match &entry.happened {
        FeedContent::Changed(revision) => grant.sees_note(revision.address()),
        FeedContent::Event(SessionsEvent { session, .. }) => {
            grant.sees(&Scope::Session(session.clone()))
        }
        FeedContent::Forgotten(ForgottenTexts { revisions, .. }) => {
            revisions.iter().all(|of| grant.sees_note(&of.address))
        }
        _ => false,
    };
    let of_operations = |done: &Done| entry_seen(&done.entry);
    let notes = answers.notes.iter().flatten();
    let lists = [&answers.scopes, &answers.kinds, &answers.pages];
    let mut notes = notes.chain(lists.into_iter().flatten().flatten());
    let revisions = [&answers.histories, &answers.journal];
    let mut revisions = revisions.into_iter().flatten().flatten();
    notes.all(|note| grant.sees_note(&note.address))
        && revisions.all(|revision| grant.sees_note(revision.address()))
        && answers.feed.iter().flatten().all(entry_seen)
        && answers.operations.iter().flatten().all(of_operations)
}

#[test]
fn every_question_is_answered_as_if_there_were_no_other() {
    let ((_one, both), (_other, alone)) = (store_of(&[ANN, CANARY]), store_of(&[ANN]));
    let log = |who: Owner| SessionLog::new(&both, who.session()).list(None).unwrap();
    let entries: Vec<Address> = [log(ANN), log(CANARY)]
        .concat()
        .into_iter()
        .map(|note| note.address)
        .collect();
    assert_eq!(entries.len(), 4);
    let ask = everything(&[ANN, CANARY], &entries);
    for (field, said, has_canary) in fields(&both.read(&ask).unwrap()) {
        assert_eq!(said.contains("canary"), has_canary, "{field}: {said}");
    }
    for grant in grants() {
        let (of_both, of_alone) = (
            NarrowedStore::new(&both, grant.clone()),
            NarrowedStore::new(&alone, grant.clone()),
        );
        let (answers, expected) = (of_both.read(&ask).unwrap(), of_alone.read(&ask).unwrap());
        no_canary(&answers, &grant);
        assert!(all_seen(&answers, &grant), "{grant:?}");
        assert!(answers.feed[0].len() >= 2, "{grant:?}");
        let fields = fields(&answers).into_iter().zip(self::fields(&expected));
        for ((field, said, _), (_, expected, _)) in fields {
            assert_eq!(said, expected, "{field} of {grant:?}");
        }
        // A state gives the same answers, and reads through it are narrowed too.
        let state = of_both.on_one_state(|state| state.on_one_state(|state| state.read(&ask)));
        assert_eq!(state.unwrap(), answers);
        assert!(of_both.take_damage().is_none());
    }
}

#[test]
fn somebody_who_sees_everything_sees_everything() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let ask = Ask {
        operations: Vec::new(),
        ..everything(&[ANN, CANARY], &[])
    };
    let narrowed = NarrowedStore::new(&store, Grant::everything());
    assert_eq!(narrowed.read(&ask).unwrap(), store.read(&ask).unwrap());
    let token = Grant {
        token: Some(name("t")),
        ..Grant::everything()
    };
    let narrowed = NarrowedStore::new(&store, token);
    assert_eq!(narrowed.read(&ask).unwrap(), store.read(&ask).unwrap());
}

#[test]
fn each_function_of_a_reader_sees_no_more() {
    let ((_one, both), (_other, alone)) = (store_of(&[ANN, CANARY]), store_of(&[ANN]));
    for grant in grants() {
        let said = |store: &dyn Reader| {
            let mut said = Vec::new();
            for who in [ANN, CANARY] {
                let session = who.session();
                for address in who.addresses() {
                    said.push(format!("{:?}", store.get(&address)));
                    said.push(format!("{:?}", store.history(&address)));
                }
                for number in 1..8 {
                    let session = session.clone();
                    said.push(format!(
                        "{:?}",
                        store.event(&EventAddress { session, number })
                    ));
                }
                for moment in [
                    AsOf::Position(Position::new(7)),
                    AsOf::Position(Position::new(1000)),
                    AsOf::Time("2026-01-01T00:00:00Z".parse().unwrap()),
                ] {
                    said.push(format!("{:?}", store.select_at(&scopes(who), moment)));
                }
                said.push(format!("{:?}", store.select(&Filter::Scopes(scopes(who)))));
                said.push(format!("{:?}", store.kinds(&session)));
                said.push(format!("{:?}", store.last_iteration(&session)));
                said.push(format!("{:?}", store.lease(&session)));
                said.push(format!(
                    "{:?}",
                    store.operation(OperationId::of(who.operation))
                ));
            }
            for kind in KINDS {
                said.push(format!("{:?}", store.scopes(kind)));
                said.push(format!("{:?}", store.select(&Filter::Kind(kind))));
            }
            said.push(format!("{:?}", store.leases()));
            said.push(format!("{:?}", store.sessions_with_events()));
            said.push(format!("{:?}", store.journal(None, 100)));
            said.push(format!("{:?}", store.feed(Cursor::START, 100)));
            said
        };
        let narrowed = said(&NarrowedStore::new(&both, grant.clone()));
        no_canary(&narrowed, &grant);
        assert_eq!(narrowed, said(&NarrowedStore::new(&alone, grant.clone())));
    }
}

#[test]
fn a_search_finds_and_scores_nothing_of_others() {
    let ((_one, both), (_other, alone)) = (store_of(&[ANN, CANARY]), store_of(&[ANN]));
    let queries = [
        "why does it not build on this machine any more today",
        "plan",
        "canary",
        "plan place canary",
        "\"better plan\"",
        "pla*",
        "-plan",
        "cache build words",
        "",
    ];
    let mut found = 0;
    for grant in grants() {
        for query in queries {
            for history in [false, true] {
                for scopes in [
                    Vec::new(),
                    scopes(CANARY),
                    scopes(ANN),
                    [scopes(ANN), scopes(CANARY)].concat(),
                ] {
                    for limit in [0, 1, 50] {
                        let request = SearchRequest::new(query)
                            .scopes(scopes.clone())
                            .history(history)
                            .limit(limit);
                        let hits = NarrowedStore::new(&both, grant.clone())
                            .search(&request)
                            .unwrap();
                        no_canary(&hits, &grant);
                        assert!(hits.len() <= limit);
                        assert!(hits.iter().all(|hit| grant.sees_note(&hit.note.address)));
                        // Scores and order too are those of a store without the other agent.
                        let expected = NarrowedStore::new(&alone, grant.clone()).search(&request);
                        assert_eq!(hits, expected.unwrap(), "{grant:?} {request:?}");
                        found += hits.len();
                    }
                }
            }
        }
        let kinds = [SearchKind::Place, SearchKind::Key, SearchKind::Log];
        let request = SearchRequest::new("plan canary").kinds(kinds.into());
        no_canary(
            NarrowedStore::new(&both, grant.clone())
                .search(&request)
                .unwrap(),
            &grant,
        );
    }
    assert!(found > 100, "{found}");
}

#[test]
fn a_narrowed_search_finds_what_the_store_finds() {
    let (_folder, store) = store_of(&[ANN]);
    let grant = grants().pop().unwrap();
    for (query, history) in [
        ("plan", false),
        ("plan", true),
        ("better words", false),
        ("cache", true),
        (
            "why does it not build on this machine any more today",
            false,
        ),
    ] {
        let request = SearchRequest::new(query).history(history);
        let addresses = |store: &dyn Reader| {
            let hits = store.search(&request).unwrap().into_iter();
            let mut found: Vec<_> = hits
                .map(|hit| (hit.note.address, hit.note.revision))
                .collect();
            found.sort();
            found
        };
        let all = addresses(&store);
        assert!(!all.is_empty(), "{query}");
        assert_eq!(
            addresses(&NarrowedStore::new(&store, grant.clone())),
            all,
            "{query}"
        );
    }
}

#[test]
fn a_block_has_nothing_of_others() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    for grant in grants() {
        for who in [ANN, CANARY] {
            let now = Timestamp::from_second(1000).unwrap();
            let request = Request::new(name(who.name), who.place.parse().unwrap(), now)
                .session(who.session())
                .query("plan of canary".to_owned());
            let narrowed = NarrowedStore::new(&store, grant.clone());
            let block = block_and_notes(&narrowed, &request).map_err(|error| error.to_string());
            // The request itself names the agent and the session.
            if who.name == ANN.name {
                no_canary(&block, &grant);
            } else {
                let said = format!("{block:?}");
                assert!(!said.contains("canary: "), "{said}");
            }
            let matching = matching(&narrowed, &request, &[]).unwrap();
            no_canary(matching.text, &grant);
        }
    }
}

#[test]
fn an_error_says_the_same_whether_it_exists_or_not() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    for grant in grants() {
        let narrowed = NarrowedStore::new(&store, grant.clone());
        for address in CANARY.addresses() {
            let refused = single::get(&narrowed, &address, None).unwrap_err();
            let Error::NotFound { what } = &refused else {
                panic!("{refused:?}");
            };
            assert_eq!(*what, address.to_string());
        }
        let log = SessionLog::list(&SessionLog::new(&narrowed, CANARY.session()), None);
        assert_eq!(log.unwrap(), Vec::new());
    }
}
