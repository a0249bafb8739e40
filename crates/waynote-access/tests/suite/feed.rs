//! The feed and the journal skip the writes of others between two pages.

use waynote::store::{Answers, Ask, Cursor, FeedPage};
use waynote::{Content, EntryType, Position, Reader, Result, Store, pass_on};
use waynote_access::{Grant, NarrowedStore};

use super::world::{ANN, CANARY, Owner, at, no_canary, store_of};

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
        let entry = who.entry(EntryType::Tip, number, &say(number));
        store.apply(&[entry], &at(number, "person")).unwrap();
    }
    let mine = SessionOf::positions(&store);
    assert_eq!(mine.len(), 12);
    let grant = Grant {
        sessions: vec![ANN.session()],
        ..Grant::everything()
    };
    let narrowed = NarrowedStore::new(&store, grant.clone());
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
fn what_others_wrote_costs_bounded_time() {
    let (_folder, store) = store_of(&[]);
    let say = |number: i64| Content::text(format!("entry {number}")).unwrap();
    let write = |who: Owner, numbers: std::ops::RangeInclusive<i64>| {
        let entries: Vec<_> = numbers
            .map(|number| who.entry(EntryType::Tip, number, &say(number)))
            .collect();
        store.apply(&entries, &at(1, "person")).unwrap();
    };
    write(ANN, 1..=3);
    write(CANARY, 4..=10_000);
    write(ANN, 10_001..=10_003);
    let counting = RowCounter::new(&store);
    let narrowed = NarrowedStore::new(
        &counting,
        Grant {
            sessions: vec![ANN.session()],
            ..Grant::everything()
        },
    );
    let all = NarrowedStore::new(&counting, Grant::everything());
    for narrowed in [&narrowed, &all] {
        let (mut feed, mut journal) = (Vec::new(), Vec::new());
        let (mut after, mut before) = (Cursor::START, None);
        loop {
            let found = narrowed.feed_stretch(after, 2).unwrap();
            assert!(counting.taken() <= 6000);
            assert!(found.items.len() <= 2);
            feed.extend(found.items.iter().map(|item| item.at.position));
            if found.is_last {
                break;
            }
            assert!(found.reached > Some(after));
            after = found.reached.unwrap();
        }
        loop {
            let found = narrowed.journal_stretch(before, 2).unwrap();
            assert!(counting.taken() <= 6000);
            journal.extend(found.items.iter().filter_map(|item| item.position));
            if found.is_last {
                break;
            }
            before = found.reached;
        }
        journal.reverse();
        assert_eq!(feed, journal);
        assert_eq!(
            feed.len(),
            if narrowed.grant().is_narrowed() {
                6
            } else {
                10_003
            }
        );
    }
}

#[test]
fn a_history_in_pages_is_as_narrow_as_a_whole_one() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let grant = Grant {
        agents: vec![ANN.session()],
        ..Grant::everything()
    };
    let narrowed = NarrowedStore::new(&store, grant);
    for (who, is_seen) in [(ANN, true), (CANARY, false)] {
        let address = who.addresses().into_iter().next().unwrap();
        assert!(!store.history_before(&address, None, 5).unwrap().is_empty());
        let seen = narrowed.history_before(&address, None, 5).unwrap();
        assert_eq!(!seen.is_empty(), is_seen, "{address}");
    }
}

#[test]
fn a_short_page_reaches_up_to_the_version() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let grant = Grant {
        sessions: vec![ANN.session()],
        ..Grant::everything()
    };
    let narrowed = NarrowedStore::new(&store, grant);
    let ask = Ask {
        feed: vec![FeedPage {
            after: Cursor::START,
            limit: 500,
        }],
        version: true,
        ..Ask::default()
    };
    let answers = narrowed.read(&ask).unwrap();
    let head = answers.version.position.unwrap();
    assert!(answers.feed[0].len() < 500);
    assert!(answers.feed[0].last().unwrap().at.position < head);
    // A reader continues from there, and gets the next item.
    let content = Content::text("one more").unwrap();
    let entry = ANN.entry(EntryType::Tip, 9, &content);
    store.apply(&[entry], &at(999, "person")).unwrap();
    let next = narrowed.feed(Cursor::at(head), 500).unwrap();
    assert_eq!(next.len(), 1);
    assert_eq!(next[0].at.position.number(), head.number() + 1);
}

/// Counts the rows of the feed and the journal that are read.
struct RowCounter<'s> {
    store: &'s dyn Reader,
    rows: std::cell::Cell<usize>,
}

impl<'s> RowCounter<'s> {
    fn new(store: &'s dyn Reader) -> Self {
        let rows = std::cell::Cell::default();
        Self { store, rows }
    }

    /// The rows since this was asked last.
    fn taken(&self) -> usize {
        self.rows.take()
    }
}

impl Reader for RowCounter<'_> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        let answers = self.store.read(ask)?;
        let journal = answers.journal.iter().map(Vec::len);
        let feed = answers.feed.iter().map(Vec::len);
        let rows = journal.chain(feed).sum::<usize>();
        self.rows.set(self.rows.get() + rows);
        Ok(answers)
    }

    pass_on! { self => self.store; select_at search one_state }
}

/// The part of a store in the first session.
struct SessionOf;

impl SessionOf {
    fn positions(store: &dyn Reader) -> Vec<Position> {
        let all = store.feed(Cursor::START, 10_000).unwrap().into_iter();
        let mine = all.filter(|entry| format!("{entry:?}").contains("\"ann\""));
        mine.map(|entry| entry.at.position).collect()
    }
}
