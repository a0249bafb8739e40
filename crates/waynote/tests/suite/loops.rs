//! Loops and their events, in every store.

use std::time::Duration;

use waynote::context::{Request, render};
use waynote::event::{EndReason, IterationOutcome, ProcessIdentity, SessionEvent};
use waynote::loops::{IterationEnd, Loop, LoopStart, say};
use waynote::session_state::{
    AgentSignal, End, fresh_answer, iterations, last_end, live_iteration, open_question, said,
};
use waynote::stall::{self, Progress};
use waynote::{
    AsOf, EntryType, Error, LocalStore, LoopError, Name, Note, Options, Place, Places, Reader,
    Scope, ScopeKind, SearchRequest, SessionLog, SqliteStore, Stamp, Store,
};

use super::conformance::{at, contents, each_store, name, text};

fn holder(pid: u32) -> ProcessIdentity {
    ProcessIdentity {
        host: "here".into(),
        boot: "b".into(),
        pid,
        start: 7,
    }
}

fn begin<'s>(
    store: &'s dyn LocalStore,
    pid: u32,
    answer: Option<&str>,
    dead: &[u32],
) -> waynote::Result<Loop<'s>> {
    let is_dead = |holder: &ProcessIdentity| dead.contains(&holder.pid);
    let begin = LoopStart::new(holder(pid), "/p", &is_dead).answer(answer);
    Loop::begin(store, name("s"), begin, &at(1))
}

const DONE: IterationOutcome = IterationOutcome::Exited { code: 0 };

fn second() -> Duration {
    Duration::from_secs(1)
}

fn ended(outcome: IterationOutcome, attempts: u32) -> IterationEnd {
    IterationEnd::new(outcome, second(), attempts)
}

fn turn(run: &Loop<'_>, outcome: IterationOutcome) -> i64 {
    let iteration = run.start_iteration(&at(2)).unwrap();
    run.end_iteration(iteration, ended(outcome, 1), &at(3))
        .unwrap();
    iteration
}

fn complete(
    store: &dyn LocalStore,
    session: &Name,
    iteration: Option<i64>,
    summary: &str,
    stamp: &Stamp,
) -> waynote::Result<()> {
    let said = AgentSignal::Completed(summary.into());
    say(store, session, iteration, &said, stamp)
}

fn block(
    store: &dyn LocalStore,
    session: &Name,
    iteration: Option<i64>,
    question: &str,
    stamp: &Stamp,
) -> waynote::Result<()> {
    let said = AgentSignal::Blocked(question.into());
    say(store, session, iteration, &said, stamp)
}

#[test]
fn a_session_has_one_loop_and_its_numbers_go_on() {
    each_store(|store| {
        let session = name("s");
        let first = begin(store, 1, None, &[]).unwrap();
        assert_eq!(turn(&first, DONE), 1);
        let error = begin(store, 2, None, &[]).map(|_| ()).unwrap_err();
        assert!(
            matches!(error, Error::Loop(LoopError::LoopRunning { .. })),
            "{error}"
        );
        assert_eq!(store.leases().unwrap().len(), 1);
        assert_eq!(turn(&first, IterationOutcome::Exited { code: 3 }), 2);
        first.end(EndReason::Iterations, &at(4)).unwrap();
        assert!(store.leases().unwrap().is_empty());

        let second = begin(store, 2, None, &[]).unwrap();
        assert_eq!(live_iteration(store, &session).unwrap(), None);
        assert_eq!(second.start_iteration(&at(5)).unwrap(), 3);
        assert_eq!(live_iteration(store, &session).unwrap(), Some(3));
        // It is killed here; the next one finds it dead and tells what it left.
        drop(second);
        let third = begin(store, 3, None, &[2]).unwrap();
        assert_eq!(live_iteration(store, &session).unwrap(), None);
        assert_eq!(turn(&third, DONE), 4);
        let history = iterations(store, &session, 100).unwrap();
        let told: Vec<_> = history.iter().map(|of| (of.number, of.outcome)).collect();
        assert_eq!(
            told,
            [
                (1, Some(DONE)),
                (2, Some(IterationOutcome::Exited { code: 3 })),
                (3, Some(IterationOutcome::Lost)),
                (4, Some(DONE)),
            ]
        );
        assert_eq!(iterations(store, &session, 2).unwrap(), history[2..]);
        assert!(store.verify().unwrap().problems.is_empty());
    });
}

