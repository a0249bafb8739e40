//! One syntax for addresses: printed wherever a note is shown, accepted wherever one is meant.

use super::common::{Scratch, assert_transcript};

#[test]
fn what_is_printed_is_accepted() {
    let scratch = Scratch::new();
    let odd = "~/a#b@c%d\ne";
    scratch.waynote(["place", "write", "--at", odd, "odd"]).ok();
    let address = scratch.json("place list --json")[0]["address"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(address, "place:~/a%23b%40c%25d%0Ae");
    assert_eq!(scratch.waynote(["show", &address]).ok(), "odd");
    assert_eq!(
        scratch.waynote(["place", "read", "--at", &address]).ok(),
        "odd"
    );
    scratch
        .waynote(["--agent", "team a/b@c", "key", "save", "k", "v"])
        .ok();
    assert_eq!(
        scratch
            .waynote(["key", "show", "agent:team a/b%40c#k"])
            .ok(),
        "v"
    );
    assert_eq!(
        scratch.waynote(["show", "agent:team a/b%40c#k@1"]).ok(),
        "v"
    );
}

#[test]
fn an_absolute_place_inside_home_is_the_same_note() {
    let scratch = Scratch::new();
    scratch.ok("place write --at ~/p text");
    let absolute = format!("place:{}/p", scratch.home().display());
    assert_eq!(scratch.waynote(["show", &absolute]).ok(), "text");
    scratch
        .waynote(["key", "save", &format!("{absolute}#k"), "keyed"])
        .ok();
    assert_eq!(scratch.ok("show place:~/p#k"), "keyed");
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
    insta::assert_snapshot!(scratch.run("undo agent:default#k@1").said(), @"
    exit 2
    error: `agent:default#k@1` is not an address: name the note without a revision
      write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one
    ");
    insta::assert_snapshot!(scratch.run("show place:/srv/@scope/x").said(), @"
    exit 2
    error: `place:/srv/@scope/x` is not an address: `@` must be followed by a revision (1, 2, 3 …); write an `@` in a name as `%40`
      write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one
    ");
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

    $ waynote show ~/work/src#build
    make

    $ waynote show src#build
    make

    $ waynote show flaky-tests@1
    retry

    $ waynote restore flaky-tests@1
    restored revision 1 of agent:default#flaky-tests (now revision 3: retry)

    $ waynote undo flaky-tests
    undid the last change of agent:default#flaky-tests (now revision 4: retry twice); `waynote redo flaky-tests` brings it back

    $ waynote --session s show #3
    use the cache

    $ waynote --session s show #4
    exit 1
    error: `#4` matches 2 notes
      use one of:
        …wfmh0z: one
        …vgqj03: two

    $ waynote --session s show #9
    exit 1
    error: there is no entry `#9`
      `waynote log list` lists the entries of the session

    $ waynote show #3
    exit 2
    error: `#3` is not an address: it is an entry of the current session, and no session is set
      write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one

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
    error: there is no agent:default#flaky-test
      did you mean `flaky-tests`? there are: flaky-tests, src

    $ waynote key delete flaky-test
    exit 1
    error: there is no agent:default#flaky-test
      did you mean `flaky-tests`? there are: flaky-tests, src

    $ waynote key pin flaky-test
    exit 1
    error: there is no agent:default#flaky-test
      did you mean `flaky-tests`? there are: flaky-tests, src

    $ waynote show flaky-tests@99
    exit 1
    error: there is no agent:default#flaky-tests@99
      it has the revisions 1 to 4

    $ waynote history nothing
    exit 1
    error: there is no history of agent:default#nothing
      there are: flaky-tests, src

    $ waynote show agent:defualt#src
    exit 1
    error: there is no agent:defualt#src
      did you mean `default`? the agents with notes are: default

    $ waynote show place:~/wrok
    exit 1
    error: there is no place:~/wrok
      did you mean `~/work`? notes are on: ~/work, ~/work/src, ~/work/src/pay

    $ waynote --agent defualt key list
    no notes in agent:defualt; did you mean `default`? the agents with notes are: default

    $ waynote show README.md
    exit 2
    error: `README.md` is not a valid key
      a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit; for example `readme-md`
    ");
    let entries = scratch.json("--session s log list --json");
    let address = entries[0]["address"].as_str().unwrap();
    let end = &address[address.len() - 6..];
    assert_eq!(scratch.ok(&format!("show {end}")), "use the cache");
    assert_eq!(
        scratch.ok(&format!("--session s show …{end}")),
        "use the cache"
    );
}
