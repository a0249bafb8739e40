//! Every value of the library comes back equal from its JSON form.

use std::fmt::Debug;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use waynote::store::{Answers, Ask, Count, Page, Recent, ScopeSummary};
use waynote::{Error, Hit, ScopeKind, SearchKind, SearchRequest, Snippet, StoreId};

use super::given;

/// The value after its way over the wire, as text.
fn sent<W: Serialize + DeserializeOwned + PartialEq + Debug>(form: &W) -> W {
    let text = serde_json::to_string(form).unwrap();
    let read: W = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(read, *form, "{text}");
    read
}

/// The library's value after its way through the form `W`.
fn back<'v, W, V>(value: &'v V) -> V
where
    W: TryFrom<&'v V> + Serialize + DeserializeOwned + PartialEq + Debug,
    W::Error: Debug,
    V: TryFrom<W>,
    V::Error: Debug,
{
    let form = W::try_from(value).unwrap();
    V::try_from(sent(&form)).unwrap()
}

fn count() -> impl Strategy<Value = Count> {
    prop_oneof![
        given::scope().prop_map(Count::Counted),
        (given::scope(), any::<bool>()).prop_map(|(scope, pinned)| Count::Keyed { scope, pinned }),
        (
            given::name(),
            of(given::kind()),
            of(any::<i64>()),
            any::<bool>()
        )
            .prop_map(|(session, kind, before, open)| Count::Entries {
                session,
                kind,
                before,
                open
            }),
    ]
}

fn page() -> impl Strategy<Value = Page> {
    let recent = prop_oneof![
        (given::scope(), any::<bool>()).prop_map(|(scope, pinned)| Recent::Keyed { scope, pinned }),
        given::scope().prop_map(|scope| Recent::ByKey { scope }),
        (
            given::name(),
            given::kind(),
            of(any::<i64>()),
            any::<bool>()
        )
            .prop_map(|(session, kind, before, open)| Recent::Entries {
                session,
                kind,
                before,
                open
            }),
    ];
    (recent, any::<u16>(), limit()).prop_map(|(of, skip, limit)| Page {
        of,
        skip: skip.into(),
        limit,
    })
}

fn limit() -> impl Strategy<Value = usize> {
    prop_oneof![Just(usize::MAX), 0..1000usize]
}

fn kinds() -> impl Strategy<Value = Vec<ScopeKind>> {
    vec(
        proptest::sample::select(&[ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session][..]),
        0..3,
    )
}

fn ask() -> impl Strategy<Value = Ask> {
    (
        (
            vec(given::address(), 0..3),
            vec(given::scope(), 0..3),
            kinds(),
            vec(page(), 0..3),
            vec(count(), 0..3),
            kinds(),
        ),
        (
            vec(given::address(), 0..3),
            vec((given::address(), any::<i64>()), 0..3),
            vec((of(given::position()), limit()), 0..3),
            vec(given::name(), 0..3),
        ),
        (
            vec((given::name(), of(any::<u64>()), limit()), 0..3),
            vec((given::cursor(), limit()), 0..3),
            vec(any::<[u8; 16]>().prop_map(waynote::OperationId::new), 0..3),
            any::<[bool; 4]>(),
        ),
    )
        .prop_map(|(notes, histories, events)| Ask {
            notes: notes.0,
            scopes: notes.1,
            kinds: notes.2,
            pages: notes.3,
            counts: notes.4,
            summaries: notes.5,
            histories: histories.0,
            noted_before: histories.1,
            journal: histories.2,
            entry_types: histories.3.clone(),
            last_iterations: histories.3.clone(),
            leases: histories.3,
            events: events.0,
            feed: events.1,
            operations: events.2,
            all_leases: events.3[0],
            event_sessions: events.3[1],
            store_id: events.3[2],
            version: events.3[3],
        })
}

fn answers() -> impl Strategy<Value = Answers> {
    let summary = (given::scope(), any::<u64>());
    let summary = summary.prop_map(|(scope, notes)| ScopeSummary { scope, notes });
    (
        (
            vec(of(given::note()), 0..3),
            vec(vec(given::note(), 0..3), 0..2),
            vec(vec(any::<u64>(), 0..3), 0..2),
            vec(vec(summary, 0..3), 0..2),
            vec(vec(given::revision(), 0..3), 0..2),
        ),
        (
            vec(vec(given::kind(), 0..3), 0..2),
            vec(of(any::<i64>()), 0..3),
            vec(vec(given::recorded(), 0..3), 0..2),
            vec(of(given::recorded()), 0..2),
            vec((given::name(), given::recorded()), 0..2),
        ),
        (
            vec(vec(given::feed_entry(), 0..3), 0..2),
            vec(vec(given::done(), 0..3), 0..2),
            of(any::<[u8; 16]>().prop_map(StoreId::new)),
            given::version(),
            vec(any::<String>(), 0..2),
        ),
    )
        .prop_map(|(notes, events, feed)| Answers {
            notes: notes.0,
            scopes: notes.1.clone(),
            kinds: notes.1.clone(),
            pages: notes.1,
            pages_noted: notes.2,
            counts: vec![7, u64::MAX],
            summaries: notes.3,
            histories: notes.4.clone(),
            noted_before: vec![3],
            journal: notes.4,
            entry_types: events.0,
            last_iterations: events.1,
            events: events.2,
            leases: events.3,
            event_sessions: events
                .4
                .iter()
                .map(|(session, _)| session.clone())
                .collect(),
            all_leases: events.4,
            feed: feed.0,
            operations: feed.1,
            store_id: feed.2,
            version: feed.3,
            damaged: feed.4,
        })
}

