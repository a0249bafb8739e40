//! The page in a real browser: `cargo xtask test page` (needs `chromium` and `chromedriver`).
//!
//! With `WAYNOTE_AXE=FILE` (axe-core's `axe.min.js`) it is also checked for what keeps people from using it, and with
//! `WAYNOTE_SHOTS=FOLDER` pictures of the views are written there.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waynote::event::{EndReason, ProcessIdentity};
use waynote::jiff::Timestamp;
use waynote::loops::{self, IterationEnd, Loop, LoopStart};
use waynote::session_state::AgentSignal;
use waynote::{Content, EntryType, Notebook, Places, Reader, SaveOptions, SessionLog, Stamp};

use super::driver::{Browser, Look, WIDE};
use super::support::{Running, start};

fn stamp(time: &str, author: &str) -> Stamp {
    Stamp::new(time.parse().unwrap(), author.parse().unwrap())
}

fn save(server: &Running, key: &str, text: &str) {
    let notes = Notebook::of_agent(&*server.store, "builder".parse().unwrap());
    let stamp = stamp("2026-08-01T11:58:00Z", "agent:builder");
    notes
        .save(
            &key.parse().unwrap(),
            Content::text(text).unwrap(),
            SaveOptions::default(),
            &stamp,
        )
        .unwrap();
}

/// Notes of all kinds, and a session that waits for a person.
fn filled() -> Running {
    let server = start();
    let store = &*server.store;
    let person = stamp("2026-07-29T09:00:00Z", "person");
    for (place, text) in [
        ("~", "Prefers short answers and small commits."),
        (
            "~/projects/shop",
            "Rust workspace. `cargo xtask test` is the gate.\nPrices are integers, in cents.",
        ),
        ("~/projects/zrb", "Python 3.13, `uv run pytest`."),
        (
            "~/work/infrastructure/terraform/modules/network",
            "State lives in the bucket `tf-state`.",
        ),
        (
            "/etc/nginx",
            "Reload with `nginx -s reload`; never restart.",
        ),
    ] {
        Places::new(store)
            .write(
                &place.parse().unwrap(),
                Content::text(text).unwrap(),
                &person,
            )
            .unwrap();
    }
    for (key, text) in [
        (
            "release-steps",
            "1. Tag on main.\n2. Wait for CI.\n3. Run `make ship` from a clean clone.",
        ),
        (
            "commit-style",
            "Imperative mood, 72 columns.\n\n- one change a commit\n- the body says *why*\n- no ticket numbers",
        ),
        (
            "flaky-tests",
            "`checkout::retries` fails about once in 40 runs.",
        ),
        (
            "staging-db",
            "Host db-2.staging, user app; ask for the password in the vault.",
        ),
        (
            "a-key-that-is-as-long-as-keys-may-be-to-see-how-lists-take-it",
            &"A long note about the import. ".repeat(60),
        ),
        (
            "flaky-tests",
            "`checkout::retries` fails about once in 40 runs: the clock of the test server drifts. Run it again before you look for a cause.\n\nSeen with 1.95 and 1.96; not on macOS.",
        ),
    ] {
        save(&server, key, text);
    }
    let notes = Notebook::of_agent(store, "builder".parse().unwrap());
    for key in ["release-steps", "commit-style"] {
        notes
            .set_pinned(
                &key.parse().unwrap(),
                true,
                &stamp("2026-07-30T10:00:00Z", "person"),
            )
            .unwrap();
    }
    session(&server, "nightly", 9, None);
    session(
        &server,
        "migrate-db",
        7,
        Some("May I drop the column `orders.legacy_total`? Two reports still read it."),
    );
    server
}

