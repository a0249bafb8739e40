//! Undo and redo without an address: the changes that count, how far back they reach, and the end of a redo.

use waynote::moved::{MoveOptions, below, relocate};
use waynote::{
    Address, Applied, Change, EntryType, Error, Limits, LocalStore, Notebook, Place, Places,
    Result, SaveOptions, SessionLog, Stamp, UndoError, UndoScope, redo_last, undo_last,
};

use crate::values::{at, name, place, text};

/// The notebook of agent `a`, and these directories.
pub(super) fn reach(places: &[&str]) -> UndoScope {
    UndoScope::new(name("a"), places.iter().map(|path| place(path)).collect())
}

/// A person in `~/p` who works with agent `a`. Each write is a second after the one before.
struct Person<'s> {
    store: &'s dyn LocalStore,
    clock: std::cell::Cell<i64>,
}

impl<'s> Person<'s> {
    fn new(store: &'s dyn LocalStore) -> Self {
        let clock = std::cell::Cell::new(100);
        Self { store, clock }
    }

    fn stamp(&self) -> Stamp {
        self.clock.set(self.clock.get() + 1);
        at(self.clock.get())
    }

    fn stamp_of(&self, author: &str) -> Stamp {
        let stamp = self.stamp();
        Stamp::new(stamp.now, name(author))
    }

    fn key(&self, key: &str, said: &str, author: &str) {
        let notebook = Notebook::of_agent(self.store, name("a"));
        let (key, options) = (key.parse().unwrap(), SaveOptions::default());
        let stamp = self.stamp_of(author);
        notebook.save(&key, text(said), options, &stamp).unwrap();
    }

    fn place(&self, path: &str, said: &str) {
        let place: Place = path.parse().unwrap();
        let places = Places::new(self.store);
        places.write(&place, text(said), &self.stamp()).unwrap();
    }

    /// The address that was taken back, and its present text.
    fn undo(&self) -> Result<String> {
        let undone = undo_last(self.store, &reach(&["~/p"]), &self.stamp())?;
        Ok(said(&undone.applied))
    }

    fn redo(&self) -> Result<String> {
        let redone = redo_last(self.store, &reach(&["~/p"]), &self.stamp())?;
        Ok(said(&redone.applied))
    }

    fn nothing_to_undo(&self) {
        let refused = self.undo();
        assert!(
            matches!(refused, Err(Error::Undo(UndoError::NothingToUndo { .. }))),
            "{refused:?}"
        );
    }

    fn nothing_to_redo(&self) {
        let refused = self.redo();
        assert!(
            matches!(
                refused,
                Err(Error::Undo(UndoError::NothingToRedo { address: None }))
            ),
            "{refused:?}"
        );
    }
}

fn said(applied: &Applied) -> String {
    let note = applied.note.as_ref();
    let content = note.map_or("gone".into(), |note| note.content.shown());
    format!("{} {content}", applied.address)
}

pub(crate) fn undo_goes_back_and_redo_comes_forward_again(store: &dyn LocalStore) {
    let person = Person::new(store);
    person.key("k", "one", "person");
    person.place("~/p", "here");
    person.key("k", "two", "person");
    assert_eq!(person.undo().unwrap(), "agent:a#k one");
    assert_eq!(person.undo().unwrap(), "place:~/p gone");
    assert_eq!(person.redo().unwrap(), "place:~/p here");
    assert_eq!(person.redo().unwrap(), "agent:a#k two");
    person.nothing_to_redo();
    for expected in ["agent:a#k one", "place:~/p gone", "agent:a#k gone"] {
        assert_eq!(person.undo().unwrap(), expected);
    }
    person.nothing_to_undo();
    for expected in ["agent:a#k one", "place:~/p here", "agent:a#k two"] {
        assert_eq!(person.redo().unwrap(), expected);
    }
    person.nothing_to_redo();
    assert_eq!(person.undo().unwrap(), "agent:a#k one");
    assert!(store.verify().unwrap().is_clean());
}

pub(crate) fn a_new_change_ends_what_can_be_redone(store: &dyn LocalStore) {
    let person = Person::new(store);
    person.key("k", "one", "person");
    person.key("k", "two", "person");
    person.undo().unwrap();
    person.key("l", "new", "person");
    person.nothing_to_redo();
    // By its address it can be redone as long as that note was not changed.
    let redo = |address: &str| {
        let address: Address = address.parse().unwrap();
        store.apply(&[Change::redo(address)], &person.stamp())
    };
    assert_eq!(said(&redo("agent:a#k").unwrap()[0]), "agent:a#k two");
    assert!(matches!(
        redo("agent:a#k"),
        Err(Error::Undo(UndoError::NothingToRedo { address: Some(_) }))
    ));
    person.undo().unwrap();
    assert!(matches!(
        redo("agent:a#never"),
        Err(Error::Undo(UndoError::NothingToRedo { address: Some(_) }))
    ));
    // Changes by others, entries of logs, and notes elsewhere do not end the undo history.
    person.key("m", "theirs", "agent:b");
    person.place("/srv", "elsewhere");
    let log = SessionLog::new(store, name("s"));
    log.add(EntryType::Tip, None, text("tip"), &person.stamp())
        .unwrap();
    assert_eq!(person.redo().unwrap(), "agent:a#l new");
}

