//! How often a block and a search ask their engine: over a network, each time is a round trip.

use waynote::context::{
    Budget, Request, Section, Shown, Style, block_and_notes, changed, matching, render,
};
use waynote::engine::Engine;
use waynote::{
    AsOf, Change, Content, EngineStore, EntryType, LocalStore, Options, Place, Reader, Scope,
    SearchKind, SearchRequest, SqliteStore, Store,
};

use super::counting::CountingEngine;
use memory_engine::Memory;
use waynote_testing::values::{by_agent, entry, save_pinned};

fn save(address: &str, text: &str, pinned: bool) -> Change {
    save_pinned(address.parse().unwrap(), text, pinned)
}

/// A text of `number` words. Every third one depends on the seed and on its place.
fn words(seed: u64, number: usize) -> String {
    let word = |place: usize| match place % 3 {
        0 => format!("{}", seed * 31 + place as u64),
        1 => "running".to_owned(),
        _ => "tests".to_owned(),
    };
    (0..number).map(word).collect::<Vec<_>>().join(" ")
}

/// The given number of keyed notes, and as many entries, with lengths from `words_of`. The last entries of each type
/// are repeated in later iterations.
fn fill(store: &dyn Store, notes: u64, repeated: u64, words_of: impl Fn(u64) -> usize) {
    let types = ["stuck", "learning", "tip", "decision", "warning"];
    let mut changes = vec![
        save("place:~/x/y", &words(1, 20), false),
        save("place:~", &words(2, 20), false),
    ];
    let entry = |number: u64, iteration: u64| {
        let text = format!("e{number} {}", words(number, words_of(number)));
        let kind = types[usize::try_from(number % 5).unwrap()];
        entry(
            EntryType::imported(kind),
            i64::try_from(iteration).unwrap(),
            &text,
        )
    };
    for number in 0..notes {
        let text = words(number, words_of(number));
        changes.push(save(&format!("agent:a#k{number}"), &text, number < 10));
        changes.push(entry(number, 1 + number / 100));
    }
    for again in 1..4 {
        let last = notes.saturating_sub(repeated)..notes;
        changes.extend(last.map(|number| entry(number, 1 + notes / 100 + again)));
    }
    store.apply(&changes, &by_agent(1)).unwrap();
}

fn request(tokens: usize) -> Request {
    Request::new(
        "a".parse().unwrap(),
        "~/x/y".parse::<Place>().unwrap(),
        by_agent(9).now,
    )
    .session(Some("s".parse().unwrap()))
    .iteration(Some(1_000_000))
    .budget(Budget::default().tokens(tokens))
}

/// How often the engine was asked by some work.
fn trips<E: Engine, T>(
    store: &EngineStore<CountingEngine<E>>,
    work: impl FnOnce(&dyn LocalStore) -> T,
) -> (usize, T) {
    store.engine().reads.set(0);
    let value = work(store);
    (store.engine().reads.get(), value)
}

fn with_notes(notes: u64, words_of: impl Fn(u64) -> usize, test: impl Fn(&SqliteStore)) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
    fill(&store, notes, 200, words_of);
    test(&store);
}

#[test]
fn a_block_is_read_once() {
    let lengths: [fn(u64) -> usize; 4] = [
        |_| 9,
        |number| 3 + usize::try_from(number % 40).unwrap(),
        // The last ones are long, and those before them as short as can be.
        |number| if number % 700 > 650 { 60 } else { 1 },
        |number| if number % 700 > 650 { 1 } else { 60 },
    ];
    for (notes, length) in [(700, 0), (5000, 1), (700, 2), (700, 3), (60, 1), (5, 2)] {
        with_notes(notes, lengths[length], |store| {
            let store = EngineStore::new(CountingEngine::new(store.engine()));
            for tokens in [500, 1500, 8000] {
                let asked = request(tokens);
                let (trips, block) = trips(&store, |store| render(store, &asked).unwrap());
                // Types of other programs are read after the others.
                assert_eq!(trips, 2, "{tokens} tokens of {notes}, {length}");
                assert!(block.receipt.shown > 5, "{}", block.text);
            }
        });
    }
}

