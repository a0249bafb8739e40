//! The HTML of the views over small stores.

use maud::Markup;
use waynote::Store;
use waynote::event::ProcessIdentity;
use waynote::tend::LastGiven;

use super::fields::Fields;
use super::notes::history::{self, History};
use super::notes::{self, Notes, edit};
use super::now::{self, Now};
use super::samples;
use super::seen::Seen;
use super::sessions::{self, Sessions};
use super::shell;
use super::site::{Site, View, holders};
use crate::access::Grant;

/// The HTML of a page.
pub(super) fn page(store: &dyn Store, view: View, query: &str) -> String {
    on_site(store, |site| page_on(store, &site, view, query))
}

fn page_on(store: &dyn Store, site: &Site<'_>, view: View, query: &str) -> String {
    let fields = Fields::parse(query.as_bytes());
    let main: Markup = match view {
        View::Now => now::view(site, &Now::gather(store, &fields, site).unwrap()),
        View::Notes if fields.has("edit") => {
            edit::view(site, &edit::Form::edit(store, &fields).unwrap())
        }
        View::Notes if fields.has("history") => {
            history::view(site, &History::gather(&store, &fields).unwrap())
        }
        View::Notes => {
            let notes = Notes::gather(store, &fields, site).unwrap();
            notes::view(store, site, &notes)
        }
        View::Sessions => sessions::view(site, &Sessions::gather(store, &fields, site).unwrap()),
    };
    shell::document(site, view, view.title(), &main).into_string()
}

/// Runs `work` with the site of a reader who may do everything.
fn on_site<T>(store: &dyn Store, work: impl FnOnce(Site<'_>) -> T) -> T {
    work(Site {
        store: "team",
        grant: &Grant::everything(),
        now: samples::now(),
        limits: waynote::Limits::default(),
        seen: Seen::read(&store).unwrap().into(),
        start: None,
        is_shared: false,
        holders: holders(store, &|_| None).unwrap(),
        is_dead: &|_| None,
        last_given: None,
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
        ("changes", View::Notes, "show=changes".into()),
        ("worth", View::Notes, "show=worth".into()),
        ("history", View::Notes, format!("history&{of}")),
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
        on_site(&store, |site| Now::gather(&store, &fields, &site).unwrap())
    };
    let steps = now_of(of).times.steps.len();
    let mut before = 0;
    for step in 0..=steps {
        let query = format!("{of}&of=2026-05-19T13:40:00Z&step={step}");
        let now = now_of(&query);
        let shown = now.block.unwrap().block.receipt.shown;
        assert!(now.times.at >= step && shown >= before, "{step}");
        assert_eq!(now.typed.at.is_some(), step < steps, "the last step is now");
        assert!(step > 0 || shown == 0, "before the first change");
        before = shown;
    }
}

#[test]
fn a_loop_that_was_killed_does_not_run() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let states = |is_dead: bool| {
        let is_dead = move |_: &ProcessIdentity| Some(is_dead);
        on_site(&store, |site| {
            let holders = holders(&store, &is_dead).unwrap();
            let site = Site { holders, ..site };
            let sessions = Sessions::gather(&store, &Fields::default(), &site).unwrap();
            let mut rows = sessions.rows.iter();
            let row = rows.find(|row| row.session.as_str() == "nightly");
            (sessions.running, row.unwrap().status.state.as_str())
        })
    };
    assert_eq!(states(false), (1, "running"));
    assert_eq!(states(true), (0, "lost"));
}

#[test]
fn what_no_session_was_given_is_worth_a_look() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let given = || {
        let mut given = LastGiven::default();
        given.since = Some(0);
        given.notes.insert("agent:builder#flaky-tests".into(), 1);
        given
    };
    let page = on_site(&store, |site| {
        let site = Site {
            last_given: Some(&given),
            now: samples::at("2026-08-18T14:00:00Z"),
            ..site
        };
        page_on(&store, &site, View::Notes, "show=worth&in=agent:builder")
    });
    for words in [
        "Never given in 90 days",
        "pinned, matched nothing",
        "last given <time class=\"num\" datetime=\"1970-01-01T00:00:00.001Z\"",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("tone"), "{page}");
}

#[test]
fn lists_of_a_store_of_several_people_name_the_authors() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    for (view, query) in [
        (View::Notes, ""),
        (View::Notes, "q=flaky"),
        (View::Now, "agent=builder&place=~/projects/shop"),
    ] {
        for is_shared in [true, false] {
            let page = on_site(&store, |site| {
                page_on(&store, &Site { is_shared, ..site }, view, query)
            });
            let author = "<span class=\"chip \">by agent builder</span>";
            assert_eq!(page.contains(author), is_shared, "{query}: {page}");
        }
    }
}

/// The tokens of a start over the last days, where they are asked for.
#[test]
fn the_cost_of_a_start_is_a_plot() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let of = "agent=builder&place=~/projects/shop";
    assert!(!page(&store, View::Now, of).contains("<polygon"));
    let html = page(&store, View::Now, &format!("{of}&cost"));
    for words in ["Tokens of a start here", "<polygon class=\"pl\"", "19 Apr"] {
        assert!(html.contains(words), "{words}: {html}");
    }
}
