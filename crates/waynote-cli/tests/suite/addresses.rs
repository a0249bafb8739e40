//! One syntax for addresses: printed wherever a note is shown, accepted wherever one is meant.

use super::common::Scratch;

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
        "show agent:default#k@1 --as-of 1",
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
