//! A store that moves between a file and a database, in either direction.

use waynote::copy::{CopyError, copy};
use waynote::store::Cursor;
use waynote::{EngineStore, Error, Options, Reader, SqliteStore, Store};

use waynote_postgres::Postgres;

use super::stores::{its_server, new_store};
use super::writer::Writer;

fn another() -> Option<EngineStore<Postgres>> {
    its_server().map(|server| new_store(&server.store_url()))
}

fn filled(path: &std::path::Path, seed: u64, times: usize) -> SqliteStore {
    let store = SqliteStore::open(path, &Options::default()).unwrap();
    let mut writer = Writer::new(seed);
    (0..times).for_each(|_| writer.once(&store));
    store
}

fn feed(store: &dyn Reader) -> Vec<waynote::store::FeedEntry> {
    store.feed(Cursor::START, 1_000_000).unwrap()
}

#[test]
fn a_store_moves_into_a_database_and_back() {
    let Some(database) = another() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = filled(&folder.path().join("a.db"), 5, 500);
    let told = copy(file.engine(), database.engine(), &mut |_| Ok(())).unwrap();
    assert!(told.revisions > 400 && told.forgettings > 2, "{told:?}");
    assert_eq!(feed(&file), feed(&database));
    assert_eq!(database.verify().unwrap().problems, [""; 0]);
    let back = SqliteStore::open(folder.path().join("b.db"), &Options::default()).unwrap();
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
fn an_unfinished_copy_in_a_database_is_not_written() {
    let Some(database) = another() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = filled(&folder.path().join("a.db"), 7, 600);
    let mut steps = 0;
    let stopped = copy(file.engine(), database.engine(), &mut |_| {
        steps += 1;
        match steps {
            3 => Err(CopyError::Stopped.into()),
            _ => Ok(()),
        }
    });
    assert!(stopped.is_err());
    let mut writer = Writer::new(8);
    let stamp = writer.stamp();
    let refused = database.apply(&[writer.save()], &stamp).unwrap_err();
    let why: Option<&CopyError> = refused.downcast_ref();
    assert!(
        matches!(why, Some(CopyError::Unfinished { .. })),
        "{refused}"
    );
    // Texts are forgotten that are in the copy already.
    let mut writer = Writer::new(9);
    (writer.second, writer.iteration) = (5_000, 1_000);
    (0..60).for_each(|_| writer.once(&file));
    let told = copy(file.engine(), database.engine(), &mut |_| Ok(())).unwrap();
    assert!(told.resumed_after.is_some());
    assert_eq!(feed(&file), feed(&database));
    assert_eq!(database.verify().unwrap().problems, [""; 0]);
    let again = copy(file.engine(), database.engine(), &mut |_| Ok(())).unwrap();
    assert!(again.was_complete);
    let stamp = writer.stamp();
    database.apply(&[writer.save()], &stamp).unwrap();
    let refused = copy(file.engine(), database.engine(), &mut |_| Ok(()));
    assert!(matches!(refused, Err(Error::Custom(_))));
}
