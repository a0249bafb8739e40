//! The HTML of the views over small stores.

use jiff::Timestamp;
use waynote::tend::LastGiven;
use waynote::{Position, Reader, Store, StoreId};
use waynote_access::{Grant, NarrowedStore};

use super::deliveries::{MachineRecords, SessionDeliveries, of_note, of_sessions};
use super::fields::Fields;
use super::history::{self, History};
use super::notes::{self, Notes, edit};
use super::now::{self, Now};
use super::overview::{Overview, Seen};
use super::samples;
use super::sessions::{self, Sessions};
use super::shell;
use super::site::{Site, View, holders};
use super::tend::{self, Tend};
use maud::Markup;

pub(super) fn page(store: &dyn Store, view: View, query: &str) -> String {
    page_of(store, &Overview::default(), view, query)
}

/// The HTML of a page, with this cache of its store.
pub(super) fn page_of(store: &dyn Store, kept: &Overview, view: View, query: &str) -> String {
    page_with(&Grant::everything(), store, kept, view, query)
}

/// The same with this grant.
pub(super) fn page_with(
    grant: &Grant,
    store: &dyn Store,
    kept: &Overview,
    view: View,
    query: &str,
) -> String {
    on_site_with(grant, store, kept, |site| {
        let (site, narrowed) = (&site, NarrowedStore::new(store, grant.clone()));
        let store: &dyn Store = &narrowed;
        let fields = Fields::parse(query.as_bytes());
        let main: Markup = match view {
            View::Now => now::view(site, &Now::gather(store, &fields, site).unwrap()),
            View::Notes if fields.has("edit") => {
                edit::view(site, &edit::Form::edit(store, &fields).unwrap())
            }
            View::Notes => notes::view(site, &Notes::gather(store, &fields, site).unwrap()),
            View::Sessions => {
                sessions::view(site, &Sessions::gather(store, &fields, site).unwrap())
            }
            View::History => history::view(site, &History::gather(store, &fields, site).unwrap()),
            View::Tend => tend::view(store, site, &Tend::gather(store, &fields, site).unwrap()),
            View::Access => Markup::default(),
        };
        shell::document(site, view, view.title(), &main).into_string()
    })
}

/// Runs `work` with the site that a grant of everything sees.
pub(super) fn on_site<T>(
    store: &dyn Store,
    kept: &Overview,
    work: impl FnOnce(Site<'_>) -> T,
) -> T {
    on_site_with(&Grant::everything(), store, kept, work)
}

/// Runs `work` with the site that this grant sees.
pub(super) fn on_site_with<T>(
    grant: &Grant,
    store: &dyn Store,
    kept: &Overview,
    work: impl FnOnce(Site<'_>) -> T,
) -> T {
    let changes = NarrowedStore::new(store, grant.clone());
    work(Site {
        store: "team",
        grant,
        now: samples::now(),
        limits: waynote::Limits::default(),
        seen: Seen::new(kept.now(store).unwrap(), grant),
        start: None,
        is_for_one: false,
        changes: &changes,
        holders: holders(store, &|_| None).unwrap(),
        is_dead: &|_| None,
        records: None,
        worth: &kept.worth,
    })
}

/// The main part of a page, a tag a line, for a snapshot.
fn main_of(store: &dyn Store, view: View, query: &str) -> String {
    let html = page(store, view, query);
    let start = html.find("<main").unwrap();
    let end = html.find("</main>").unwrap();
    html[start..end].replace("><", ">\n<")
}

#[test]
fn each_view_of_a_small_store() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let (shop, of) = ("place=~/projects/shop", "note=agent:builder%23flaky-tests");
    let now = format!("session=nightly&agent=builder&{shop}");
    for (name, view, query) in [
        ("now", View::Now, format!("{now}&budget=300")),
        (
            "now_past",
            View::Now,
            format!("{now}&at=2026-05-19T06:30:00Z"),
        ),
        (
            "notes",
            View::Notes,
            format!("in=place:~/projects/shop&{of}"),
        ),
        ("notes_search", View::Notes, "q=flaky+retries".into()),
        ("sessions", View::Sessions, "session=nightly".into()),
        ("tend", View::Tend, shop.into()),
        ("history", View::History, String::new()),
        ("history_note", View::History, of.into()),
    ] {
        insta::assert_snapshot!(name, main_of(&store, view, &query));
    }
}

#[test]
fn each_view_of_an_empty_store() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::empty(data.path());
    for (name, view) in [
        ("empty_now", View::Now),
        ("empty_notes", View::Notes),
        ("empty_sessions", View::Sessions),
        ("empty_history", View::History),
        ("empty_tend", View::Tend),
    ] {
        insta::assert_snapshot!(name, main_of(&store, view, ""));
    }
}

/// Every step of the slider shows the notes of that time, and leads back to itself.
#[test]
fn the_slider_goes_through_the_changes() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let of = "agent=builder&place=~/projects/shop&session=nightly";
    let now_of = |query: &str| {
        let fields = Fields::parse(query.as_bytes());
        on_site(&store, &Overview::default(), |site| {
            Now::gather(&store, &fields, &site).unwrap()
        })
    };
    let at = |step: usize| {
        let query = format!("{of}&of=2026-05-19T13:40:00Z&step={step}");
        let now = now_of(&query);
        (
            now.times.at,
            now.typed.at,
            now.block.unwrap().block.receipt.shown,
        )
    };
    let newest = now_of(of);
    let steps = newest.times.steps.len();
    assert_eq!(at(steps).1, None, "the last step is now");
    assert_eq!(
        at(0),
        (0, at(0).1, 0),
        "before the first change there was nothing"
    );
    let mut before = 0;
    for step in 1..steps {
        let (now, time, shown) = at(step);
        assert!(now >= step && time.is_some() && shown >= before, "{step}");
        before = shown;
    }
}

