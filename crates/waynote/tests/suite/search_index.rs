//! The search index itself: damaged, taken back, lagging, written by several; and the same answers however the notes
//! lie in it.

use proptest::prelude::*;
use rusqlite::Connection;
use waynote::{Change, Content, EntryType, Reader, SearchRequest, Store};

use waynote_testing::stores::{NEVER, TINY, UNMERGED};
use waynote_testing::values::{all_found, assert_clean, at, found, keep, key, name, open, save};

#[test]
fn a_damaged_index_is_passed_over_named_and_made_again() {
    for damage in [
        "UPDATE waynote_search_block SET terms = zeroblob(length(terms))",
        "DELETE FROM waynote_search_block",
        "UPDATE waynote_search_block SET segment = segment + 1000",
        "UPDATE waynote_search_segment SET docs = substr(docs, 1, 20)",
        "DELETE FROM waynote_search_segment WHERE id = (SELECT min(id) FROM waynote_search_segment)",
        "UPDATE waynote_search_state SET format = 99",
        "DELETE FROM waynote_search_state",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        let store = open(&path, TINY);
        keep(
            &store,
            &[
                "one word",
                "two words",
                "three words",
                "four",
                "five",
                "six",
            ],
        );
        assert_clean(&store);
        drop(store);
        Connection::open(&path)
            .unwrap()
            .execute_batch(damage)
            .unwrap();
        let store = open(&path, TINY);
        for query in ["words", "wor*", "\"two words\" word \"three words\""] {
            assert_eq!(all_found(&store, query), "k0 k1 k2", "{damage}: {query}");
        }
        for number in 0..12 {
            let change = save(key(&format!("l{number}")), "more");
            store.apply(&[change], &at(200)).unwrap();
        }
        assert_eq!(all_found(&store, "words"), "k0 k1 k2", "{damage}");
        assert_clean(&store);
    }
}

#[test]
fn a_lost_mark_of_what_was_superseded_shows_nothing_old() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let store = open(&path, UNMERGED);
    keep(&store, &["old words", "one", "two", "three"]);
    keep(&store, &["new text"]);
    for other in ["l", "m", "n"] {
        store.apply(&[save(key(other), "last")], &at(1)).unwrap();
    }
    let conn = Connection::open(&path).unwrap();
    let lost = conn.execute("DELETE FROM waynote_search_dead", []).unwrap();
    assert_eq!(lost, 1);
    assert_eq!(found(&store, "old words"), "");
}

#[test]
fn what_an_application_takes_back_is_not_found() {
    let conn = Connection::open_in_memory().unwrap();
    for indexing in [TINY, NEVER] {
        let store = waynote::AttachedStore::attach(&conn)
            .unwrap()
            .with_indexing(indexing);
        for text in ["first", "second", "third"] {
            conn.execute_batch("BEGIN").unwrap();
            keep(&store, &[text, text, text, text, text]);
            assert_eq!(all_found(&store, text), "k0 k1 k2 k3 k4");
            conn.execute_batch("ROLLBACK").unwrap();
            assert_eq!(all_found(&store, text), "");
        }
        assert_clean(&store);
    }
}

#[test]
fn a_store_that_was_never_indexed_catches_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let texts: Vec<String> = (0..40)
        .map(|number| format!("note number{number} word"))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    keep(&open(&path, NEVER), &texts);
    let store = open(&path, TINY);
    for number in 0..20 {
        assert_eq!(found(&store, "number17"), "k17");
        store
            .apply(&[save(key(&format!("l{number}")), "more")], &at(200))
            .unwrap();
    }
    assert_clean(&store);
    let conn = Connection::open(&path).unwrap();
    let indexed: i64 = conn
        .query_row("SELECT indexed FROM waynote_search_state", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert!(indexed >= 58, "{indexed}");
}

#[test]
fn equal_notes_rank_equal_whatever_order_they_came_in() {
    let texts = [
        "same words",
        "other words here",
        "same words",
        "words of the same kind",
        "same words",
        "none",
    ];
    let ranked = |order: &[usize], indexing| {
        let conn = Connection::open_in_memory().unwrap();
        let store = waynote::AttachedStore::attach(&conn)
            .unwrap()
            .with_indexing(indexing);
        for number in order {
            store
                .apply(&[save(key(&format!("k{number}")), texts[*number])], &at(5))
                .unwrap();
        }
        let mut request = SearchRequest::new("same words");
        request.limit = 2;
        (found(&store, "same words"), store.search(&request).unwrap())
    };
    let first = ranked(&[0, 1, 2, 3, 4, 5], TINY);
    assert_eq!(first.0, "k0 k2 k4 k1 k3");
    for order in [[5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 4, 3]] {
        for indexing in [TINY, NEVER] {
            assert_eq!(ranked(&order, indexing), first);
        }
    }
}

