//! Helpers for unit tests of other modules that need a store.

use rusqlite::Connection;

use crate::{Address, Change, Content, Expect, Limits, Stamp, Store};

pub(crate) fn conn_of() -> Connection {
    Connection::open_in_memory().unwrap()
}

/// Saves a note in the notebook of agent `a`.
pub(crate) fn saved(store: &dyn Store, key: &str, text: &str) {
    let change = Change::Save {
        address: Address::Agent("a".parse().unwrap(), key.parse().unwrap()),
        content: Content::text(text).unwrap(),
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    };
    let stamp = Stamp::new(jiff::Timestamp::UNIX_EPOCH, "person".parse().unwrap());
    store.apply(&[change], &stamp).unwrap();
}
