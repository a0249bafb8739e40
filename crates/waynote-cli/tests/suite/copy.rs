//! `waynote copy`, as a person sees it.

use super::common::{Scratch, assert_transcript};

#[test]
fn what_cannot_be_copied_is_said() {
    let scratch = Scratch::new();
    scratch.ok("key save k v");
    scratch.ok("--store other.db key save k v");
    let store = scratch.store().to_str().unwrap().to_owned();
    let said = |words: &str| scratch.run(&words.replace("STORE", &store)).said();
    assert_transcript!(said, @"
    $ waynote copy STORE new.db
    copied to new.db: 1 note, 1 revision, 1 item up to position 1; verified
    store id ID

    $ waynote copy STORE new.db
    exit 1
    error: new.db cannot be written: there is such a file already
      name another file

    $ waynote copy STORE other.db
    exit 1
    error: other.db cannot be written: there is such a file already
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
    error: the address postgres://me@db/notes has a password in it, which others could read
      leave it out, and set PGPASSWORD, or write it into ~/.pgpass (PGPASSFILE names another file), or name a command that prints it with the setting `postgres_password_command`
    ");
}