pub(crate) fn only_ones_own_changes_within_reach_are_undone(store: &dyn LocalStore) {
    let person = Person::new(store);
    person.place("~", "home");
    person.place("~/p/deep", "below");
    person.key("k", "mine", "person");
    person.key("theirs", "theirs", "agent:b");
    person.place("~/other", "elsewhere");
    let log = SessionLog::new(store, name("s"));
    log.add(EntryType::Tip, None, text("tip"), &person.stamp())
        .unwrap();

    let undone = undo_last(store, &reach(&["~/p"]), &person.stamp()).unwrap();
    assert_eq!(said(&undone.applied), "agent:a#k gone");
    assert_eq!(person.undo().unwrap(), "place:~/p/deep gone");
    assert_eq!(person.undo().unwrap(), "place:~ gone");
    assert!(matches!(
        person.undo(),
        Err(Error::Undo(UndoError::NothingToUndo { address: None }))
    ));
    let elsewhere = undo_last(store, &reach(&["~/other"]), &person.stamp()).unwrap();
    assert_eq!(said(&elsewhere.applied), "place:~/other gone");
}

pub(crate) fn what_somebody_else_has_changed_since_is_left_to_a_person(store: &dyn LocalStore) {
    let person = Person::new(store);
    person.key("k", "one", "person");
    person.key("k", "two", "person");
    person.key("k", "theirs", "agent:b");
    let refused = person.undo().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the last change of agent:a#k is by agent:b"
    );
    person.key("l", "mine", "person");
    person.undo().unwrap();
    person.key("l", "theirs", "agent:b");
    let refused = person.redo().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the last change of agent:a#l is by agent:b"
    );
}

pub(crate) fn a_place_has_a_limit_of_its_own_that_what_is_brought_in_need_not_keep(
    store: &dyn LocalStore,
) {
    let place: Place = "~/p".parse().unwrap();
    let places = Places::new(store);
    let most = Limits::default().max_place_bytes;
    let of = |bytes: i64| text(&"x".repeat(usize::try_from(bytes).unwrap()));
    places.write(&place, of(most), &at(1)).unwrap();
    let refused = places.write(&place, of(most + 1), &at(2)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the note is too large: 65537 bytes, the limit is 65536"
    );
    assert!(
        matches!(&refused, Error::NoteTooLarge { limit, .. } if limit == "max_place_bytes"),
        "{refused}"
    );
    let (note, before) = places
        .save(&place, of(most + 1), Limits::NONE, &at(3))
        .unwrap();
    assert_eq!((note.content.len(), before.is_some()), (65_537, true));
    // A restored text may be of any size.
    undo_last(store, &reach(&["~/p"]), &at(4)).unwrap();
    redo_last(store, &reach(&["~/p"]), &at(5)).unwrap();
    assert_eq!(places.read(&place).unwrap().unwrap().content.len(), 65_537);
}

pub(crate) fn what_one_call_wrote_is_taken_back_together(store: &dyn LocalStore) {
    let person = Person::new(store);
    for (path, said) in [("~/p", "top"), ("~/p/a", "deep"), ("~/elsewhere", "old")] {
        person.place(path, said);
    }
    let texts = || {
        let notes = Places::new(store).list().unwrap();
        let said = |note: waynote::Note| format!("{} {}", note.address, note.content.shown());
        notes.into_iter().map(said).collect::<Vec<_>>()
    };
    let move_to = |old: &str, new: &str| {
        let pairs = below(store, &place(old), &place(new)).unwrap();
        relocate(store, &pairs, MoveOptions::default(), &person.stamp()).unwrap();
    };
    let undo = || undo_last(store, &reach(&["~/p"]), &person.stamp());
    let redo = || redo_last(store, &reach(&["~/p"]), &person.stamp());
    let before = texts();
    // A note that another one takes the place of changes twice; half of the second move is out of reach.
    move_to("~/p", "~/p/a");
    let first = texts();
    move_to("~/p/a", "/srv");
    let second = texts();
    assert_eq!(
        second,
        [
            "place:/srv top",
            "place:/srv/a deep",
            "place:~/elsewhere old"
        ]
    );
    for expected in [&first, &before] {
        let undone = undo().unwrap();
        assert!(undone.others.len() >= 2, "{undone:?}");
        assert_eq!(&texts(), expected);
    }
    for expected in [&first, &second] {
        redo().unwrap();
        assert_eq!(&texts(), expected);
    }
    // By its address, one note; then the rest of the move.
    let address: Address = "place:/srv/a".parse().unwrap();
    store
        .apply(&[Change::undo(address)], &person.stamp())
        .unwrap();
    assert_eq!(texts().len(), 2);
    let rest = undo().unwrap();
    assert_eq!((rest.others.len(), texts()), (2, first));
    redo().unwrap();
    // None of it, if somebody else has changed a note of it since; what they say of it is theirs alone.
    let stamp = person.stamp_of("agent:b");
    let theirs: Place = "/srv".parse().unwrap();
    Places::new(store)
        .write(&theirs, text("theirs"), &stamp)
        .unwrap();
    let now = texts();
    assert_eq!(
        undo().unwrap_err().to_string(),
        "the last change of place:/srv is by agent:b"
    );
    assert_eq!(texts(), now);
    assert!(store.verify().unwrap().is_clean());
}
