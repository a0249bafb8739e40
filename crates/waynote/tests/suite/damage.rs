//! A damaged store: damaged notes are named and never shown, and the rest keeps working.

use rusqlite::Connection;
use waynote::context::{Budget, Request, Style, render};
use waynote::event::{ProcessIdentity, SessionEvent};
use waynote::store::Filter;
use waynote::{
    Address, Ancestor, AsOf, AttachedStore, Content, EntryType, Error, Forget, LocalStore, Reader,
    Scope, SearchRequest, SessionLog, Store, Writer,
};

use waynote_testing::stores::{TINY, UNMERGED};
use waynote_testing::values::{assert_clean, at, keep, key, name, save};

/// Notes of an agent, with a text in an older revision, and an entry of a session.
fn filled(conn: &Connection) -> AttachedStore<'_> {
    let store = AttachedStore::attach(conn).unwrap().with_indexing(TINY);
    keep(&store, &["before words", "second words", "third words"]);
    let change = save(key("k0"), "first words");
    store.apply(&[change], &at(50)).unwrap();
    let log = SessionLog::new(&store, name("s"));
    log.add(
        EntryType::Tip,
        Some(1),
        Content::text("a tip").unwrap(),
        &at(60),
    )
    .unwrap();
    assert_clean(&store);
    store
}

fn is_named(error: &Error, what: &str) -> bool {
    matches!(error, Error::DamagedNote { what: named } if named == what)
}

fn texts(store: &dyn LocalStore) -> Vec<String> {
    let notes = store
        .select(&Filter::Scopes(vec![key("k0").scope()]))
        .unwrap();
    notes.iter().map(|note| note.content.to_string()).collect()
}

fn request() -> Request {
    let now = "2026-06-01T00:00:00Z".parse().unwrap();
    let agent = key("k0").scope().name().parse().unwrap();
    Request::new(agent, waynote::Place::home(), now)
}

/// Ways to damage one note, `k1`.
const OF_A_NOTE: [&str; 9] = [
    "UPDATE waynote_content SET body = CAST('Second words' AS BLOB) WHERE body = CAST('second words' AS BLOB)",
    "UPDATE waynote_content SET hash = zeroblob(32) WHERE body = CAST('second words' AS BLOB)",
    "DELETE FROM waynote_content WHERE body = CAST('second words' AS BLOB)",
    "UPDATE waynote_note SET content = (SELECT content FROM waynote_note WHERE key = 'k2') WHERE key = 'k1'",
    "UPDATE waynote_note SET preview = 'Second words' WHERE key = 'k1'",
    "UPDATE waynote_note SET author = 'somebody' WHERE key = 'k1'",
    "UPDATE waynote_note SET pinned = 1 WHERE key = 'k1'",
    "UPDATE waynote_note SET position = 1 WHERE key = 'k1'",
    "UPDATE waynote_note SET checksum = 1 WHERE key = 'k1'",
];

#[test]
fn a_damaged_note_is_named_and_never_shown() {
    for sql in OF_A_NOTE {
        let conn = Connection::open_in_memory().unwrap();
        let store = filled(&conn);
        conn.pragma_update(None, "foreign_keys", "OFF").unwrap();
        conn.execute_batch(sql).unwrap();
        let address = key("k1").to_string();
        let error = store.get(&key("k1")).unwrap_err();
        assert!(is_named(&error, &address), "{sql}: {error}");
        assert_eq!(texts(&store), ["first words", "third words"], "{sql}");
        assert_eq!(
            store.take_damage().notes,
            std::slice::from_ref(&address),
            "{sql}"
        );
        assert!(store.take_damage().is_none(), "{sql}");
        let hits = store.search(&SearchRequest::new("words")).unwrap();
        let mut found: Vec<Address> = hits.into_iter().map(|hit| hit.note.address).collect();
        found.sort_by_key(ToString::to_string);
        assert_eq!(found, [key("k0"), key("k2")], "{sql}");
        assert_eq!(
            store.take_damage().notes,
            std::slice::from_ref(&address),
            "{sql}"
        );
        for style in [Style::Stable, Style::Faithful] {
            let block = render(&store, &request().style(style)).unwrap();
            assert!(!block.text.contains("econd words"), "{sql}: {}", block.text);
            let line = format!("1 note is damaged and left out: {address}\n");
            assert!(block.text.contains(&line), "{sql}: {}", block.text);
            assert!(block.text.contains("third words"), "{sql}: {}", block.text);
            assert_eq!(
                block.receipt.damaged,
                std::slice::from_ref(&address),
                "{sql}"
            );
        }
        let error = store.apply(&[save(key("k1"), "new")], &at(70)).unwrap_err();
        assert!(is_named(&error, &address), "{sql}: {error}");
        store.apply(&[save(key("k2"), "new")], &at(71)).unwrap();
        let problems = store.verify().unwrap().problems;
        assert!(
            problems.iter().any(|problem| problem.contains(&address)),
            "{sql}: {problems:?}"
        );
    }
}

