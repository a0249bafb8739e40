//! `waynote place` as its user meets it.

use super::common::{Scratch, assert_transcript};

#[test]
fn a_day_with_places() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote place write Here.
    saved place:~/work (new)

    $ waynote place write --at ~ Home.
    saved place:~ (new, in every project)

    $ waynote place all
    place:~
    Home.

    place:~/work
    Here.

    $ waynote place read
    Here.

    $ waynote place delete
    deleted place:~/work

    $ waynote place delete
    exit 1
    error: there is no place:~/work
      notes are on: ~

    $ waynote place read
    place:~/work has no note of its own; `waynote place all` prints what applies there
    ");
}

#[test]
fn hidden_characters_are_not_saved() {
    let scratch = Scratch::new();
    let saved = scratch
        .run("place write -")
        .stdin("a\u{202e}b\u{e0041}\u{e0042}");
    insta::assert_snapshot!(saved.said(), @"saved place:~/work (new); dropped 3 hidden characters");
    assert_eq!(scratch.run("place read").bytes(), b"ab");
    let again = scratch.run("place write --json -").stdin("a\u{2066}b").ok();
    assert!(again.contains("\"dropped\": 1"), "{again}");
    let session = scratch.run("--session s --iteration 1 log add - --type tip");
    insta::assert_snapshot!(session.stdin("x\u{202e}y").said(), @"Note added: [tip] xy; dropped 1 hidden character");
    // From elsewhere they are kept, and not shown.
    std::fs::write(scratch.path("in.json"), r#"{"~/other": "c\u202ed"}"#).unwrap();
    scratch.ok(&format!("import zrb {}", scratch.path("in.json").display()));
    let imported = scratch.json("place read --at ~/other --json");
    assert_eq!(imported["content"], "c\u{202e}d");
    assert_eq!(imported["preview"], "cd");
    assert_eq!(scratch.run("place read --at ~/other").bytes(), b"cd");
}

#[test]
fn a_note_as_json_has_every_field() {
    let scratch = Scratch::new();
    insta::assert_snapshot!(scratch.ok("--author agent:b place write --json Here."), @r#"
    {
      "address": "place:~/work",
      "scope": "place:~/work",
      "key": null,
      "content": "Here.",
      "preview": "Here.",
      "type": null,
      "iteration": null,
      "pinned": false,
      "revision": 1,
      "author": "agent:b",
      "created_at": "2026-05-17T12:00:00Z",
      "updated_at": "2026-05-17T12:00:00Z"
    }
    "#);
    insta::assert_snapshot!(scratch.ok("place read --at ~/nowhere --json"), @"null");
}

#[test]
fn keyed_notes_of_a_place_are_shown_like_its_own() {
    let scratch = Scratch::new();
    scratch.ok("place write --at ~ home");
    scratch.ok("key save build --at ~ make-all");
    assert_eq!(
        scratch.ok("context --only places --style faithful"),
        "### Notes & Context\n**~**:\nhome\n\n**~#build**:\nmake-all\n"
    );
}