#[test]
fn a_loop_that_was_killed_does_not_run() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let states = |is_dead: bool| {
        on_site(&store, &Overview::default(), |site| {
            let is_dead = move |_: &waynote::event::ProcessIdentity| Some(is_dead);
            let site = Site {
                holders: holders(&store, &is_dead).unwrap(),
                ..site
            };
            let sessions = Sessions::gather(&store, &Fields::default(), &site).unwrap();
            let rows = sessions.rows.iter();
            let of = rows.map(|row| (row.session.to_string(), row.status.state.as_str()));
            (sessions.running, of.collect::<Vec<_>>())
        })
    };
    let (running, alive) = states(false);
    assert_eq!(running, 1);
    let session = &alive.iter().find(|(_, word)| *word == "running").unwrap().0;
    let (running, dead) = states(true);
    assert_eq!(running, 0);
    assert!(dead.contains(&(session.clone(), "lost")), "{dead:?}");
}

#[test]
fn style_faithful_is_shown_by_section() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let query = "session=nightly&agent=builder&place=~/projects/shop&style=faithful";
    let html = main_of(&store, View::Now, query);
    assert!(html.contains("none left out"), "{html}");
    let block = html.split("<pre").nth(1).unwrap().split("</pre>").next();
    insta::assert_snapshot!(block.unwrap());
}

/// What a machine recorded.
#[derive(Default)]
struct Recorded {
    deliveries: Vec<SessionDeliveries>,
    given: LastGiven,
    looked: Option<(Position, Timestamp)>,
}

impl MachineRecords for Recorded {
    fn deliveries(&self) -> Vec<SessionDeliveries> {
        self.deliveries.clone()
    }

    fn last_given(&self) -> LastGiven {
        self.given.clone()
    }

    fn looked(&self, _: StoreId) -> Option<(Position, Timestamp)> {
        self.looked
    }
}

#[test]
fn deliveries_are_told_of_a_note_and_of_each_session() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let address = |text: &str| text.parse::<waynote::Address>().unwrap();
    let session = |name: &str, notes: &[&str]| SessionDeliveries {
        session: name.into(),
        last: "2026-05-17T10:00:00Z".parse().unwrap(),
        tokens: 1412,
        notes: notes.iter().map(|text| address(text)).collect(),
    };
    let all = [
        session("0b1f", &["place:~/projects/shop", "agent:builder#style"]),
        session("<b>", &["place:~/projects/shop"]),
    ];
    for (count, note, told) in [
        (
            2,
            "place:~/projects/shop",
            "given to 2 of the last 2 agent sessions",
        ),
        (
            2,
            "agent:builder#style",
            "given to 1 of the last 2 agent sessions",
        ),
        (
            2,
            "agent:builder#other",
            "not given to the last 2 agent sessions",
        ),
        (1, "agent:builder#style", "given to the last agent session"),
    ] {
        let all = all[..count].to_vec();
        let records = Recorded {
            deliveries: all,
            ..Recorded::default()
        };
        on_site(&store, &Overview::default(), |site| {
            let site = Site {
                records: Some(&records),
                ..site
            };
            assert_eq!(of_note(&site, &address(note)).as_deref(), Some(told));
            let page = of_sessions(&site).into_string();
            assert_eq!(page.matches("<details").count(), count);
            assert!(page.contains("2 notes · 1,412 tokens"), "{page}");
            assert!(!page.contains("<b>"), "{page}");
        });
    }
    on_site(&store, &Overview::default(), |site| {
        assert_eq!(of_note(&site, &address("agent:builder#style")), None);
        assert_eq!(of_sessions(&site).into_string(), "");
    });
}

/// Under `waynote ui`: what no session was given, and what is new.
#[test]
fn what_a_machine_recorded_is_tended() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let august = "2026-08-18T14:00:00Z".parse::<Timestamp>().unwrap();
    let mut given = LastGiven::default();
    given.since = Some(0);
    given.notes.insert("agent:builder#flaky-tests".into(), 1);
    let mut records = Recorded {
        given,
        ..Recorded::default()
    };
    let shown = |records: &Recorded, grant: &Grant| {
        on_site_with(grant, &store, &Overview::default(), |site| {
            let records: Option<&dyn MachineRecords> = Some(records);
            let site = Site {
                records,
                now: august,
                ..site
            };
            let fields = Fields::parse(b"place=~/projects/shop&agent=builder");
            let tend = Tend::gather(&store, &fields, &site).unwrap();
            let main = tend::view(&store, &site, &tend);
            shell::document(&site, View::Tend, "Tend", &main).into_string()
        })
    };
    let page = shown(&records, &Grant::everything());
    for words in [
        "Never given in 90 days",
        "pinned, matched nothing",
        "last given <time class=\"num\" datetime=\"1970-01-01T00:00:00.001Z\"",
        " worth a look</span>",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("since you last looked"));
    let first = store.journal(None, 100).unwrap().pop().unwrap();
    records.looked = Some((first.position.unwrap(), august));
    let page = shown(&records, &Grant::everything());
    assert!(
        page.contains("/history?since=2026-08-18T14%3A00%3A00Z"),
        "{page}"
    );
    assert!(page.contains(" new · "), "{page}");
    // The number of notes that others see is not told to a narrowed grant.
    let grant = Grant {
        agents: vec!["builder".parse().unwrap()],
        ..Grant::everything()
    };
    assert!(!shown(&records, &grant).contains(" worth a look</span>"));
}
