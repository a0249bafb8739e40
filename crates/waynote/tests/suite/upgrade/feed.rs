//! The feed of a migrated store.

use std::collections::BTreeMap;

use waynote::event::{EndReason, ProcessIdentity, SessionEvent, SessionsEvent};
use waynote::store::{Cursor, FeedContent, FeedEntry};
use waynote::{Notebook, Position, Reader, SaveOptions, SqliteStore, Store};

use super::Old;
use waynote_testing::values::{at, name, text};

/// Each revision of the old store, by position.
fn old_revisions(old: &Old) -> Vec<(i64, String, i64)> {
    let conn = old.raw();
    let mut statement = conn
        .prepare(
            "SELECT j.position, s.kind || ':' || s.name || iif(j.key = '', '', '#' || j.key), j.revision
             FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope ORDER BY j.position",
        )
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

/// Each event of the old store, by session: its number, the position before it, its text.
fn old_events(old: &Old) -> BTreeMap<String, Vec<(u64, i64, SessionEvent)>> {
    let conn = old.raw();
    let mut statement = conn
        .prepare(
            "SELECT s.name, e.number, e.after, e.event FROM waynote_event e JOIN waynote_scope s ON s.id = e.scope
             ORDER BY s.name, e.number",
        )
        .unwrap();
    let rows = statement.query_map([], |row| {
        let number: i64 = row.get(1)?;
        Ok((
            row.get::<_, String>(0)?,
            number as u64,
            row.get(2)?,
            row.get::<_, String>(3)?,
        ))
    });
    let mut events: BTreeMap<String, Vec<(u64, i64, SessionEvent)>> = BTreeMap::new();
    for row in rows.unwrap() {
        let (session, number, after, event) = row.unwrap();
        let event = serde_json::from_str(&event).unwrap();
        events
            .entry(session)
            .or_default()
            .push((number, after, event));
    }
    events
}

fn all(store: &SqliteStore) -> Vec<FeedEntry> {
    store.feed(Cursor::START, usize::MAX).unwrap()
}

#[test]
fn it_has_every_revision_and_event_once_in_their_old_order() {
    let old = Old::new();
    let (revisions, events) = (old_revisions(&old), old_events(&old));
    let store = old.open();
    let feed = all(&store);
    assert!(feed.is_sorted_by(|one, next| one.at < next.at));
    let mut changes = Vec::new();
    let mut happened: BTreeMap<String, Vec<(u64, i64, SessionEvent)>> = BTreeMap::new();
    for entry in &feed {
        match &entry.happened {
            FeedContent::Changed(revision) => {
                assert_eq!(revision.position, Some(entry.at.position));
                let number = i64::try_from(revision.number()).unwrap();
                changes.push((
                    entry.at.position.number(),
                    revision.address().to_string(),
                    number,
                ));
            }
            FeedContent::Event(SessionsEvent { session, recorded }) => {
                assert_eq!(recorded.position, entry.at.position);
                let event = (
                    recorded.number,
                    recorded.position.number(),
                    recorded.event.clone(),
                );
                happened.entry(session.to_string()).or_default().push(event);
            }
            other => panic!("nothing else had a position then: {other:?}"),
        }
    }
    assert_eq!(changes, revisions);
    // A session's events by their numbers, though a clock went back between two of them.
    assert_eq!(happened, events);
    let first = &events["empty"];
    assert!(first.len() > 8 && first.iter().all(|(_, after, _)| *after == 0));
    for (index, entry) in feed.iter().enumerate() {
        assert_eq!(entry.at.to_string().parse(), Ok(entry.at));
        assert_eq!(store.feed(entry.at, usize::MAX).unwrap(), feed[index + 1..]);
    }
}

#[test]
fn it_goes_on_without_a_gap() {
    let old = Old::new();
    let store = old.open();
    let before = all(&store);
    let last = before.last().unwrap().at;
    let mut changes = before
        .iter()
        .filter(|of| matches!(of.happened, FeedContent::Changed(_)));
    let head = changes.next_back().unwrap().at.position.number();
    Notebook::of_agent(&store, name("new"))
        .save(
            &"k".parse().unwrap(),
            text("v"),
            SaveOptions::default(),
            &at(1),
        )
        .unwrap();
    let started = SessionEvent::LoopStarted {
        holder: ProcessIdentity::new("h", "b", 1, 1),
        directory: "/p".into(),
        iterations: None,
    };
    store
        .record(&name("new"), &[started], None, &at(2))
        .unwrap();
    let ended = SessionEvent::LoopEnded {
        reason: EndReason::Lost,
        detail: None,
    };
    store
        .record(&name("new"), &[ended], Some(1), &at(3))
        .unwrap();
    let after = store.feed(last, usize::MAX).unwrap();
    let positions: Vec<Cursor> = after.iter().map(|entry| entry.at).collect();
    let next = |by| Cursor::at(Position::new(head + by));
    assert_eq!(positions, [next(1), next(2), next(3)]);
    assert!(store.verify().unwrap().is_clean());
    // The loop that was killed in the old store still counts as the holder of its session.
    assert_eq!(store.leases().unwrap()[0].session, name("killed"));
}
