//! The id of a store: it stays the same in every kind of store.

use waynote::engine::Engine;
use waynote::{AttachedStore, EngineStore, LocalStore, Options, Reader, SqliteStore};

use memory_engine::Memory;
use waynote_testing::values::{at, key, save};

#[test]
fn a_store_keeps_its_id_until_it_gets_another() {
    fn check(store: &dyn LocalStore) {
        let renewed = store.renew_id().unwrap();
        assert_eq!(store.store_id().unwrap(), Some(renewed));
        store.apply(&[save(key("k"), "v")], &at(1)).unwrap();
        assert_eq!(store.store_id().unwrap(), Some(renewed));
        assert_ne!(store.renew_id().unwrap(), renewed);
        assert!(store.verify().unwrap().is_clean());
    }
    let conn = rusqlite::Connection::open_in_memory().unwrap();
    check(&AttachedStore::attach(&conn).unwrap());
    check(&EngineStore::new(Memory::default()));
    let folder = tempfile::tempdir().unwrap();
    let open =
        |file: &str| SqliteStore::open(folder.path().join(file), &Options::default()).unwrap();
    let store = open("notes.db");
    assert_eq!(store.store_id().unwrap(), None);
    check(&store);
    let id = store.store_id().unwrap();
    drop(store);
    assert_eq!(open("notes.db").store_id().unwrap(), id);
    let other = open("other.db");
    assert!(Some(other.renew_id().unwrap()) != id && other.engine().name().ends_with("other.db"));
}
