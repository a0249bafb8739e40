//! The work of a block is bounded by its budget, not by the notes. Measured in bytes, not in time.

use rusqlite::Connection;

use super::matching::matching;
use super::{Budget, Request, Shown, block_and_notes};
use crate::store::{LocalStore, ReaderExt};
use crate::work;
use crate::{AttachedStore, Change, Content, Expect, Limits, Stamp};

/// The places of the chain that have a note, one below the other.
const LEVELS: usize = 20;

fn request(tokens: usize) -> Request {
    let place: String = (1..=LEVELS).map(|level| format!("/{level}")).collect();
    let now = "2026-05-17T12:00:00Z".parse().unwrap();
    let place: crate::Place = format!("~{place}").parse().unwrap();
    Request::new("a".parse().unwrap(), place, now).budget(Budget::of(tokens))
}

fn save(store: &dyn LocalStore, address: &str, text: &str, pin: bool) {
    let stamp = Stamp::new(request(0).now, "person".parse().unwrap());
    let change = Change::Save {
        address: address.parse().unwrap(),
        content: Content::imported(text),
        pin: Some(pin),
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    };
    store.apply(&[change], &stamp).unwrap();
}

/// With the text on so many places, the nearest first, and a pinned note.
fn with_large<T>(text: &str, places: usize, then: impl FnOnce(&dyn LocalStore) -> T) -> T {
    let connection = Connection::open_in_memory().unwrap();
    let store = AttachedStore::attach(&connection).unwrap();
    save(&store, "agent:a#pinned", "the pinned note", true);
    for levels in (LEVELS - places + 1)..=LEVELS {
        let place: String = (1..=levels).map(|level| format!("/{level}")).collect();
        save(&store, &format!("place:~{place}"), text, false);
    }
    then(&store)
}

/// Texts with many and with few tokens for their length, and with much to mask.
fn texts(bytes: usize) -> Vec<(&'static str, String)> {
    let repeated = |part: &str| part.repeat(bytes / part.len() + 1);
    vec![
        (
            "prose",
            repeated("Run the tests before you push, says the maintainer.\n"),
        ),
        ("one word", repeated("a")),
        ("blanks", repeated(" ") + "x"),
        ("a line", repeated("=")),
        ("controls", repeated("\u{1}")),
        (
            "credentials",
            repeated(&format!("ghp_{} ", "a1B2".repeat(9))),
        ),
    ]
}

#[test]
fn a_block_counts_and_scans_no_more_for_larger_notes() {
    const BUDGET: usize = 2000;
    // The most bytes counted: 16 a token, for each of the six lists of a block. The most bytes scanned: the beginnings
    // of the notes, for their previews.
    let (most_counted, most_scanned) = (6 * 16 * BUDGET, 2 * 32 * 1024);
    for kibibytes in [64, 256, 4096] {
        for (name, text) in texts(kibibytes * 1024) {
            for places in [1, LEVELS] {
                // The largest are slow to write without optimization.
                if kibibytes > 256 && (name, places) != ("prose", 1) {
                    continue;
                }
                with_large(&text, places, |store| {
                    work::taken();
                    let (block, shown) = block_and_notes(store, &request(BUDGET)).unwrap();
                    let (counted, scanned) = work::taken();
                    let of = format!("{name}, {kibibytes} KiB on {places}");
                    assert!(counted <= most_counted, "{of}: {counted} bytes counted");
                    assert!(
                        scanned <= (places + 1) * most_scanned,
                        "{of}: {scanned} scanned"
                    );
                    assert!(block.text.contains("the pinned note"), "{of}");
                    assert!(block.receipt.counted <= BUDGET, "{of}");
                    assert_eq!(block.receipt.counted, crate::tokens::count(&block.text));
                    let lines = shown.iter().filter(|note| note.shown == Shown::Line);
                    // Previews of codes or masks are long.
                    let least = if name == "prose" { places } else { 1 };
                    assert!(lines.count() >= least, "{of}: {}", block.text);
                });
            }
        }
    }
}

#[test]
fn writing_makes_the_preview_from_the_beginning() {
    let connection = Connection::open_in_memory().unwrap();
    let store = AttachedStore::attach(&connection).unwrap();
    let text = "a line of a log\n".repeat(256 * 1024);
    work::taken();
    save(&store, "place:~", &text, false);
    let (_, scanned) = work::taken();
    assert!(scanned <= 2 * 32 * 1024, "{scanned} bytes scanned");
}

#[test]
fn notes_that_match_a_prompt_are_bounded_too() {
    for (name, text) in texts(256 * 1024) {
        with_large(&format!("deploy {text}"), LEVELS, |store| {
            let request = request(400).query("how do I deploy".to_owned());
            work::taken();
            let found = store.on_one_state(|store| matching(store, &request, &[]));
            let (counted, _) = work::taken();
            assert!(!found.unwrap().notes.is_empty(), "{name}");
            assert!(counted <= 16 * 1024, "{name}: {counted} bytes counted");
        });
    }
}

/// An explanation counts everything, and must come to the same decisions.
#[test]
fn an_explained_block_is_the_same() {
    for kibibytes in [1, 9, 30] {
        for (name, text) in texts(kibibytes * 1024) {
            with_large(&text, 3, |store| {
                for tokens in [300, 2000] {
                    let (plain, _) = block_and_notes(store, &request(tokens)).unwrap();
                    let explained = request(tokens).explain(true);
                    let (explained, _) = block_and_notes(store, &explained).unwrap();
                    assert_eq!(plain.text, explained.text, "{name} {kibibytes} {tokens}");
                }
            });
        }
    }
}
