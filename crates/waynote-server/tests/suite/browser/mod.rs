//! The page in a real browser: `cargo xtask test page` (needs `chromium` and `chromedriver`).
//!
//! `WAYNOTE_AXE=FILE` (axe-core's `axe.min.js`) also checks its accessibility. `WAYNOTE_SHOTS=FOLDER` writes pictures
//! of the views.

mod acts;
mod keys;
mod live;
mod looks;

use std::time::Duration;

use waynote::event::{EndReason, ProcessIdentity};
use waynote::jiff::Timestamp;
use waynote::loops::{self, IterationEnd, Loop, LoopStart};
use waynote::session_state::AgentSignal;
use waynote::{Content, EntryType, Note, Notebook, Places, Reader, SaveOptions, SessionLog, Stamp};

use super::support::{RunningServer, start};

fn stamp(time: &str, author: &str) -> Stamp {
    Stamp::new(time.parse().unwrap(), author.parse().unwrap())
}

fn save(server: &RunningServer, key: &str, text: &str) {
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
fn filled() -> RunningServer {
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

fn session(server: &RunningServer, name: &str, iterations: i64, asks: Option<&str>) {
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
    let start =
        LoopStart::new(holder, "/home/u/projects/shop", &|_| Some(false)).iterations(Some(40));
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
            // The loop still runs.
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

fn url(server: &RunningServer, path: &str) -> String {
    format!("http://{}/s/notes/{path}", server.address)
}

const LIVE: &str = "return document.querySelector('[data-live-state]').dataset.liveState === 'on'";

/// The note at an address.
fn note(server: &RunningServer, address: &str) -> Option<Note> {
    server.store.get(&address.parse().unwrap()).unwrap()
}