/// The same of a revision that is not current: the first of `k0`.
const OF_A_REVISION: [&str; 7] = [
    "UPDATE waynote_content SET body = CAST('Before words' AS BLOB) WHERE body = CAST('before words' AS BLOB)",
    "UPDATE waynote_journal SET content = (SELECT content FROM waynote_note WHERE key = 'k2') WHERE position = 1",
    "UPDATE waynote_journal SET author = 'somebody' WHERE position = 1",
    "UPDATE waynote_journal SET token = 'somebody' WHERE position = 1",
    "UPDATE waynote_journal SET key = 'k2' WHERE position = 1",
    "UPDATE waynote_journal SET recorded_at = recorded_at + 1 WHERE position = 1",
    "UPDATE waynote_journal SET previous = 2 WHERE position = 4",
];

#[test]
fn a_damaged_revision_is_named_and_never_shown() {
    for sql in OF_A_REVISION {
        let conn = Connection::open_in_memory().unwrap();
        let store = filled(&conn);
        conn.execute_batch(sql).unwrap();
        // The current notes are intact.
        assert_eq!(texts(&store).len(), 3, "{sql}");
        assert!(store.take_damage().is_none());
        let is_of_it = |error: &Error| matches!(error, Error::DamagedNote { what } if what.starts_with(&key("k").to_string()));
        let is_chain = sql.contains("previous");
        if !is_chain {
            assert!(is_of_it(&store.history(&key("k0")).unwrap_err()), "{sql}");
            let journal = store.journal(None, 10).unwrap();
            assert_eq!(journal.len(), 4, "{sql}");
            assert_eq!(store.take_damage().notes.len(), 1, "{sql}");
            assert!(is_of_it(&store.feed(None, 10).unwrap_err()), "{sql}");
        } else {
            let history = store.history(&key("k0"));
            assert!(history.is_err() || history.unwrap().len() == 2, "{sql}");
        }
        let scopes: [Scope; 1] = [key("k0").scope()];
        let moment = AsOf::Time("2100-01-01T00:00:00Z".parse().unwrap());
        let then = store.select_at(&scopes, moment).unwrap();
        if !is_chain {
            assert_eq!(then.len(), 2, "{sql}");
        }
        assert!(!store.verify().unwrap().is_clean(), "{sql}");
    }
}

#[test]
fn a_damaged_scope_is_named_and_its_notes_are_not_shown_as_another_ones() {
    for sql in [
        "UPDATE waynote_scope SET name = 'another' WHERE kind = 'agent'",
        "UPDATE waynote_scope SET kind = 'session' WHERE kind = 'agent'",
        "UPDATE waynote_scope SET notes = 2 WHERE kind = 'agent'",
    ] {
        let conn = Connection::open_in_memory().unwrap();
        let store = filled(&conn);
        conn.execute_batch(sql).unwrap();
        for kind in [waynote::ScopeKind::Agent, waynote::ScopeKind::Session] {
            let notes = store.select(&Filter::Kind(kind)).unwrap();
            let expected = usize::from(kind == waynote::ScopeKind::Session);
            assert_eq!(notes.len(), expected, "{sql}");
        }
        assert!(!store.take_damage().is_none(), "{sql}");
        assert!(!store.verify().unwrap().is_clean(), "{sql}");
    }
}