#[test]
fn every_kind_of_block_is_read_in_few_round_trips() {
    with_notes(
        1500,
        |number| 3 + usize::try_from(number % 20).unwrap(),
        |store| {
            let store = EngineStore::new(CountingEngine::new(store.engine()));
            let then = Some(AsOf::Time(by_agent(5).now));
            let usual = request(1500);
            let session = None;
            let explain = true;
            let style = Style::Faithful;
            for (name, most, asked) in [
                ("no limit", 2, request(0)),
                ("every iteration", 2, usual.clone().iteration(None)),
                ("no session", 1, usual.clone().session(session)),
                ("explained", 2, usual.clone().explain(explain)),
                ("as of then", 3, usual.clone().as_of(then)),
                ("faithful", 1, usual.clone().style(style)),
                ("faithful then", 3, usual.clone().style(style).as_of(then)),
            ] {
                let (trips, block) = trips(&store, |store| render(store, &asked).unwrap());
                assert!(trips <= most, "{name}: {trips}");
                assert!(block.text.len() > 1000, "{name}: {}", block.text);
            }
            let (blocks, (_, notes)) =
                trips(&store, |store| block_and_notes(store, &usual).unwrap());
            assert!(blocks <= 2 && notes.len() > 10, "{blocks}");
            let (news, found) = trips(&store, |store| {
                changed(store, &usual, &Section::ALL, &[]).unwrap()
            });
            assert!(news <= 2, "{news}");
            let shown = |notes: &[waynote::context::ShownNote]| {
                let mut shown: Vec<String> =
                    notes.iter().map(|note| note.address.to_string()).collect();
                shown.sort();
                shown
            };
            assert_eq!(shown(&found.pieces()), shown(&notes));
            assert!(notes.iter().any(|note| note.shown == Shown::Whole));
        },
    );
}

#[test]
fn a_block_for_a_query_is_read_once_beside_its_search() {
    for notes in [300, 2000] {
        with_notes(
            notes,
            |_| 6,
            |store| {
                let store = EngineStore::new(CountingEngine::new(store.engine()));
                let asked = request(1500).query(Some("running".into()));
                let (trips, block) = trips(&store, |store| render(store, &asked).unwrap());
                assert!(trips <= 5, "{trips} with {notes} notes");
                assert!(block.receipt.shown > 5, "{}", block.text);
            },
        );
    }
}

#[test]
fn a_prompt_is_answered_in_four_round_trips() {
    with_notes(
        500,
        |_| 6,
        |store| {
            let store = EngineStore::new(CountingEngine::new(store.engine()));
            let asked = request(1500).query(Some("running e450".into()));
            // One search, and one reading of how often its entries were noted.
            let (trips, found) = trips(&store, |store| matching(store, &asked, &[]).unwrap());
            assert!(trips <= 4, "{trips}");
            assert!(!found.notes.is_empty());
        },
    );
}

#[test]
fn a_search_is_read_in_three_round_trips() {
    with_notes(
        3000,
        |number| 3 + usize::try_from(number % 9).unwrap(),
        |kept| {
            // One that has read nothing yet, one whose lists of notes are kept, and one after a write.
            let store = EngineStore::new(CountingEngine::new(kept.engine()));
            for round in 0..3 {
                for query in [
                    "running",
                    "run the tests of 3100 again",
                    "\"running tests\" -e7 31*",
                    "-tests",
                    "nowhere",
                ] {
                    for scopes in [Vec::new(), vec![Scope::Agent("a".parse().unwrap())]] {
                        let asked = SearchRequest::new(query).scopes(scopes);
                        let (trips, hits) = trips(&store, |store| store.search(&asked).unwrap());
                        assert!(trips <= 3, "{query}, round {round}: {trips}");
                        assert_eq!(hits, kept.search(&asked).unwrap());
                        assert_eq!(hits.is_empty(), matches!(query, "nowhere" | "-tests"));
                        let history = asked.history(true);
                        let (trips, _) =
                            self::trips(&store, |store| store.search(&history).unwrap());
                        // It reads the whole journal, 1,024 rows at a time.
                        assert!(trips <= 10, "{query} in the history: {trips}");
                    }
                }
                store
                    .apply(
                        &[save("agent:a#late", &words(round, 6), false)],
                        &by_agent(2),
                    )
                    .unwrap();
            }
        },
    );
}

#[test]
fn a_search_over_texts_that_are_not_stored_is_read_in_three_round_trips() {
    let store = EngineStore::new(CountingEngine::new(Memory::default()));
    fill(&store, 400, 10, |_| 3);
    let mut note = store.get(&"agent:a#k20".parse().unwrap()).unwrap().unwrap();
    note.content = Content::text("unheard").unwrap();
    let over = [note];
    for (query, found) in [("unheard", 1), ("620", 0)] {
        let asked = SearchRequest::new(query).kinds(vec![SearchKind::Key]);
        let (trips, hits) = trips(&store, |store| {
            store.search_over(&asked, &over).unwrap().unwrap()
        });
        assert!(trips <= 3, "{trips}");
        assert_eq!(hits.len(), found, "{query}: {hits:?}");
    }
}