fn session(server: &Running, name: &str, iterations: i64, asks: Option<&str>) {
    let store = &*server.store;
    let session: waynote::Name = name.parse().unwrap();
    let begun: Timestamp = "2026-08-01T02:00:00Z".parse().unwrap();
    let at = |minutes: i64| {
        Stamp::new(
            begun + waynote::jiff::SignedDuration::from_mins(minutes),
            "agent:builder".parse().unwrap(),
        )
    };
    let holder = ProcessIdentity::new("box", "b", 4242, 1);
    let start = LoopStart::new(holder, "/home/u/projects/shop", &|_| false).iterations(Some(40));
    let of = Loop::begin(store, session.clone(), start, &at(0)).unwrap();
    let log = SessionLog::new(store, session.clone());
    for number in 1..=iterations {
        let minute = number * 50;
        let iteration = of.start_iteration(&at(minute)).unwrap();
        let (kind, text) = match number % 4 {
            0 => (EntryType::Stuck, "The API allows 100 requests a minute"),
            1 => (EntryType::Decision, "SQLite over Postgres for the cart"),
            2 => (EntryType::Learning, "The test suite needs --no-cache"),
            _ => (EntryType::Tip, "Set `TMPDIR` to a disk with 8 GB"),
        };
        log.add(
            kind,
            Some(iteration),
            Content::text(text).unwrap(),
            &at(minute + 5),
        )
        .unwrap();
        if let Some(asks) = asks.filter(|_| number == iterations) {
            loops::signal(
                store,
                &session,
                Some(iteration),
                &AgentSignal::Blocked(asks.into()),
                &at(minute + 6),
            )
            .unwrap();
        }
        if asks.is_none() && number == iterations {
            // It still runs.
            std::mem::forget(of);
            return;
        }
        let code = i32::from(number == 5);
        let outcome = waynote::event::IterationOutcome::Exited { code };
        let took = Duration::from_secs(60 * (8 + u64::try_from(number * 13 % 34).unwrap()));
        of.end_iteration(
            iteration,
            IterationEnd::new(outcome, took, 1),
            &at(minute + 40),
        )
        .unwrap();
    }
    of.end(EndReason::Blocked, &at(iterations * 50 + 41))
        .unwrap();
}

fn url(server: &Running, path: &str) -> String {
    format!("http://{}/s/notes/{path}", server.address)
}

