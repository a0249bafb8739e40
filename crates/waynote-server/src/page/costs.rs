//! The cost of a page: its bytes, the round trips to its store, and its time in a large store.

use parking_lot::Mutex;

use waynote::search::Hit;
use waynote::store::{Answers, AsOf, Ask};
use waynote::{
    Address, Change, EntryType, Note, Reader, Result, Revision, Scope, SearchRequest, Store,
    pass_on,
};

use waynote_testing::values::{self, entry_of};

use super::samples;
use super::site::View;
use super::tests::page;

/// The most bytes of a page.
const MOST_BYTES: usize = 150_000;

/// A store that counts its calls.
struct Counted<'s> {
    store: &'s dyn Store,
    trips: Mutex<usize>,
    /// The number of revisions in the answers.
    revisions: Mutex<usize>,
}

impl<'s> Counted<'s> {
    fn new(store: &'s dyn Store) -> Self {
        Self {
            store,
            trips: Mutex::new(0),
            revisions: Mutex::new(0),
        }
    }

    fn trip(&self) {
        *self.trips.lock() += 1;
    }
}

impl Reader for Counted<'_> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        self.trip();
        let answers = self.store.read(ask)?;
        let revisions = answers.journal.iter().chain(&answers.histories);
        *self.revisions.lock() += revisions.map(Vec::len).sum::<usize>();
        Ok(answers)
    }

    fn history_before(
        &self,
        address: &Address,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        self.trip();
        let page = self.store.history_before(address, before, limit)?;
        *self.revisions.lock() += page.len();
        Ok(page)
    }

    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        self.trip();
        self.store.select_at(scopes, moment)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        self.trip();
        self.store.search(request)
    }

    pass_on! { self => self.store; take_damage }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        // One state counts as one round trip, whatever is read from it. Only the block uses it.
        self.trip();
        self.store.one_state(work)
    }
}

impl Store for Counted<'_> {
    pass_on! { self => self.store; apply record forget would_forget verify }
}

/// A page takes few round trips. Two of them read the scopes and the sessions.
#[test]
fn a_page_takes_few_round_trips() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let counted = Counted::new(&store);
    let of = "agent=builder&place=~/projects/shop";
    for (view, query, most) in [
        (View::Now, of.to_owned(), 9),
        (View::Now, format!("{of}&session=nightly"), 10),
        (View::Notes, String::new(), 8),
        (
            View::Notes,
            "in=agent:builder&note=agent:builder%23flaky-tests".into(),
            8,
        ),
        (View::Notes, "q=flaky".into(), 7),
        (View::Notes, "show=changes".into(), 7),
        // One of them for each question that is shown.
        (View::Sessions, "session=nightly".into(), 15),
        (
            View::Notes,
            "history&note=agent:builder%23flaky-tests".into(),
            7,
        ),
    ] {
        page(&counted, view, &query);
        let trips = std::mem::take(&mut *counted.trips.lock());
        assert!(trips <= most, "{view:?} {query}: {trips} round trips");
    }
}

/// The history of a note and of the store is read by pages.
#[test]
fn a_page_reads_a_bounded_part_of_the_journal() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let stamp = samples::stamp("2026-05-19T13:59:00Z", "agent:builder");
    let mine = (0..50).map(|number| save("agent:mine#k", &format!("mine {number}")));
    let others = (0..9000).map(|number| save("agent:other#k", &format!("text {number}")));
    let changes: Vec<Change> = mine.chain(others).collect();
    for changes in changes.chunks(500) {
        store.apply(changes, &stamp).unwrap();
    }
    let counted = Counted::new(&store);
    let revisions = || std::mem::take(&mut *counted.revisions.lock());
    for (query, most) in [
        ("show=changes", 40),
        ("show=changes&author=nobody", 240),
        ("history&note=agent:other%23k", 21),
        ("history&note=agent:other%23k&before=5000", 22),
    ] {
        page(&counted, View::Notes, query);
        let read = revisions();
        assert!((1..=most).contains(&read), "{query}: {read} revisions");
    }
}

fn save(address: &str, text: &str) -> Change {
    values::save(address.parse().unwrap(), text)
}

/// Long names, long texts, and texts that grow when they are escaped.
#[test]
fn every_page_has_its_size() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let (place, text) = (
        format!("~/projects/{}", "a long & winding road/".repeat(6)),
        "<b>&\"'</b> & <i>".repeat(240),
    );
    let mut changes = Vec::new();
    for number in 0..120 {
        let key = format!("key-{number:03}-{}", "k".repeat(50));
        changes.push(save(&format!("agent:builder#{key}"), &text));
        changes.push(save(&format!("place:{place}{number:03}"), &text));
        changes.push(entry_of("long", EntryType::Tip, number, &text));
    }
    let stamp = samples::stamp("2026-05-19T13:59:00Z", "agent:builder");
    store.apply(&changes, &stamp).unwrap();
    let place = place.replace(' ', "+").replace('&', "%26");
    let now = format!("agent=builder&place={place}007&session=long");
    for (view, query) in [
        (View::Now, now.clone()),
        (View::Now, format!("{now}&budget=8000")),
        (View::Now, format!("{now}&style=faithful")),
        (View::Notes, "in=agent:builder".into()),
        (View::Notes, "q=projects".into()),
        (View::Notes, "show=changes".into()),
        (View::Notes, "show=worth&in=agent:builder".into()),
        (View::Sessions, "session=long".into()),
    ] {
        let html = page(&store, view, &query);
        assert!(html.len() <= MOST_BYTES, "{view:?} {query}: {}", html.len());
    }
}
