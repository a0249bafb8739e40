//! `waynote demo`: the main job on sample notes of all three kinds, in a store that is thrown away.

use waynote::context::{Request, render};
use waynote::{
    Base, Content, Kind, Notebook, Options, Place, Places, SaveOptions, SessionLog, SqliteStore,
    Stamp,
};

use crate::error::{Failure, Outcome};
use crate::output::Output;

const PLACES: [(&str, &str); 3] = [
    ("~", "Prefers short answers and small commits."),
    (
        "~/projects/shop",
        "Rust workspace; `cargo xtask test` is the gate. Prices are integers, in cents.",
    ),
    (
        "~/projects/shop/api",
        "The handlers here must not block: use the worker pool.",
    ),
];

const KEYS: [(&str, &str, bool); 3] = [
    (
        "release-steps",
        "1. Tag on main.\n2. Wait for CI.\n3. Run `make ship` from a clean clone.",
        true,
    ),
    (
        "staging-db",
        "postgres://staging.internal/shop, read-only for agents",
        false,
    ),
    (
        "flaky-tests",
        "checkout::retries fails about once in 40 runs; rerun before digging",
        false,
    ),
];

const LOG: [(i64, Kind, &str); 4] = [
    (
        1,
        Kind::Decision,
        "SQLite over Postgres for the cart, for simplicity",
    ),
    (2, Kind::Learning, "The test suite needs --no-cache"),
    (
        3,
        Kind::Stuck,
        "The API allows 100 requests a minute; without backoff the import dies at 60 %",
    ),
    (3, Kind::Tip, "Start with `make seed`, or every test fails"),
];

pub(super) fn run(output: &mut Output) -> Outcome {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::file("temporary folder", "made", error))?;
    let store = SqliteStore::open(&folder.path().join("notes.db"), &Options::default())?;
    let base = Base::new("/home/you", "/home/you/projects/shop/api")?;
    let agent: waynote::Name = "builder".parse()?;
    let session: waynote::Name = "nightly".parse()?;
    let now = crate::clock::now()?;
    let person = Stamp::new(now, "person".parse()?);
    let builder = Stamp::new(now, "agent:builder".parse()?);

    for (path, text) in PLACES {
        Places::new(&store).write(&Place::resolve(path, &base)?, Content::text(text)?, &person)?;
    }
    let notebook = Notebook::of_agent(&store, agent.clone());
    for (key, text, pinned) in KEYS {
        let options = SaveOptions {
            pin: Some(pinned),
            ..SaveOptions::default()
        };
        notebook.save(&key.parse()?, Content::text(text)?, options, &builder)?;
    }
    let log = SessionLog::new(&store, session.clone());
    for (iteration, kind, text) in LOG {
        log.add(kind, Some(iteration), Content::text(text)?, &builder)?;
    }
    let request = Request {
        session: Some(session),
        iteration: Some(4),
        ..Request::new(agent, base.cwd(), now)
    };
    let block = render(&store, &request)?;
    if output.json {
        return output.value(&block);
    }
    let steps = [
        "Yesterday, a person and an agent left notes in a throwaway store:",
        "  3 on directories   waynote place write --at ~/projects/shop \"Rust workspace; …\"",
        "  3 by key           waynote key save release-steps - --pin < steps.md",
        "  4 by iteration     waynote log add \"The API allows 100 requests a minute; …\" --type stuck",
        "Today, iteration 4 of session nightly starts in ~/projects/shop/api. Its prompt gets this:",
        "  waynote --agent builder --session nightly --iteration 4 context",
        "",
    ];
    steps.iter().try_for_each(|line| output.line(line))?;
    output.bytes(block.text.as_bytes())
}
