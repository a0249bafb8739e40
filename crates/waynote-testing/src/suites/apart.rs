//! The search index, built from a snapshot while others write between the read and the write of it.

use std::cell::RefCell;

use waynote::engine::{Blocks, Engine, IndexState};
use waynote::{EngineStore, Error, Forget, Indexing, LocalStore, Result, Store as _};

use crate::hooked::{Hooked, Hooks};
use crate::stores::NEVER;
use crate::values::{all_found, assert_clean, at, found, key, save};

/// Every fourth change makes a segment; two of a size are merged.
const SMALL: Indexing = Indexing {
    tail: 4,
    bulk: 8,
    fan_out: 2,
    most: 64,
};

/// A hook that runs once, when something has been read from a snapshot.
type Meanwhile<'m> = RefCell<Option<Box<dyn FnOnce() -> Result<()> + 'm>>>;

/// An engine with others that write beside it.
type Apart<'e> = Hooked<'e, dyn Engine + 'e, Others<'e>>;

/// The work of others during a build of the index.
#[derive(Default)]
struct Others<'e> {
    /// While the snapshot is open.
    during: Meanwhile<'e>,
    /// When it was closed, and nothing is written yet.
    between: Meanwhile<'e>,
}

impl Hooks for Others<'_> {
    fn in_snapshot(&self) -> Result<()> {
        happen(&self.during)
    }

    fn after_snapshot(&self) -> Result<()> {
        happen(&self.between)
    }
}

fn happen(what: &Meanwhile<'_>) -> Result<()> {
    let happens = what.borrow_mut().take();
    happens.map_or(Ok(()), |happens| happens())
}

fn apart_from<'e>(engine: &'e dyn Engine) -> Apart<'e> {
    Hooked::new(engine, Others::default())
}

impl<'e> Apart<'e> {
    fn during(&self, work: impl FnOnce() -> Result<()> + 'e) {
        *self.hooks.during.borrow_mut() = Some(Box::new(work));
    }

    fn between(&self, work: impl FnOnce() -> Result<()> + 'e) {
        *self.hooks.between.borrow_mut() = Some(Box::new(work));
    }

    /// True if all hooks have run.
    fn has_happened(&self) -> bool {
        self.hooks.during.borrow().is_none() && self.hooks.between.borrow().is_none()
    }
}

fn put(store: &dyn LocalStore, number: u32, text: &str) {
    let change = save(key(&format!("k{number}")), text);
    store.apply(&[change], &at(100)).unwrap();
}

fn state(engine: &dyn Engine) -> IndexState {
    engine.rows().unwrap().index().unwrap()
}

/// True if any row of the index has those bytes.
fn index_has(engine: &dyn Engine, word: &str) -> bool {
    let rows = engine.rows().unwrap();
    let has = |bytes: &[u8]| bytes.windows(word.len()).any(|of| of == word.as_bytes());
    let (_, heads) = rows.segments().unwrap();
    heads.iter().any(|head| {
        let blocks = rows.blocks(Blocks::All { segment: head.id }).unwrap();
        blocks.iter().any(|(first, block)| has(first) || has(block))
    })
}

pub(crate) fn others_write_while_the_index_is_built(engine: &dyn Engine) {
    let apart = apart_from(engine);
    let store = EngineStore::new(&apart).with_indexing(SMALL);
    for number in 0..3 {
        put(&store, number, "word");
    }
    // It would wait for itself if the building held the lock of the store.
    apart.during(|| {
        let other = EngineStore::new(engine).with_indexing(NEVER);
        other.apply(&[save(key("k1"), "other")], &at(100))?;
        other.apply(&[save(key("l"), "word")], &at(100))?;
        Ok(())
    });
    put(&store, 3, "word");
    assert!(apart.has_happened());
    assert_eq!(state(engine).indexed, 4);
    assert_eq!(all_found(&store, "word"), "k0 k2 k3 l");
    assert_eq!(all_found(&store, "other"), "k1");
    assert_clean(&store);
    // A note that was replaced during the build is marked when the change that replaced it is sealed.
    for number in 10..20 {
        put(&store, number, "more");
    }
    assert_eq!(all_found(&store, "word"), "k0 k2 k3 l");
    assert_clean(&store);
}

