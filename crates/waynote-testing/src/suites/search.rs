//! The search results that every store must give, the same for any arrangement of the notes in the index.

use waynote::{
    Address, Change, Content, EntryType, LocalStore, Places, Scope, SearchKind, SearchRequest,
    SessionLog,
};

use crate::values::{addresses, all_found, at, found, keep, key, name, place, save};

pub(crate) fn words_phrases_prefixes_and_exclusions(store: &dyn LocalStore) {
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
}

pub(crate) fn a_word_as_it_was_typed_comes_before_its_other_forms(store: &dyn LocalStore) {
    keep(
        store,
        &["one test here", "one tests here", "one tested here", "none"],
    );
    for (query, first) in [("test", "k0"), ("tests", "k1"), ("tested", "k2")] {
        assert!(found(store, query).starts_with(first), "{query}");
        assert_eq!(all_found(store, query), "k0 k1 k2");
    }
}

pub(crate) fn identifiers_paths_and_codes(store: &dyn LocalStore) {
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
}

pub(crate) fn other_languages_and_scripts(store: &dyn LocalStore) {
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
}

pub(crate) fn only_notes_as_they_are(store: &dyn LocalStore) {
    keep(store, &["old wording", "other wording", "more", "and more"]);
    store
        .apply(&[save(key("k0"), "fresh text")], &at(101))
        .unwrap();
    assert_eq!(found(store, "old"), "");
    assert_eq!(found(store, "fresh"), "k0");
    store.apply(&[Change::delete(key("k1"))], &at(102)).unwrap();
    assert_eq!(found(store, "wording"), "");
    store
        .apply(&[Change::pin(key("k0"), true)], &at(103))
        .unwrap();
    assert_eq!(found(store, "fresh"), "k0");
    store.apply(&[Change::undo(key("k1"))], &at(104)).unwrap();
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
}

pub(crate) fn old_revisions_when_they_are_asked_for(store: &dyn LocalStore) {
    keep(store, &["old wording", "other wording"]);
    store
        .apply(&[save(key("k0"), "fresh text")], &at(101))
        .unwrap();
    store
        .apply(&[Change::pin(key("k0"), true)], &at(102))
        .unwrap();
    store.apply(&[Change::delete(key("k1"))], &at(103)).unwrap();
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
}

pub(crate) fn kinds_scopes_keys_and_limits(store: &dyn LocalStore) {
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
        EntryType::Tip,
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
}

pub(crate) fn what_stands_beside_a_match_may_hold_the_answer(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("s"));
    let add = |text: &str, second| {
        log.add(
            EntryType::Learning,
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
    // A query of one word finds the notes that hold it.
    assert_eq!(
        texts("database"),
        ["Which database does the staging server use?"]
    );
    assert_eq!(
        texts("what database is used by the staging server -postgres").len(),
        1
    );
}

pub(crate) fn the_words_are_shown(store: &dyn LocalStore) {
    keep(store, &["First line\n  with the needle in it"]);
    let hits = store.search(&SearchRequest::new("needles")).unwrap();
    let snippet = &hits[0].snippet;
    assert_eq!(snippet.text, "First line with the needle in it");
    assert_eq!(&snippet.text[snippet.matches[0].clone()], "needle");
    assert!(hits[0].score > 0.0);
}
