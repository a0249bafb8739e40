//! Rows that the rules never write: `verify` names what is wrong with them, over every engine.

use waynote::engine::{Engine, Put, Row, Writing};
use waynote::event::{RecordedEvent, SessionEvent};
use waynote::note::State;
use waynote::{
    Action, Address, Content, EngineStore, EntryType, Name, Note, Position, Reader, Revision,
    SessionLog, Store,
};

use crate::values::{at, key, save};

/// Writes a second revision of a note, after `change` has altered it, and expects one problem.
fn altered(
    engine: &dyn Engine,
    change: impl Fn(&mut Revision, &mut Option<Note>, &mut bool),
    says: &str,
) {
    let address = key("k");
    let store = EngineStore::new(engine);
    store
        .apply(&[save(address.clone(), "text")], &at(1))
        .unwrap();
    assert!(store.verify().unwrap().is_clean());
    let mut revision = store.history(&address).unwrap().pop().unwrap();
    let previous = revision.position;
    revision.position = Some(Position::new(2));
    let mut note = revision.note().unwrap().clone();
    note.revision = 2;
    revision.state = State::Present(note.clone());
    let (mut note, mut is_counted) = (Some(note), true);
    change(&mut revision, &mut note, &mut is_counted);
    engine
        .write(Writing::Durable, &mut |tx| {
            tx.put(&[Row::Revision(Put {
                revision: &revision,
                previous,
                note: note.as_ref(),
                existed: true,
                is_counted,
                step: None,
            })])
        })
        .unwrap();
    let problems = store.verify().unwrap().problems;
    let expected = format!("{address} {says}");
    assert!(problems.contains(&expected), "{expected}: {problems:?}");
}

pub(crate) fn a_note_that_is_not_as_its_journal_gives_it(engine: &dyn Engine) {
    altered(
        engine,
        |_, note, _| note.as_mut().unwrap().pinned = true,
        "does not match its journal",
    );
}

pub(crate) fn a_note_that_is_deleted_against_its_journal(engine: &dyn Engine) {
    altered(
        engine,
        |_, note, _| *note = None,
        "is deleted, but not according to its journal",
    );
}

pub(crate) fn a_revision_that_does_not_follow_the_one_before_it(engine: &dyn Engine) {
    let third = |revision: &mut Revision, note: &mut Option<Note>, _: &mut bool| {
        note.as_mut().unwrap().revision = 3;
        revision.state = State::Present(note.clone().unwrap());
    };
    altered(engine, third, "has a gap in its revisions");
}

pub(crate) fn a_repeat_that_says_something_else(engine: &dyn Engine) {
    let other = |revision: &mut Revision, note: &mut Option<Note>, _: &mut bool| {
        note.as_mut().unwrap().content = Content::text("other").unwrap();
        revision.state = State::Present(note.clone().unwrap());
        revision.action = Action::Repeat;
    };
    altered(engine, other, "has a repeat that does not match it");
}

pub(crate) fn a_scope_whose_notes_are_counted_wrongly(engine: &dyn Engine) {
    let store = EngineStore::new(engine);
    let address: Address = "agent:a#k".parse().unwrap();
    store
        .apply(&[save(address.clone(), "text")], &at(1))
        .unwrap();
    let revision = store.history(&address).unwrap().pop().unwrap();
    let mut other = revision.note().unwrap().clone();
    other.address = "agent:a#other".parse().unwrap();
    let revision = Revision {
        position: Some(Position::new(2)),
        state: State::Present(other.clone()),
        ..revision
    };
    engine
        .write(Writing::Durable, &mut |tx| {
            tx.put(&[Row::Revision(Put {
                revision: &revision,
                previous: None,
                note: Some(&other),
                existed: false,
                is_counted: false,
                step: None,
            })])
        })
        .unwrap();
    let problems = store.verify().unwrap().problems;
    assert_eq!(problems, ["agent:a has a wrong count of notes"]);
}

pub(crate) fn events_with_a_gap_and_an_entry_that_no_event_resolves(engine: &dyn Engine) {
    let store = EngineStore::new(engine);
    let session: Name = "s".parse().unwrap();
    let log = SessionLog::new(&store, session.clone());
    let wall = Content::text("wall").unwrap();
    log.add(EntryType::Stuck, Some(1), wall, &at(1)).unwrap();
    let id = log.stuck("wall").unwrap();
    let address = Address::Session(session.clone(), id);
    let recorded = RecordedEvent {
        position: Position::new(2),
        number: 2,
        event: SessionEvent::Completed {
            iteration: 1,
            summary: "done".into(),
        },
        author: "person".parse().unwrap(),
        recorded_at: at(2).now,
    };
    engine
        .write(Writing::Durable, &mut |tx| {
            tx.put(&[
                Row::Event {
                    session: &session,
                    recorded: recorded.clone(),
                    step: None,
                },
                Row::Resolved {
                    session: &session,
                    entry: id,
                    by: id,
                },
            ])
        })
        .unwrap();
    let problems = store.verify().unwrap().problems;
    assert_eq!(
        problems,
        [
            "session:s has a gap in its events".to_owned(),
            format!("{address} is marked as resolved (or open), but its events say otherwise"),
        ]
    );
}
