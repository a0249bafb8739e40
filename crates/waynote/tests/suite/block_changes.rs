//! The difference between a reader's block and the present one: notes that are new or changed since.

use waynote::context::{
    Budget, Request, Section, Shown, ShownNote, Style, block_and_notes, changed, render,
};
use waynote::{Content, EntryType, LocalStore, Options, Place, SessionLog, SqliteStore, Stamp};
use waynote_testing::values::{key, save_pinned};

fn stamp() -> Stamp {
    let now = jiff::Timestamp::from_second(1_800_000_000).unwrap();
    Stamp::new(now, "person".parse().unwrap())
}

fn request() -> Request {
    Request::new(
        "a".parse().unwrap(),
        "~/x".parse::<Place>().unwrap(),
        stamp().now,
    )
    .session(Some("nightly".parse().unwrap()))
}

fn save(store: &dyn LocalStore, of: &str, text: &str, pin: bool) {
    let change = save_pinned(key(of), text, pin);
    store.apply(&[change], &stamp()).unwrap();
}

/// The notes that a reader has after a block in that style.
fn known(store: &dyn LocalStore, request: &Request) -> Vec<ShownNote> {
    block_and_notes(store, request).unwrap().1
}

#[test]
fn only_what_is_new_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
    let log = SessionLog::new(&store, "nightly".parse().unwrap());
    let add = |kind, text: &str| {
        let content = Content::text(text).unwrap();
        log.add(kind, Some(1), content, &stamp()).unwrap();
    };
    save(&store, "pinned", "it has this", true);
    save(&store, "line", "it has this line\nand not the rest", false);
    add(EntryType::Stuck, "it knows this");
    for style in [Style::Stable, Style::Faithful] {
        let request = request().style(style);
        let known = known(&store, &request);
        let nothing = changed(&store, &request, &Section::ALL, &known).unwrap();
        assert_eq!((nothing.text.as_str(), nothing.notes.len()), ("", 0));
    }
    let known = known(&store, &request());
    save(&store, "pinned", "it lacks this", true);
    // The line was known, and the note is to be shown whole now.
    save(&store, "line", "it has this line\nand not the rest", true);
    save(&store, "new", "a line of the index", false);
    add(EntryType::Stuck, "it lacks this wall");
    add(EntryType::Tip, "it lacks this tip");
    let found = changed(&store, &request(), &Section::ALL, &known).unwrap();
    insta::assert_snapshot!(found.text, @r"
    ## Pinned notes

    ### `agent:a#line`

    ```
    it has this line
    and not the rest
    ```

    ### `agent:a#pinned`

    ```
    it lacks this
    ```

    ## Other notes

    - `agent:a#new`: `a line of the index`

    ## Notes from previous iterations

    STUCK:
    - [#1] `it lacks this wall`
    TIP:
    - [#1] `it lacks this tip`
    ");
    let pinned = changed(&store, &request(), &[Section::Pinned], &known).unwrap();
    assert_eq!(pinned.notes.len(), 2);
    // Never more than a block would show.
    let budget = Budget::of(60);
    let small = request().budget(budget);
    let few = changed(&store, &small, &Section::ALL, &[]).unwrap();
    let block = render(&store, &small).unwrap();
    assert!(!few.notes.is_empty() && few.text.len() <= block.text.len());
}

/// A note is saved again and again while blocks are made: the revision is always that of the text in the block.
#[test]
fn the_revision_is_that_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let open = || SqliteStore::open(&path, &Options::default()).unwrap();
    save(&open(), "k", "text 1.", true);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let writer = open();
            for revision in 2..=200 {
                save(&writer, "k", &format!("text {revision}."), true);
            }
        });
        let store = open();
        for style in [Style::Stable, Style::Faithful].into_iter().cycle() {
            let request = request().style(style);
            let (block, notes) = block_and_notes(&store, &request).unwrap();
            let [
                ShownNote {
                    revision,
                    shown: Shown::Whole,
                    ..
                },
            ] = notes[..]
            else {
                panic!("{notes:?}");
            };
            let text = format!("text {revision}.");
            assert!(block.text.contains(&text), "{text}: {}", block.text);
            if writing.is_finished() {
                break;
            }
        }
    });
}
