//! A text that a person wrote into the file and that no write has journaled yet.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use waynote::context::{Budget, Renderer, Request};
use waynote::{
    Address, Applied, Base, Change, Content, Error, Forget, LocalStore, OperationId, Place, Places,
    Reader, Scope, SearchRequest, Stamp, Store,
};
use waynote_formats::SyncedStore;

use super::stores::{synced, synced_over};
use waynote_testing::stores::{NEVER, TINY};
use waynote_testing::values::{addresses, at, open, place, save, text};

fn request(tokens: usize) -> Request {
    Request::new("a".parse().unwrap(), place("~/x"), at(1_800_000_000).now)
        .budget(Budget::default().tokens(tokens))
}

#[test]
fn it_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.json");
    for (name, indexing, is_stored) in [
        ("a.db", TINY, true),
        ("b.db", NEVER, true),
        ("missing.db", TINY, false),
    ] {
        let _ = std::fs::remove_file(&file);
        let store = open(&folder.path().join(name), indexing);
        if is_stored {
            let stored = Content::text("the stored text").unwrap();
            Places::new(&store)
                .write(&place("~/p"), stored, &at(1))
                .unwrap();
        }
        let store = synced_over(folder.path(), store);
        std::fs::write(
            &file,
            "{\"~/p\": \"the text of the file\", \"~/new\": \"another file\"}",
        )
        .unwrap();
        let search = |query: &str, history| {
            let mut request = SearchRequest::new(query);
            request.history = history;
            let mut found = addresses(&store.search(&request).unwrap());
            found.sort_unstable();
            found.join(" ")
        };
        assert_eq!(search("file", false), "place:~/new place:~/p");
        assert_eq!(search("stored", false), "");
        assert_eq!(
            search("stored", true),
            if is_stored { "place:~/p" } else { "" }
        );
        assert_eq!(
            search("text", true).split(' ').count(),
            1 + usize::from(is_stored)
        );
        let mut request = SearchRequest::new("file");
        request.scopes = vec![Scope::Place(place("~/new"))];
        assert_eq!(addresses(&store.search(&request).unwrap()), ["place:~/new"]);
    }
}

#[test]
fn it_is_in_each_new_block() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.json");
    let store = synced(folder.path());
    let mut renderer = Renderer::default();
    for text in [
        "short",
        &"quite another and much longer text ".repeat(400),
        "other",
    ] {
        std::fs::write(&file, format!("{{\"~\": \"{text}\"}}")).unwrap();
        let block = renderer.render(&store, &request(500)).unwrap();
        assert_eq!(block.receipt.counted, waynote_tokens::count(&block.text));
        assert!(block.receipt.counted <= 500);
        assert!(block.text.contains(&text[..5]), "{}", block.text);
    }
}

#[test]
fn the_last_block_is_handed_out_until_the_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.json");
    let store = synced(folder.path());
    std::fs::write(&file, r#"{"~/x": "in the file"}"#).unwrap();
    // The file is old enough that its time is no reason to render again.
    std::fs::File::options()
        .append(true)
        .open(&file)
        .and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH))
        .unwrap();
    let mut renderer = Renderer::default();
    let request = request(2000);
    let first = renderer.render(&store, &request).unwrap();
    assert!(first.text.contains("in the file"));
    assert!(Arc::ptr_eq(
        &first,
        &renderer.render(&store, &request).unwrap()
    ));
    std::fs::write(&file, r#"{"~/x": "on the file"}"#).unwrap();
    let second = renderer.render(&store, &request).unwrap();
    assert!(second.text.contains("on the file"));
}

fn of(operation: &str, second: i64) -> Stamp {
    at(second).of_operation(OperationId::of(operation))
}

fn write_place(
    store: &dyn LocalStore,
    at_place: &Place,
    said: &str,
    stamp: &Stamp,
) -> Vec<Applied> {
    let change: Change = save(Address::Place(at_place.clone()), said);
    store.apply(&[change], stamp).unwrap()
}

/// Writes a text for `~/shop` into a file, as somebody's editor does.
fn edit(file: &Path, said: &str) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|_| "{}".into());
    let mut notes: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&text).unwrap();
    notes.insert("~/shop".into(), said.into());
    std::fs::write(file, serde_json::to_string(&notes).unwrap()).unwrap();
}

