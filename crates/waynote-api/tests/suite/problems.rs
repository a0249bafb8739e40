//! Every error of the library is the same error at the client.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use waynote::error::{
    CustomError, ErrorClass, LoopError, SecondName, SideFileProblem, StorageError, UndoError,
};
use waynote::{Address, Error, Name, Note, Position};
use waynote_api::{Problem, Remote};

const URL: &str = "https://notes.example/s/main";

/// Put together here, so that no scanner takes this file for a leak.
fn outside() -> String {
    format!("x ghp_{} y", "a1B2c3D4e5F6".repeat(3))
}

fn name() -> Name {
    outside().parse().unwrap()
}

fn address() -> Address {
    "agent:builder#deploy".parse().unwrap()
}

fn note() -> Note {
    serde_json::from_value(json!({
        "address": "agent:builder#deploy", "content": [255, 0], "preview": "p", "type": null,
        "iteration": null, "pinned": true, "revision": 2, "author": "person",
        "created_at": "2026-05-17T12:00:00Z", "updated_at": "2026-05-17T12:00:00Z",
    }))
    .unwrap()
}

#[derive(Debug, thiserror::Error)]
#[error("the file is not in sync")]
struct Above;

impl CustomError for Above {
    fn kind(&self) -> &'static str {
        "above"
    }

    fn class(&self) -> ErrorClass {
        ErrorClass::Damaged
    }

    fn advice(&self) -> Option<String> {
        Some("look at it".into())
    }
}

