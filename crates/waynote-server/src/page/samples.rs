//! A store with one of everything, for tests and for looking at the page.

use std::path::Path;

use jiff::Timestamp;
use waynote::event::{EndReason, IterationOutcome, ProcessIdentity};
use waynote::loops::{self, IterationEnd, Loop, LoopStart};
use waynote::session_state::AgentSignal;
use waynote::{
    Content, EntryType, Notebook, Options, Place, Places, SaveOptions, Scope, SessionLog,
    SqliteStore, Stamp, Store,
};

pub(crate) fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

pub(crate) fn now() -> Timestamp {
    at("2026-05-19T14:02:00Z")
}

pub(crate) fn stamp(time: &str, author: &str) -> Stamp {
    Stamp::new(at(time), author.parse().unwrap())
}

fn place(path: &str) -> Place {
    path.parse().unwrap()
}

fn text(text: &str) -> Content {
    Content::text(text).unwrap()
}

pub(crate) fn empty(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder.join("notes.db"), &Options::default()).unwrap()
}

/// Notes at places, in notebooks and in sessions: one runs, one is blocked, one is done, one stalled.
pub(crate) fn store(folder: &Path) -> SqliteStore {
    let store = empty(folder);
    fill(&store);
    store
}

pub(crate) fn fill(store: &SqliteStore) {
    let person = stamp("2026-05-17T12:00:00Z", "person");
    let builder = stamp("2026-05-17T12:30:00Z", "agent:builder");
    let places = Places::new(store);
    for (of, says) in [
        ("~", "Prefers short answers and small commits."),
        (
            "~/projects/shop",
            "Rust workspace. `cargo xtask test` is the gate.\nPrices are integers, in cents.",
        ),
        ("~/projects/zrb", "Python 3.13, `uv run pytest`."),
        (
            "/etc/nginx",
            "Reload with `nginx -s reload`; never restart.",
        ),
    ] {
        places.write(&place(of), text(says), &person).unwrap();
    }
    let of_place = Notebook::of(store, Scope::Place(place("~/projects/shop")));
    let save = |notes: &Notebook<'_>, key: &str, says: &str, pin: bool, stamp: &Stamp| {
        let options = SaveOptions::default().pin(pin.then_some(true));
        let key = key.parse().unwrap();
        notes.save(&key, text(says), options, stamp).unwrap();
    };
    save(
        &of_place,
        "ci",
        "CI retries twice; do not add a third",
        false,
        &person,
    );
    let notes = Notebook::of_agent(store, "builder".parse().unwrap());
    save(
        &notes,
        "release-steps",
        "1. Tag on main.\n2. Wait for CI.\n3. Run `make ship` from a clean clone.",
        true,
        &builder,
    );
    save(
        &notes,
        "commit-style",
        "Imperative mood, 72 columns.\n\n- one change a commit\n- the body says *why*\n- no ticket numbers",
        true,
        &builder,
    );
    for (index, says) in [
        "`checkout::retries` fails about once in 40 runs: the clock of the test server drifts.",
        "`checkout::retries` fails about once in 40 runs: the clock of the test server drifts. Run it again before you look for a cause.\n\nSeen with 1.95 and 1.96; not on macOS.",
    ].into_iter().enumerate() {
        let time = format!("2026-05-{}T09:15:00Z", 17 + index);
        save(&notes, "flaky-tests", says, false, &stamp(&time, "agent:builder"));
    }
    save(
        &notes,
        "staging-db",
        "Host db-2.staging, user app; ask for the password in the vault.",
        false,
        &builder,
    );
    let other = Notebook::of_agent(store, "default".parse().unwrap());
    save(
        &other,
        "tone",
        "Answers in German, code in English.",
        false,
        &person,
    );
    nightly(store);
    blocked(store);
    ended(store, "docs-pass", EndReason::Completed, None);
    let detail = "the same stuck note in 3 iterations";
    ended(store, "flaky-hunt", EndReason::Stalled, Some(detail));
}

