//! The behaviour of every store in one order: the feed, calls that are made again, data beside the notes.

mod again;

pub(crate) use again::*;

use waynote::engine::Writing;
use waynote::event::SessionsEvent;
use waynote::store::{FeedContent, FeedEntry, ForgottenTexts, SideValue};
use waynote::{Address, Change, Content, EntryType, Forget, LocalStore, Place, SessionLog};

use crate::values::{at, ended, key, name, place, save, started, text, whole_feed};

/// A feed entry in one line.
fn told(entry: &FeedEntry) -> String {
    match &entry.happened {
        FeedContent::Changed(revision) => {
            let address = revision.address();
            let named = match address {
                Address::Session(..) => "an entry".into(),
                _ => address.to_string(),
            };
            format!("{} {:?} {named}", entry.at, revision.action)
        }
        FeedContent::Event(SessionsEvent { session, recorded }) => {
            let event = serde_json::to_value(&recorded.event).unwrap();
            format!(
                "{} {} {session}",
                entry.at,
                event["event"].as_str().unwrap()
            )
        }
        FeedContent::Forgotten(ForgottenTexts { revisions, by, .. }) => {
            let revisions: Vec<String> = revisions.iter().map(ToString::to_string).collect();
            format!("{} forgotten {} {by}", entry.at, revisions.join(" "))
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) fn changes_events_and_forgettings_have_one_order(store: &dyn LocalStore) {
    let session = name("s");
    store.apply(&[save(key("k"), "one")], &at(9)).unwrap();
    store.record(&session, &[started()], None, &at(8)).unwrap();
    let log = SessionLog::new(store, session.clone());
    let stuck = log
        .add(EntryType::Stuck, Some(1), text("wall"), &at(7))
        .unwrap();
    let Address::Session(_, entry) = stuck.address else {
        panic!("{stuck:?}");
    };
    let resolves = Change::Append {
        session: session.clone(),
        kind: EntryType::Learning,
        iteration: Some(2),
        content: text("door"),
        resolves: Some(entry),
        id: None,
        created_at: None,
    };
    let write = save(Address::Place(place("~/p")), "two");
    store.apply(&[resolves, write], &at(6)).unwrap();
    store
        .record(&session, &[ended(), started()], Some(1), &at(5))
        .unwrap();
    let request = Forget::new(key("k"));
    store.forget(&request, &at(4)).unwrap();
    store.record(&session, &[ended()], Some(4), &at(3)).unwrap();

    let feed = whole_feed(store);
    let lines: Vec<String> = feed.iter().map(told).collect();
    assert_eq!(
        lines,
        [
            "1 Save agent:a#k",
            "2 loop_started s",
            "3 Save an entry",
            "4 Save an entry",
            "5 resolved s",
            "6 Save place:~/p",
            "7 loop_ended s",
            "8 loop_started s",
            "9 Forget agent:a#k",
            "10 forgotten agent:a#k@1 person",
            "11 loop_ended s",
        ]
    );
    for (index, entry) in feed.iter().enumerate() {
        assert_eq!(entry.at.to_string().parse(), Ok(entry.at));
        for limit in [0, 1, 3, usize::MAX] {
            let rest: Vec<_> = feed[index + 1..].iter().take(limit).cloned().collect();
            assert_eq!(store.feed(Some(entry.at), limit).unwrap(), rest);
        }
    }
    assert_eq!(
        store.version().unwrap().position,
        feed.last().map(|last| last.at)
    );
    assert!(store.verify().unwrap().is_clean());
}

pub(crate) fn side_data_goes_with_the_content_that_it_is_about(store: &dyn LocalStore) {
    let secret = key("secret");
    let kept = key("kept");
    let changes = [save(secret.clone(), "gone"), save(kept, "stays")];
    store.apply(&changes, &at(1)).unwrap();
    let value = |key: &str, about: Option<&Content>| SideValue {
        key: key.into(),
        value: key.as_bytes().to_vec(),
        about: about.map(Content::hash),
    };
    let (gone, stays) = (text("gone"), text("stays"));
    let all = [
        value("1", Some(&gone)),
        value("2", Some(&stays)),
        value("3", None),
    ];
    let put = |space: &str, values: &[SideValue], removed: &[String]| {
        let put = store.put_side_values(space, values, removed, Writing::Relaxed);
        put.unwrap();
    };
    for space in ["file:/elsewhere/notes.json", "other"] {
        put(space, &all, &[]);
        assert_eq!(store.side_values(space).unwrap(), all);
    }
    put("other", &[value("0", None)], &["3".into()]);
    let request = Forget::new(secret);
    let foreseen = store.would_forget(&request, &at(2)).unwrap();
    let forgotten = store.forget(&request, &at(2)).unwrap();
    assert_eq!(foreseen.spaces, ["file:/elsewhere/notes.json", "other"]);
    assert_eq!(forgotten.spaces, foreseen.spaces);
    assert_eq!(
        store.side_values("file:/elsewhere/notes.json").unwrap(),
        all[1..]
    );
    assert_eq!(
        store.side_values("other").unwrap(),
        [value("0", None), value("2", Some(&stays))]
    );
    assert_eq!(store.side_values("nothing").unwrap(), []);
    assert!(store.verify().unwrap().is_clean());
}

fn write_place(
    store: &dyn LocalStore,
    at_place: &Place,
    said: &str,
    stamp: &waynote::Stamp,
) -> Vec<waynote::Applied> {
    let address = Address::Place(at_place.clone());
    store.apply(&[save(address, said)], stamp).unwrap()
}
