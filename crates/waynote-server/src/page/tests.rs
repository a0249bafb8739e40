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
