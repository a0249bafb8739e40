//! The facade: what each call says, and what a wrong call says.

use waynote::context::Budget;
use waynote::store::Cursor;
use waynote::{EntryType, Error, Waynote};

#[test]
fn each_call_says_what_happened() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Waynote::open(folder.path().join("notes.db")).unwrap();
    let agent = notes.agent("builder").unwrap();

    let saved = agent.save("deploy", "run `make`").unwrap();
    assert!(saved.is_new());
    let again = agent.save("deploy", "run `make ship`").unwrap();
    assert!(!again.is_new());
    assert_eq!(again.before.unwrap().revision, 1);
    assert!(agent.pin("deploy").unwrap().pinned);
    assert!(!agent.unpin("deploy").unwrap().pinned);
    agent.undo("deploy").unwrap();
    assert!(agent.get("deploy").unwrap().pinned);
    assert_eq!(agent.history("deploy").unwrap().len(), 5);
    let listed = notes.changes(Cursor::START, 100).unwrap();
    assert_eq!(listed.len(), 5);

    let agent = agent.at("~/shop").unwrap();
    agent
        .write_place("the API allows 100 requests a minute")
        .unwrap();
    assert!(agent.delete_place().unwrap());
    assert!(!agent.delete_place().unwrap());

    let agent = agent.in_session("nightly").unwrap().in_iteration(1);
    assert!(
        !agent
            .add(EntryType::Stuck, "the linker fails")
            .unwrap()
            .is_repeat
    );
    assert!(
        agent
            .add(EntryType::Stuck, "the linker fails")
            .unwrap()
            .is_repeat
    );
    let solved = agent.resolve("linker", EntryType::Tip, "use lld").unwrap();
    assert_eq!(solved.note.content.as_text(), Some("use lld"));
    let stuck = &agent
        .in_session("nightly")
        .unwrap()
        .in_iteration(2)
        .entries()
        .unwrap()[0];
    assert!(stuck.resolved_by.is_some(), "{stuck:?}");

    agent.forget("deploy").unwrap();
    assert!(matches!(
        agent.get("deploy"),
        Err(Error::NotFound { .. } | Error::Forgotten { .. })
    ));
    let shown = format!("{agent:?}");
    assert!(
        shown.contains("builder") && shown.contains("nightly"),
        "{shown}"
    );
}

#[test]
fn a_call_without_a_session_or_a_budget_says_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Waynote::open(folder.path().join("notes.db")).unwrap();
    let agent = notes.agent("builder").unwrap();
    agent.save("deploy", "run `make ship`").unwrap();

    let said = |error: Error| format!("{error}; {}", error.advice().unwrap());
    let error = agent.add(EntryType::Tip, "use lld").unwrap_err();
    assert_eq!(
        said(error),
        "the call needs a session; name it first with `Agent::in_session`"
    );
    let error = agent.block(0).unwrap_err();
    assert_eq!(
        said(error),
        "the call needs a budget of at least one token; use `Budget::NONE` for a block without a limit"
    );
    let block = agent.block(Budget::NONE).unwrap();
    assert!(block.text.contains("make ship"));
}
