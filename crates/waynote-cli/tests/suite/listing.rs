//! `waynote ls`, `waynote diff`, the history of the whole store.

use super::common::{Scratch, assert_transcript, fields};

/// A store with notes of every kind, at three times.
fn filled() -> Scratch {
    let scratch = Scratch::new();
    let at = |day: u32, words: &str| {
        let now = format!("2026-05-{day}T09:00:00Z");
        scratch.run(words).env("WAYNOTE_NOW", now).ok();
    };
    at(10, "place write --at ~ Home.");
    at(11, "place write 'Run the tests before a commit.'");
    at(12, "key save --at . build 'make all'");
    at(13, "--author agent:b key save deploy 'make ship'");
    at(14, "--agent other key save deploy none");
    let add = "--session s --iteration";
    at(15, &format!("{add} 1 log add --type tip 'use the cache'"));
    at(16, &format!("{add} 2 log add --type stuck 'no network'"));
    at(17, "place write 'Run all tests before a commit.'");
    scratch
}

#[test]
fn everything_is_listed_and_narrowed() {
    let scratch = filled();
    assert_transcript!(scratch, @"
    $ waynote ls
    NOTE                                 UPDATED               AUTHOR   PREVIEW
    place:~/work                         2026-05-17T09:00:00Z  person   Run all tests before a commit.
    session:s#03g4xnttpva4yltfe1zz7ftju  2026-05-16T09:00:00Z  person   #2 stuck: no network
    session:s#03g4puj45g6qoi1lmzry0wpf0  2026-05-15T09:00:00Z  person   #1 tip: use the cache
    agent:other#deploy                   2026-05-14T09:00:00Z  person   none
    agent:default#deploy                 2026-05-13T09:00:00Z  agent:b  make ship
    place:~/work#build                   2026-05-12T09:00:00Z  person   make all
    place:~                              2026-05-10T09:00:00Z  person   Home.

    $ waynote ls --kind key
    NOTE                  UPDATED               AUTHOR   PREVIEW
    agent:other#deploy    2026-05-14T09:00:00Z  person   none
    agent:default#deploy  2026-05-13T09:00:00Z  agent:b  make ship
    place:~/work#build    2026-05-12T09:00:00Z  person   make all

    $ waynote ls --kind place --limit 1
    NOTE          UPDATED               AUTHOR  PREVIEW
    place:~/work  2026-05-17T09:00:00Z  person  Run all tests before a commit.

    $ waynote ls --at .
    NOTE                UPDATED               AUTHOR  PREVIEW
    place:~/work        2026-05-17T09:00:00Z  person  Run all tests before a commit.
    place:~/work#build  2026-05-12T09:00:00Z  person  make all
    place:~             2026-05-10T09:00:00Z  person  Home.

    $ waynote --author agent:b ls
    NOTE                  UPDATED               AUTHOR   PREVIEW
    agent:default#deploy  2026-05-13T09:00:00Z  agent:b  make ship

    $ waynote ls --since 2026-05-16T00:00:00Z
    NOTE                                 UPDATED               AUTHOR  PREVIEW
    place:~/work                         2026-05-17T09:00:00Z  person  Run all tests before a commit.
    session:s#03g4xnttpva4yltfe1zz7ftju  2026-05-16T09:00:00Z  person  #2 stuck: no network

    $ waynote history --limit 3
    NOTE                                   ACTION  AUTHOR  RECORDED              PREVIEW
    place:~/work@2                         save    person  2026-05-17T09:00:00Z  Run all tests before a commit.
    session:s#03g4xnttpva4yltfe1zz7ftju@1  save    person  2026-05-16T09:00:00Z  no network
    session:s#03g4puj45g6qoi1lmzry0wpf0@1  save    person  2026-05-15T09:00:00Z  use the cache
    ");
    for (words, rows) in [
        ("ls --kind key", 3),
        ("ls --kind place --limit 1", 1),
        ("--agent other ls --kind key", 2),
        ("ls --type stuck", 1),
        ("--session s log list --since 2026-05-16", 1),
        ("--session s log list --type tip", 1),
        ("history --author agent:b", 1),
        ("history .", 2),
    ] {
        let listed = scratch.json(&format!("{words} --json"));
        assert_eq!(listed.as_array().unwrap().len(), rows, "{words}");
    }
    let listed = scratch.json("ls --json --limit 2");
    assert_eq!(fields(&listed, "0/address 1/type"), "place:~/work stuck");
    let last = scratch.json("history --json --limit 1");
    assert_eq!(fields(&last, "0/position"), "8");
}

#[test]
fn a_change_is_shown_word_by_word() {
    let scratch = filled();
    scratch.run("key save long -").stdin("one 1\ntwo 2\n").ok();
    let changed = "one 1\nnext\ntwo II\n";
    scratch.run("key save long -").stdin(changed).ok();
    assert_transcript!(scratch, @"
    $ waynote diff .
    place:~/work@1 → place:~/work@2
    Run [-the-]{+all+} tests before a commit.

    $ waynote diff long
    agent:default#long@1 → agent:default#long@2
    one 1
    {+next
    +}two [-2-]{+II+}

    $ waynote diff deploy agent:other#deploy
    agent:default#deploy → agent:other#deploy
    [-make ship-]{+none+}

    $ waynote diff deploy
    exit 1
    error: agent:default#deploy has one revision only
      name two notes: `waynote diff NOTE OTHER`
    ");
    let diff = scratch.json("diff . --json");
    assert_eq!(fields(&diff, "old 1/change"), "place:~/work@1 (none)");
}

#[test]
fn a_difference_passes_over_a_deletion() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    scratch.ok("key delete k");
    scratch.ok("undo agent:default#k");
    let same = "agent:default#k@1 and agent:default#k@3 have the same text\n";
    assert_eq!(scratch.ok("diff k"), same);
}
