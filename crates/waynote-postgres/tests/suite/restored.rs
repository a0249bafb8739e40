//! A database that was restored to an earlier state, or that has lost changes in a failover, under programs that go on.

use std::slice;

use waynote::event::{ProcessIdentity, SessionEvent};
use waynote::store::Cursor;
use waynote::{
    Change, Content, EngineStore, Expect, Limits, Places, Position, Reader as _, Store as _,
};
use waynote_postgres::{Options, Postgres, stores};
use waynote_test_postgres::{unused, with_store};
use waynote_testing::values::at;

use super::stores::{its_server, new_store};

fn save(store: &EngineStore<Postgres>, keys: &[&str]) -> waynote::Result<()> {
    let saves = keys.iter().map(|key| {
        let content = Content::text(*key).unwrap();
        let address = format!("agent:a#{key}").parse().unwrap();
        Change::Save {
            address,
            content,
            pin: None,
            limits: Limits::default(),
            expect: Expect::default(),
            origin: None,
        }
    });
    store.apply(&saves.collect::<Vec<_>>(), &at(1)).map(drop)
}

/// A process knows scopes that the database has not any more. What it writes next is written whole.
#[test]
fn a_scope_that_was_lost_is_made_again() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let name = unused("restored");
    let store = new_store(&with_store(&cluster.database(&name), "s"));
    let started = SessionEvent::LoopStarted {
        holder: ProcessIdentity::new("host", "boot", 7, 9),
        directory: "/p".into(),
        iterations: None,
    };
    let event = || {
        store.record(
            &"s".parse().unwrap(),
            slice::from_ref(&started),
            None,
            &at(1),
        )
    };
    let one = || save(&store, &["one"]);
    let two = || save(&store, &["two", "three"]);
    let begin = || {
        one().unwrap();
        event().unwrap();
        for table in ["event", "note", "journal", "content", "scope"] {
            cluster.sql_in(&name, &format!("DELETE FROM waynote.{table}"));
        }
        cluster.sql_in(&name, "UPDATE waynote.store SET head = 0, last_scope = 0");
    };
    begin();
    one().unwrap();
    begin();
    two().unwrap();
    assert_eq!(store.journal(None, usize::MAX).unwrap().len(), 2);
    begin();
    event().unwrap();
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(
        store.events(&"s".parse().unwrap(), None, 9).unwrap().len(),
        1
    );
}

/// The mark of a point tells another history, and so does a new id.
#[test]
fn a_point_of_the_feed_has_the_mark_of_its_history() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let name = unused("marks");
    let url = with_store(&cluster.database(&name), "s");
    let store = new_store(&url);
    let mark = |number| store.mark(Cursor::at(Position::new(number))).unwrap().1;
    Places::new(&store)
        .write(&"~/p".parse().unwrap(), Content::text("x").unwrap(), &at(1))
        .unwrap();
    save(&store, &["lost"]).unwrap();
    let known = [mark(1), mark(2)];
    assert!(known[0].is_some() && known[1].is_some() && known[0] != known[1]);
    assert_eq!(
        (mark(0), mark(3)),
        (store.mark(Cursor::START).unwrap().1, None)
    );
    for table in ["note", "journal"] {
        cluster.sql_in(
            &name,
            &format!("DELETE FROM waynote.{table} WHERE position = 2"),
        );
    }
    cluster.sql_in(&name, "UPDATE waynote.store SET head = 1");
    assert_eq!([mark(1), mark(2)], [known[0], None]);
    save(&store, &["other"]).unwrap();
    assert_eq!(mark(1), known[0]);
    assert!(mark(2).is_some() && mark(2) != known[1]);
    let before = store.store_id().unwrap();
    let id = stores::renew(Options::of_url(&url).unwrap()).unwrap();
    assert_eq!(store.store_id().unwrap(), Some(id));
    assert_ne!(before, Some(id));
    assert_ne!(mark(1), known[0]);
}
