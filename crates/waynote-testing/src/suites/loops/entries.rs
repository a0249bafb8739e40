//! Entries in a loop: counted, resolved, told from repeats; and events that are damaged.

use waynote::context::{Request, Style, render};
use waynote::event::{IterationOutcome, SessionEvent};
use waynote::session_state::{EntryIteration, entry_iteration, iterations};
use waynote::stall::{self, Progress};
use waynote::{AsOf, EntryType, Error, LocalStore, Note, Place, Places, Scope, SessionLog, Stamp};

use super::{DONE, begin, ended, holder, turn};
use crate::values::{at, name, text};

pub(crate) fn new_entries_of_an_iteration_are_counted(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("s"));
    let run = begin(store, 1, None, &[]).unwrap();
    let add = |iteration, said: &str| {
        log.add(EntryType::Tip, Some(iteration), text(said), &at(2))
            .unwrap();
    };
    let first = run.start_iteration(None, &at(2)).unwrap();
    add(first, "a");
    add(first, "b");
    assert_eq!(run.end_iteration(first, ended(DONE, 1), &at(3)).unwrap(), 2);
    let next = run.start_iteration(None, &at(4)).unwrap();
    add(next, "b");
    add(next, "c");
    assert_eq!(run.end_iteration(next, ended(DONE, 2), &at(5)).unwrap(), 1);
    let told = iterations(store, &name("s"), 9).unwrap();
    assert_eq!((told[1].notes_added, told[1].attempts), (1, 2));
}

pub(crate) fn an_entry_from_outside_belongs_to_the_last_iteration(store: &dyn LocalStore) {
    let session = name("s");
    let of = |given| entry_iteration(store, &session, given).unwrap();
    assert_eq!(of(None), EntryIteration::Of(0));
    assert_eq!(of(Some(7)), EntryIteration::Of(7));
    // An imported log has iterations, and no loop.
    let imported = SessionLog::new(store, name("imported"));
    imported
        .add(EntryType::Tip, Some(4), text("theirs"), &at(1))
        .unwrap();
    let next = entry_iteration(store, &name("imported"), None).unwrap();
    assert_eq!(next, EntryIteration::Of(4));
    let log = SessionLog::new(store, session.clone());
    log.add(EntryType::Tip, Some(0), text("from a person"), &at(1))
        .unwrap();
    let run = begin(store, 1, None, &[]).unwrap();
    // The first iteration, and so every one, has the notes from before the loop.
    assert_eq!(run.next_iteration().unwrap(), 1);
    for style in [Style::Stable, Style::Faithful] {
        let request = Request::new(name("a"), Place::home(), at(1).now);
        let request = request.session(session.clone()).iteration(1).style(style);
        let block = render(store, &request).unwrap().text;
        assert!(block.contains("from a person"), "{block}");
    }
    turn(&run, DONE);
    turn(&run, DONE);
    assert_eq!(of(None), EntryIteration::Of(2));
    assert_eq!(of(Some(1)), EntryIteration::Of(1));
    assert_eq!(of(Some(3)), EntryIteration::Future { last: 2 });
}

pub(crate) fn a_resolved_entry_leaves_the_prompt_and_stays_in_the_log(store: &dyn LocalStore) {
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
        let stable = render(store, &request).unwrap().text;
        let faithful = render(store, &request.style(Style::Faithful)).unwrap().text;
        let has = |text: &str| text.contains("the wall is high");
        assert_eq!(has(&stable), has(&faithful), "{stable}\n{faithful}");
        stable
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
    // The count and the history are unchanged.
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
    // An earlier text resolves it just as well.
    let again = resolve(EntryType::Learning, "a ladder", "wall", 40).unwrap();
    assert_eq!(again.address, ladder.address);
    assert_eq!(is_resolved(log.list(None).unwrap()), ladder.address.key());
    assert!(store.verify().unwrap().problems.is_empty());
}

pub(crate) fn only_being_stuck_is_resolved_and_by_something_else(store: &dyn LocalStore) {
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
}

pub(crate) fn an_event_reads_as_it_was_written(store: &dyn LocalStore) {
    let run = begin(store, 4, None, &[]).unwrap();
    turn(&run, IterationOutcome::Signalled { signal: 9 });
    drop(run);
    let held = store.leases().unwrap();
    let SessionEvent::LoopStarted {
        holder: found,
        directory,
        ..
    } = &held[0].recorded.event
    else {
        panic!("{held:?}");
    };
    assert_eq!((found, directory.as_str()), (&holder(4), "/p"));
    let told = serde_json::to_value(iterations(store, &name("s"), 9).unwrap()).unwrap();
    assert_eq!(
        told,
        serde_json::json!([{
            "iteration": 1, "started_at": "1970-01-01T00:00:02Z", "seconds": 1.0,
            "outcome": { "how": "signalled", "signal": 9 }, "attempts": 1, "notes_added": 0,
            "said": null, "author": "person",
        }])
    );
}

pub(crate) fn what_an_iteration_brought_is_told_from_what_it_ran_into_again(
    store: &dyn LocalStore,
) {
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

    // The agent's notes anywhere are new; so is an entry by anybody.
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

    // The same text again is not new, and neither are entries that the same agent's loop writes in another session.
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

    // Once open again, it is counted from the start.
    let start = position();
    stuck(6);
    assert_eq!(brought(start).walls[0].iterations, [6]);
}
