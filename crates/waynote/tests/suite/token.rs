//! The token that wrote a revision.

use rusqlite::Connection;
use waynote::forget::Forget;
use waynote::{
    Address, AttachedStore, Change, EntryType, Error, LocalStore, Name, Notebook, Reader, Revision,
    SaveOptions, SessionLog, Stamp, Store,
};

use super::stores::LocalStores;
use waynote_testing::stores::Stores as _;
use waynote_testing::values::{at, name, text};

fn with(token: Option<&str>, second: i64) -> Stamp {
    Stamp {
        token: token.map(name),
        ..at(second)
    }
}

fn tokens(history: &[Revision]) -> Vec<Option<&str>> {
    let tokens = history.iter().map(|revision| revision.token.as_ref());
    tokens.map(|token| token.map(Name::as_str)).collect()
}

/// Writes a note in all ways, each but one with a token of its own.
fn write(store: &dyn Store) -> Address {
    let notebook = Notebook::of_agent(store, name("a"));
    let key = "k".parse().unwrap();
    let address = notebook.address(&key).unwrap();
    let save = |said: &str, stamp: &Stamp| {
        notebook
            .save(&key, text(said), SaveOptions::default(), stamp)
            .unwrap();
    };
    save("one", &with(Some("saves"), 1));
    save("two", &with(None, 2));
    notebook
        .set_pinned(&key, true, &with(Some("pins"), 3))
        .unwrap();
    notebook.delete("k", &with(Some("deletes"), 4)).unwrap();
    let undo = Change::undo(address.clone());
    store.apply(&[undo], &with(Some("undoes"), 5)).unwrap();
    let revision = 1;
    let restore = Change::Restore {
        address: address.clone(),
        revision,
        last: None,
    };
    store.apply(&[restore], &with(Some("restores"), 6)).unwrap();
    address
}

const WROTE: [Option<&str>; 6] = [
    Some("saves"),
    None,
    Some("pins"),
    Some("deletes"),
    Some("undoes"),
    Some("restores"),
];

#[test]
fn each_revision_has_the_token_that_wrote_it() {
    LocalStores::each_store(&|store: &dyn LocalStore| {
        let address = write(store);
        let history = store.history(&address).unwrap();
        assert_eq!(tokens(&history), WROTE);
        let journal = store.journal(None, 10).unwrap();
        assert_eq!(
            tokens(&journal).into_iter().rev().collect::<Vec<_>>(),
            WROTE
        );
        let feed = format!("{:?}", store.feed(None, 10).unwrap());
        assert!(
            WROTE.iter().flatten().all(|token| feed.contains(token)),
            "{feed}"
        );
        let json = serde_json::to_value(&history[..2]).unwrap();
        assert_eq!(json[0]["token"], "saves");
        assert!(json[1].get("token").is_none());

        let log = SessionLog::new(store, name("s"));
        let add = |token, second| {
            let stamp = with(Some(token), second);
            log.add(EntryType::Tip, None, text("x"), &stamp)
                .unwrap()
                .address
        };
        let entry = add("adds", 7);
        assert_eq!(add("repeats", 8), entry);
        let history = store.history(&entry).unwrap();
        assert_eq!(tokens(&history), [Some("adds"), Some("repeats")]);

        // The tombstone of a forgotten text has the token too.
        let forget = Forget::new(address.clone());
        store.forget(&forget, &with(Some("forgets"), 9)).unwrap();
        let history = store.history(&address).unwrap();
        assert_eq!(tokens(&history)[..6], WROTE);
        assert_eq!(tokens(&history)[6], Some("forgets"));
        assert!(store.verify().unwrap().is_clean());
    });
}

#[test]
fn a_token_that_was_changed_is_damage() {
    for sql in [
        "UPDATE waynote_journal SET token = 'other' WHERE position = 1",
        "UPDATE waynote_journal SET token = NULL WHERE position = 1",
        "UPDATE waynote_journal SET token = 'other' WHERE position = 2",
    ] {
        let conn = Connection::open_in_memory().unwrap();
        let store = AttachedStore::attach(&conn).unwrap();
        let address = write(&store);
        assert!(store.verify().unwrap().is_clean());
        conn.execute_batch(sql).unwrap();
        let read = store.history(&address);
        assert!(matches!(read, Err(Error::DamagedNote { .. })), "{sql}");
        assert!(!store.verify().unwrap().is_clean(), "{sql}");
    }
}