fn begin<'s>(store: &'s dyn Store, session: &str, of: Option<u64>, time: &str) -> Loop<'s> {
    let holder = ProcessIdentity::new("box", "b", 4242, 1);
    let start = LoopStart::new(holder, "/home/u/projects/shop", &|_| Some(false)).iterations(of);
    Loop::begin(
        store,
        session.parse().unwrap(),
        start,
        &stamp(time, "person"),
    )
    .unwrap()
}

fn turn(
    of: &Loop<'_>,
    hour: i8,
    minutes: u64,
    outcome: IterationOutcome,
    work: &dyn Fn(i64, &Stamp),
) {
    let author = "agent:builder";
    let begun = stamp(&format!("2026-05-19T{hour:02}:00:00Z"), author);
    let iteration = of.start_iteration(None, &begun).unwrap();
    work(
        iteration,
        &stamp(&format!("2026-05-19T{hour:02}:05:00Z"), author),
    );
    let said = (!outcome.is_success()).then(|| "error: could not connect to registry".to_owned());
    let took = std::time::Duration::from_secs(minutes * 60);
    let end = IterationEnd::new(outcome, took, 1).said(said);
    of.end_iteration(
        iteration,
        end,
        &stamp(&format!("2026-05-19T{hour:02}:40:00Z"), author),
    )
    .unwrap();
}

const DONE: IterationOutcome = IterationOutcome::Exited { code: 0 };

fn nightly(store: &SqliteStore) {
    let session: waynote::Name = "nightly".parse().unwrap();
    let log = SessionLog::new(store, session);
    let running = begin(store, "nightly", Some(12), "2026-05-19T05:00:00Z");
    let limit = (EntryType::Stuck, "The API allows 100 requests a minute");
    let entries: [&[(EntryType, &str)]; 5] = [
        &[(EntryType::Decision, "SQLite over Postgres for the cart")],
        std::slice::from_ref(&limit),
        &[
            limit.clone(),
            (
                EntryType::Learning,
                "The test suite needs --no-cache:\nwithout it the second run is stale",
            ),
        ],
        &[],
        &[
            (
                EntryType::Stuck,
                "The import dies at 60 % when /tmp is small",
            ),
            (EntryType::Tip, "Set `TMPDIR` to a disk with 8 GB"),
            (
                EntryType::Learning,
                "Batches of 100 with a minute between them",
            ),
        ],
    ];
    for ((hour, minutes), entries) in (5..).zip([12, 31, 18, 4, 25]).zip(entries) {
        let code = i32::from(entries.is_empty());
        let outcome = IterationOutcome::Exited { code };
        turn(&running, hour, minutes, outcome, &|number, stamp| {
            for (kind, says) in entries {
                log.add(kind.clone(), Some(number), text(says), stamp)
                    .unwrap();
            }
        });
    }
    running
        .start_iteration(None, &stamp("2026-05-19T13:40:00Z", "agent:builder"))
        .unwrap();
    std::mem::forget(running);
}

fn blocked(store: &SqliteStore) {
    let session: waynote::Name = "migrate-db".parse().unwrap();
    let running = begin(store, "migrate-db", None, "2026-05-19T10:00:00Z");
    turn(&running, 10, 44, DONE, &|number, stamp| {
        let asks = "May I drop the column `orders.legacy_total`? Two reports still read it.";
        let asks = AgentSignal::Blocked(asks.into());
        loops::signal(store, &session, Some(number), &asks, stamp).unwrap();
    });
    running
        .end(
            EndReason::Blocked,
            None,
            &stamp("2026-05-19T13:50:00Z", "person"),
        )
        .unwrap();
}

fn ended(store: &SqliteStore, session: &str, reason: EndReason, detail: Option<&str>) {
    let running = begin(store, session, None, "2026-05-18T10:00:00Z");
    let iteration = running
        .start_iteration(None, &stamp("2026-05-18T10:00:00Z", "agent:builder"))
        .unwrap();
    let end = IterationEnd::new(DONE, std::time::Duration::from_secs(1_260), 1);
    running
        .end_iteration(
            iteration,
            end,
            &stamp("2026-05-18T10:21:00Z", "agent:builder"),
        )
        .unwrap();
    running
        .end(
            reason,
            detail.map(str::to_owned),
            &stamp("2026-05-18T12:03:00Z", "person"),
        )
        .unwrap();
}
