//! Events as rows of SQLite: of earlier versions, damaged, or refused.

use waynote::event::EndReason;
use waynote::session_state::{AgentSignal, iterations};
use waynote::store::Cursor;
use waynote::{AttachedStore, EntryType, Options, SessionLog, SqliteStore, Store as _, loops};
use waynote_testing::suites::{DONE, begin, turn};
use waynote_testing::values::{assert_clean, at, name, text};

#[test]
fn a_cursor_reads_back_as_it_prints() {
    for shown in ["0", "12", "9223372036854775807"] {
        assert_eq!(shown.parse::<Cursor>().unwrap().to_string(), shown);
    }
    for bad in ["", "1.", "1.2", "x"] {
        assert!(bad.parse::<Cursor>().is_err(), "{bad}");
    }
}

/// A note that cannot be written is no reason to lose the iteration.
#[test]
fn an_answer_that_cannot_be_noted_stops_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    let store = SqliteStore::open(&file, &Options::default()).unwrap();
    let run = begin(&store, 1, None, None);
    run.start_iteration(&at(2)).unwrap();
    let said = AgentSignal::Blocked("blue?".into());
    loops::signal(&store, &name("s"), None, &said, &at(2)).unwrap();
    run.end(EndReason::Blocked, &at(3)).unwrap();
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

/// Damage to events is found, and named by its session.
#[test]
fn damaged_events_are_found() {
    let damage = [
        (
            "DELETE FROM waynote_event WHERE number = 2",
            "session:s has a gap in its events",
        ),
        (
            "UPDATE waynote_scope SET lease = NULL",
            "session:s (row 1 of waynote_scope) does not match its checksum",
        ),
        (
            "UPDATE waynote_event SET event = '{}' WHERE number = 1",
            "session:s#event-1 (row",
        ),
        (
            "UPDATE waynote_note SET resolved_by = NULL",
            "of waynote_note) does not match its checksum",
        ),
        (
            "DELETE FROM waynote_event",
            "session:s has the lease of a loop that never began",
        ),
    ];
    for (sql, says) in damage {
        let conn = rusqlite::Connection::open_in_memory().unwrap();
        let store = AttachedStore::attach(&conn).unwrap();
        let run = begin(&store, 1, None, None);
        turn(&run, DONE);
        let log = SessionLog::new(&store, name("s"));
        log.add(EntryType::Stuck, None, text("wall"), &at(4))
            .unwrap();
        let entry = log.stuck("wall").unwrap();
        log.add_resolving(EntryType::Tip, None, text("ladder"), Some(entry), &at(5))
            .unwrap();
        assert_clean(&store);
        conn.execute_batch(sql).unwrap();
        let problems = store.verify().unwrap().problems;
        assert!(
            problems.iter().any(|problem| problem.contains(says)),
            "{sql}: {problems:?}"
        );
    }
}
