//! Blocks made one after another, and blocks of the past: an outdated state is never shown.

use rusqlite::Connection;
use waynote::context::{Budget, Renderer, Request, render};
use waynote::{
    Address, AsOf, Change, Content, EntryType, LocalStore, Options, Reader, SessionLog,
    SqliteStore, Store, forget::Forget,
};
use waynote_testing::values::{by_agent, key, save_pinned};

const LONG: &str = "quite another and much longer text ";

fn request(tokens: usize) -> Request {
    Request::new(
        "a".parse().unwrap(),
        "~/x".parse().unwrap(),
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
    assert!(
        renderer
            .render(&store, &as_of)
            .unwrap()
            .text
            .contains("goes")
    );
    // By another process.
    let other = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
    let forget = Forget::new("agent:a#k".parse::<Address>().unwrap()).revision(Some(1));
    other.forget(&forget, &by_agent(5)).unwrap();
    assert!(
        !renderer
            .render(&store, &as_of)
            .unwrap()
            .text
            .contains("goes")
    );
}

#[test]
fn as_they_counted_then() {
    let conn = Connection::open_in_memory().unwrap();
    let store = waynote::AttachedStore::attach(&conn).unwrap();
    let log = SessionLog::new(&store, "s".parse().unwrap());
    let wall = Content::text("wall").unwrap();
    let mut saved = Vec::new();
    for iteration in 1..5 {
        log.add(
            EntryType::Stuck,
            Some(iteration),
            wall.clone(),
            &by_agent(iteration),
        )
        .unwrap();
        let asked = request(2000)
            .session(Some("s".parse().unwrap()))
            .iteration(Some(3));
        let block = render(&store, &asked).unwrap();
        saved.push((block, asked));
    }
    for (block, asked) in saved {
        let as_of = block.position.map(AsOf::Position);
        let then = render(&store, &asked.as_of(as_of)).unwrap();
        assert_eq!(then.text, block.text);
    }
}

/// Blocks are read from one state of the store, so their sums agree despite writes meanwhile.
#[test]
fn while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let store = SqliteStore::open(&path, &Options::default()).unwrap();
    for key in 0..40 {
        save(&store, &format!("k{key}"), "something that is known");
    }
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let other = SqliteStore::open(&path, &Options::default()).unwrap();
            for _ in 0..150 {
                save(&other, "passing", "here and gone");
                let address = "agent:a#passing".parse().unwrap();
                other
                    .apply(&[Change::delete(address)], &by_agent(2))
                    .unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Release);
        });
        while !done.load(std::sync::atomic::Ordering::Acquire) {
            let receipt = render(&store, &request(300)).unwrap().receipt;
            let all = receipt.shown + receipt.lines + receipt.left_out;
            assert!((40..=41).contains(&all), "{receipt:?}");
        }
    });
}
