//! A whole store as JSON and back, as Markdown, and a directory's notes in its AGENTS.md.

use std::fs;

use insta::assert_snapshot;

use super::common::{Scratch, assert_transcript, has, lacks};

/// A store in which everything happened: overwritten, deleted, pinned, undone, resolved, repeated, forgotten; a loop.
fn filled() -> Scratch {
    let scratch = Scratch::new();
    for words in [
        "place write 'Run the tests.'",
        "place write 'Run all tests.'",
        "key save build make --pin",
        "key save --at . api 'no blocking calls'",
        "key save gone x",
        "key delete gone",
        "undo place:~/work",
        "--author agent:b key save secret-text 'what nobody should know'",
        "forget agent:default#secret-text --yes",
        "--session a/b --iteration 1 log add --type stuck 'no network'",
        "--session a/b --iteration 2 log add --type stuck 'no network'",
        "--session a/b --iteration 3 log add --type learning 'the proxy helps' --resolves #1",
        "loop --session night --iterations 1 --stall 0 -- true",
    ] {
        scratch.run(words).output();
    }
    scratch
}

#[test]
fn a_store_comes_back_whole_from_its_export() {
    let scratch = filled();
    has(
        scratch.ok("export json store.jsonl"),
        "items to store.jsonl",
    );
    let back = scratch.ok("--store back.db import json store.jsonl");
    has(back, "verified");
    has(scratch.ok("--store back.db verify"), "is sound");
    for words in [
        "ls --json",
        "history --json",
        "context --as-of 3",
        "--session a/b log list --json",
        "--session night log show --json",
        "search network --json",
    ] {
        let copy = scratch.ok(&format!("--store back.db {words}"));
        assert_eq!(copy, scratch.ok(words), "{words}");
    }
    let lines = |words: &str| {
        let text = scratch.ok(words);
        text.split_once('\n').unwrap().1.to_owned()
    };
    let whole = lines("export json -");
    assert_eq!(lines("--store back.db export json -"), whole);
    lacks(whole, "nobody should know");
    assert_transcript!(scratch, @"
    $ waynote export json store.jsonl
    exit 1
    error: store.jsonl cannot be written: File exists (os error 17)
      name another file, or remove this one first

    $ waynote --store back.db import json store.jsonl
    exit 1
    error: back.db cannot be written: there is such a file already
      name a new file with `--store`

    $ waynote --store new.db export json -
    exit 1
    error: there is no the store new.db
      see `waynote --store new.db place list`, `key list` or `log list`
    ");
}

#[test]
fn an_export_that_is_not_whole_makes_no_store() {
    let scratch = filled();
    let text = scratch.ok("export json -");
    let whole: Vec<&str> = text.lines().collect();
    let broken = whole[3].replace("\"revision\"", "\"revisoin\"");
    for (text, why) in [
        (String::new(), "line 1: there is none"),
        ("{}\n".into(), "line 1: it does not begin an export"),
        (whole[..whole.len() - 2].join("\n"), "it is the last one"),
        ([whole[0], whole[1], whole[2], &broken].join("\n"), "line 4"),
        ([whole[0], &whole[1][..40]].join("\n"), "line 2"),
        (whole[0].replace("export\":1", "export\":2"), "a newer"),
    ] {
        scratch.put("work/broken.jsonl", text);
        let run = scratch.run("--store no.db import json broken.jsonl");
        has(run.said(), why);
        assert!(!scratch.home().join("work/no.db").exists(), "{why}");
    }
}

#[test]
fn every_note_is_a_markdown_file() {
    let scratch = filled();
    assert_snapshot!(scratch.ok("export markdown notes"), @"wrote 5 notes to notes, 0 unchanged");
    assert_snapshot!(scratch.ok("export markdown notes"), @"wrote 0 notes to notes, 5 unchanged");
    let script = "cd home/work/notes; find . -type f | sort; cat agent/default/build.md";
    let listed = scratch.shell(script);
    assert_snapshot!(String::from_utf8(listed.stdout).unwrap(), @r#"
    ./agent/default/build.md
    ./place/~/work/note.api.md
    ./place/~/work/note.md
    ./session/a%2Fb/001-stuck-pgvdwk.md
    ./session/a%2Fb/003-learning-ohzfvo.md
    ---
    address: "agent:default#build"
    pinned: true
    revision: 1
    author: "person"
    created: "2026-05-17T12:00:00Z"
    updated: "2026-05-17T12:00:00Z"
    ---

    make
    "#);
}

#[test]
fn the_notes_of_a_directory_are_in_its_agents_md() {
    let scratch = filled();
    let file = scratch.put("work/AGENTS.md", "# Ours\n\nBe kind.\n");
    scratch.ok("export agents-md");
    assert_snapshot!(fs::read_to_string(&file).unwrap(), @"
    # Ours

    Be kind.

    <!-- waynote: begin. Written by `waynote export agents-md`; changes here are lost -->

    Run the tests.

    ## api

    no blocking calls

    <!-- waynote: end -->
    ");
    let written = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{written}\nLast.\n")).unwrap();
    scratch.ok("place write New.");
    scratch.ok("export agents-md");
    let again = written.replace("Run the tests.", "New.") + "\nLast.\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), again);
    assert_snapshot!(scratch.run("export agents-md").said(), @"wrote 0 notes to HOME/work/AGENTS.md, 2 unchanged");
}
