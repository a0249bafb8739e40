//! The HTML of the views over small stores. `WAYNOTE_PAGES=FOLDER` also writes them to files, to look at.

use waynote::Store;
use waynote_access::Grant;

use super::fields::Fields;
use super::history::{self, History};
use super::notes::{self, Notes, edit};
use super::now::{self, Now};
use super::samples;
use super::sessions::{self, Sessions};
use super::shell;
use super::site::{Counts, Site, View};
use maud::Markup;

fn page(store: &dyn Store, view: View, query: &str) -> String {
    let grant = Grant::everything();
    let site = Site {
        store: "team",
        grant: &grant,
        now: samples::now(),
        counts: Counts::gather(store).unwrap(),
    };
    let fields = Fields::parse(query.as_bytes());
    let main: Markup = match view {
        View::Now => now::view(&site, &Now::gather(store, &fields, site.now).unwrap()),
        View::Notes if fields.has("edit") => {
            edit::view(&site, &edit::Form::edit(store, &fields).unwrap())
        }
        View::Notes => notes::view(&site, &Notes::gather(store, &fields).unwrap()),
        View::Sessions => sessions::view(
            &site,
            &Sessions::gather(store, &fields, &|_| false).unwrap(),
        ),
        View::History => history::view(&site, &History::gather(store, &fields).unwrap()),
        View::Access => Markup::default(),
    };
    shell::document(&site, view, view.title(), &main).into_string()
}

#[test]
fn pages_to_look_at() {
    #[expect(
        clippy::disallowed_methods,
        reason = "a folder for whoever looks at the pages"
    )]
    let Ok(folder) = std::env::var("WAYNOTE_PAGES") else {
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let none = tempfile::tempdir().unwrap();
    let empty = samples::empty(none.path());
    for (name, view, query) in [
        (
            "now",
            View::Now,
            "session=nightly&agent=builder&place=~/projects/shop",
        ),
        (
            "now-small",
            View::Now,
            "session=nightly&agent=builder&place=~/projects/shop&budget=250",
        ),
        (
            "now-past",
            View::Now,
            "session=nightly&agent=builder&place=~/projects/shop&at=2026-05-19T06:30:00Z",
        ),
        ("notes", View::Notes, "note=agent:builder%23flaky-tests"),
        (
            "notes-search",
            View::Notes,
            "q=flaky+retries&note=agent:builder%23flaky-tests",
        ),
        ("notes-list", View::Notes, "in=place:~/projects/shop"),
        (
            "notes-edit",
            View::Notes,
            "edit&note=agent:builder%23commit-style",
        ),
        ("sessions", View::Sessions, "session=nightly"),
        ("history", View::History, ""),
        (
            "history-note",
            View::History,
            "note=agent:builder%23flaky-tests",
        ),
    ] {
        for (store, kind) in [(&store, ""), (&empty, "-empty")] {
            if kind.is_empty() || !query.contains("note=") {
                let html = page(store, view, query)
                    .replace("/page/page-", "page-")
                    .replace("data-store=\"", "data-store=\"#");
                std::fs::write(format!("{folder}/{name}{kind}.html"), html).unwrap();
            }
        }
    }
    for named in [&*super::assets::CSS, &super::assets::JS] {
        let asset = super::assets::find(named.path()).unwrap();
        let name = named.path().strip_prefix("/page/").unwrap();
        std::fs::write(format!("{folder}/{name}"), asset.text).unwrap();
    }
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
    for (name, view, query) in [
        (
            "now",
            View::Now,
            "session=nightly&agent=builder&place=~/projects/shop&budget=300",
        ),
        (
            "now_past",
            View::Now,
            "session=nightly&agent=builder&place=~/projects/shop&at=2026-05-19T06:30:00Z",
        ),
        (
            "notes",
            View::Notes,
            "in=place:~/projects/shop&note=agent:builder%23flaky-tests",
        ),
        ("notes_search", View::Notes, "q=flaky+retries"),
        ("sessions", View::Sessions, "session=nightly"),
        ("history", View::History, ""),
        (
            "history_note",
            View::History,
            "note=agent:builder%23flaky-tests",
        ),
    ] {
        insta::assert_snapshot!(name, main_of(&store, view, query));
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
    ] {
        insta::assert_snapshot!(name, main_of(&store, view, ""));
    }
}

