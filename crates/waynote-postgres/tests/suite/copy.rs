//! A store that moves between a file and a database, in either direction.

use waynote::copy::{CopyError, CopyPhase, copy};
use waynote::{EngineStore, Reader, SqliteStore, Store};

use waynote_postgres::{Options, Postgres, stores};

use super::stores::{its_server, new_store};
use waynote_testing::writer::Writer;

fn another() -> Option<EngineStore<Postgres>> {
    its_server().map(|server| new_store(&server.store_url()))
}

fn filled(path: &std::path::Path, seed: u64, times: usize) -> SqliteStore {
    let store = SqliteStore::open(path, &waynote::Options::default()).unwrap();
    let mut writer = Writer::new(seed);
    (0..times).for_each(|_| writer.once(&store));
    store
}

fn feed(store: &dyn Reader) -> Vec<waynote::store::FeedEntry> {
    store.feed(None, 1_000_000).unwrap()
}

#[test]
fn a_store_moves_into_a_database_and_back() {
    let Some(database) = another() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = filled(&folder.path().join("a.db"), 5, 500);
    let told = copy(file.engine(), database.engine(), &mut |_| Ok(())).unwrap();
    assert!(
        told.report.revisions > 400 && told.lost.is_empty(),
        "{told:?}"
    );
    assert_eq!(feed(&file), feed(&database));
    assert_eq!(database.verify().unwrap().problems, [""; 0]);
    let back = SqliteStore::open(folder.path().join("b.db"), &waynote::Options::default()).unwrap();
    copy(database.engine(), back.engine(), &mut |_| Ok(())).unwrap();
    assert_eq!(feed(&file), feed(&back));
    assert_eq!(back.verify().unwrap().problems, [""; 0]);
    // It goes on in the database by the same rules.
    let mut writer = Writer::new(6);
    (writer.second, writer.iteration) = (5_000, 1_000);
    (0..100).for_each(|_| writer.once(&database));
    assert_eq!(database.verify().unwrap().problems, [""; 0]);
}

#[test]
fn a_copy_in_a_database_is_there_when_it_is_whole() {
    let Some(server) = its_server() else { return };
    let options = Options::of_url(&server.store_url()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = filled(&folder.path().join("a.db"), 7, 600);
    let is_there = || waynote_postgres::open(options.clone()).is_ok();
    let make = |stops: bool| {
        stores::make(options.clone(), |to| {
            copy(file.engine(), to, &mut |progress| {
                assert!(!is_there());
                match progress.phase {
                    CopyPhase::Index if stops => Err(CopyError::Stopped.into()),
                    _ => Ok(()),
                }
            })
        })
    };
    let listed = || {
        let listed = stores::list(options.clone()).unwrap();
        let mut listed = listed.into_iter();
        listed.find(|of| Some(&of.name) == options.store_name())
    };
    // The remains of it can be removed, and the next copy removes them too.
    make(true).unwrap_err();
    assert!(!is_there() && listed().is_none());
    stores::drop(options.clone()).unwrap();
    make(true).unwrap_err();
    make(false).unwrap();
    assert!(listed().is_some());
    let database = waynote_postgres::open(options.clone()).unwrap();
    assert_eq!(feed(&file), feed(&database));
    assert_eq!(database.verify().unwrap().problems, [""; 0]);
    // An existing store is not overwritten.
    make(false).unwrap_err();
    assert_eq!(feed(&file), feed(&database));
}