/// One of each variant, with a store at this path.
fn all(path: &Path) -> Vec<Error> {
    let path = || path.to_path_buf();
    let reason = || String::from("it is wrong");
    let at = Timestamp::UNIX_EPOCH;
    vec![
        outside().parse::<waynote::Key>().unwrap_err(),
        "My.Key".parse::<waynote::Key>().unwrap_err(),
        Error::InvalidName {
            name: outside(),
            reason: reason(),
        },
        Error::InvalidPlace {
            path: outside(),
            reason: reason(),
        },
        Error::InvalidAddress {
            address: outside(),
            reason: reason(),
        },
        Error::UnknownType { kind: outside() },
        Error::InvalidIteration { iteration: 0 },
        Error::InvalidTokenFactor { factor: 12.5 },
        Error::NotText {
            what: "there is a NUL at offset 1".into(),
        },
        Error::HoldsSecret {
            rule: "github-token",
            line: 2,
            column: 4,
        },
        Error::NameHoldsSecret {
            what: "address",
            rule: "github-token",
        },
        Error::NoteTooLarge {
            bytes: 5,
            max_bytes: 4,
            limit: "max_bytes",
        },
        Error::TooManyNotes {
            notes: 2,
            max_notes: 2,
        },
        Error::NotFound { what: outside() },
        Error::Conflict {
            address: address(),
            expected: "revision 1".into(),
            current: Some(Box::new(note())),
        },
        Error::Conflict {
            address: address(),
            expected: "revision 3".into(),
            current: None,
        },
        Error::AppendOnly { address: address() },
        Error::NotResolved {
            address: address(),
            reason: "it is no `stuck` entry",
        },
        Error::NoSuchStuck {
            named: outside(),
            several: false,
            candidates: Vec::new(),
        },
        Error::NoSuchStuck {
            named: outside(),
            several: true,
            candidates: vec![(address(), outside())],
        },
        Error::Empty { what: "question" },
        Error::Forgotten {
            what: outside(),
            at,
            by: name(),
        },
        Error::Denied {
            what: outside(),
            reason: reason(),
        },
        Error::DamagedStore {
            path: path(),
            reason: outside(),
        },
        Error::DamagedNote { what: outside() },
        Error::DamagedIndex {
            path: path(),
            reason: outside(),
        },
        Error::ForeignStore { path: path() },
        Error::NotAStore {
            path: path(),
            reason: outside(),
        },
        Error::NewerStore {
            path: path(),
            found: 9,
            known: 8,
        },
        Error::StoreLost {
            path: path(),
            reason: outside(),
        },
        Error::LostWrites {
            path: path(),
            acknowledged: Position::new(12),
            found: Position::new(9),
        },
        Error::ReadOnly {
            path: path(),
            reason: outside(),
        },
        Error::DiskFull { path: path() },
        Error::Busy {
            path: path(),
            waited: Duration::from_millis(2500),
            holder: Some(7),
        },
        Error::Busy {
            path: path(),
            waited: Duration::ZERO,
            holder: None,
        },
        Error::file(
            path(),
            "read",
            io::Error::new(io::ErrorKind::NotFound, outside()),
        ),
        Error::file(path(), "written", io::Error::other(outside())),
        Error::Engine {
            path: path(),
            source: outside().into(),
        },
        Error::NotBuiltIn { feature: "search" },
        StorageError::QuotaExceeded { path: path() }.into(),
        StorageError::FileSizeLimit { path: path() }.into(),
        StorageError::DiskError {
            path: path(),
            action: "writing",
        }
        .into(),
        StorageError::SideFile {
            path: path(),
            file: "a file beside it".into(),
            problem: SideFileProblem::OtherOwner {
                found: 0,
                owner: 1000,
                group: 100,
            },
        }
        .into(),
        StorageError::SideFile {
            path: path(),
            file: "a file beside it".into(),
            problem: SideFileProblem::NotAFile,
        }
        .into(),
        StorageError::SecondName {
            path: path(),
            name: SecondName::Link {
                links: 2,
                other: None,
            },
        }
        .into(),
        StorageError::SecondName {
            path: path(),
            name: SecondName::Mount,
        }
        .into(),
        LoopError::LoopRunning {
            session: name(),
            holder: outside(),
            since: at,
        }
        .into(),
        LoopError::LeaseLost {
            session: name(),
            held: Some((outside(), at)),
        }
        .into(),
        LoopError::LeaseLost {
            session: name(),
            held: None,
        }
        .into(),
        LoopError::NoLiveIteration {
            session: name(),
            iteration: Some(3),
        }
        .into(),
        LoopError::NoLiveIteration {
            session: name(),
            iteration: None,
        }
        .into(),
        LoopError::Unanswered {
            session: name(),
            question: outside(),
        }
        .into(),
        LoopError::AlreadySaid {
            iteration: 3,
            has_asked: true,
        }
        .into(),
        LoopError::NothingAsked { session: name() }.into(),
        LoopError::AlreadyAnswered {
            session: name(),
            by: name(),
            at,
        }
        .into(),
        UndoError::NothingToUndo {
            address: Some(address()),
            last: None,
        }
        .into(),
        UndoError::NothingToUndo {
            address: None,
            last: Some(Box::new((address(), name()))),
        }
        .into(),
        UndoError::NothingToRedo {
            address: Some(address()),
        }
        .into(),
        UndoError::Superseded {
            what: "change",
            address: address(),
            by: name(),
        }
        .into(),
        Above.into(),
    ]
}

/// The problem as a client reads it.
fn sent(problem: &Problem) -> Problem {
    let text = serde_json::to_string(problem).unwrap();
    let read: Problem = serde_json::from_str(&text).unwrap();
    assert_eq!(read, *problem, "{text}");
    read
}

#[test]
fn each_error_comes_back_as_it_was() {
    let (at_server, at_client) = (Path::new("/srv/secret/notes.db"), Path::new(URL));
    for (error, expected) in all(at_server).iter().zip(all(at_client)) {
        let problem = sent(&Problem::of_store(error, URL));
        assert_eq!(
            (problem.kind.as_str(), &problem.hint),
            (error.kind(), &expected.advice())
        );
        assert_eq!(problem.detail, expected.to_string());
        assert_eq!(
            problem.reference,
            format!("urn:waynote:problem:{}", error.kind())
        );
        let status = problem.status;
        assert!((400..600).contains(&status), "{status}");
        // None of them says that the server fails or is away.
        if matches!(error, Error::Loop(_)) {
            assert!(status < 500, "{error}: {status}");
        }
        let back = problem.error(URL);
        assert_eq!(back.to_string(), expected.to_string());
        assert_eq!(
            (back.kind(), back.class(), back.advice()),
            (expected.kind(), expected.class(), expected.advice())
        );
        // A custom error has a type of its own here.
        if !matches!(error, Error::Custom(_)) {
            let variant = std::mem::discriminant;
            assert_eq!(variant(&back), variant(error), "{back:?}");
        }
        if let (Error::Conflict { current, .. }, Error::Conflict { current: was, .. }) =
            (&back, error)
        {
            assert_eq!(current, was);
        }
    }
}