/// Every step of the slider shows what was there then, and leads back to itself.
#[test]
fn the_slider_goes_through_the_changes() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let of = "agent=builder&place=~/projects/shop&session=nightly";
    let at = |step: usize| {
        let query = format!("{of}&of=2026-05-19T13:40:00Z&step={step}");
        let now = Now::gather(&store, &Fields::parse(query.as_bytes()), samples::now()).unwrap();
        (
            now.times.at,
            now.typed.at,
            now.block.unwrap().block.receipt.shown,
        )
    };
    let newest = Now::gather(&store, &Fields::parse(of.as_bytes()), samples::now()).unwrap();
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

/// 100,000 notes: each view is a page of it, quickly. `cargo test -p waynote-server -- --ignored --nocapture large`
#[test]
#[ignore = "writes 100,000 notes"]
#[expect(clippy::print_stderr, reason = "it measures")]
fn each_view_of_a_large_store() {
    use waynote::{Change, Content, EntryType, Expect, Limits};

    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let text = |number: usize| {
        let words =
            "the checkout retries a flaky import before the release of the staging database";
        Content::text(format!(
            "Note {number}: {words}.\n\n- one\n- two\n- {number}"
        ))
        .unwrap()
    };
    let change = |number: usize| match number % 4 {
        0 => Change::Append {
            session: format!("loop-{}", number % 97).parse().unwrap(),
            kind: EntryType::ALL[number / 4 % 4].clone(),
            iteration: Some(1 + number as i64 / 1000),
            content: text(number),
            resolves: None,
            id: None,
            created_at: None,
        },
        kind => Change::Save {
            address: match kind {
                1 => format!(
                    "place:~/work/team{}/project{}#k{number}",
                    number % 20,
                    number % 700
                ),
                2 => format!("agent:builder#k{number}"),
                _ => format!("agent:agent{}#k{number}", number % 900),
            }
            .parse()
            .unwrap(),
            content: text(number),
            pin: (number.is_multiple_of(50)).then_some(true),
            limits: Limits::NONE,
            expect: Expect::Any,
            origin: None,
        },
    };
    let stamp = samples::stamp("2026-05-19T13:59:00Z", "agent:builder");
    let all: Vec<usize> = (0..100_000).collect();
    for numbers in all.chunks(2000) {
        let changes: Vec<Change> = numbers.iter().map(|number| change(*number)).collect();
        store.apply(&changes, &stamp).unwrap();
    }
    for (view, query) in [
        (
            View::Now,
            "agent=builder&place=~/work/team3/project3&session=loop-4",
        ),
        (
            View::Now,
            "agent=builder&place=~/work/team3/project3&session=loop-4&budget=8000",
        ),
        (
            View::Now,
            "agent=builder&place=~/work/team3/project3&session=loop-4&prompt=flaky+import",
        ),
        (
            View::Now,
            "agent=agent3&place=~/projects/shop&session=nightly&at=2026-05-19T06:30:00Z",
        ),
        (View::Notes, ""),
        (View::Notes, "only=place"),
        (View::Notes, "in=agent:builder&after=20000"),
        (View::Notes, "in=session:loop-4&note=agent:builder%23k2"),
        (View::Notes, "in=place:~/work/team3/project3&sort=name"),
        (View::Notes, "q=flaky+import"),
        (View::Sessions, ""),
        (View::Sessions, "session=loop-4"),
        (View::History, ""),
        (View::History, "note=agent:builder%23k2"),
    ] {
        let bytes = page(&store, view, query).len();
        let began = std::time::Instant::now();
        page(&store, view, query);
        let took = began.elapsed().as_secs_f64() * 1000.0;
        eprintln!("{took:7.1} ms {:5} kB  {view:?} {query}", bytes / 1000);
        assert!(bytes <= 150_000, "{view:?} {query}: {bytes}");
    }
}
