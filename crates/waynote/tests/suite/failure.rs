//! The notes for a command that failed: twenty kinds of failures, among many notes about the same programs.

use std::collections::BTreeMap;

use waynote::context::{Failure, Matching, Request, ShownNote, after_failure};
use waynote::{EntryType, LocalStore, Options, Places, SessionLog, SqliteStore};

use waynote_testing::stores::Stores;
use waynote_testing::values::{at, name, place, text};

use super::stores::LocalStores;

/// Failures with the note that fits, where there is one. Fields: command, output, note, the note of another failure that
/// helps too; a blank line ends one.
const FAILURES: &str = include_str!("../fixtures/failures.txt");

struct Case {
    command: String,
    output: String,
    note: Option<String>,
    helps: Option<String>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for block in FAILURES.split("\n\n") {
        let mut fields: BTreeMap<char, String> = BTreeMap::new();
        for line in block.lines().filter(|line| !line.starts_with('#')) {
            let (field, rest) = line.split_at(1);
            let own = fields.entry(field.chars().next().unwrap()).or_default();
            own.push_str(rest.trim_start());
            own.push('\n');
        }
        if let (Some(command), Some(output)) = (fields.remove(&'$'), fields.remove(&'>')) {
            cases.push(Case {
                command: command.trim().to_owned(),
                output,
                note: fields.remove(&'+').map(|note| note.trim().to_owned()),
                helps: fields.remove(&'~').map(|note| note.trim().to_owned()),
            });
        }
    }
    cases
}

fn request() -> Request {
    Request::new(name("a"), place("~/p"), at(1).now).session(Some(name("nightly")))
}

fn found(store: &dyn LocalStore, case: &Case, known: &[ShownNote]) -> Matching {
    let failure = Failure {
        command: &case.command,
        output: &case.output,
    };
    after_failure(store, &request(), &failure, known).unwrap()
}

/// Notes about the same programs, that fit none of the failures.
fn noise(store: &dyn LocalStore, notes: usize) {
    const WHAT: [&str; 20] = [
        "the release is built with `cargo build --release` on the runner",
        "run npm run lint before a commit",
        "the API answers in JSON, its clients live in web",
        "pytest runs in the container, with the marker slow left out",
        "docker compose starts the database and the queue",
        "the deploy goes through make ship and takes ten minutes",
        "go test needs no network",
        "the schema of the database is in migrations",
        "git branches are named after their ticket",
        "terraform plans are kept for a week",
        "credentials of the staging server are in the vault",
        "the port of the gateway is chosen by the operator",
        "logs rotate daily, and the server keeps them for a month",
        "the python package is built by the release job",
        "java services start slowly, wait for their health",
        "kubectl is configured for the staging cluster only",
        "curl the health of the service before the tests",
        "modules are imported by their full name",
        "permissions of the folder are those of the deploy user",
        "the type checker is strict in the core, lenient in the scripts",
    ];
    const OF: [&str; 5] = ["payments", "search", "billing", "the importer", "mail"];
    let log = SessionLog::new(store, name("nightly"));
    let kinds = [EntryType::Tip, EntryType::Learning, EntryType::Stuck];
    for number in 0..notes {
        let what = WHAT[number % WHAT.len()];
        let of = OF[number / WHAT.len() % OF.len()];
        let said = format!("{what} ({of}, part {})", number / 100);
        log.add(kinds[number % 3].clone(), Some(1), text(&said), &at(1))
            .unwrap();
    }
}

#[test]
fn a_failure_gets_the_note_that_fits_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
    noise(&store, 400);
    let cases = cases();
    let log = SessionLog::new(&store, name("nightly"));
    for case in &cases {
        if let Some(note) = &case.note {
            log.add(EntryType::Stuck, Some(1), text(note), &at(1))
                .unwrap();
        }
    }
    let (mut missed, mut wrong, mut fitting) = (Vec::new(), Vec::new(), 0);
    for case in &cases {
        let found = found(&store, case, &[]);
        let told: Vec<String> = found
            .notes
            .iter()
            .map(|of| of.note.content.shown().into_owned())
            .collect();
        let fits = |told: &String| Some(told) == case.note.as_ref();
        fitting += usize::from(case.note.is_some());
        if case.note.is_some() && !told.iter().any(fits) {
            missed.push(format!("{}: {told:?}", case.command));
        }
        let helps = |told: &String| Some(told) == case.helps.as_ref();
        if case.note.is_none() && !told.iter().all(helps) {
            wrong.push(format!("{}: {told:?}", case.command));
        }
        assert!(
            waynote::context::Budget::of(300).tokens_of(&found.text) <= 300
                && found.notes.len() <= 3
        );
        assert_eq!(
            self::found(&store, case, &found.pieces()).notes.len(),
            0,
            "{}",
            case.command
        );
    }
    assert!(
        fitting >= 90 && cases.len() >= 200,
        "{fitting} of {}",
        cases.len()
    );
    // At least 90 of 100 are told; at most 3 of 100 where none fits.
    assert!(missed.len() * 10 <= fitting, "missed: {missed:#?}");
    assert!(
        wrong.len() * 100 <= 3 * (cases.len() - fitting),
        "wrong: {wrong:#?}"
    );
}

#[test]
fn notes_of_places_and_of_the_agent_fit_too() {
    LocalStores::each_store(&|store| {
        if store.search(&waynote::SearchRequest::new("x")).is_err() {
            return;
        }
        let case = Case {
            command: "make ship".into(),
            output: "ship: error E77: vault.token is older than 12 hours".into(),
            note: None,
            helps: None,
        };
        assert_eq!(found(store, &case, &[]).text, "");
        let note = text("E77 from make ship: renew vault.token with `vault login`");
        Places::new(store)
            .write(&place("~/p"), note, &at(1))
            .unwrap();
        insta::allow_duplicates! {
            insta::assert_snapshot!(found(store, &case, &[]).text, @"- `place:~/p`: `` E77 from make ship: renew vault.token with `vault login` ``");
        }
        let nothing = Case {
            command: "make ship".into(),
            output: String::new(),
            note: None,
            helps: None,
        };
        assert_eq!(
            found(store, &nothing, &[]).text,
            "",
            "a command alone is no failure that a note names"
        );
    });
}