/// A new error of the library has to be in the table above.
#[test]
fn the_table_has_every_kind() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../waynote/src/model");
    let files = [
        "error.rs",
        "error/loops.rs",
        "error/undo.rs",
        "error/storage.rs",
    ];
    let mut kinds = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(model.join(file)).unwrap();
        let after = text.split("pub fn kind(&self)").nth(1).unwrap();
        let body = after.split("\n    }\n").next().unwrap();
        for line in body.lines() {
            if let Some((_, word)) = line.split_once("=> \"") {
                kinds.insert(word.trim_end_matches("\",").to_owned());
            }
        }
    }
    assert!(kinds.len() > 40, "{kinds:?}");
    let told: BTreeSet<String> = all(&PathBuf::from("/s"))
        .iter()
        .map(|error| error.kind().to_owned())
        .collect();
    let missing: Vec<&String> = kinds.difference(&told).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn no_problem_tells_a_credential_or_a_path_of_the_server() {
    for error in all(Path::new("/srv/secret/notes.db")) {
        let problem = Problem::of_store(&error, "/s/main");
        // The names that a person gave are told as they are: they are addresses.
        let text = format!("{} {:?}", problem.detail, problem.hint);
        let said = text.to_lowercase();
        assert!(!said.contains("a1b2c3d4e5f6a1b2"), "{said}");
        let whole = serde_json::to_string(&problem).unwrap();
        assert!(!whole.contains("/srv/secret"), "{whole}");
    }
}

#[test]
fn a_problem_of_a_later_version_is_an_error_in_its_words() {
    let text = json!({
        "type": "urn:waynote:problem:tired", "title": "tired", "status": 503, "detail": "the store is tired",
        "hint": "let it sleep", "kind": "tired", "class": "sleepy", "fields": { "kind": "tired", "hours": 8 },
    });
    let problem: Problem = serde_json::from_value(text).unwrap();
    let error = problem.error(URL);
    assert_eq!(error.to_string(), "the store is tired");
    assert_eq!((error.kind(), error.class()), ("tired", ErrorClass::Busy));
    assert_eq!(error.advice().as_deref(), Some("let it sleep"));
    assert!(error.downcast_ref::<Remote>().is_some());
    // What any HTTP server may send.
    let text = json!({ "type": "about:blank", "title": "Not Found", "status": 404, "detail": "" });
    let problem: Problem = serde_json::from_value(text).unwrap();
    let error = problem.error(URL);
    assert_eq!(
        (error.to_string().as_str(), error.class()),
        ("Not Found", ErrorClass::NotFound)
    );
}

#[test]
fn a_conflict_shows_the_note_as_it_is_now() {
    let error = Error::Conflict {
        address: address(),
        expected: "revision 1".into(),
        current: Some(Box::new(note())),
    };
    let problem = Problem::of(&error).with_status(412);
    insta::assert_snapshot!(serde_json::to_string_pretty(&problem).unwrap(), @r#"
    {
      "type": "urn:waynote:problem:conflict",
      "title": "conflict",
      "status": 412,
      "detail": "agent:builder#deploy has changed: it is at revision 2, revision 1 was expected",
      "hint": "look at the current text, then write again expecting revision 2",
      "kind": "conflict",
      "class": "conflict",
      "current": {
        "address": "agent:builder#deploy",
        "scope": "agent:builder",
        "key": "deploy",
        "content": [
          255,
          0
        ],
        "preview": "p",
        "type": null,
        "iteration": null,
        "pinned": true,
        "revision": 2,
        "author": "person",
        "created_at": "2026-05-17T12:00:00Z",
        "updated_at": "2026-05-17T12:00:00Z"
      },
      "fields": {
        "kind": "conflict",
        "address": "agent:builder#deploy",
        "expected": "revision 1"
      }
    }
    "#);
}
