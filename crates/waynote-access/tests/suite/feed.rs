//! The feed and the journal page over what others wrote in between.

use waynote::store::{Ask, Cursor};
use waynote::{Content, EntryType, Position, Reader, Store};
use waynote_access::{Grant, Narrowed};

use super::world::{ANN, CANARY, at, no_canary, store_of};

#[test]
fn pages_skip_what_others_wrote_and_lose_nothing() {
    let (_folder, store) = store_of(&[]);
    let say = |number: i64| Content::text(format!("entry {number}")).unwrap();
    for number in 1..=600 {
        // Long stretches of the other, then short ones.
        let who = match number % 200 {
            0..=2 | 150 => ANN,
            _ => CANARY,
        };
        let entry = who.entry(EntryType::Tip, number, say(number));
        store.apply(&[entry], &at(number, "person")).unwrap();
    }
    let mine = SessionOf::positions(&store);
    assert_eq!(mine.len(), 12);
    let grant = Grant {
        sessions: vec![ANN.session()],
        ..Grant::everything()
    };
    let narrowed = Narrowed::new(&store, grant.clone());
    for limit in [1, 2, 5, 11, 12, 13, 1000, usize::MAX] {
        let (mut after, mut found) = (Cursor::START, Vec::new());
        loop {
            let page = narrowed.feed(after, limit).unwrap();
            no_canary(&page, &grant);
            let Some(last) = page.last() else { break };
            after = last.at;
            found.extend(page.iter().map(|entry| entry.at.position));
            if page.len() < limit {
                break;
            }
        }
        assert_eq!(found, mine, "{limit}");
        let (mut before, mut found) = (None, Vec::new());
        loop {
            let page = narrowed.journal(before, limit).unwrap();
            no_canary(&page, &grant);
            let Some(last) = page.last() else { break };
            before = last.position;
            found.extend(page.iter().filter_map(|revision| revision.position));
        }
        found.reverse();
        assert_eq!(found, mine, "{limit}");
    }
}

#[test]
fn a_short_page_reaches_up_to_the_version() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let grant = Grant {
        sessions: vec![ANN.session()],
        ..Grant::everything()
    };
    let narrowed = Narrowed::new(&store, grant);
    let ask = Ask {
        feed: vec![(Cursor::START, 500)],
        version: true,
        ..Ask::default()
    };
    let answers = narrowed.read(&ask).unwrap();
    let head = answers.version.position.unwrap();
    assert!(answers.feed[0].len() < 500);
    assert!(answers.feed[0].last().unwrap().at.position < head);
    // So a reader goes on from there, and gets what comes next.
    let content = Content::text("one more").unwrap();
    let entry = ANN.entry(EntryType::Tip, 9, content);
    store.apply(&[entry], &at(999, "person")).unwrap();
    let next = narrowed.feed(Cursor::at(head), 500).unwrap();
    assert_eq!(next.len(), 1);
    assert_eq!(next[0].at.position.number(), head.number() + 1);
}

/// What a store has of the first session.
struct SessionOf;

impl SessionOf {
    fn positions(store: &dyn Reader) -> Vec<Position> {
        let all = store.feed(Cursor::START, 10_000).unwrap().into_iter();
        let mine = all.filter(|entry| format!("{entry:?}").contains("\"ann\""));
        mine.map(|entry| entry.at.position).collect()
    }
}
