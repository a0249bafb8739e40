//! Blocks made one after another, and blocks of the past: an outdated state is never shown.

use rusqlite::Connection;
use waynote::context::{Budget, Renderer, Request, render};
use waynote::{
    Address, AsOf, LocalStore, Options, Place, Reader, SqliteStore, Store, forget::Forget,
};
use waynote_testing::values::{by_agent, key, save_pinned};
use waynote_testing::{has, lacks};

const LONG: &str = "quite another and much longer text ";

fn request(tokens: usize) -> Request {
    Request::new(
        "a".parse().unwrap(),
        "~/x".parse::<Place>().unwrap(),
        by_agent(900_000).now,
    )
    .budget(Budget::of(tokens))
}

fn save(store: &dyn LocalStore, of: &str, text: &str) {
    let change = save_pinned(key(of), text, true);
    store.apply(&[change], &by_agent(1)).unwrap();
}

#[test]
fn after_a_transaction_was_taken_back() {
    let conn = Connection::open_in_memory().unwrap();
    let store = waynote::AttachedStore::attach(&conn).unwrap();
    save(&store, "first", "base");
    let mut renderer = Renderer::default();
    conn.execute_batch("BEGIN").unwrap();
    save(&store, "k", "short");
    renderer.render(&store, &request(2000)).unwrap();
    conn.execute_batch("ROLLBACK").unwrap();
    save(&store, "k", &LONG.repeat(400));
    for tokens in [2000, 1999] {
        let block = renderer.render(&store, &request(tokens)).unwrap();
        assert_eq!(*block, render(&store, &request(tokens)).unwrap());
        assert_eq!(block.receipt.counted, waynote_tokens::count(&block.text));
    }
}

#[test]
fn without_what_was_forgotten_since() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
    save(&store, "k", "the word that goes");
    let then = store.version().unwrap().position.unwrap();
    save(&store, "k", "the word that stays");
    let as_of = request(2000).as_of(Some(AsOf::Position(then)));
    let mut renderer = Renderer::default();
    has(&renderer.render(&store, &as_of).unwrap().text, "goes");
    // By another process.
    let other = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
    let forget = Forget::new("agent:a#k".parse::<Address>().unwrap()).revision(Some(1));
    other.forget(&forget, &by_agent(5)).unwrap();
    lacks(&renderer.render(&store, &as_of).unwrap().text, "goes");
}