#[test]
fn a_loop_that_lost_its_session_says_nothing_more() {
    each_store(|store| {
        let lost = begin(store, 1, None, &[]).unwrap();
        lost.start_iteration(&at(2)).unwrap();
        // Taken for dead while it lives, as by another machine.
        let taken = begin(store, 2, None, &[1]).unwrap();
        let refused = |result: waynote::Result<()>| {
            assert!(
                matches!(result, Err(Error::Loop(LoopError::LeaseLost { .. }))),
                "{result:?}"
            );
        };
        refused(lost.end_iteration(1, ended(DONE, 1), &at(3)).map(|_| ()));
        refused(lost.start_iteration(&at(3)).map(|_| ()));
        refused(lost.end(EndReason::Iterations, &at(3)));
        assert_eq!(turn(&taken, DONE), 2);
        taken.end(EndReason::Iterations, &at(4)).unwrap();
    });
}

#[test]
fn a_loop_that_ends_within_an_iteration_leaves_none_open() {
    each_store(|store| {
        let failing = begin(store, 1, None, &[]).unwrap();
        failing.start_iteration(&at(2)).unwrap();
        // Its end could not be written; a moment later the store could.
        failing.end(EndReason::Error, &at(3)).unwrap();
        assert_eq!(live_iteration(store, &name("s")).unwrap(), None);
        let next = begin(store, 2, None, &[]).unwrap();
        assert_eq!(turn(&next, DONE), 2);
        let history = iterations(store, &name("s"), 100).unwrap();
        let told: Vec<_> = history.iter().map(|of| of.outcome).collect();
        assert_eq!(told, [Some(IterationOutcome::Lost), Some(DONE)]);
        assert!(store.verify().unwrap().problems.is_empty());
    });
}

#[test]
fn who_comes_second_to_a_dead_loops_session_is_told_who_has_it() {
    each_store(|store| {
        begin(store, 1, None, &[]).unwrap();
        // While this one looks whether the holder lives, another takes the session.
        let is_dead = |_: &ProcessIdentity| {
            begin(store, 2, None, &[1]).unwrap();
            true
        };
        let begin = LoopStart::new(holder(3), "/p", &is_dead);
        let error = Loop::begin(store, name("s"), begin, &at(1)).map(|_| ());
        let error = error.unwrap_err();
        assert!(
            matches!(error, Error::Loop(LoopError::LoopRunning { .. })),
            "{error}"
        );
    });
}

#[test]
fn a_question_is_open_no_more_when_the_agent_then_says_that_all_is_done() {
    each_store(|store| {
        let session = name("s");
        let run = begin(store, 1, None, &[]).unwrap();
        run.start_iteration(&at(2)).unwrap();
        block(store, &session, None, "Which one?", &at(3)).unwrap();
        complete(store, &session, None, "Both.", &at(3)).unwrap();
        assert_eq!(
            said(store, &session).unwrap(),
            Some(AgentSignal::Completed("Both.".into()))
        );
        assert_eq!(open_question(store, &session).unwrap(), None);
        run.end_iteration(1, ended(DONE, 1), &at(3)).unwrap();
        run.end(EndReason::Completed, &at(4)).unwrap();
        begin(store, 2, None, &[]).unwrap();
    });
}

#[test]
fn events_are_no_notes() {
    each_store(|store| {
        let run = begin(store, 1, None, &[]).unwrap();
        run.start_iteration(&at(2)).unwrap();
        complete(store, &name("s"), None, "wonderful", &at(3)).unwrap();
        let scope = Scope::Session(name("s"));
        assert!(store.scopes(ScopeKind::Session).unwrap().is_empty());
        assert_eq!(store.count(&scope).unwrap(), 0);
        assert!(store.journal(None, 10).unwrap().is_empty());
        assert!(
            store
                .search(&SearchRequest::new("wonderful"))
                .unwrap()
                .is_empty()
        );
        let request = Request::new(name("a"), "~/p".parse::<Place>().unwrap(), at(9).now)
            .session(Some(name("s")));
        assert_eq!(render(store, &request).unwrap().text, "");
        assert!(store.verify().unwrap().problems.is_empty());
    });
}