fn search() -> impl Strategy<Value = SearchRequest> {
    let kinds = [SearchKind::Place, SearchKind::Key, SearchKind::Log];
    let kinds = vec(proptest::sample::select(kinds.to_vec()), 0..3);
    (
        any::<String>(),
        kinds,
        vec(given::scope(), 0..3),
        limit(),
        any::<bool>(),
    )
        .prop_map(|of| {
            SearchRequest::new(of.0)
                .kinds(of.1)
                .scopes(of.2)
                .limit(of.3)
                .history(of.4)
        })
}

fn hit() -> impl Strategy<Value = Hit> {
    (given::note(), 0.0..1e6).prop_map(|(note, score)| Hit {
        note,
        score,
        snippet: Snippet {
            text: "a line of é words".into(),
            matches: vec![2..6, 10..12],
        },
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn notes(note in given::note()) {
        prop_assert_eq!(&back::<waynote_api::Note, _>(&note), &note);
        // What a program reads that shows notes is the same, except for bytes that are not text.
        if note.content.as_text().is_some() {
            let scanned = serde_json::to_value(waynote_api::Note::scanned(&note)).unwrap();
            prop_assert_eq!(scanned, serde_json::to_value(&note).unwrap());
        }
    }

    #[test]
    fn revisions(revision in given::revision()) {
        prop_assert_eq!(&back::<waynote_api::Revision, _>(&revision), &revision);
        if revision.note().is_none() {
            let form = serde_json::to_value(waynote_api::Revision::from(&revision)).unwrap();
            prop_assert_eq!(form, serde_json::to_value(&revision).unwrap());
        }
    }

    #[test]
    fn asks(ask in ask()) {
        prop_assert_eq!(back::<waynote_api::Ask, _>(&ask), ask);
    }

    #[test]
    fn all_answers(answers in answers()) {
        prop_assert_eq!(back::<waynote_api::Answers, _>(&answers), answers);
    }

    #[test]
    fn changes(changes in vec(given::change(), 0..4), stamp in given::stamp()) {
        let form = waynote_api::ApplyRequest::new(&changes, &stamp).unwrap();
        prop_assert_eq!(sent(&form).parts().unwrap(), (changes, stamp));
    }

    #[test]
    fn results(applied in vec(given::applied(), 0..4)) {
        let form = waynote_api::ApplyAnswer::new(&applied);
        prop_assert_eq!(sent(&form).applied().unwrap(), applied);
    }

    #[test]
    fn records(session in given::name(), events in vec(given::event(), 0..3), stamp in given::stamp()) {
        let form = waynote_api::RecordRequest::new(&session, &events, Some(3), &stamp).unwrap();
        prop_assert_eq!(sent(&form).parts().unwrap(), (session, events, Some(3), stamp));
    }

    #[test]
    fn forgettings(forget in given::forget(), stamp in given::stamp(), forgotten in given::forgotten()) {
        let form = waynote_api::ForgetRequest::new(&forget, &stamp, true).unwrap();
        prop_assert_eq!(sent(&form).parts().unwrap(), (forget, stamp));
        prop_assert_eq!(back::<waynote_api::Forgotten, _>(&forgotten), forgotten);
    }

    #[test]
    fn searches(search in search(), hit in hit()) {
        prop_assert_eq!(back::<waynote_api::SearchRequest, _>(&search), search);
        prop_assert_eq!(&back::<waynote_api::Hit, _>(&hit), &hit);
    }

    #[test]
    fn blocks(ask in given::block_ask(), answer in given::block_answer()) {
        prop_assert_eq!(back::<waynote_api::BlockAsk, _>(&ask), ask);
        prop_assert_eq!(back::<waynote_api::BlockAnswer, _>(&answer), answer);
    }
}

#[test]
fn positions_of_matches_that_cut_a_letter_are_left_out() {
    let note: waynote::Note = serde_json::from_value(serde_json::json!({
        "address": "agent:a#k", "content": "é", "preview": "é", "type": null, "iteration": null,
        "pinned": false, "revision": 1, "author": "person",
        "created_at": "2026-05-17T12:00:00Z", "updated_at": "2026-05-17T12:00:00Z",
    }))
    .unwrap();
    let form = waynote_api::Hit {
        address: "agent:a#k".into(),
        revision: 1,
        score: 1.0,
        snippet: "é".into(),
        matches: vec![[0, 1], [0, 2], [2, 9], [2, 0]],
        note: waynote_api::Note::from(&note),
    };
    let matches = Hit::try_from(form).unwrap().snippet.matches;
    let matches: Vec<_> = matches
        .iter()
        .map(|range| (range.start, range.end))
        .collect();
    assert_eq!(matches, [(0, 2)]);
}

#[test]
fn a_question_that_is_not_known_is_refused() {
    let text = r#"{ "notes": [], "weather": ["tomorrow"] }"#;
    assert!(serde_json::from_str::<waynote_api::Ask>(text).is_err());
    let text = r#"{ "notes": ["agent:a#K"] }"#;
    let ask: waynote_api::Ask = serde_json::from_str(text).unwrap();
    let error = Ask::try_from(ask).unwrap_err();
    assert!(matches!(error, Error::InvalidKey { .. }), "{error:?}");
    let text = r#"{ "journal": [{ "before": "x" }] }"#;
    let ask: waynote_api::Ask = serde_json::from_str(text).unwrap();
    let error = Ask::try_from(ask).unwrap_err();
    assert_eq!(error.kind(), "invalid_request");
    assert_eq!(error.to_string(), "`x` is not a position");
}
