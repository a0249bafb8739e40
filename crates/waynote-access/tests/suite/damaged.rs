//! A damaged store: a narrowed token is told of damage in its own notes. Of other damage it learns only that there is
//! some.

use waynote::rusqlite::Connection;
use waynote::store::Cursor;
use waynote::{Error, ErrorClass, Filter, Reader, ReaderExt, ScopeKind, Store};
use waynote_access::{NarrowedStore, StoreFailed};

use super::world::{ANN, CANARY, grants, no_canary, store_of};

#[test]
fn damage_of_others_is_not_named_and_one_s_own_is() {
    for (damaged, is_own) in [("canary", false), ("ann", true)] {
        let (folder, store) = store_of(&[ANN, CANARY]);
        let conn = Connection::open(folder.path().join("notes.db")).unwrap();
        let scope =
            format!("(SELECT id FROM waynote_scope WHERE kind = 'agent' AND name = '{damaged}')");
        conn.execute_batch(&format!(
            "UPDATE waynote_note SET preview = 'canary' WHERE key = 'plan' AND scope = {scope};
             UPDATE waynote_journal SET author = 'canary' WHERE key = 'gone' AND scope = {scope}"
        ))
        .unwrap();
        drop(conn);
        let grant = grants().pop().unwrap();
        let narrowed = NarrowedStore::new(&store, grant.clone());
        let listed = narrowed.select(&Filter::Kind(ScopeKind::Agent)).unwrap();
        no_canary(&listed, &grant);
        let journal = narrowed.journal(None, 1000).unwrap();
        no_canary(&journal, &grant);
        let found = narrowed.take_damage();
        assert_eq!(found.notes.is_empty(), !is_own, "{found:?}");
        assert!(narrowed.take_damage().is_none());
        let failed = narrowed.feed(Cursor::START, 1000).unwrap_err();
        no_canary(&failed, &grant);
        match is_own {
            true => assert!(
                matches!(&failed, Error::DamagedNote { what } if what.starts_with("agent:ann#gone"))
            ),
            false => assert_eq!(
                failed.downcast_ref::<StoreFailed>().unwrap().kind,
                "damaged_note"
            ),
        }
        assert_eq!(failed.class(), ErrorClass::Damaged);
        let one = narrowed.get(&ANN.addresses()[0]);
        assert_eq!(one.is_err(), is_own);
        assert_eq!(narrowed.get(&CANARY.addresses()[0]).unwrap(), None);
        // Whoever sees the whole store still finds all of it.
        assert!(!store.verify().unwrap().is_clean());
    }
}

#[test]
fn an_error_of_a_caller_s_own_passes() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let narrowed = NarrowedStore::new(&store, grants().pop().unwrap());
    let own = || Error::NotFound {
        what: "agent:elsewhere#k".into(),
    };
    let failed = narrowed.on_one_state(|_| Err::<(), _>(own())).unwrap_err();
    assert_eq!(failed.to_string(), own().to_string());
}