#[test]
fn an_agent_says_that_it_is_done_or_blocked_only_while_it_runs() {
    each_store(|store| {
        let session = name("s");
        let no_iteration = |result: waynote::Result<()>| {
            assert!(
                matches!(result, Err(Error::Loop(LoopError::NoLiveIteration { .. }))),
                "{result:?}"
            );
        };
        no_iteration(complete(store, &session, None, "done", &at(1)));
        let run = begin(store, 1, None, &[]).unwrap();
        no_iteration(block(store, &session, None, "who?", &at(1)));
        run.start_iteration(&at(2)).unwrap();
        no_iteration(complete(store, &session, Some(7), "done", &at(2)));
        assert_eq!(said(store, &session).unwrap(), None);
        complete(store, &session, Some(1), " done\n", &at(2)).unwrap();
        assert_eq!(
            said(store, &session).unwrap(),
            Some(AgentSignal::Completed("done".into()))
        );
        let empty = block(store, &session, None, " \n", &at(2)).unwrap_err();
        assert!(matches!(empty, Error::Empty { what: "question" }));
        let token = format!("gh{}_{}6wq2", 'p', "aZ3kQ9xW".repeat(4));
        let secret = format!("why is {token} refused?");
        let refused = block(store, &session, None, &secret, &at(2)).unwrap_err();
        assert!(matches!(refused, Error::HoldsSecret { .. }), "{refused}");
        run.end_iteration(1, ended(DONE, 1), &at(3)).unwrap();
        no_iteration(complete(store, &session, None, "late", &at(4)));
    });
}

#[test]
fn a_question_stops_the_session_until_it_is_answered() {
    each_store(|store| {
        let session = name("s");
        let run = begin(store, 1, None, &[]).unwrap();
        run.start_iteration(&at(2)).unwrap();
        block(store, &session, None, "blue or green?", &at(2)).unwrap();
        assert_eq!(
            said(store, &session).unwrap(),
            Some(AgentSignal::Blocked("blue or green?".into()))
        );
        run.end_iteration(1, ended(DONE, 1), &at(3)).unwrap();
        run.end(EndReason::Blocked, &at(3)).unwrap();

        let end = Some(End {
            reason: EndReason::Blocked,
            said: Some(AgentSignal::Blocked("blue or green?".into())),
            detail: None,
        });
        assert_eq!(last_end(store, &session).unwrap(), end);
        let refused = begin(store, 2, None, &[]).map(|_| ()).unwrap_err();
        assert!(
            matches!(refused, Error::Loop(LoopError::Unanswered { question, .. }) if question == "blue or green?")
        );
        assert!(store.leases().unwrap().is_empty());
        assert!(begin(store, 2, Some(" "), &[]).is_err());
        let run = begin(store, 2, Some("green"), &[]).unwrap();
        assert_eq!(last_end(store, &session).unwrap(), None);
        assert_eq!(open_question(store, &session).unwrap(), None);
        let (asked, answer) = fresh_answer(store, &session).unwrap().unwrap();
        assert_eq!((asked.iteration, answer.as_str()), (1, "green"));
        // A turn that failed may not have come to it.
        turn(&run, IterationOutcome::Exited { code: 1 });
        assert!(fresh_answer(store, &session).unwrap().is_some());
        // The same command again, after a stop, repeats the answer; another one has no question.
        run.end(EndReason::Interrupted, &at(5)).unwrap();
        let other = begin(store, 3, Some("blue"), &[]).map(|_| ()).unwrap_err();
        assert!(matches!(other, Error::Loop(LoopError::NothingAsked { .. })));
        let run = begin(store, 3, Some("green"), &[]).unwrap();
        assert!(fresh_answer(store, &session).unwrap().is_some());
        // As long as prompts hold it as an answer, it is no note.
        let notes = || SessionLog::new(store, session.clone()).list(None).unwrap();
        assert!(notes().is_empty());
        turn(&run, DONE);
        assert!(fresh_answer(store, &session).unwrap().is_none());
        assert_eq!(notes().len(), 1);
        run.end(EndReason::Iterations, &at(5)).unwrap();
        let nothing = begin(store, 3, Some("green"), &[]).map(|_| ()).unwrap_err();
        assert!(matches!(
            nothing,
            Error::Loop(LoopError::NothingAsked { .. })
        ));
        let log = SessionLog::new(store, session).list(None).unwrap();
        assert_eq!(contents(&log), ["Asked: blue or green?\nAnswered: green"]);
        assert_eq!(
            (&log[0].kind, log[0].iteration),
            (&Some(EntryType::Decision), Some(1))
        );
    });
}