#[test]
fn a_damaged_event_is_named() {
    let conn = Connection::open_in_memory().unwrap();
    let store = AttachedStore::attach(&conn).unwrap();
    let session = name("s");
    let log = SessionLog::new(&store, session.clone());
    let text = |text| Content::text(text).unwrap();
    log.add(EntryType::Stuck, None, text("wall"), &at(1))
        .unwrap();
    let entry = log.stuck("wall").unwrap();
    log.add_resolving(EntryType::Tip, None, text("ladder"), Some(entry), &at(2))
        .unwrap();
    conn.execute_batch("UPDATE waynote_event SET author = 'somebody'")
        .unwrap();
    let error = store.events(&session, None, 10).unwrap_err();
    assert!(is_named(&error, "session:s#event-1"), "{error}");
    let error = store.feed(None, 10).unwrap_err();
    assert!(is_named(&error, "session:s#event-1"), "{error}");
    let problems = store.verify().unwrap().problems;
    assert!(
        problems.iter().any(|of| of.contains("session:s#event-1")),
        "{problems:?}"
    );
}

#[test]
fn the_damaged_lease_of_a_loop_refuses_no_write() {
    let conn = Connection::open_in_memory().unwrap();
    let store = AttachedStore::attach(&conn).unwrap();
    let holder = ProcessIdentity::new("h", "b", 7, 9);
    let begin = SessionEvent::LoopStarted {
        holder,
        directory: "/".into(),
        iterations: None,
    };
    store.record(&name("s"), &[begin], Some(1), &at(1)).unwrap();
    conn.execute_batch("UPDATE waynote_event SET author = 'somebody'")
        .unwrap();
    let above = vec![Ancestor { pid: 7, start: 9 }];
    let mut stamp = at(2);
    stamp.author = name("person");
    stamp.writer = Some(Writer::new("h", "b", None, above).agent(name("loop")));
    store.apply(&[save(key("k"), "text")], &stamp).unwrap();
    let note = store.get(&key("k")).unwrap().unwrap();
    assert_eq!(note.author.as_str(), "person");
    let problems = store.verify().unwrap().problems;
    assert!(
        problems.iter().any(|of| of.contains("session:s#event-1")),
        "{problems:?}"
    );
}

/// Ways to damage a store, and the problems that `verify` names.
const PROBLEMS: [(&str, &[&str]); 12] = [
    (
        "UPDATE waynote_content SET body = 'two' WHERE body = CAST('one' AS BLOB)",
        &[
            "the content of agent:a#k0@1 does not match its hash",
            "agent:a#k0 has a wrong preview",
        ],
    ),
    (
        "DELETE FROM waynote_note WHERE key = 'k0'",
        &[
            "agent:a#k0 has revisions in the journal that belong to no note",
            "agent:a has a wrong count of notes",
        ],
    ),
    (
        "PRAGMA foreign_keys = OFF; DELETE FROM waynote_content",
        &[
            "agent:a#k0 has a revision whose content is missing",
            "agent:a#k1 has a revision whose content is missing",
        ],
    ),
    (
        "UPDATE waynote_journal SET revision = 3 WHERE key = 'k0'",
        &[
            "agent:a#k0 has a gap in its revisions",
            "agent:a#k0@1 is damaged",
        ],
    ),
    (
        "UPDATE waynote_journal SET forgotten_by = NULL",
        &["agent:a#k1 has a revision that is only half forgotten"],
    ),
    (
        "INSERT INTO waynote_content SELECT 1, zeroblob(32), x'00'",
        &[
            "the content of no note does not match its hash",
            "contents without a revision: 1",
        ],
    ),
    (
        "UPDATE waynote_journal SET content = (SELECT content FROM waynote_note WHERE key = 'k0')
         WHERE action = 'repeat' AND revision = 2",
        &["@2 (row 6 of waynote_journal) does not match its checksum"],
    ),
    (
        "UPDATE waynote_note SET author = '' WHERE kind = 'tip'",
        &[ENTRY],
    ),
    (
        "UPDATE waynote_note SET iteration = 9 WHERE kind = 'tip'",
        &[ENTRY],
    ),
    (
        "UPDATE waynote_note SET author = 'agent:b' WHERE kind = 'tip'",
        &[ENTRY],
    ),
    (
        "UPDATE waynote_note SET updated_at = updated_at + 1 WHERE kind = 'tip'",
        &[ENTRY],
    ),
    (
        "UPDATE waynote_note SET revision = 2 WHERE kind = 'tip'",
        &[ENTRY],
    ),
];

