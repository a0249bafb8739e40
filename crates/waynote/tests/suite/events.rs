//! Events as rows of SQLite: of earlier versions, damaged, or refused.

use waynote::event::EndReason;
use waynote::session_state::{AgentSignal, iterations};
use waynote::{AttachedStore, EntryType, Options, SessionLog, SqliteStore, Store as _, loops};
use waynote_testing::suites::{DONE, begin, turn};
use waynote_testing::values::{assert_clean, at, name, text};

/// A note that cannot be written is no reason to lose the iteration.
#[test]
fn an_answer_that_cannot_be_noted_stops_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    let store = SqliteStore::open(&file, &Options::default()).unwrap();
    let run = begin(&store, 1, None, None);
    run.start_iteration(None, &at(2)).unwrap();
    let said = AgentSignal::Blocked("blue?".into());
    loops::signal(&store, &name("s"), None, &said, &at(2)).unwrap();
    run.end(EndReason::Blocked, None, &at(3)).unwrap();
    let run = begin(&store, 2, None, Some("green"));
    let trap =
        "CREATE TRIGGER trap BEFORE INSERT ON waynote_note BEGIN SELECT RAISE(ABORT, 'no'); END";
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(trap)
        .unwrap();
    let log = SessionLog::new(&store, name("s"));
    log.add(EntryType::Tip, None, text("a"), &at(3))
        .unwrap_err();
    turn(&run, DONE);
    let last = iterations(&store, &name("s"), 1).unwrap();
    assert_eq!(last[0].outcome, Some(DONE));
}

#[test]
fn the_lease_of_a_loop_that_never_began_is_found() {
    let conn = rusqlite::Connection::open_in_memory().unwrap();
    let store = AttachedStore::attach(&conn).unwrap();
    begin(&store, 1, None, None);
    assert_clean(&store);
    conn.execute_batch("DELETE FROM waynote_event").unwrap();
    let problems = store.verify().unwrap().problems;
    let says = "session:s has the lease of a loop that never began";
    assert!(problems.iter().any(|of| of == says), "{problems:?}");
}
