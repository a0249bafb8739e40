//! `waynote ls`, `waynote diff`, the history of the whole store, `waynote log tail`.

use std::io::{BufRead, BufReader};

use super::common::{Scratch, assert_transcript, fields, has, signal};

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
    at(
        15,
        "--session s --iteration 1 log add --type tip 'use the cache'",
    );
    at(
        16,
        "--session s --iteration 2 log add --type stuck 'no network'",
    );
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

    $ waynote --agent other ls --kind key
    NOTE                UPDATED               AUTHOR  PREVIEW
    agent:other#deploy  2026-05-14T09:00:00Z  person  none
    place:~/work#build  2026-05-12T09:00:00Z  person  make all

    $ waynote --author agent:b ls
    NOTE                  UPDATED               AUTHOR   PREVIEW
    agent:default#deploy  2026-05-13T09:00:00Z  agent:b  make ship

    $ waynote ls --type stuck
    NOTE                                 UPDATED               AUTHOR  PREVIEW
    session:s#03g4xnttpva4yltfe1zz7ftju  2026-05-16T09:00:00Z  person  #2 stuck: no network

    $ waynote ls --since 2026-05-16T00:00:00Z
    NOTE                                 UPDATED               AUTHOR  PREVIEW
    place:~/work                         2026-05-17T09:00:00Z  person  Run all tests before a commit.
    session:s#03g4xnttpva4yltfe1zz7ftju  2026-05-16T09:00:00Z  person  #2 stuck: no network

    $ waynote ls --since 2026-05-18T00:00:00Z
    no notes

    $ waynote --session s log list --since 2026-05-16T00:00:00Z
    ITERATION  TYPE   PREVIEW     NOTE
    #2         stuck  no network  session:s#03g4xnttpva4yltfe1zz7ftju

    $ waynote history --limit 3
    NOTE                                   ACTION  AUTHOR  RECORDED              PREVIEW
    place:~/work@2                         save    person  2026-05-17T09:00:00Z  Run all tests before a commit.
    session:s#03g4xnttpva4yltfe1zz7ftju@1  save    person  2026-05-16T09:00:00Z  no network
    session:s#03g4puj45g6qoi1lmzry0wpf0@1  save    person  2026-05-15T09:00:00Z  use the cache

    $ waynote history --author agent:b
    NOTE                    ACTION  AUTHOR   RECORDED              PREVIEW
    agent:default#deploy@1  save    agent:b  2026-05-13T09:00:00Z  make ship

    $ waynote history .
    place:~/work
    REVISION  ACTION  AUTHOR  RECORDED              PREVIEW
    2         save    person  2026-05-17T09:00:00Z  Run all tests before a commit.
    1         save    person  2026-05-11T09:00:00Z  Run the tests before a commit.

    $ waynote ls --since soon
    exit 2
    error: `soon` is not a time
      write it as 2026-05-17, '2026-05-17 14:00', 2026-05-17T12:00:00Z, yesterday, 2h or '2 days ago'
    ");
    let listed = scratch.json("ls --json --limit 2");
    assert_eq!(fields(&listed, "0/address 1/type"), "place:~/work stuck");
    assert_eq!(
        fields(&scratch.json("history --json --limit 1"), "0/position"),
        "8"
    );
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

    $ waynote diff .@2 .@1
    place:~/work@2 → place:~/work@1
    Run [-all-]{+the+} tests before a commit.

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

    $ waynote diff deploy deploy
    agent:default#deploy and agent:default#deploy have the same text

    $ waynote diff .@1 .@9
    exit 1
    error: there is no place:~/work@9
      it has the revisions 1 to 2
    ");
    let diff = scratch.json("diff . --json");
    assert_eq!(fields(&diff, "old 1/change"), "place:~/work@1 (none)");
}

#[test]
fn a_log_is_followed_until_ctrl_c() {
    let scratch = filled();
    assert_transcript!(scratch, @"
    $ waynote --session s log tail
    2026-05-15 09:00  #1 tip: use the cache
    2026-05-16 09:00  #2 stuck: no network

    $ waynote --session s log tail -n 1
    2026-05-16 09:00  #2 stuck: no network

    $ waynote --session none log tail
    nothing happened in session:none yet; the sessions are: s
    ");
    let mut tail = scratch.run("--session s log tail -f -n 1").piped();
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines();
    assert_eq!(
        lines.next().unwrap().unwrap(),
        "2026-05-16 09:00  #2 stuck: no network"
    );
    scratch.ok("--session s --iteration 3 log add --type learning 'the proxy helps'");
    assert_eq!(
        lines.next().unwrap().unwrap(),
        "2026-05-17 12:00  #3 learning: the proxy helps"
    );
    signal(&tail, "-INT");
    tail.wait().unwrap();
}

#[test]
fn a_difference_passes_over_a_deletion() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    scratch.ok("key delete k");
    scratch.ok("undo agent:default#k");
    let said = scratch.ok("diff k");
    assert_eq!(
        said.trim_end(),
        "agent:default#k@1 and agent:default#k@3 have the same text"
    );
    scratch.ok("key save k two");
    has(
        scratch.ok("diff k"),
        "agent:default#k@3 → agent:default#k@4",
    );
}