/// A problem of the entry: the other rows are looked at all the same.
const ENTRY: &str = "of waynote_note) does not match its checksum";

#[test]
fn each_kind_of_damage_is_named() {
    for (sql, named) in PROBLEMS {
        let conn = Connection::open_in_memory().unwrap();
        let store = AttachedStore::attach(&conn).unwrap();
        keep(&store, &["one", "first"]);
        store.apply(&[save(key("k1"), "second")], &at(2)).unwrap();
        let forget = Forget::new(key("k1")).revision(Some(1));
        store.forget(&forget, &at(3)).unwrap();
        let log = SessionLog::new(&store, name("s"));
        for iteration in 1..4 {
            let wall = Content::text("wall").unwrap();
            log.add(EntryType::Tip, Some(iteration), wall, &at(4))
                .unwrap();
        }
        assert_clean(&store);
        conn.execute_batch(sql).unwrap();
        let problems = store.verify().unwrap().problems;
        for named in named {
            let is_named = problems.iter().any(|problem| problem.ends_with(named));
            assert!(is_named, "{sql}: {named}: {problems:?}");
        }
    }
}

#[test]
fn pages_do_not_end_at_a_damaged_note() {
    let conn = Connection::open_in_memory().unwrap();
    let store = AttachedStore::attach(&conn).unwrap();
    for number in 0..300 {
        let change = save(key(&format!("n{number}")), "words");
        store.apply(&[change], &at(number)).unwrap();
    }
    conn.execute_batch("UPDATE waynote_note SET author = 'somebody' WHERE key = 'n299'")
        .unwrap();
    let block = render(&store, &request().budget(Budget::of(100_000))).unwrap();
    assert_eq!(block.receipt.shown, 299);
    assert_eq!(block.receipt.damaged, [key("n299").to_string()]);
}

#[test]
fn the_next_write_builds_a_damaged_index_again() {
    for sql in [
        // Marks notes as dead that are not.
        "INSERT OR REPLACE INTO waynote_search_dead (segment, notes, bits, checksum)
         SELECT id, 1, x'01', 0 FROM waynote_search_segment",
        // Says that more is indexed than is.
        "UPDATE waynote_search_state SET indexed = indexed + 100",
        "UPDATE waynote_search_state SET segments = segments + 1",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        let open = || waynote_testing::values::open(&path, UNMERGED);
        keep(&open(), &["old words", "one", "two", "three", "four"]);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let store = open();
        let found = store.search(&SearchRequest::new("words")).unwrap();
        assert_eq!(found.len(), 1, "{sql}");
        assert!(store.take_damage().index, "{sql}");
        assert!(!store.verify().unwrap().is_clean(), "{sql}");
        drop(store);
        // Another process knows nothing of it.
        let store = open();
        store.apply(&[save(key("k9"), "new")], &at(90)).unwrap();
        assert_clean(&store);
        assert_eq!(store.search(&SearchRequest::new("words")).unwrap().len(), 1);
        assert!(store.take_damage().is_none(), "{sql}");
    }
}