pub(crate) fn nothing_forgotten_comes_back_with_an_index_that_was_built_before(
    engine: &dyn Engine,
) {
    let apart = apart_from(engine);
    let store = EngineStore::new(&apart).with_indexing(SMALL);
    let forget = |of: &str| {
        let other = EngineStore::new(engine).with_indexing(NEVER);
        other.forget(&Forget::new(key(of)), &at(100)).map(|_| ())
    };
    // From what is being sealed.
    for number in 0..3 {
        put(&store, number, &format!("xyzzy{number}end"));
    }
    apart.between(move || forget("k1"));
    put(&store, 3, "xyzzy3end");
    assert!(apart.has_happened());
    assert_eq!(state(engine).indexed, 0);
    for number in 4..8 {
        put(&store, number, &format!("xyzzy{number}end"));
    }
    assert!(index_has(engine, "xyzzy2end") && !index_has(engine, "xyzzy1end"));
    // From a segment that is being merged into another one.
    let before = state(engine).indexed;
    apart.between(move || forget("k0"));
    for number in 10..16 {
        put(&store, number, &format!("xyzzy{number}end"));
    }
    assert!(apart.has_happened());
    for number in 20..40 {
        put(&store, number, &format!("xyzzy{number}end"));
    }
    assert!(state(engine).indexed > before);
    assert!(index_has(engine, "xyzzy2end"));
    assert!(!index_has(engine, "xyzzy0end") && !index_has(engine, "xyzzy1end"));
    assert_eq!(found(&store, "xyzzy0end"), "");
    assert_eq!(found(&store, "xyzzy2end"), "k2");
    assert_clean(&store);
}

pub(crate) fn of_two_that_build_at_once_one_wins(engine: &dyn Engine) {
    let apart = apart_from(engine);
    let store = EngineStore::new(&apart).with_indexing(SMALL);
    for number in 0..3 {
        put(&store, number, "word");
    }
    let theirs = apart_from(engine);
    apart.between(move || {
        let other = EngineStore::new(&theirs).with_indexing(SMALL);
        for number in 4..8 {
            put(&other, number, "word");
        }
        assert!(state(engine).indexed >= 4);
        Ok(())
    });
    put(&store, 3, "word");
    assert!(apart.has_happened());
    assert_eq!(all_found(&store, "word"), "k0 k1 k2 k3 k4 k5 k6 k7");
    assert_clean(&store);
    for number in 10..30 {
        put(&store, number, "more");
    }
    assert!(state(engine).indexed >= 24);
    assert_eq!(all_found(&store, "word"), "k0 k1 k2 k3 k4 k5 k6 k7");
    assert_clean(&store);
}

pub(crate) fn a_build_that_fails_takes_no_note_with_it_and_is_made_up_for(engine: &dyn Engine) {
    let apart = apart_from(engine);
    let store = EngineStore::new(&apart).with_indexing(SMALL);
    for number in 0..3 {
        put(&store, number, "word");
    }
    apart.between(|| {
        Err(Error::NotFound {
            what: "a server".into(),
        })
    });
    put(&store, 3, "word");
    assert!(apart.has_happened());
    assert_eq!(state(engine).indexed, 0);
    assert_eq!(all_found(&store, "word"), "k0 k1 k2 k3");
    for number in 4..12 {
        put(&store, number, "more");
    }
    assert!(state(engine).indexed >= 8);
    assert_eq!(all_found(&store, "word"), "k0 k1 k2 k3");
    assert_clean(&store);
}

pub(crate) fn only_one_of_many_processes_builds(engine: &dyn Engine) {
    let engines: Vec<Apart<'_>> = (0..4).map(|_| apart_from(engine)).collect();
    let stores = engines.iter().map(EngineStore::new);
    let stores: Vec<_> = stores.map(|store| store.with_indexing(SMALL)).collect();
    for number in 0..3 {
        put(&stores[number as usize], number, "word");
    }
    for apart in &engines {
        apart.between(|| Ok(()));
    }
    put(&stores[3], 3, "word");
    // The segment has been built, so the next three notes build none.
    for number in 4..7 {
        put(&stores[number as usize - 4], number, "word");
    }
    let built: Vec<bool> = engines.iter().map(Apart::has_happened).collect();
    assert_eq!(built, [false, false, false, true]);
    assert_eq!(state(engine).indexed, 4);
}

pub(crate) fn the_index_is_built_again_while_others_write(engine: &dyn Engine) {
    let apart = apart_from(engine);
    let store = EngineStore::new(&apart).with_indexing(SMALL);
    for number in 0..30 {
        put(&store, number, "word");
    }
    apart.between(|| {
        let other = EngineStore::new(engine).with_indexing(NEVER);
        put(&other, 30, "word");
        Ok(())
    });
    store.rebuild_index().unwrap();
    assert!(apart.has_happened());
    assert!(state(engine).indexed >= 24);
    assert_eq!(found(&store, "word").split(' ').count(), 10);
    assert_clean(&store);
}