#[test]
fn what_another_process_writes_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let (one, other) = (open(&path, TINY), open(&path, TINY));
    for number in 0..30 {
        let writer = if number % 2 == 0 { &one } else { &other };
        let text = format!("word{number} common");
        writer
            .apply(&[save(key(&format!("k{number}")), &text)], &at(number))
            .unwrap();
        for reader in [&one, &other] {
            assert_eq!(
                found(reader, &format!("word{number}")),
                format!("k{number}")
            );
            let mut request = SearchRequest::new("common");
            request.limit = 100;
            assert_eq!(reader.search(&request).unwrap().len() as i64, number + 1);
        }
    }
    assert_clean(&one);
}

/// A step of somebody's work.
#[derive(Clone, Debug)]
enum Step {
    Save(u8, Vec<u8>),
    Delete(u8),
    Pin(u8),
    Append(u8, Vec<u8>, u16),
}

fn step() -> impl Strategy<Value = Step> {
    let words = || prop::collection::vec(0..12_u8, 0..12);
    prop_oneof![
        4 => (0..12_u8, words()).prop_map(|(key, words)| Step::Save(key, words)),
        1 => (0..12_u8).prop_map(Step::Delete),
        1 => (0..12_u8).prop_map(Step::Pin),
        3 => (0..3_u8, words(), 0..4000_u16).prop_map(|(log, words, later)| Step::Append(log, words, later)),
    ]
}

fn sentence(words: &[u8]) -> String {
    const WORDS: [&str; 12] = [
        "run",
        "running",
        "tests",
        "test",
        "snake_case",
        "src/x.rs",
        "the",
        "e0308",
        "検索する",
        "why?",
        "é",
        "long",
    ];
    let words: Vec<&str> = words
        .iter()
        .map(|word| WORDS[usize::from(*word) % WORDS.len()])
        .collect();
    words.join(" ")
}

fn change(step: &Step) -> Change {
    let address = |number: &u8| key(&format!("k{number}"));
    match step {
        Step::Save(number, words) => save(address(number), &sentence(words)),
        Step::Delete(number) => Change::delete(address(number)),
        Step::Pin(number) => Change::pin(address(number), true),
        Step::Append(log, words, _) => Change::Append {
            resolves: None,
            session: name(&format!("s{log}")),
            kind: EntryType::Tip,
            iteration: None,
            content: Content::imported(sentence(words)),
            id: None,
            created_at: None,
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_same_is_found_however_notes_lie(
        steps in prop::collection::vec(step(), 1..60),
        batch in 1..9_usize,
    ) {
        let (one, other) = (Connection::open_in_memory().unwrap(), Connection::open_in_memory().unwrap());
        let one = waynote::AttachedStore::attach(&one).unwrap().with_indexing(TINY);
        let other = waynote::AttachedStore::attach(&other).unwrap().with_indexing(NEVER);
        let mut now = 1_000_000;
        for steps in steps.chunks(batch) {
            for step in steps {
                if let Step::Append(_, _, later) = step {
                    now += i64::from(*later);
                }
            }
            // Only existing notes can be pinned, and a batch may delete one first.
            let is_there = |number: &u8| one.get(&key(&format!("k{number}"))).unwrap().is_some();
            let may = |step: &&Step| match step {
                Step::Pin(number) => batch == 1 && is_there(number),
                _ => true,
            };
            let changes: Vec<Change> = steps.iter().filter(may).map(change).collect();
            one.apply(&changes, &at(now)).unwrap();
            other.apply(&changes, &at(now)).unwrap();
        }
        let problems = one.verify().unwrap().problems;
        prop_assert!(problems.is_empty(), "{:?}", problems);
        for query in [
            "run", "running tests", "\"running test\"", "snake_case", "src/x.rs e0308 long", "te*", "-run", "検索",
            "run the tests with a long snake_case -e0308", "é \"the e0308\" 索", "why run the long tests",
        ] {
            for history in [false, true] {
                let mut request = SearchRequest::new(query);
                request.limit = 7;
                request.history = history;
                let (ours, theirs) = (one.search(&request).unwrap(), other.search(&request).unwrap());
                prop_assert_eq!(ours, theirs, "{}", query);
            }
        }
    }

    #[test]
    fn any_query_is_answered(query in "[-\"* a-c_/é検'.:]{0,24}") {
        let conn = Connection::open_in_memory().unwrap();
        let store = waynote::AttachedStore::attach(&conn).unwrap().with_indexing(TINY);
        keep(&store, &["a b c", "a_b", "é 検索", "c/a b", "cc"]);
        store.search(&SearchRequest::new(query)).unwrap();
    }
}
