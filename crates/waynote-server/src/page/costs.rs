//! The cost of a page: its bytes, the round trips to its store, and its time in a large store.

use parking_lot::Mutex;

use waynote::event::SessionEvent;
use waynote::search::Hit;
use waynote::store::{Answers, AsOf, Ask};
use waynote::{
    Address, Change, EntryType, Forget, Name, Note, Reader, Result, Revision, Scope, ScopeKind,
    SearchRequest, Store, pass_on,
};
use waynote_access::{Grant, NarrowedStore};
use waynote_testing::values::{self, entry_of};

use super::overview::{Overview, Seen};
use super::samples;
use super::site::View;
use super::tests::{page_of, page_with};

/// The most bytes of a page.
const MOST_BYTES: usize = 150_000;

/// A store that counts its calls.
struct Counted<'s> {
    store: &'s dyn Store,
    trips: Mutex<usize>,
    /// The number of questions whose answers grow with the number of scopes.
    lists: Mutex<usize>,
    /// The number of revisions in the answers.
    revisions: Mutex<usize>,
}

impl<'s> Counted<'s> {
    fn new(store: &'s dyn Store) -> Self {
        Self {
            store,
            trips: Mutex::new(0),
            lists: Mutex::new(0),
            revisions: Mutex::new(0),
        }
    }

    fn trip(&self) {
        *self.trips.lock() += 1;
    }

    /// The round trips and the questions for long lists since the last call.
    fn taken(&self) -> (usize, usize) {
        let take = |of: &Mutex<usize>| std::mem::take(&mut *of.lock());
        (take(&self.trips), take(&self.lists))
    }
}

impl Reader for Counted<'_> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        self.trip();
        let long = ask.summaries.len() + ask.kinds.len() + usize::from(ask.event_sessions);
        *self.lists.lock() += long;
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

/// Once a server knows a store, a page takes few round trips, and none of them lists all scopes or sessions.
#[test]
fn a_page_takes_few_round_trips() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let counted = Counted::new(&store);
    let kept = Overview::default();
    page_of(&counted, &kept, View::Sessions, "");
    let (_, lists) = counted.taken();
    assert!(lists > 0, "the first page reads all scopes");
    for (view, query, most) in [
        (View::Now, "agent=builder&place=~/projects/shop", 4),
        (
            View::Now,
            "agent=builder&place=~/projects/shop&session=nightly",
            5,
        ),
        (View::Notes, "", 5),
        (
            View::Notes,
            "in=agent:builder&note=agent:builder%23flaky-tests",
            5,
        ),
        (View::Notes, "q=flaky", 3),
        // One of them for each question that is shown.
        (View::Sessions, "session=nightly", 12),
        (View::History, "", 3),
        (View::History, "note=agent:builder%23flaky-tests", 3),
    ] {
        page_of(&counted, &kept, view, query);
        let (trips, lists) = counted.taken();
        assert!(trips <= most, "{view:?} {query}: {trips} round trips");
        assert_eq!(lists, 0, "{view:?} {query}");
    }
}

/// The history of a note and of the store is read by pages. For a narrowed grant, the history of the whole store is not
/// read to its end.
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
    let kept = Overview::default();
    let revisions = || std::mem::take(&mut *counted.revisions.lock());
    page_of(&counted, &kept, View::Sessions, "");
    revisions();
    for (query, most) in [
        ("", 50),
        ("note=agent:other%23k", 21),
        ("note=agent:other%23k&before=5000", 22),
    ] {
        page_of(&counted, &kept, View::History, query);
        let read = revisions();
        assert!((1..=most).contains(&read), "{query}: {read} revisions");
    }
    let grant = Grant {
        agents: vec!["mine".parse().unwrap()],
        ..Grant::everything()
    };
    let seen = |view: View, query: &str| page_with(&grant, &counted, &kept, view, query);
    for view in [View::Now, View::Notes, View::History] {
        seen(view, "");
        let read = revisions();
        assert!(read <= 3072, "{view:?}: {read} revisions");
    }
    // Older changes are on the next page, and the page says that there is one.
    let first = seen(View::History, "");
    assert!(!first.contains("mine 49"), "{first}");
    let next = |page: &str| {
        let link = page.split("rel=\"next\" href=\"").nth(1);
        let link = link.and_then(|rest| rest.split('"').next());
        link.and_then(|link| link.split_once('?'))
            .map(|(_, query)| query.replace("&amp;", "&"))
    };
    let mut page = first;
    let mut pages = 1;
    while !page.contains("mine 49") {
        page = seen(View::History, &next(&page).unwrap());
        pages += 1;
        assert!(pages < 10);
    }
    // The view Now begins with the last change that they may see, though it is far back.
    assert!(seen(View::Now, "").contains("value=\"mine\""));
    let found = seen(View::Notes, "q=mine");
    assert!(found.contains("<mark>mine</mark> 49"), "{found}");
    // The scopes of all are not listed for a token that names its own.
    counted.taken();
    let narrowed = NarrowedStore::new(&counted, grant);
    let mine = narrowed.scopes(ScopeKind::Agent).unwrap();
    assert_eq!((mine.len(), mine[0].notes), (1, 1));
    let (_, lists) = counted.taken();
    assert_eq!(lists, 0);
}

fn save(address: &str, text: &str) -> Change {
    values::save(address.parse().unwrap(), text)
}

fn append(session: &str, iteration: i64, text: &str) -> Change {
    let kind = EntryType::ALL[usize::try_from(iteration).unwrap() % 4].clone();
    entry_of(session, kind, iteration, text)
}

