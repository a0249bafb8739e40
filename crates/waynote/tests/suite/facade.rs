//! The facade: what each call says, and what a wrong call says.

use waynote::context::Budget;
use waynote::{EntryType, Error, Waynote};

#[test]
fn each_call_says_what_happened() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Waynote::open(folder.path().join("notes.db")).unwrap();
    let agent = notes.agent("builder").unwrap();
    let said = |error: Error| format!("{error}; {}", error.advice().unwrap());
    assert_eq!(
        said(agent.add(EntryType::Tip, "use lld").unwrap_err()),
        "the call needs a session; name it first with `Agent::in_session`"
    );

    let saved = |text: &str| agent.save("deploy", text).unwrap().1;
    assert_eq!(saved("run `make`"), None);
    assert_eq!(saved("run `make ship`").unwrap().revision, 1);
    assert!(agent.pin("deploy", true).unwrap().pinned);

    let agent = agent.in_session("nightly").unwrap().in_iteration(1);
    for seen in 1..=2 {
        let stuck = agent.add(EntryType::Stuck, "the linker fails").unwrap();
        assert_eq!(stuck.seen(), Some(seen));
    }
    let solved = agent.resolve("linker", EntryType::Tip, "use lld").unwrap();
    assert_eq!(solved.content.as_text(), Some("use lld"));
    let entries = agent.in_iteration(2).entries().unwrap();
    assert!(entries[0].resolved_by.is_some(), "{entries:?}");

    assert_eq!(
        said(agent.block(0).unwrap_err()),
        "the call needs a budget of at least one token; use `Budget::NONE` for a block without a limit"
    );
    let block = agent.block(Budget::NONE).unwrap();
    assert!(block.text.contains("make ship"));
}
