//! The notes for an action: which ones it gets, in which order, and how many.

use waynote::context::{Action, Budget, Matching, Request, Shown, ShownNote, at_action};
use waynote::{Address, Change, Expect, Limits, LocalStore, Place, Places};

use crate::values::{at, name, place, text};

fn request() -> Request {
    Request::new(name("a"), place("~/p/app"), at(1).now)
}

fn save(store: &dyn LocalStore, address: &str, said: &str) {
    let change = Change::Save {
        address: address.parse::<Address>().unwrap(),
        content: text(said),
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    };
    store.apply(&[change], &at(1)).unwrap();
}

fn found(store: &dyn LocalStore, paths: &[&str], known: &[ShownNote]) -> Matching {
    let paths: Vec<Place> = paths.iter().map(|path| place(path)).collect();
    let action = Action {
        roots: &[place("~/p")],
        paths: &paths,
        named: &[],
        spent: 0,
        exists: &|_| panic!("a tool's own path is not looked up"),
    };
    at_action(store, &request(), &action, known).unwrap()
}

fn addresses(found: &Matching) -> String {
    let notes = found.notes.iter().map(|of| of.note.address.to_string());
    notes.collect::<Vec<_>>().join(" ")
}

pub(super) fn an_action_gets_the_notes_of_its_path_once(store: &dyn LocalStore) {
    for (of, said) in [
        ("~", "of home"),
        ("~/p", "of the repository"),
        ("~/p/app", "of the start"),
        ("~/p/lib", "of the library"),
        ("~/p/lib/pay", "of payments\nin two lines"),
        ("~/q", "of another project"),
    ] {
        Places::new(store)
            .write(&place(of), text(said), &at(1))
            .unwrap();
    }
    save(store, "place:~/p/lib/pay#rates", "rates are in cents");
    let first = found(store, &["~/p/lib/pay/x.rs"], &[]);
    assert_eq!(
        first.text,
        "- `place:~/p/lib/pay#rates`: `rates are in cents`\n\
         - `place:~/p/lib`: `of the library`\n\n\
         ### `place:~/p/lib/pay`\n\n\
         ```\nof payments\nin two lines\n```\n"
    );
    assert_eq!(
        found(store, &["~/p/lib/pay/y.rs"], &first.pieces()),
        Matching::default()
    );
    // A new revision is new.
    save(store, "place:~/p/lib/pay#rates", "rates are in mills");
    let again = found(store, &["~/p/lib/pay"], &first.pieces());
    assert_eq!(addresses(&again), "place:~/p/lib/pay#rates");
    // What the start considered, another project and the directories above the roots are left out.
    for path in ["~/p/app/main.rs", "~/q/x", "~/x", "/etc/passwd", "~/pq"] {
        assert_eq!(found(store, &[path], &[]), Matching::default(), "{path}");
    }
}

pub(super) fn the_nearest_come_first_and_few_at_a_time(store: &dyn LocalStore) {
    for key in 1..=7 {
        save(store, &format!("place:~/p/lib/deep#k{key}"), "a note");
    }
    save(store, "place:~/p/lib#up", "a note");
    save(store, "place:~/p/web#own", "a note");
    let paths = ["~/p/lib/deep/x", "~/p/web/y"];
    let first = found(store, &paths, &[]);
    assert_eq!(
        addresses(&first),
        "place:~/p/lib/deep#k1 place:~/p/lib/deep#k2 place:~/p/lib/deep#k3 place:~/p/lib/deep#k4 place:~/p/lib/deep#k5"
    );
    let second = found(store, &paths, &first.pieces());
    assert_eq!(
        addresses(&second),
        "place:~/p/lib/deep#k6 place:~/p/lib/deep#k7 place:~/p/web#own place:~/p/lib#up"
    );
    let mut all = first.pieces();
    all.extend(second.pieces());
    assert_eq!(found(store, &paths, &all), Matching::default());
}

pub(super) fn what_does_not_fit_is_a_line(store: &dyn LocalStore) {
    let long = "a line of a long note\n".repeat(200);
    save(store, "place:~/p/lib#long", &long);
    save(store, "place:~/p/lib#short", "two\nlines");
    let first = found(store, &["~/p/lib/x"], &[]);
    let shown: Vec<Shown> = first.notes.iter().map(|of| of.shown).collect();
    assert_eq!(shown, [Shown::Line, Shown::Whole]);
    assert!(
        Budget::of(400).tokens_of(&first.text) <= 400,
        "{}",
        first.text
    );
    assert_eq!(
        found(store, &["~/p/lib/x"], &first.pieces()),
        Matching::default()
    );
    let little = request().budget(Budget::of(3));
    let action = Action {
        roots: &[place("~/p")],
        paths: &[place("~/p/lib")],
        named: &[],
        spent: 0,
        exists: &|_| true,
    };
    let none = at_action(store, &little, &action, &[]).unwrap();
    assert_eq!(none, Matching::default());
}

pub(super) fn a_session_that_was_told_much_gets_short_lines(store: &dyn LocalStore) {
    save(store, "place:~/p/lib#a", "cents");
    save(
        store,
        "place:~/p/lib#b",
        "rates are rounded down to whole cents, and never up",
    );
    let action = Action {
        roots: &[place("~/p")],
        paths: &[place("~/p/lib/x.rs")],
        named: &[],
        spent: 1_000,
        exists: &|_| true,
    };
    let told = |known: &[ShownNote]| at_action(store, &request(), &action, known).unwrap();
    let first = told(&[]);
    assert_eq!(
        first.text,
        "- `place:~/p/lib#a`: `cents`\n- `place:~/p/lib#b`: `rates are rounded down to whole …`\n"
    );
    let shown: Vec<Shown> = first.notes.iter().map(|of| of.shown).collect();
    assert_eq!(shown, [Shown::Whole, Shown::Line]);
    assert_eq!(told(&first.pieces()), Matching::default());
}

pub(super) fn a_word_of_a_command_is_a_path_if_something_is_there(store: &dyn LocalStore) {
    save(store, "place:~/p/lib#k", "a note");
    save(store, "place:~/q#k", "a note");
    let asked = std::cell::RefCell::new(Vec::new());
    let named = |words: &[&str], there: &[&str]| {
        let named: Vec<Place> = words.iter().map(|word| place(word)).collect();
        let exists = |path: &Place| {
            asked.borrow_mut().push(path.to_string());
            there.contains(&path.as_str())
        };
        let action = Action {
            roots: &[place("~/p")],
            paths: &[],
            named: &named,
            spent: 0,
            exists: &exists,
        };
        let found = at_action(store, &request(), &action, &[]).unwrap();
        found.notes.len()
    };
    assert_eq!(named(&["~/p/lib/x"], &["~/p/lib/x"]), 1);
    assert_eq!(named(&["~/p/lib/new"], &["~/p/lib"]), 1);
    assert_eq!(named(&["~/p/lib"], &["~/p"]), 1);
    assert_eq!(named(&["~/p/lib/s/foo"], &["~/p/lib"]), 0);
    asked.borrow_mut().clear();
    // Nothing is looked up outside the roots, or where no note is.
    assert_eq!(named(&["~/q/x", "~/p/other/x", "/etc/passwd"], &[]), 0);
    assert_eq!(*asked.borrow(), [""; 0]);
}