/// The cache equals the store after every kind of change.
#[test]
fn what_is_kept_follows_every_change() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let kept = Overview::default();
    let grant = Grant::everything();
    let stamp = samples::stamp("2026-05-19T13:59:00Z", "person");
    let compare = |what: &str| {
        let shown = |kept: &Overview| {
            let seen = Seen::new(kept.now(&store).unwrap(), &grant);
            let kinds = ScopeKind::ALL.into_iter();
            let scopes: Vec<_> = kinds
                .flat_map(|kind| seen.scopes(kind).cloned().collect::<Vec<_>>())
                .collect();
            let sessions: Vec<_> = seen
                .sessions()
                .into_iter()
                .map(|of| (of.session, of.notes, of.last))
                .collect();
            (scopes, sessions, seen.notes())
        };
        assert_eq!(shown(&kept), shown(&Overview::default()), "{what}");
    };
    compare("at first");
    let place = "place:~/new/place";
    let steps: [(&str, &dyn Fn()); 8] = [
        ("a new place", &|| {
            store.apply(&[save(place, "text")], &stamp).unwrap();
        }),
        ("a new notebook and a log", &|| {
            let changes = [save("agent:new#k", "text"), append("new-log", 1, "text")];
            store.apply(&changes, &stamp).unwrap();
        }),
        ("a deleted note", &|| {
            let address = place.parse().unwrap();
            store.apply(&[Change::delete(address)], &stamp).unwrap();
        }),
        ("an undone deletion", &|| {
            let undo = Change::undo(place.parse().unwrap());
            store.apply(&[undo], &stamp).unwrap();
        }),
        ("a forgotten note", &|| {
            let forget = Forget::new("agent:new#k".parse::<waynote::Address>().unwrap());
            store.forget(&forget, &stamp).unwrap();
        }),
        ("an answer", &|| {
            let answer = SessionEvent::Answered {
                answer: "yes".into(),
            };
            let session: Name = "migrate-db".parse().unwrap();
            store.record(&session, &[answer], None, &stamp).unwrap();
        }),
        ("more changes than are read one by one", &|| {
            let changes: Vec<Change> = (0..500)
                .map(|number| save(&format!("agent:many-{number}#k"), "text"))
                .collect();
            store.apply(&changes, &stamp).unwrap();
        }),
        ("nothing", &|| {}),
    ];
    for (what, step) in steps {
        step();
        compare(what);
    }
}

/// A narrowed token sees its own scopes, from the cache for all tokens.
#[test]
fn what_is_kept_is_narrowed() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let grant = Grant {
        agents: vec!["builder".parse().unwrap()],
        places: vec!["~/projects".parse().unwrap()],
        ..Grant::everything()
    };
    let known = Overview::default().now(&store).unwrap();
    let seen = Seen::new(known, &grant);
    let names = |kind| seen.names(kind, 100);
    assert_eq!(names(ScopeKind::Agent), ["builder"]);
    assert!(
        names(ScopeKind::Place)
            .iter()
            .all(|place| place.starts_with("~/projects"))
    );
    assert!(names(ScopeKind::Session).is_empty() && seen.sessions().is_empty());
}

/// Long names, long texts, and texts that grow when they are escaped.
#[test]
fn every_page_has_its_size() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let name = |kind: &str, number: usize| format!("{kind}-{number:03}-{}", "ä".repeat(30));
    let place = |number: usize| {
        format!(
            "~/projects/{}/{}-{number:03}",
            "a long & winding road/".repeat(6).trim_end_matches('/'),
            "x".repeat(40)
        )
    };
    let text = "<b>&\"'</b> & <i>".repeat(240);
    let encoded = |of: &str| form_urlencoded::byte_serialize(of.as_bytes()).collect::<String>();
    let mut changes = Vec::new();
    for number in 0..120 {
        let agent = if number < 60 { 0 } else { number };
        let key = format!("key-{number:03}-{}", "k".repeat(50));
        changes.push(save(
            &format!(
                "agent:{}#{key}",
                encoded(&name("agent", agent)).replace('+', "%20")
            ),
            &text,
        ));
        changes.push(save(&format!("place:{}", place(number)), &text));
        let session = if number < 60 { 0 } else { number };
        changes.push(append(&name("session", session), number as i64, &text));
    }
    let stamp = samples::stamp("2026-05-19T13:59:00Z", "agent:builder");
    store.apply(&changes, &stamp).unwrap();
    let kept = Overview::default();
    let (agent, session) = (encoded(&name("agent", 0)), encoded(&name("session", 0)));
    let at = encoded(&place(7));
    let now = format!("agent={agent}&place={at}&session={session}");
    let key = format!(
        "agent:{}%23key-003-{}",
        agent.replace('%', "%25"),
        "k".repeat(50)
    );
    for (view, query) in [
        (View::Now, now.clone()),
        (View::Now, format!("{now}&budget=8000")),
        (View::Now, format!("{now}&style=faithful")),
        (View::Notes, String::new()),
        (View::Notes, format!("in=agent:{agent}&note={key}")),
        (View::Notes, format!("in=place:{at}&note=place:{at}")),
        (View::Notes, "q=projects".to_owned()),
        (View::Notes, format!("edit&note={key}")),
        (View::Sessions, format!("session={session}")),
        (View::History, String::new()),
        (View::History, format!("note={key}")),
    ] {
        let html = page_of(&store, &kept, view, &query);
        assert!(html.len() <= MOST_BYTES, "{view:?} {query}: {}", html.len());
    }
}
