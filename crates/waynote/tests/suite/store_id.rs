//! The id of a store: it stays, in whatever a store is kept.

use waynote::engine::Engine as _;
use waynote::{AttachedStore, EngineStore, Options, SqliteStore, Store};

use super::conformance::at;
use super::memory::Memory;
use super::one_order::{key, save};

#[test]
fn a_store_keeps_its_id_until_it_gets_another() {
    fn check<E: waynote::engine::Engine>(store: &EngineStore<E>) {
        let renewed = store.renew_id().unwrap();
        assert_eq!(waynote::Reader::store_id(store).unwrap(), Some(renewed));
        store.apply(&[save(key("a", "k"), "v")], &at(1)).unwrap();
        assert_eq!(waynote::Reader::store_id(store).unwrap(), Some(renewed));
        assert_ne!(store.renew_id().unwrap(), renewed);
        assert!(store.verify().unwrap().is_clean());
    }
    let conn = rusqlite::Connection::open_in_memory().unwrap();
    check(&AttachedStore::attach(&conn).unwrap());
    check(&EngineStore::new(Memory::default()));
    let folder = tempfile::tempdir().unwrap();
    let open =
        |file: &str| SqliteStore::open(&folder.path().join(file), &Options::default()).unwrap();
    let store = open("notes.db");
    assert_eq!(waynote::Reader::store_id(&store).unwrap(), None);
    check(&store);
    let id = waynote::Reader::store_id(&store).unwrap();
    drop(store);
    assert_eq!(waynote::Reader::store_id(&open("notes.db")).unwrap(), id);
    let other = open("other.db");
    assert!(Some(other.renew_id().unwrap()) != id && other.engine().name().ends_with("other.db"));
}