#[test]
fn new_entries_of_an_iteration_are_counted() {
    each_store(|store| {
        let log = SessionLog::new(store, name("s"));
        let run = begin(store, 1, None, &[]).unwrap();
        let add = |iteration, said: &str| {
            log.add(EntryType::Tip, Some(iteration), text(said), &at(2))
                .unwrap();
        };
        let first = run.start_iteration(&at(2)).unwrap();
        add(first, "a");
        add(first, "b");
        assert_eq!(run.end_iteration(first, ended(DONE, 1), &at(3)).unwrap(), 2);
        let next = run.start_iteration(&at(4)).unwrap();
        add(next, "b");
        add(next, "c");
        assert_eq!(run.end_iteration(next, ended(DONE, 2), &at(5)).unwrap(), 1);
        let told = iterations(store, &name("s"), 9).unwrap();
        assert_eq!((told[1].notes_added, told[1].attempts), (1, 2));
    });
}

#[test]
fn a_resolved_entry_leaves_the_prompt_and_stays_in_the_log() {
    each_store(|store| {
        let session = name("s");
        let log = SessionLog::new(store, session.clone());
        let stuck = |iteration, said: &str, second| {
            log.add(EntryType::Stuck, Some(iteration), text(said), &at(second))
                .unwrap()
        };
        let block = || {
            let request = Request::new(name("a"), "~/p".parse::<Place>().unwrap(), at(99).now)
                .session(Some(session.clone()))
                .iteration(Some(9));
            render(store, &request).unwrap().text
        };
        let wall = stuck(1, "the wall is high", 10);
        stuck(1, "the moat is deep", 11);
        stuck(2, "no bridge", 12);
        assert!(block().contains("the wall is high"));

        let resolve = |kind, said: &str, named: &str, second| {
            let entry = log.stuck(named)?;
            log.add_resolving(kind, Some(3), text(said), Some(entry), &at(second))
        };
        // Words that no other one has, the only one of an iteration, an address, an id.
        assert_eq!(
            log.stuck("WALL").unwrap().to_string(),
            wall.address.key().unwrap()
        );
        assert_eq!(
            log.stuck(&wall.address.to_string()).unwrap(),
            log.stuck("high").unwrap()
        );
        assert_eq!(
            log.stuck(&wall.address.key().unwrap()).unwrap(),
            log.stuck("high").unwrap()
        );
        assert!(log.stuck("#2").is_ok());
        for (named, candidates) in [("the", 2), ("#1", 2), ("roof", 3), ("", 3)] {
            match log.stuck(named).unwrap_err() {
                Error::NoSuchStuck {
                    candidates: found, ..
                } => assert_eq!(found.len(), candidates),
                other => panic!("{named}: {other}"),
            }
        }
        let before = store.version().unwrap().position.unwrap();
        let ladder = resolve(EntryType::Learning, "a ladder", "wall", 20).unwrap();
        let after = store.version().unwrap().position.unwrap();
        let is_resolved = |notes: Vec<Note>| {
            let note = notes.into_iter().find(|note| note.address == wall.address);
            note.unwrap().resolved_by.map(|by| by.to_string())
        };
        assert_eq!(is_resolved(log.list(None).unwrap()), ladder.address.key());
        assert!(!block().contains("the wall is high"), "{}", block());
        assert!(block().contains("a ladder"));
        assert_eq!(store.count_entries(&session, None, None, true).unwrap(), 3);
        assert_eq!(
            store
                .count_entries(&session, Some(&EntryType::Stuck), None, false)
                .unwrap(),
            3
        );
        // Seen and history are what they were.
        let now = store.get(&wall.address).unwrap().unwrap();
        assert_eq!(
            (now.seen(), store.history(&wall.address).unwrap().len()),
            (Some(1), 1)
        );

        // As it was.
        let scopes = [Scope::Session(session.clone())];
        let then = |moment| is_resolved(store.select_at(&scopes, moment).unwrap());
        assert_eq!(then(AsOf::Position(before)), None);
        assert_eq!(then(AsOf::Time(at(19).now)), None);
        assert_eq!(then(AsOf::Position(after)), ladder.address.key());
        assert_eq!(then(AsOf::Time(at(20).now)), ladder.address.key());

        // The same wall again.
        stuck(4, "the wall is high", 30);
        assert_eq!(is_resolved(log.list(None).unwrap()), None);
        assert_eq!(then(AsOf::Time(at(31).now)), None);
        assert_eq!(then(AsOf::Time(at(29).now)), ladder.address.key());
        assert!(block().contains("the wall is high"));
        // What was said before resolves it just as well.
        let again = resolve(EntryType::Learning, "a ladder", "wall", 40).unwrap();
        assert_eq!(again.address, ladder.address);
        assert_eq!(is_resolved(log.list(None).unwrap()), ladder.address.key());
        assert!(store.verify().unwrap().problems.is_empty());
    });
}

