//! Values that tests write: short ways to make one, and a clock of seconds.

use std::path::Path;

use waynote::event::{EndReason, ProcessIdentity, SessionEvent};
use waynote::store::FeedEntry;
use waynote::{
    Address, Change, Content, EntryType, Expect, Hit, Indexing, Limits, LocalStore, Name, Note,
    Options, Place, SearchRequest, SqliteStore, Stamp,
};

/// A person's stamp, so many seconds after 1970.
pub fn at(second: i64) -> Stamp {
    Stamp::new(
        jiff::Timestamp::from_second(second).unwrap(),
        name("person"),
    )
}

/// A name.
pub fn name(text: &str) -> Name {
    text.parse().unwrap()
}

/// A place.
pub fn place(text: &str) -> Place {
    text.parse().unwrap()
}

/// A text as somebody writes it.
pub fn text(text: &str) -> Content {
    Content::text(text).unwrap()
}

/// A key of agent `a`.
pub fn key(key: &str) -> Address {
    Address::Agent(name("a"), key.parse().unwrap())
}

/// A save without a limit or a condition.
pub fn save(address: Address, text: &str) -> Change {
    Change::Save {
        address,
        content: Content::imported(text),
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    }
}

/// Saves texts under the keys k0, k1, … of agent `a`, one change after the other.
pub fn keep(store: &dyn LocalStore, texts: &[&str]) {
    for (number, text) in texts.iter().enumerate() {
        store
            .apply(&[save(key(&format!("k{number}")), text)], &at(100))
            .unwrap();
    }
}

/// The kind of an error; nothing if there was none.
pub fn kind<T>(result: waynote::Result<T>) -> String {
    result.map_or_else(|error| error.kind().to_owned(), |_| String::new())
}

/// The texts of notes.
pub fn contents(notes: &[Note]) -> Vec<String> {
    notes
        .iter()
        .map(|note| note.content.shown().into_owned())
        .collect()
}

/// The keys of the notes that a query finds, in order.
pub fn found(store: &dyn LocalStore, query: &str) -> String {
    let hits = store.search(&SearchRequest::new(query)).unwrap();
    let keys: Vec<String> = hits
        .iter()
        .filter_map(|hit| hit.note.address.key())
        .collect();
    keys.join(" ")
}

/// The same, sorted.
pub fn all_found(store: &dyn LocalStore, query: &str) -> String {
    let keys = found(store, query);
    let mut keys: Vec<&str> = keys.split_whitespace().collect();
    keys.sort_unstable();
    keys.join(" ")
}

/// Fails if anything is wrong with a store.
pub fn assert_clean(store: &dyn LocalStore) {
    assert_eq!(store.verify().unwrap().problems, [""; 0]);
}

/// The beginning of a loop.
pub fn started() -> SessionEvent {
    SessionEvent::LoopStarted {
        holder: ProcessIdentity::new("h", "b", 1, 1),
        directory: "/p".into(),
        iterations: None,
    }
}

/// The end of a loop.
pub fn ended() -> SessionEvent {
    SessionEvent::LoopEnded {
        reason: EndReason::Lost,
        detail: None,
    }
}

/// All that happened in a store, in its order.
pub fn whole_feed(store: &dyn LocalStore) -> Vec<FeedEntry> {
    store.feed(None, usize::MAX).unwrap()
}

/// The store in a file.
pub fn open(path: &Path, indexing: Indexing) -> SqliteStore {
    SqliteStore::open(path, &Options::default())
        .unwrap()
        .with_indexing(indexing)
}

/// The addresses of the notes that were found.
pub fn addresses(hits: &[Hit]) -> Vec<String> {
    hits.iter()
        .map(|hit| hit.note.address.to_string())
        .collect()
}

/// A stamp of agent `a`, so many seconds after a moment in 2027.
pub fn by_agent(second: i64) -> Stamp {
    let stamp = at(1_800_000_000 + second);
    Stamp::new(stamp.now, name("agent:a"))
}

/// A new entry of session `s`.
pub fn entry(kind: EntryType, iteration: i64, text: &str) -> Change {
    entry_of("s", kind, iteration, text)
}

/// A new entry of a session.
pub fn entry_of(session: &str, kind: EntryType, iteration: i64, text: &str) -> Change {
    Change::Append {
        session: name(session),
        kind,
        iteration: Some(iteration),
        content: Content::imported(text),
        resolves: None,
        id: None,
        created_at: None,
    }
}

/// A save that pins, or takes the pin away.
pub fn save_pinned(address: Address, text: &str, pinned: bool) -> Change {
    let mut change = save(address, text);
    if let Change::Save { pin, .. } = &mut change {
        *pin = Some(pinned);
    }
    change
}

/// A save into a notebook of that many notes at most.
pub fn save_limited(address: Address, text: &str, max_notes: i64) -> Change {
    let mut change = save(address, text);
    if let Change::Save { limits, .. } = &mut change {
        *limits = Limits::NONE.max_notes(max_notes);
    }
    change
}

/// The one value of a query.
pub fn value<T: rusqlite::types::FromSql>(conn: &rusqlite::Connection, sql: &str) -> T {
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}
