//! The output and the traces of `waynote forget`: tombstones, and nothing that brings a text back.

use insta::assert_snapshot;

use super::common::{Scratch, assert_transcript, text};

#[test]
fn what_is_left_says_that_something_was_forgotten() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote key save k one
    saved agent:default#k (new, in every project)

    $ waynote --author agent:b key save k two --if-revision 1
    saved agent:default#k (overwrote revision 1; `waynote undo agent:default#k` brings it back)

    $ waynote key save k three
    saved agent:default#k (overwrote revision 2; `waynote undo agent:default#k` brings it back)

    $ waynote forget --yes agent:default#k@2
    forgot 1 revision of agent:default#k@2; 2 revisions left

    $ waynote show agent:default#k@2
    exit 1
    error: agent:default#k@2 was forgotten 2026-05-17 by person
      it is gone for good; `waynote history ADDRESS` lists the revisions that are left, and `waynote restore` brings one back

    $ waynote forget --yes agent:default#k --revision 3
    forgot 1 revision of agent:default#k@3; the note is gone until `waynote restore agent:default#k@N` (1 revision left)

    $ waynote restore agent:default#k@1
    restored revision 1 of agent:default#k (now revision 5: one)

    $ waynote forget --yes agent:default#k
    forgot 2 revisions of agent:default#k; no text of it is left

    $ waynote forget --yes agent:default#k@9
    exit 1
    error: there is no agent:default#k@9
      it has the revisions 1 to 6

    $ waynote forget --yes agent:default#k@1 --revision 2
    exit 2
    error: two revisions are given: 1 and 2
      give one: `@N` or `--revision N`

    $ waynote forget --yes agent:default#never
    exit 1
    error: there is no agent:default#never
      the notebook has no notes

    $ waynote key save k four
    saved agent:default#k (new, in every project)

    $ waynote undo
    undid the last change of agent:default#k (it no longer exists); `waynote redo` brings it back
    ");
    scratch.ok("key save k four");
    assert_snapshot!(scratch.ok("forget --yes agent:default#k@7 --json"), @r#"
    {
      "files": [],
      "gone": [],
      "kept": 1,
      "named": "agent:default#k@7",
      "residue": null,
      "revisions": [
        "agent:default#k@7"
      ],
      "shared": [
        "agent:default#k@9"
      ]
    }
    "#);
}

#[test]
fn a_bare_undo_passes_over_what_was_forgotten() {
    let scratch = Scratch::ticking();
    for words in [
        "key save a one",
        "key save a two",
        "--session s log add --type tip wrong",
        "key save k one",
        "key save k two",
    ] {
        scratch.ok(words);
    }
    let entry = scratch.json("--session s log list --json")[0]["address"].clone();
    scratch.ok(&format!("forget --yes {}", entry.as_str().unwrap()));
    scratch.ok("forget --yes agent:default#k@2");
    assert_snapshot!(scratch.ok("undo"), @"undid the last change of agent:default#a (now revision 3: one); `waynote redo` brings it back");
    assert_snapshot!(scratch.ok("undo agent:default#k"), @"undid the last change of agent:default#k (now revision 4: one); `waynote redo agent:default#k` brings it back");
}

#[test]
fn a_forgotten_entry_is_not_imported_again_and_its_id_not_used_again() {
    let scratch = Scratch::new();
    let frames = super::reference_ralph::xs_store(&scratch).join("frames.ndjson");
    let import = || scratch.ok(&format!("import xs {}", frames.display()));
    import();
    let list = || {
        let entries = scratch.json("--session demo log list --json");
        entries.as_array().unwrap().clone()
    };
    let entries = list();
    let last = entries.last().unwrap();
    scratch.ok(&format!("forget --yes {}", text(last, "address")));
    assert_eq!(list().len(), entries.len() - 1);
    assert_eq!(import(), "0 added, 0 updated, 41 unchanged, 4 skipped\n");
    assert_eq!(list().len(), entries.len() - 1);
    // A clock before the forgotten entry's: the new id follows it all the same.
    let add = scratch.run("--session demo log add --type tip new --json");
    let new = add.env("WAYNOTE_NOW", "2001-01-01T00:00:00Z").json();
    assert!(new["key"].as_str() > last["key"].as_str());
}

#[test]
fn ids_say_nothing_of_the_text() {
    let id = |text: &str| {
        let words = format!("--session s log add --type tip --json {text}");
        Scratch::new().json(&words)["key"].clone()
    };
    assert_eq!(id("one"), id("two"));
}