#[test]
fn only_being_stuck_is_resolved_and_by_something_else() {
    each_store(|store| {
        let log = SessionLog::new(store, name("s"));
        let tip = log.add(EntryType::Tip, None, text("tip"), &at(1)).unwrap();
        let wall = log
            .add(EntryType::Stuck, None, text("wall"), &at(1))
            .unwrap();
        let resolve = |kind, note: &Note| {
            let entry = log.stuck(&note.address.to_string()).unwrap();
            log.add_resolving(kind, None, text("x"), Some(entry), &at(2))
        };
        for (kind, note) in [(EntryType::Tip, &tip), (EntryType::Stuck, &wall)] {
            let error = resolve(kind, note).unwrap_err();
            assert!(matches!(error, Error::NotResolved { .. }), "{error}");
        }
        let elsewhere = SessionLog::new(store, name("t"));
        let entry = log.stuck("wall").unwrap();
        let error = elsewhere.add_resolving(EntryType::Tip, None, text("x"), Some(entry), &at(2));
        assert!(matches!(error, Err(Error::NotFound { .. })));
        assert_eq!(store.count(&Scope::Session(name("t"))).unwrap(), 0);
        assert_eq!(store.count(&Scope::Session(name("s"))).unwrap(), 2);
    });
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
            "session:s has the lease of another loop than its events say",
        ),
        (
            "UPDATE waynote_event SET event = '{}' WHERE number = 1",
            "session:s has a damaged event",
        ),
        (
            "UPDATE waynote_note SET resolved_by = NULL",
            "is marked as resolved (or open), but its events say otherwise",
        ),
        (
            "DELETE FROM waynote_event",
            "session:s has the lease of a loop that never began",
        ),
    ];
    for (sql, says) in damage {
        let conn = rusqlite::Connection::open_in_memory().unwrap();
        let store = waynote::AttachedStore::attach(&conn).unwrap();
        let run = begin(&store, 1, None, &[]).unwrap();
        turn(&run, DONE);
        let log = SessionLog::new(&store, name("s"));
        log.add(EntryType::Stuck, None, text("wall"), &at(4))
            .unwrap();
        let entry = log.stuck("wall").unwrap();
        log.add_resolving(EntryType::Tip, None, text("ladder"), Some(entry), &at(5))
            .unwrap();
        assert_eq!(store.verify().unwrap().problems, Vec::<String>::new());
        conn.execute_batch(sql).unwrap();
        let problems = store.verify().unwrap().problems;
        assert!(
            problems.iter().any(|problem| problem.contains(says)),
            "{sql}: {problems:?}"
        );
    }
}

