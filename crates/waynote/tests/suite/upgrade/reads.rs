//! The answers of a migrated store, in a file of its own and in an application's database. The tests of the command
//! line compare them with the answers of the last schema's program.

use rusqlite::Connection;
use waynote::store::{AsOf, Cursor};
use waynote::{
    AttachedStore, Filter, LocalStore, Name, Position, Reader, Scope, ScopeKind, SearchRequest,
    Store,
};

use super::Old;
use waynote_testing::values::value;

/// All answers of a store, as text.
fn says(store: &dyn LocalStore) -> String {
    let mut says = String::new();
    let mut add = |what: &dyn std::fmt::Debug| says.push_str(&format!("{what:#?}\n"));
    let mut scopes: Vec<Scope> = Vec::new();
    for kind in [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session] {
        add(&store.select(&Filter::Kind(kind)).unwrap());
        let summaries = store.scopes(kind).unwrap();
        add(&summaries);
        scopes.extend(summaries.into_iter().map(|summary| summary.scope));
    }
    let journal = store.journal(None, usize::MAX).unwrap();
    add(&journal);
    for revision in &journal {
        add(&store.history(revision.address()).unwrap());
    }
    for session in store.sessions_with_events().unwrap() {
        add(&store.events(&session, None, usize::MAX).unwrap());
        add(&store.last_iteration(&session).unwrap());
    }
    for position in (0..journal.len()).step_by(10) {
        let moment = AsOf::Position(Position::new(position as i64));
        add(&store.select_at(&scopes, moment).unwrap());
    }
    add(&store.leases().unwrap());
    add(&store.feed(Cursor::START, usize::MAX).unwrap());
    for words in ["port", "zebra crossing", "hand", "passphrase", "build*"] {
        for history in [false, true] {
            let request = SearchRequest::new(words).history(history);
            add(&store.search(&request).unwrap());
        }
    }
    says
}

#[test]
fn it_is_clean_and_says_the_same_attached() {
    let old = Old::new();
    let own = old.open();
    let report = own.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.notes, report.revisions), (240, 269));
    let said = says(&own);
    assert!(said.contains("zebra"));
    // No token wrote them.
    assert!(said.contains("token: None") && !said.contains("token: Some"));

    // In the transaction of an application that has tables of its own.
    let other = Old::new();
    let mut conn = other.raw();
    conn.execute_batch("CREATE TABLE theirs (x); PRAGMA journal_mode = DELETE")
        .unwrap();
    let transaction = conn.transaction().unwrap();
    drop(AttachedStore::attach(&transaction).unwrap());
    transaction.rollback().unwrap();
    assert_eq!(last_migration(&conn), 5);
    let attached = AttachedStore::attach(&conn).unwrap();
    assert_eq!(last_migration(&conn), 9);
    assert!(attached.verify().unwrap().is_clean());
    assert_eq!(says(&attached), said);
    let id = own.store_id().unwrap();
    assert!(id.is_some() && id != attached.store_id().unwrap());
}

fn last_migration(conn: &Connection) -> u32 {
    let sql = "SELECT max(number) FROM waynote_migration";
    value(conn, sql)
}

#[test]
fn entries_are_resolved_as_they_were() {
    let old = Old::new();
    let store = old.open();
    let session: Name = "nightly".parse().unwrap();
    let notes = store
        .select(&Filter::Scopes(vec![Scope::Session(session)]))
        .unwrap();
    let stuck = notes
        .iter()
        .find(|note| note.preview.starts_with("The API"))
        .unwrap();
    let way = notes
        .iter()
        .find(|note| note.preview.starts_with("Wait a minute"))
        .unwrap();
    assert_eq!(
        stuck.resolved_by.map(|by| by.to_string()),
        way.address.key()
    );
    // The change that resolved it, and the one before.
    let position = |of| store.history(of).unwrap()[0].position.unwrap().number();
    let resolved = position(&way.address);
    let at = |number| {
        let moment = AsOf::Position(Position::new(number));
        let notes = store.select_at(&[stuck.address.scope()], moment).unwrap();
        notes
            .into_iter()
            .find(|note| note.address == stuck.address)
            .unwrap()
            .resolved_by
    };
    assert_eq!((at(resolved - 1), at(resolved)), (None, stuck.resolved_by));
}
