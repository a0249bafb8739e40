//! What every store must find, and that it finds the same however its notes lie in the index.

use std::path::Path;

use proptest::prelude::*;
use rusqlite::Connection;
use waynote::{
    Address, Change, Content, Expect, Hit, InStep, Indexing, Kind, Limits, Name, Options, Place,
    Places, Scope, SearchKind, SearchRequest, SessionLog, SqliteStore, Stamp, Store,
    store::NoStore,
};

/// Segments of two or three changes, merged by twos.
const TINY: Indexing = Indexing {
    tail: 2,
    bulk: 3,
    fan_out: 2,
    most: 12,
};

/// Everything in the tail.
const NEVER: Indexing = Indexing {
    tail: u32::MAX,
    bulk: u32::MAX,
    fan_out: 8,
    most: 1000,
};

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn place(text: &str) -> Place {
    text.parse().unwrap()
}

fn at(second: i64) -> Stamp {
    Stamp::new(
        jiff::Timestamp::from_second(second).unwrap(),
        name("person"),
    )
}

fn open(path: &Path, indexing: Indexing) -> SqliteStore<'static> {
    SqliteStore::open(path, &Options::default())
        .unwrap()
        .with_indexing(indexing)
}

/// Each kind of store, each with its notes in segments and in the tail.
fn each_store(test: impl Fn(&dyn Store)) {
    for (number, indexing) in [Indexing::default(), TINY, NEVER].into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("{number}.db"));
        let store = open(&path, indexing);
        test(&store);
        assert_clean(&store);
        let conn = Connection::open_in_memory().unwrap();
        let store = SqliteStore::attach(&conn).unwrap().with_indexing(indexing);
        test(&store);
        assert_clean(&store);
        let file = folder.path().join("notes.json");
        let base = waynote::Base::new("/home/u", "/home/u").unwrap();
        let store = open(&folder.path().join("in-step.db"), indexing);
        test(&InStep::new(store, &file, base).unwrap());
    }
}

fn assert_clean(store: &dyn Store) {
    assert_eq!(store.verify().unwrap().problems, Vec::<String>::new());
}

fn save(address: Address, text: &str) -> Change {
    Change::Save {
        address,
        content: Content::imported(text),
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    }
}

fn key(key: &str) -> Address {
    Address::Agent(name("a"), key.parse().unwrap())
}

/// Saves texts under the keys k0, k1, … of an agent, one change after the other.
fn keep(store: &dyn Store, texts: &[&str]) {
    for (number, text) in texts.iter().enumerate() {
        store
            .apply(&[save(key(&format!("k{number}")), text)], &at(100))
            .unwrap();
    }
}

fn addresses(hits: &[Hit]) -> Vec<String> {
    hits.iter()
        .map(|hit| hit.note.address.to_string())
        .collect()
}

/// The keys of what is found, in order.
fn found(store: &dyn Store, query: &str) -> String {
    let hits = store.search(&SearchRequest::new(query)).unwrap();
    let keys: Vec<String> = hits
        .iter()
        .filter_map(|hit| hit.note.address.key())
        .collect();
    keys.join(" ")
}

/// The same whatever the order.
fn all_found(store: &dyn Store, query: &str) -> String {
    let keys = found(store, query);
    let mut keys: Vec<&str> = keys.split_whitespace().collect();
    keys.sort_unstable();
    keys.join(" ")
}

#[test]
fn words_phrases_prefixes_and_exclusions() {
    each_store(|store| {
        keep(
            store,
            &[
                "The integration tests fail without a frozen clock",
                "A frozen lake and a clock",
                "configure the runner; its configuration is in ci.toml",
                "testing is work",
                "nothing of the kind",
            ],
        );
        assert_eq!(found(store, "frozen clock tests"), "k0 k1 k3");
        assert_eq!(found(store, "\"frozen clock\""), "k0");
        assert_eq!(all_found(store, "conf*"), "k2");
        assert_eq!(found(store, "clock -lake"), "k0");
        assert_eq!(found(store, "clock -\"frozen lake\""), "k0");
        assert_eq!(all_found(store, "clock -froz*"), "");
        assert_eq!(all_found(store, "-clock"), "k2 k3 k4");
        assert_eq!(found(store, ""), "");
        assert_eq!(found(store, "the"), "k4 k0 k2");
        assert_eq!(found(store, "testing"), "k3 k0");
        assert_eq!(found(store, "unheard"), "");
    });
}

