//! `waynote copy`: a whole store into another file or database, killed on the way.

use std::path::Path;
use std::time::{Duration, Instant};

use waynote::store::Cursor;
use waynote::{Address, Change, Expect, Limits, Options, Reader, SqliteStore, Stamp, Store};

use super::common::{Scratch, assert_transcript, until};

/// A store with so many notes, in as many scopes.
pub(super) fn filled(path: &Path, notes: u32) -> SqliteStore {
    let store = SqliteStore::open(path, &Options::default()).unwrap();
    let stamp = Stamp::new(jiff::Timestamp::UNIX_EPOCH, "person".parse().unwrap());
    let change = |number: u32| Change::Save {
        address: Address::Agent(
            format!("a{}", number % 11).parse().unwrap(),
            format!("k{}", number % 1_000).parse().unwrap(),
        ),
        content: waynote::Content::text(format!("text {number} about the build")).unwrap(),
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    };
    let numbers: Vec<u32> = (0..notes).collect();
    for some in numbers.chunks(1_000) {
        let changes: Vec<Change> = some.iter().copied().map(change).collect();
        store.apply(&changes, &stamp).unwrap();
    }
    store
}

/// Copies, and kills the copy again and again, each time half as much later again, until it ends by itself. It is killed
/// at least five times.
pub(super) fn killed_copy(scratch: &Scratch, from: &str, to: &str, is_there: &dyn Fn() -> bool) {
    let command = format!("copy {from} {to}");
    let mut time = Duration::from_millis(20);
    for killed in 0.. {
        let mut child = scratch.run(&command).spawn();
        let deadline = Instant::now() + time;
        let mut is_over = false;
        until("the copy runs for a while", || {
            is_over = child.try_wait().unwrap().is_some();
            is_over || Instant::now() > deadline
        });
        if !is_over {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        if is_over || is_there() {
            assert!(is_there());
            assert!(killed >= 5, "killed {killed} times");
            return;
        }
        time = time * 3 / 2;
    }
}

#[test]
fn a_copy_that_is_killed_starts_anew_and_ends_equal() {
    let scratch = Scratch::new();
    let store = filled(&scratch.path("a.db"), 4_000);
    let (from, to) = (scratch.path("a.db"), scratch.path("b.db"));
    let [from, name] = [&from, &to].map(|path| path.to_str().unwrap());
    killed_copy(&scratch, from, name, &|| to.exists());
    let copied = SqliteStore::open(&to, &Options::default()).unwrap();
    let feed = |store: &SqliteStore| store.feed(Cursor::START, 100_000).unwrap();
    assert!(feed(&store) == feed(&copied));
    assert_eq!(
        scratch
            .ok(&format!("--store {} verify", to.display()))
            .lines()
            .count(),
        2
    );
}

#[test]
fn what_cannot_be_copied_is_said() {
    let scratch = Scratch::new();
    scratch.ok("key save k v");
    scratch.ok("--store other.db key save k v");
    let store = scratch.store().to_str().unwrap().to_owned();
    let said = |words: &str| scratch.run(&words.replace("STORE", &store)).said();
    assert_transcript!(said, @"
    $ waynote copy STORE new.db
    copied to new.db: 1 note, 1 revision, 0 events, 0 forgettings up to position 1; compared, with 1 block: equal
    store id ID

    $ waynote copy STORE new.db
    exit 1
    error: new.db cannot be written: it exists already
      name another file

    $ waynote copy STORE other.db
    exit 1
    error: other.db cannot be written: it exists already
      name another file

    $ waynote copy none.db new2.db
    exit 1
    error: there is no store none.db
      name a file with a store, or a store in a database

    $ waynote copy https://notes.example/s/team new2.db
    exit 2
    error: https://notes.example/s/team is on a server, which gives out no whole store
      run the command where the store is, or name the database that the server uses

    $ waynote copy new.db postgres://me:pass@db/notes?store=team
    exit 2
    error: the address of the store has a password in it, which others could read
      leave it out, and set PGPASSWORD, or write it into ~/.pgpass (PGPASSFILE names another file)
    ");
}
