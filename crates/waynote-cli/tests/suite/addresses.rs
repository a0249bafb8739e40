//! One syntax for addresses: printed wherever a note is shown, accepted wherever one is meant.

use super::common::{Scratch, assert_transcript, has, text};

#[test]
fn what_is_printed_is_accepted() {
    let scratch = Scratch::new();
    let odd = "~/a#b@c%d\ne";
    scratch.waynote(["place", "write", "--at", odd, "odd"]).ok();
    let address = text(&scratch.json("place list --json")[0], "address").to_owned();
    assert_eq!(address, "place:~/a%23b%40c%25d%0Ae");
    assert_eq!(scratch.waynote(["show", &address]).ok(), "odd");
    let read = scratch.waynote(["place", "read", "--at", &address]);
    assert_eq!(read.ok(), "odd");
    let save = ["--agent", "team a/b@c", "key", "save", "k", "v"];
    scratch.waynote(save).ok();
    for command in [
        "key show 'agent:team a/b%40c#k'",
        "show 'agent:team a/b%40c#k@1'",
    ] {
        assert_eq!(scratch.ok(command), "v");
    }
    // An absolute place inside home is the same note.
    scratch.ok("place write --at ~/p text");
    let absolute = format!("place:{}/p", scratch.home().display());
    assert_eq!(scratch.waynote(["show", &absolute]).ok(), "text");
}

#[test]
fn what_contradicts_itself_is_refused() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    for words in [
        "key save agent:default#k two --at ~",
        "key delete agent:default#k@1",
        "key pin agent:default#k@1",
        "undo agent:default#k@1",
        "history agent:default#k@1",
        "restore agent:default#k@1 --revision 2",
        "place write --at agent:bob#k x",
        "place write --at place:relative x",
        "--store  key list",
    ] {
        let output = scratch.run(words).output();
        assert_eq!(output.status.code(), Some(2), "{words}");
    }
    assert_eq!(scratch.ok("key show k"), "one");
    has(
        scratch.run("show place:/srv/@scope/x").said(),
        "`@` must be followed by a revision (1, 2, 3 …); write an `@` in a name as `%40`",
    );
}

#[test]
fn a_person_types_less_than_an_address() {
    let scratch = Scratch::new();
    for name in ["src/pay", "docs"] {
        std::fs::create_dir_all(scratch.home().join("work").join(name)).unwrap();
    }
    scratch.ok("key save src 'about the sources'");
    scratch.ok("key save flaky-tests retry");
    scratch.ok("key save flaky-tests 'retry twice'");
    scratch.ok("place write here");
    scratch.ok("place write --at src/pay pay");
    scratch.ok("place write --at src sources");
    scratch.ok("key save --at src build make");
    scratch.ok("--session s --iteration 3 log add --type tip 'use the cache'");
    scratch.ok("--session s --iteration 4 log add --type tip one");
    scratch.ok("--session s --iteration 4 log add --type tip two");
    assert_transcript!(scratch, @"
    $ waynote show .
    here

    $ waynote show src/pay
    pay

    $ waynote show src#build
    make

    $ waynote show flaky-tests@1
    retry

    $ waynote --session s show #3
    use the cache

    $ waynote --session s show #4
    exit 1
    error: `#4` matches 2 notes
      use one of:
        …wfmh0z: one
        …vgqj03: two

    $ waynote show #3
    exit 2
    error: `#3` is not an address: it is an entry of the current session, and no session is set
      write `place:~/p`, `place:~/p#key`, `repo:host/name//dir#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one

    $ waynote show src
    about the sources

    $ waynote forget src --yes
    exit 1
    error: `src` matches 2 notes
      use one of:
        agent:default#src
        place:~/work/src

    $ waynote forget docs --yes
    exit 1
    error: there is no place:~/work/docs
      did you mean `~/work/src`? notes are on: ~/work, ~/work/src, ~/work/src/pay

    $ waynote show flaky-test
    exit 1
    error: no note here has the key `flaky-test`
      did you mean `flaky-tests`? there are: flaky-tests, src

    $ waynote key delete flaky-test
    exit 1
    error: no note here has the key `flaky-test`
      did you mean `flaky-tests`? there are: flaky-tests, src

    $ waynote key pin flaky-test
    exit 1
    error: no note here has the key `flaky-test`
      did you mean `flaky-tests`? there are: flaky-tests, src

    $ waynote show flaky-tests@99
    exit 1
    error: there is no agent:default#flaky-tests@99
      it has the revisions 1 to 2
    ");
    let entry = scratch.json("--session s log list --json")[0].clone();
    let (_, end) = text(&entry, "address").split_at(text(&entry, "address").len() - 6);
    assert_eq!(scratch.ok(&format!("show {end}")), "use the cache");
    let shortened = format!("--session s show …{end}");
    assert_eq!(scratch.ok(&shortened), "use the cache");
}