#[test]
fn a_word_as_it_was_typed_comes_before_its_other_forms() {
    each_store(|store| {
        keep(
            store,
            &["one test here", "one tests here", "one tested here", "none"],
        );
        for (query, first) in [("test", "k0"), ("tests", "k1"), ("tested", "k2")] {
            assert!(found(store, query).starts_with(first), "{query}");
            assert_eq!(all_found(store, query), "k0 k1 k2");
        }
    });
}

#[test]
fn identifiers_paths_and_codes() {
    each_store(|store| {
        keep(
            store,
            &[
                "call run_tests before parseHttpRequest",
                "error E0308 in src/search/rank.rs:12",
                "use std::fs::read_dir and --no-cache",
                "run the tests, read the dir, parse a request over http",
                "ENOENT means that nothing is there",
            ],
        );
        assert!(found(store, "run_tests").starts_with("k0"));
        assert!(found(store, "parseHttpRequest").starts_with("k0"));
        assert_eq!(found(store, "e0308"), "k1");
        assert_eq!(found(store, "E0309 E030"), "");
        assert_eq!(found(store, "rank.rs"), "k1");
        assert_eq!(found(store, "src/search/*"), "k1");
        assert!(found(store, "std::fs::read_dir").starts_with("k2"));
        assert_eq!(found(store, "--no-cache"), "k2");
        assert_eq!(found(store, "enoent"), "k4");
        assert_eq!(found(store, "dir -run_tests -read_dir"), "k3");
    });
}

#[test]
fn other_languages_and_scripts() {
    each_store(|store| {
        keep(
            store,
            &[
                "Der Schlüssel liegt in der Straße",
                "キャッシュを消してから検索する",
                "ต้องล้างแคชก่อน",
                "Тесты падают без сети",
                "캐시를 지우고 다시",
                "Zażółć gęślą jaźń",
                "注意: 水が要る",
            ],
        );
        for (query, keys) in [
            ("schlussel strasse", "k0"),
            ("検索", "k1"),
            ("\"消してから\"", "k1"),
            ("検索 -キャッシュ", ""),
            ("แคช", "k2"),
            ("тесты", "k3"),
            ("캐시*", "k4"),
            ("zazolc", "k5"),
            ("水", "k6"),
            ("る", "k1 k6"),
        ] {
            assert_eq!(all_found(store, query), keys, "{query}");
        }
    });
}

#[test]
fn only_notes_as_they_are() {
    each_store(|store| {
        keep(store, &["old wording", "other wording", "more", "and more"]);
        store
            .apply(&[save(key("k0"), "fresh text")], &at(101))
            .unwrap();
        assert_eq!(found(store, "old"), "");
        assert_eq!(found(store, "fresh"), "k0");
        store
            .apply(&[Change::Delete { address: key("k1") }], &at(102))
            .unwrap();
        assert_eq!(found(store, "wording"), "");
        store
            .apply(
                &[Change::Pin {
                    address: key("k0"),
                    pinned: true,
                }],
                &at(103),
            )
            .unwrap();
        assert_eq!(found(store, "fresh"), "k0");
        store
            .apply(
                &[Change::Undo {
                    address: key("k1"),
                    origin: None,
                }],
                &at(104),
            )
            .unwrap();
        assert_eq!(found(store, "wording"), "k1");
        for number in 0..20 {
            store
                .apply(
                    &[save(key("k2"), &format!("turn {number}"))],
                    &at(110 + number),
                )
                .unwrap();
        }
        assert_eq!(found(store, "turn"), "k2");
        let hits = store.search(&SearchRequest::new("turn")).unwrap();
        assert_eq!(hits[0].note.content.shown(), "turn 19");
        assert_eq!(hits[0].note, store.get(&key("k2")).unwrap().unwrap());
    });
}

