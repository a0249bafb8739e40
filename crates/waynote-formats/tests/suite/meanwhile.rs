//! Notes that another writer changes during their import, between comparison and write.

use std::cell::{Cell, RefCell};
use std::path::Path;

use waynote::change::Applied;
use waynote::{
    Change, Content, Error, Notebook, Options, Reader, Result, SaveOptions, Scope, SqliteStore,
    Stamp, Store, pass_on,
};
use waynote_formats::{ForeignNotes, ImportReport, IncomingNote, Mode, Precedence, Times};

/// A store with another writer before each of its first writes.
struct ContendedStore<'s> {
    inner: &'s SqliteStore,
    left: Cell<usize>,
    writer: RefCell<Box<dyn FnMut() + 's>>,
}

impl Reader for ContendedStore<'_> {
    pass_on! { self => self.inner; read select_at search one_state }
}

impl Store for ContendedStore<'_> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        if let Some(left) = self.left.get().checked_sub(1) {
            self.left.set(left);
            (self.writer.borrow_mut())();
        }
        self.inner.apply(changes, stamp)
    }

    pass_on! { self => self.inner; record forget would_forget verify }
}

fn stamp(author: &str) -> Stamp {
    let now = "2026-05-01T12:00:00Z".parse().unwrap();
    Stamp::new(now, author.parse().unwrap())
}

fn notebook(store: &SqliteStore) -> Notebook<'_> {
    Notebook::of_agent(store, "a".parse().unwrap())
}

fn save(store: &SqliteStore, text: &str) {
    let (key, text) = ("deploy".parse().unwrap(), Content::text(text).unwrap());
    let saved = notebook(store).save(&key, text, SaveOptions::default(), &stamp("person"));
    saved.unwrap();
}

/// Imports two notes; another writer changes the first before this many writes of the import.
fn import(path: &Path, writes: usize) -> (SqliteStore, Result<ImportReport>) {
    let store = SqliteStore::open(path, &Options::default()).unwrap();
    save(&store, "run make");
    let mut incoming = ForeignNotes::of("elsewhere", Precedence::Here).unwrap();
    for (key, text) in [("deploy", "run cargo"), ("test", "run cargo test")] {
        incoming.push(IncomingNote {
            address: format!("agent:a#{key}").parse().unwrap(),
            name: None,
            content: Content::text(text).unwrap(),
            pin: None,
            times: Times::Unknown,
        });
    }
    let written = Cell::new(0);
    let meanwhile = ContendedStore {
        inner: &store,
        left: Cell::new(writes),
        writer: RefCell::new(Box::new(|| {
            written.set(written.get() + 1);
            save(&store, &format!("run make {}", written.get()));
        })),
    };
    let imported = incoming.import(&meanwhile, stamp("person").now, Mode::Write);
    drop(meanwhile);
    (store, imported)
}

#[test]
fn a_note_that_changes_meanwhile_is_looked_at_again() {
    let folder = tempfile::tempdir().unwrap();
    let (store, imported) = import(&folder.path().join("notes.db"), 3);
    let imported = imported.unwrap();
    assert_eq!((imported.added, imported.conflicts.len()), (1, 1));
    let note = notebook(&store).get(&"deploy".parse().unwrap()).unwrap();
    assert_eq!(note.content, Content::text("run make 3").unwrap());
    let history = store.history(&note.address).unwrap();
    let texts: Vec<_> = history
        .iter()
        .filter_map(|revision| Some(revision.note()?.content.shown().into_owned()))
        .collect();
    assert_eq!(
        texts,
        [
            "run make",
            "run make 1",
            "run make 2",
            "run make 3",
            "run cargo",
            "run make 3"
        ]
    );
}

#[test]
fn a_note_that_never_stays_as_it_was_ends_the_import() {
    let folder = tempfile::tempdir().unwrap();
    let (store, imported) = import(&folder.path().join("notes.db"), usize::MAX);
    assert!(
        matches!(imported, Err(Error::Conflict { .. })),
        "{imported:?}"
    );
    assert_eq!(store.count(&Scope::Agent("a".parse().unwrap())).unwrap(), 1);
}
