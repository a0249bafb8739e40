//! The HTML of the views over small stores.

use maud::Markup;
use waynote::Store;
use waynote::context::{IterationBlock, render};
use waynote::event::{IterationOutcome, ProcessIdentity};
use waynote::loops::{IterationEnd, Loop, LoopStart};
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
        on_site(&store, |site| {
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
    let shown = |query: &str| {
        on_site(&store, |site| {
            let site = Site {
                last_given: Some(&given),
                now: samples::at("2026-08-18T14:00:00Z"),
                ..site
            };
            page_on(&store, &site, View::Notes, query)
        })
    };
    let page = shown("show=worth");
    for words in [
        "Never given in 90 days",
        "pinned, matched nothing",
        "last given <time class=\"num\" datetime=\"1970-01-01T00:00:00.001Z\"",
        "its own note",
    ] {
        assert!(
            words == "its own note" || page.contains(words),
            "{words}: {page}"
        );
    }
    let of_scope = shown("show=worth&in=agent:default");
    assert!(
        of_scope.contains("tone") && !of_scope.contains("flaky-tests</"),
        "{of_scope}"
    );
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

#[test]
fn the_view_now_says_what_a_session_asks() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let html = page(&store, View::Now, "");
    let notice = html.split("notice warn").nth(1).unwrap();
    let question = on_site(&store, |site| {
        let session = site.seen.waiting()[0].clone();
        waynote::session_state::open_question(&store, &session)
            .unwrap()
            .unwrap()
            .question
    });
    assert!(notice.contains(&question[..10]), "{notice}");
}

#[test]
fn two_iterations_are_compared_by_what_they_were_given() {
    let data = tempfile::tempdir().unwrap();
    let store = samples::store(data.path());
    let session: waynote::Name = "pairs".parse().unwrap();
    let holder = ProcessIdentity::new("box", "b", 4242, 1);
    let start = LoopStart::new(holder, "/p", &|_| Some(false)).iterations(Some(40));
    let person = samples::stamp("2026-05-19T12:00:00Z", "person");
    let of = Loop::begin(&store, session.clone(), start, &person).unwrap();
    for (number, text) in [(1, "run the first thing"), (2, "run the second thing")] {
        let stamp = samples::stamp(&format!("2026-05-19T13:0{number}:00Z"), "agent:builder");
        let note = waynote_testing::values::save("agent:builder#how".parse().unwrap(), text);
        store.apply(&[note], &stamp).unwrap();
        let mut request = samples::request(2000);
        request.now = stamp.now;
        let request = request.session(session.clone()).iteration(number);
        let block = IterationBlock::new(&request, &render(&store, &request).unwrap());
        assert_eq!(of.start_iteration_with(block, &stamp).unwrap(), number);
        let done = IterationOutcome::Exited { code: 0 };
        let end = IterationEnd::new(done, std::time::Duration::from_secs(60), 1);
        of.end_iteration(number, end, &stamp).unwrap();
    }
    let shown = |query: &str| page(&store, View::Sessions, &format!("session=pairs{query}"));
    let page = shown("");
    assert!(page.contains(">2 of 40<"), "{page}");
    assert!(page.contains("Count what each was given") && !page.contains("id=\"compared\""));
    let page = shown("&given&from=1&to=2");
    for words in ["<del>first</del>", "<ins>second</ins>", " tokens</small>"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}