#[test]
fn old_revisions_when_they_are_asked_for() {
    each_store(|store| {
        keep(store, &["old wording", "other wording"]);
        store
            .apply(&[save(key("k0"), "fresh text")], &at(101))
            .unwrap();
        store
            .apply(
                &[Change::Pin {
                    address: key("k0"),
                    pinned: true,
                }],
                &at(102),
            )
            .unwrap();
        store
            .apply(&[Change::Delete { address: key("k1") }], &at(103))
            .unwrap();
        let mut request = SearchRequest::new("wording fresh");
        request.history = true;
        let hits = store.search(&request).unwrap();
        let mut revisions: Vec<String> = hits
            .iter()
            .map(|hit| format!("{}@{}", hit.note.address, hit.note.revision))
            .collect();
        revisions.sort_unstable();
        // Pinning wrote no text.
        assert_eq!(revisions, ["agent:a#k0@1", "agent:a#k0@2", "agent:a#k1@1"]);
    });
}

#[test]
fn kinds_scopes_keys_and_limits() {
    each_store(|store| {
        let places = Places::new(store);
        for (path, text) in [
            ("~", "shared word"),
            ("~/p", "shared word too"),
            ("~/p/q", "shared"),
        ] {
            places
                .write(&place(path), Content::text(text).unwrap(), &at(1))
                .unwrap();
        }
        let in_place = Address::PlaceKey(place("~/p"), "build".parse().unwrap());
        store
            .apply(&[save(in_place, "shared in a key")], &at(2))
            .unwrap();
        store
            .apply(&[save(key("staging-db"), "shared by an agent")], &at(3))
            .unwrap();
        let log = SessionLog::new(store, name("s"));
        log.add(
            Kind::Tip,
            Some(1),
            Content::text("shared in a log").unwrap(),
            &at(4),
        )
        .unwrap();
        let search = |change: &dyn Fn(&mut SearchRequest)| {
            let mut request = SearchRequest::new("shared");
            change(&mut request);
            let mut found = addresses(&store.search(&request).unwrap());
            found.sort_unstable();
            found
                .join(" ")
                .replace(|char: char| char.is_ascii_digit(), "")
        };
        assert_eq!(search(&|_| ()).split(' ').count(), 6);
        assert_eq!(
            search(&|request| request.kinds = vec![SearchKind::Place]),
            "place:~ place:~/p place:~/p/q"
        );
        assert_eq!(
            search(&|request| request.kinds = vec![SearchKind::Key]),
            "agent:a#staging-db place:~/p#build"
        );
        assert!(search(&|request| request.kinds = vec![SearchKind::Log]).starts_with("session:s#"));
        let chain = |path: &str| place(path).chain().into_iter().map(Scope::Place).collect();
        assert_eq!(
            search(&|request| request.scopes = chain("~/p")),
            "place:~ place:~/p place:~/p#build"
        );
        assert_eq!(
            search(&|request| request.scopes = vec![Scope::Agent(name("nobody"))]),
            ""
        );
        assert_eq!(search(&|request| request.limit = 2).split(' ').count(), 2);
        assert_eq!(search(&|request| request.limit = 0), "");
        // A key is found, and a directory's name.
        assert_eq!(found(store, "staging"), "staging-db");
        assert_eq!(
            addresses(&store.search(&SearchRequest::new("q")).unwrap()),
            ["place:~/p/q"]
        );
    });
}

