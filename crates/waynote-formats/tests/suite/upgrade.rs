//! A migrated store that is kept in sync with a file, and forgetting in it.

use waynote::{Action, Address, Forget, Places, Reader, SideData, SqliteStore, Store};
use waynote_formats::SyncedStore;
use waynote_formats::synced::files_that_held;

use super::stores::synced_over;
use waynote_testing::old_store::Old;
use waynote_testing::values::{at, place, text};

const FILE: &[u8] = include_bytes!("../../../waynote-testing/data/schema-5.notes.json");

/// The store, with its file where the test has it.
fn in_sync(old: &Old) -> SyncedStore<SqliteStore> {
    let file = old.folder.path().join("notes.json");
    std::fs::write(&file, FILE).unwrap();
    let path = file.canonicalize().unwrap();
    let known = old
        .raw()
        .execute(
            "UPDATE waynote_file_mark SET file = ?1",
            [path.to_str().unwrap()],
        )
        .unwrap();
    assert_eq!(known, 4);
    synced_over(old.folder.path(), old.open())
}

/// True if some file of the store's folder has these bytes.
fn holds(old: &Old, bytes: &[u8]) -> bool {
    let mut files = std::fs::read_dir(old.folder.path()).unwrap();
    files.any(|file| {
        let path = file.unwrap().path();
        // An upgrade keeps the store as it was, which is said.
        if path.to_string_lossy().contains(".version-") {
            return false;
        }
        let all = std::fs::read(path).unwrap();
        all.windows(bytes.len()).any(|part| part == bytes)
    })
}

#[test]
fn no_text_of_the_file_is_journaled_again() {
    let old = Old::new();
    let store = in_sync(&old);
    let head = store.version().unwrap().position;
    Places::new(&store)
        .write(&place("~/new"), text("new"), &at(2_000_000_000))
        .unwrap();
    let journal = store.journal(None, 3).unwrap();
    let written: Vec<String> = journal
        .iter()
        .filter(|revision| revision.position > head)
        .map(|revision| format!("{} {:?}", revision.address(), revision.action))
        .collect();
    // The one that the last program had not journaled yet, and our own.
    assert_eq!(written, ["place:~/new Save", "place:~/shop Sync"]);
    let shop = store.history(&Address::Place(place("~/shop"))).unwrap();
    let actions: Vec<Action> = shop.iter().map(|revision| revision.action).collect();
    assert_eq!(
        actions,
        [Action::Save, Action::Save, Action::Sync, Action::Sync]
    );
    assert!(store.verify().unwrap().is_clean());
}

#[test]
fn what_is_forgotten_leaves_no_byte() {
    let old = Old::new();
    let store = in_sync(&old);
    assert!(holds(&old, b"quagmire"));
    let address = Address::Place(place("~/tools"));
    let hash = store.get(&address).unwrap().unwrap().content.hash();
    let hash: Vec<u8> = (0..32)
        .map(|byte| u8::from_str_radix(&hash.to_string()[2 * byte..2 * byte + 2], 16).unwrap())
        .collect();
    assert!(holds(&old, &hash));
    let request = Forget::new(address);
    let forgotten = store.forget(&request, &at(2_000_000_000)).unwrap();
    assert_eq!((forgotten.gone.len(), forgotten.residue), (1, None));
    assert!(!holds(&old, b"quagmire") && !holds(&old, &hash));
    // Texts forgotten by the old program did not come back either.
    assert!(!holds(&old, b"xyzzy") && !holds(&old, b"abracadabra") && !holds(&old, b"hocus"));
    assert!(store.verify().unwrap().is_clean());
}

#[test]
fn the_file_that_held_a_forgotten_text_is_named() {
    let old = Old::new();
    let store = old.open();
    assert_eq!(
        store.side_values("file:/home/u/notes.json").unwrap().len(),
        4
    );
    let request = Forget::new(Address::Place(place("~/tools")));
    let forgotten = store.forget(&request, &at(2_000_000_000)).unwrap();
    assert_eq!(files_that_held(&forgotten), ["/home/u/notes.json"]);
    assert_eq!(
        store.side_values("file:/home/u/notes.json").unwrap().len(),
        3
    );
}