#[test]
fn an_event_reads_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("n.db"), &Options::default()).unwrap();
    let run = begin(&store, 4, None, &[]).unwrap();
    turn(&run, IterationOutcome::Signalled { signal: 9 });
    drop(run);
    let held = store.leases().unwrap();
    let SessionEvent::LoopStarted {
        holder: found,
        directory,
        ..
    } = &held[0].1.event
    else {
        panic!("{held:?}");
    };
    assert_eq!((found, directory.as_str()), (&holder(4), "/p"));
    let told = serde_json::to_value(iterations(&store, &name("s"), 9).unwrap()).unwrap();
    assert_eq!(
        told,
        serde_json::json!([{
            "iteration": 1, "started_at": "1970-01-01T00:00:02Z", "seconds": 1.0,
            "outcome": { "how": "signalled", "signal": 9 }, "attempts": 1, "notes_added": 0,
            "said": null, "author": "person",
        }])
    );
}

#[test]
fn what_an_iteration_brought_is_told_from_what_it_ran_into_again() {
    each_store(|store| {
        let session = name("s");
        let agent = name("agent:a");
        let log = SessionLog::new(store, session.clone());
        let position = || store.version().unwrap().position;
        let brought = |since| stall::since(store, &session, &agent, since).unwrap();
        let stuck = |iteration| {
            log.add(
                EntryType::Stuck,
                Some(iteration),
                text("wall"),
                &at(iteration),
            )
            .unwrap();
        };
        let start = position();
        for iteration in [1, 2, 2, 2] {
            stuck(iteration);
        }
        let first = brought(start);
        assert_eq!(first.new_notes, 1);
        assert_eq!(first.walls[0].iterations, [1, 2]);

        // Others write in the same store meanwhile, much.
        let start = position();
        let places = Places::new(store);
        for number in 0..200 {
            let place = format!("~/p{number}").parse::<Place>().unwrap();
            places.write(&place, text("x"), &at(3)).unwrap();
        }
        stuck(3);
        let brought_then = brought(start);
        assert_eq!(brought_then.new_notes, 0);
        assert_eq!(brought_then.walls.len(), 1);
        assert_eq!(brought_then.walls[0].iterations, [1, 2, 3]);

        // What the agent writes anywhere is new; so is an entry by anybody.
        let start = position();
        let by_agent = Stamp::new(at(4).now, agent.clone());
        places
            .write(&"~/q".parse().unwrap(), text("y"), &by_agent)
            .unwrap();
        log.add(EntryType::Tip, Some(4), text("tip"), &at(4))
            .unwrap();
        log.add(EntryType::Tip, Some(4), text("tip"), &at(4))
            .unwrap();
        assert_eq!(
            brought(start),
            Progress {
                new_notes: 2,
                walls: Vec::new()
            }
        );
        assert_eq!(brought(position()), Progress::default());

        // The same once more is not; nor is what the same agent's loop in another session notes there.
        let start = position();
        places
            .write(&"~/q".parse().unwrap(), text("y"), &by_agent)
            .unwrap();
        SessionLog::new(store, name("other"))
            .add(EntryType::Tip, Some(1), text("there"), &by_agent)
            .unwrap();
        assert_eq!(brought(start), Progress::default());

        // A resolved one is no wall, and neither is a tip.
        let start = position();
        stuck(5);
        let entry = log.stuck("wall").unwrap();
        log.add_resolving(EntryType::Tip, Some(5), text("tip"), Some(entry), &at(5))
            .unwrap();
        assert_eq!(brought(start), Progress::default());

        // Open again, it begins anew.
        let start = position();
        stuck(6);
        assert_eq!(brought(start).walls[0].iterations, [6]);
    });
}