#[test]
fn what_stands_beside_a_match_may_hold_the_answer() {
    each_store(|store| {
        let log = SessionLog::new(store, name("s"));
        let add = |text: &str, second| {
            log.add(
                Kind::Learning,
                Some(1),
                Content::text(text).unwrap(),
                &at(second),
            )
            .unwrap();
        };
        add("Unrelated and long ago", 1);
        add("Which database does the staging server use?", 100_000);
        add("Postgres, version sixteen", 100_060);
        add("Lunch was good", 300_000);
        let texts = |query: &str| {
            let hits = store.search(&SearchRequest::new(query)).unwrap();
            hits.iter()
                .map(|hit| hit.note.content.shown().into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            texts("what database is used by the staging server"),
            [
                "Which database does the staging server use?",
                "Postgres, version sixteen"
            ]
        );
        // Who looks up a word finds what holds it.
        assert_eq!(
            texts("database"),
            ["Which database does the staging server use?"]
        );
        assert_eq!(
            texts("what database is used by the staging server -postgres").len(),
            1
        );
    });
}

#[test]
fn the_words_are_shown() {
    each_store(|store| {
        keep(store, &["First line\n  with the needle in it"]);
        let hits = store.search(&SearchRequest::new("needles")).unwrap();
        let snippet = &hits[0].snippet;
        assert_eq!(snippet.text, "First line with the needle in it");
        assert_eq!(&snippet.text[snippet.matches[0].clone()], "needle");
        assert!(hits[0].score > 0.0);
    });
}

#[test]
fn a_text_that_lies_only_in_the_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.json");
    let base = waynote::Base::new("/home/u", "/home/u").unwrap();
    let inner: Vec<Box<dyn Store>> = vec![
        Box::new(open(&folder.path().join("a.db"), TINY)),
        Box::new(open(&folder.path().join("b.db"), NEVER)),
        Box::new(NoStore),
    ];
    for store in inner {
        let _ = std::fs::remove_file(&file);
        let is_stored = Places::new(&store)
            .write(
                &place("~/p"),
                Content::text("the stored text").unwrap(),
                &at(1),
            )
            .is_ok();
        let store = InStep::new(store, &file, base.clone()).unwrap();
        std::fs::write(
            &file,
            "{\"~/p\": \"the text of the file\", \"~/new\": \"another file\"}",
        )
        .unwrap();
        let search = |query: &str, history| {
            let mut request = SearchRequest::new(query);
            request.history = history;
            let mut found = addresses(&store.search(&request).unwrap());
            found.sort_unstable();
            found.join(" ")
        };
        assert_eq!(search("file", false), "place:~/new place:~/p");
        assert_eq!(search("stored", false), "");
        assert_eq!(
            search("stored", true),
            if is_stored { "place:~/p" } else { "" }
        );
        assert_eq!(
            search("text", true).split(' ').count(),
            1 + usize::from(is_stored)
        );
        let mut request = SearchRequest::new("file");
        request.scopes = vec![Scope::Place(place("~/new"))];
        assert_eq!(addresses(&store.search(&request).unwrap()), ["place:~/new"]);
    }
}

#[test]
fn a_damaged_index_is_passed_over_named_and_made_again() {
    for damage in [
        "UPDATE waynote_search_block SET terms = zeroblob(length(terms))",
        "DELETE FROM waynote_search_block",
        "UPDATE waynote_search_segment SET docs = substr(docs, 1, 20)",
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
        let conn = Connection::open(&path).unwrap();
        conn.execute_batch(damage).unwrap();
        drop(conn);
        let store = open(&path, TINY);
        assert!(!store.verify().unwrap().is_clean(), "{damage}");
        if !damage.starts_with("DELETE FROM waynote_search_block") {
            assert_eq!(all_found(&store, "words"), "k0 k1 k2", "{damage}");
        }
        for number in 0..8 {
            store
                .apply(&[save(key(&format!("l{number}")), "more")], &at(200))
                .unwrap();
        }
        if !damage.starts_with("DELETE FROM waynote_search_block") {
            assert_eq!(all_found(&store, "words"), "k0 k1 k2", "{damage}");
            assert_clean(&store);
        }
    }
}

#[test]
fn what_an_application_takes_back_is_not_found() {
    let conn = Connection::open_in_memory().unwrap();
    for indexing in [TINY, NEVER] {
        let store = SqliteStore::attach(&conn).unwrap().with_indexing(indexing);
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
        Step::Delete(number) => Change::Delete {
            address: address(number),
        },
        Step::Pin(number) => Change::Pin {
            address: address(number),
            pinned: true,
        },
        Step::Append(log, words, _) => Change::Append {
            session: name(&format!("s{log}")),
            kind: Kind::Tip,
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
        let one = SqliteStore::attach(&one).unwrap().with_indexing(TINY);
        let other = SqliteStore::attach(&other).unwrap().with_indexing(NEVER);
        let mut now = 1_000_000;
        for steps in steps.chunks(batch) {
            for step in steps {
                if let Step::Append(_, _, later) = step {
                    now += i64::from(*later);
                }
            }
            let changes: Vec<Change> = steps
                .iter()
                .filter(|step| {
                    // What is not there can be neither pinned nor found missing.
                    !matches!(step, Step::Pin(number) if one.get(&key(&format!("k{number}"))).unwrap().is_none())
                        && !(batch > 1 && matches!(step, Step::Pin(_)))
                })
                .map(change)
                .collect();
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
        let store = SqliteStore::attach(&conn).unwrap().with_indexing(TINY);
        keep(&store, &["a b c", "a_b", "é 検索", "c/a b", "cc"]);
        store.search(&SearchRequest::new(query)).unwrap();
    }
}