#[test]
fn it_is_no_part_of_a_call_that_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.json");
    let store = synced(folder.path());
    let (shop, p) = (Address::Place(place("~/shop")), place("~/p"));
    edit(&file, "by hand");
    let first = write_place(&store, &p, "mine", &of("mine", 2_000_000_000));
    assert_eq!(
        store.get(&Address::Place(p.clone())).unwrap(),
        first[0].note
    );
    edit(&file, "by hand again");
    assert_eq!(
        write_place(&store, &p, "mine", &of("mine", 2_000_000_001)),
        first
    );
    let said: Vec<_> = store
        .history(&shop)
        .unwrap()
        .iter()
        .map(|of| of.note().unwrap().content.clone())
        .collect();
    assert_eq!(said, [text("by hand"), text("by hand again")]);
    assert_eq!(store.history(&Address::Place(p)).unwrap().len(), 1);
    assert!(store.verify().unwrap().is_clean());
}

#[test]
fn nothing_is_forgotten_while_the_file_cannot_be_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.json");
    let store = synced(folder.path());
    let shop = Address::Place(place("~/shop"));
    let is_in_file = |said: &str| std::fs::read_to_string(&file).unwrap().contains(said);
    let allow_writes = |mode: u32| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    edit(&file, "secret");
    store.sync().unwrap();
    allow_writes(0o444);
    let refused = store.forget(&Forget::new(shop.clone()), &at(2));
    assert!(matches!(refused, Err(Error::File { .. })), "{refused:?}");
    assert!(is_in_file("secret"));
    // The store forgets nothing that the file would bring back.
    assert_eq!(store.get(&shop).unwrap().unwrap().content, text("secret"));
    allow_writes(0o644);
    store.forget(&Forget::new(shop.clone()), &at(4)).unwrap();
    assert!(!is_in_file("secret"));
    assert_eq!(store.get(&shop).unwrap(), None);

    // Now the call is done, and what is written since stays.
    edit(&file, "written since");
    assert_eq!(
        store.get(&shop).unwrap().unwrap().content,
        text("written since")
    );
    assert!(store.verify().unwrap().is_clean());
}

#[test]
fn the_first_sync_keeps_what_changed_since_the_import() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.json");
    let later = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let written = SystemTime::now() + Duration::from_secs(3600);
        let file = std::fs::File::options().append(true).open(&file).unwrap();
        file.set_modified(written).unwrap();
    };
    let whole = r#"{"~/a": "imported", "~/b": "imported", "~/c": "imported", "~/d": "imported"}"#;
    std::fs::write(&file, whole).unwrap();
    let plain = open(&folder.path().join("notes.db"), TINY);
    let base = || Base::new("/home/u", "/home/u").unwrap();
    let author: waynote::Name = "import:zrb".parse().unwrap();
    let stamp = Stamp::new(at(1_700_000_000).now, author);
    for at_place in ["~/a", "~/b", "~/c", "~/d"] {
        write_place(&plain, &place(at_place), "imported", &stamp);
    }
    write_place(&plain, &place("~/a"), "changed here", &at(1_700_000_001));
    write_place(&plain, &place("~/c"), "changed here", &at(1_700_000_001));
    later(
        r#"{"~/a": "imported", "~/b": "changed there", "~/c": "changed there", "~/d": "imported"}"#,
    );
    let store = SyncedStore::new(plain, &file, base(), jiff::Timestamp::now).unwrap();
    let says = |at_place: &str| store.get(&Address::Place(place(at_place))).unwrap();
    let says = |at_place: &str| says(at_place).unwrap().content;
    assert_eq!(says("~/a"), text("changed here"));
    assert_eq!(says("~/b"), text("changed there"));
    // Both sides changed: the later one is current, and the other one is a revision.
    assert_eq!(says("~/c"), text("changed there"));
    assert_eq!(says("~/d"), text("imported"));
    store.sync().unwrap();
    let written: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(written["~/a"], "changed here");
    assert_eq!(written["~/c"], "changed there");
}
