//! A store without snapshots, like one behind a network: despite writes between two of its answers, a block is made
//! from one state, and an undo takes back the change that it looked at.

use std::cell::{Cell, RefCell};

use waynote::change::Applied;
use waynote::context::{
    BlockAnswer, BlockAsk, Renderer, Request, Section, block_and_notes, changed, matching, render,
};
use waynote::search::{Hit, SearchRequest};
use waynote::store::{Answers, Ask, unless_written};
use waynote::{
    AsOf, Change, Error, LocalStore, Note, Notebook, Reader, ReaderExt, Result, SaveOptions, Scope,
    Stamp, Store, UndoScope, pass_on, undo_last,
};

use super::stores::LocalStores;
use waynote_testing::stores::Stores as _;
use waynote_testing::values::{at, name, place, text};

/// Answers from a store, and lets somebody else write before some of its answers.
struct RacingStore<'s> {
    inner: &'s dyn LocalStore,
    /// How many answers are still preceded by a write.
    writes: Cell<usize>,
    writer: RefCell<Box<dyn FnMut() + 's>>,
    runs: Cell<usize>,
}

impl<'s> RacingStore<'s> {
    fn of(inner: &'s dyn LocalStore, writes: usize, writer: impl FnMut() + 's) -> Self {
        Self {
            inner,
            writes: Cell::new(writes),
            writer: RefCell::new(Box::new(writer)),
            runs: Cell::new(0),
        }
    }

    fn meanwhile(&self) {
        if let Some(left) = self.writes.get().checked_sub(1) {
            self.writes.set(left);
            (self.writer.borrow_mut())();
        }
    }
}

impl Reader for RacingStore<'_> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        // The version is asked for before and after the work, which reads something.
        let is_work = ask.questions() > 1 || !ask.version;
        if is_work {
            self.meanwhile();
        }
        self.inner.read(ask)
    }

    pass_on! { self => self.inner; select_at search }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        unless_written(self, &mut |reader| {
            self.runs.set(self.runs.get() + 1);
            work(reader)
        })
    }
}

impl Store for RacingStore<'_> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        self.meanwhile();
        self.inner.apply(changes, stamp)
    }

    pass_on! { self => self.inner; record forget would_forget verify }
}

/// Saves the next text under a key of agent `a`; each save is a second later.
fn saver<'s>(store: &'s dyn LocalStore, key: &'s str) -> impl FnMut() + 's {
    let mut number = 0;
    move || {
        number += 1;
        let notebook = Notebook::of_agent(store, name("a"));
        let said = text(&format!("{key} as of {number}"));
        let key = key.parse().unwrap();
        notebook
            .save(&key, said, SaveOptions::default(), &at(number))
            .unwrap();
    }
}

#[test]
fn a_block_is_made_again_when_the_store_was_written_meanwhile() {
    LocalStores::each_store(&|store| {
        saver(store, "k")();
        let distant = RacingStore::of(store, 1, saver(store, "other"));
        let request = Request::new(name("a"), place("~/p"), at(9).now);
        let block = Renderer::default().render(&distant, &request).unwrap();
        assert_eq!(distant.runs.get(), 2);
        assert_eq!(block.position, store.version().unwrap().position);
        assert!(block.text.contains("k as of 1"), "{}", block.text);
        assert!(block.text.contains("other as of 1"), "{}", block.text);
    });
}

#[test]
fn a_reader_does_not_wait_for_a_store_that_is_written_all_the_time() {
    LocalStores::each_store(&|store| {
        let distant = RacingStore::of(store, usize::MAX, saver(store, "k"));
        let all = distant
            .on_one_state(|reader| reader.journal(None, 99))
            .unwrap();
        assert_eq!((distant.runs.get(), all.len()), (4, 4));
    });
}

#[test]
fn an_undo_takes_back_the_change_that_is_last_when_it_is_applied() {
    LocalStores::each_store(&|store| {
        let mut save = saver(store, "k");
        save();
        let reach = UndoScope::new(name("a"), Vec::new());
        // One write comes between the look and the undo, others between the reads of a look.
        let distant = RacingStore::of(store, 3, save);
        let undone = undo_last(&distant, &reach, &at(50)).unwrap();
        let said = undone
            .applied
            .note
            .map(|note| note.content.shown().into_owned());
        assert_eq!(said.as_deref(), Some("k as of 3"));

        let distant = RacingStore::of(store, usize::MAX, saver(store, "k"));
        let busy = undo_last(&distant, &reach, &at(60)).unwrap_err();
        assert!(
            matches!(busy, Error::Conflict { .. } | Error::Undo(_)),
            "{busy:?}"
        );
    });
}

/// The other side makes the blocks, and is asked for nothing else.
struct Rendering<'s> {
    inner: &'s dyn LocalStore,
    asked: Cell<usize>,
}

impl Reader for Rendering<'_> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        panic!("a block is one request: {ask:?}")
    }

    fn select_at(&self, _: &[Scope], _: AsOf) -> Result<Vec<Note>> {
        panic!("a block is one request")
    }

    fn search(&self, _: &SearchRequest) -> Result<Vec<Hit>> {
        panic!("a block is one request")
    }

    fn rendered(&self, ask: &BlockAsk) -> Result<Option<BlockAnswer>> {
        self.asked.set(self.asked.get() + 1);
        ask.answer(self.inner).map(Some)
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        work(self)
    }
}

#[test]
fn a_block_is_one_request_where_the_other_side_makes_it() {
    LocalStores::each_store(&|store| {
        let mut save = saver(store, "k");
        save();
        let distant = Rendering {
            inner: store,
            asked: Cell::new(0),
        };
        let request = Request::new(name("a"), place("~/p"), at(9).now);
        let taken = || distant.asked.replace(0);
        assert_eq!(
            render(&&distant, &request).unwrap(),
            render(store, &request).unwrap()
        );
        assert_eq!(taken(), 1);
        let (block, notes) = block_and_notes(&distant, &request).unwrap();
        assert_eq!(
            (block, notes.clone()),
            block_and_notes(store, &request).unwrap()
        );
        assert_eq!((taken(), notes.len()), (1, 1));
        save();
        for known in [&[][..], &notes] {
            let found = changed(&distant, &request, &Section::ALL, known).unwrap();
            assert_eq!(
                found,
                changed(store, &request, &Section::ALL, known).unwrap()
            );
            assert_eq!(found.notes.len(), 1, "{}", found.text);
            let asked = request.clone().query(Some("k as of".to_owned()));
            let found = matching(&distant, &asked, known).unwrap();
            assert_eq!(found, matching(store, &asked, known).unwrap());
            assert_eq!(taken(), 2);
        }
    });
}