const LIVE: &str = "return document.querySelector('[data-live-state]').dataset.liveState === 'on'";

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_change_by_somebody_else_appears_within_a_second() {
    let server = filled();
    let browser = Browser::open(WIDE);
    for path in ["notes", "history", "?agent=builder&place=~/projects/shop"] {
        browser.go(&url(&server, path));
        browser.wait(LIVE);
        let key = format!("news-{}", path.len());
        save(&server, &key, "something new");
        let written = Instant::now();
        browser.wait_for(&key);
        assert!(
            written.elapsed() < Duration::from_secs(2),
            "{path}: {:?}",
            written.elapsed()
        );
    }
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn what_is_typed_is_not_lost_and_a_conflict_shows_both_texts() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(
        &server,
        "notes/edit?note=agent:builder%23flaky-tests&base=2",
    ));
    browser.wait(LIVE);
    browser.run(
        "const area = document.querySelector('textarea'); area.focus(); area.select(); return 1",
    );
    browser.press("my own **text**");
    browser.wait(
        "return document.querySelector('[data-preview-of=text] strong')?.textContent === 'text'",
    );
    save(&server, "flaky-tests", "their text");
    browser.wait_for("changed this note");
    assert_eq!(
        browser.run("return document.querySelector('textarea').value"),
        "my own **text**"
    );
    browser.run("document.querySelector('form.write').requestSubmit(); return 1");
    browser.wait_for("Somebody else changed this note");
    assert!(browser.says("their text"));
    assert_eq!(
        browser.run("return document.querySelector('textarea').value"),
        "my own **text**"
    );
    browser.shot("conflict");
    browser.is_usable();
    browser.run("document.querySelector('form.write button.primary').click(); return 1");
    browser.wait_for("Saved.");
    let note = server
        .store
        .get(&"agent:builder#flaky-tests".parse().unwrap())
        .unwrap();
    assert_eq!(note.unwrap().content.as_text(), Some("my own **text**"));
    // The search field keeps what is typed while the list changes.
    browser.go(&url(&server, "notes"));
    browser.wait(LIVE);
    browser.press("/");
    browser.press("flaky");
    browser.wait("return document.querySelectorAll('[data-list] > a').length === 1");
    save(&server, "more-flaky", "a flaky thing");
    browser.wait_for("more-flaky");
    assert_eq!(browser.run("return document.activeElement.value"), "flaky");
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn keys_slider_and_lights_work() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(&server, "notes"));
    browser.wait(LIVE);
    browser.press("?");
    browser.wait("return document.querySelector('#keys').open");
    browser.run("document.querySelector('#keys').close(); return 1");
    browser.press("j");
    browser.wait("return document.querySelectorAll('[data-list] [aria-current]').length === 1 && !!document.querySelector('.reader h2')");
    let first = browser.run("return document.querySelector('.reader h2').textContent");
    browser.press("j");
    browser.wait(&format!(
        "return document.querySelector('.reader h2').textContent !== {first}"
    ));
    browser.go(&url(&server, "notes?note=agent:builder%23flaky-tests"));
    browser.press("p");
    browser.wait_for("Pinned:");
    browser.press("e");
    browser.wait("return !!document.querySelector('textarea')");

    browser.go(&url(
        &server,
        "?agent=builder&place=~/projects/shop&session=nightly",
    ));
    let now = browser.run("return document.querySelector('#block').textContent");
    browser.run("const range = document.querySelector('[type=range]'); range.value = 2; range.dispatchEvent(new Event('input', { bubbles: true })); return 1");
    browser.wait(&format!(
        "return document.querySelector('#block')?.textContent !== {now}"
    ));
    assert!(browser.says("since"));
    browser.go(&url(
        &server,
        "?agent=builder&place=~/projects/shop&session=nightly",
    ));
    browser.run("document.querySelector('tr[data-claim=\"1\"]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true })); return 1");
    browser.wait("return document.querySelectorAll('mark.on').length === 1 && document.querySelector('mark.on').dataset.claim === '1'");
    let text = browser.run("return document.querySelector('#block').textContent");
    let request = waynote::context::Request::new(
        "builder".parse().unwrap(),
        "~/projects/shop".parse().unwrap(),
        super::support::now(),
    )
    .session("nightly".parse::<waynote::Name>().unwrap())
    .tools(waynote::context::ReaderTools::new(
        "note_show",
        "note_search",
    ));
    assert_eq!(
        text,
        waynote::context::render(&*server.store, &request)
            .unwrap()
            .text,
        "byte for byte"
    );
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn everything_works_without_a_script() {
    let server = filled();
    let browser = Browser::open(Look {
        has_script: false,
        ..WIDE
    });
    browser.go(&url(&server, "sessions"));
    let find = |selector: &str| {
        let path = format!("{}/element", browser.session);
        let found = browser.call(
            "POST",
            &path,
            &json!({ "using": "css selector", "value": selector }),
        );
        found
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    };
    let press = |selector: &str| {
        let id = find(selector);
        browser.call(
            "POST",
            &format!("{}/element/{id}/click", browser.session),
            &json!({}),
        );
    };
    let write = |selector: &str, text: &str| {
        let id = find(selector);
        browser.call(
            "POST",
            &format!("{}/element/{id}/value", browser.session),
            &json!({ "text": text }),
        );
    };
    let source = || {
        browser
            .call("GET", &format!("{}/source", browser.session), &Value::Null)
            .as_str()
            .unwrap()
            .to_owned()
    };
    write(".ask textarea", "Yes, drop it.");
    press(".ask button");
    assert!(source().contains("Answered."));
    browser.go(&url(&server, "notes"));
    write("[name=q]", "flaky");
    press("form.bar button");
    press("[data-list] a");
    assert!(source().contains("checkout::"));
    press("header a.btn");
    write("textarea", "More. ");
    press("button[value=preview]");
    assert!(source().contains("More. "));
    press("button[value=save]");
    assert!(source().contains("Saved."), "{}", source());
    let note = server
        .store
        .get(&"agent:builder#flaky-tests".parse().unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(note.revision, 3);
    browser.go(&url(&server, "?agent=builder&place=~/projects/shop"));
    assert!(source().contains("## Pinned notes"));
    press("[data-live=steps] a");
    assert!(source().contains("What a run read then"));
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn every_view_fits_and_is_usable_wide_and_narrow_light_and_dark() {
    let server = filled();
    let empty = start();
    for (width, height) in [(1280, 900), (768, 1000), (390, 844)] {
        for is_dark in [false, true] {
            let browser = Browser::open(Look {
                width,
                height,
                is_dark,
                has_script: true,
            });
            for (name, path) in [
                (
                    "now",
                    "?agent=builder&place=~/projects/shop&session=nightly&budget=400",
                ),
                (
                    "then",
                    "?agent=builder&place=~/projects/shop&session=nightly&at=2026-08-01T04:00:00Z",
                ),
                ("notes", "notes?note=agent:builder%23flaky-tests"),
                ("list", "notes?in=agent:builder"),
                ("edit", "notes/edit?note=agent:builder%23commit-style"),
                ("new", "notes/new?in=agent:builder"),
                ("forget", "notes/forget?note=agent:builder%23staging-db"),
                ("sessions", "sessions?session=nightly"),
                ("history", "history"),
                ("revisions", "history?note=agent:builder%23flaky-tests"),
                ("access", "access"),
            ] {
                browser.go(&url(&server, path));
                browser.wait(LIVE);
                let over = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
                assert_eq!(over, 0, "{name} at {width}");
                browser.is_usable();
                let scheme = if is_dark { "dark" } else { "light" };
                browser.shot(&format!("{name}-{width}-{scheme}"));
                if !path.contains("note=") {
                    browser.go(&url(&empty, path));
                    browser.is_usable();
                    browser.shot(&format!("{name}-{width}-{scheme}-empty"));
                }
            }
            browser.has_no_complaints();
        }
    }
}
