//! No note of another is replaced unread: what a tool, an agent's command and the next morning say.

use serde_json::json;

use super::common::{Scratch, assert_transcript, fields, has, lacks};
use super::mcp_client::{Client, assert_calls};

#[test]
fn a_tool_replaces_no_text_of_a_person_that_it_has_not_read() {
    let scratch = Scratch::new();
    scratch.ok("place write 'Rust workspace; prices are integers, in cents.'");
    let mut client = Client::start(&scratch, "--author agent:claude-code mcp");
    assert_calls!(client, @r#"
    $ note_save {"content":"The tests need redis","place":"."}
    error: place:~/work has text by person (revision 1)
    nothing was changed; save yours under a key of its own, or read this text and call again with `if_revision` 1
    the current text of place:~/work@1:
    Rust workspace; prices are integers, in cents.

    $ note_delete {"place":"."}
    error: place:~/work has text by person (revision 1)
    nothing was changed; save yours under a key of its own, or read this text and call again with `if_revision` 1
    the current text of place:~/work@1:
    Rust workspace; prices are integers, in cents.

    $ note_pin {"place":"."}
    pinned place:~/work

    $ note_save {"content":"The tests need redis","key":"redis","place":"."}
    saved place:~/work#redis (new)

    $ note_save {"content":"Prices are in cents; the tests need redis","if_revision":2,"place":"."}
    saved place:~/work (overwrote revision 2; its text: note_show place:~/work@2)

    $ note_save {"content":"Prices are in cents.","place":"."}
    saved place:~/work (overwrote revision 3; its text: note_show place:~/work@3)

    $ note_show {"address":"place:~/work@1"}
    Rust workspace; prices are integers, in cents.

    $ note_delete {"place":"."}
    deleted place:~/work
    "#);
    // A long text is cut, and a credential masked.
    scratch.ok("config set allow_secrets github-token");
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let text = format!("{secret} {}", "more ".repeat(2000));
    scratch.ok(&format!("place write '{text}'"));
    let refused = client.call("note_save", json!({ "place": ".", "content": "x" }));
    lacks(&refused, &secret);
    assert!(refused.ends_with('…'));
    assert!(refused.len() < 9000, "{}", refused.len());
}

#[test]
fn other_programs_tools_keep_their_own_rules() {
    let scratch = Scratch::new();
    scratch.ok("key save build 'make all'");
    scratch.ok("place write --at ~ 'by a person'");
    let mut client = Client::start(&scratch, "mcp --tools openotters,zrb");
    let saved = client.call("note_save", json!({ "key": "build", "content": "make" }));
    lacks(saved, "error");
    let said = json!({ "content": "by a tool of Zrb" });
    lacks(client.call("WriteLongTermNote", said), "error");
    assert_eq!(scratch.ok("show build"), "make");
    assert_eq!(scratch.ok("place read --at ~"), "by a tool of Zrb");
}

#[test]
fn a_command_in_a_clients_shell_is_its_agents() {
    let scratch = Scratch::new();
    scratch.ok("key save build 'make all'");
    let shell = |words: &str| scratch.run(words).env("CLAUDECODE", "1");
    insta::assert_snapshot!(shell("key save build make").said(), @"
    exit 1
    error: agent:default#build has text by person (revision 1)
      give your text a key of its own; or read this one, and the same command with `--if-revision 1` replaces or deletes it
    the current text of agent:default#build@1:
    make all
    ");
    insta::assert_snapshot!(shell("key delete build").said(), @"
    exit 1
    error: agent:default#build has text by person (revision 1)
      give your text a key of its own; or read this one, and the same command with `--if-revision 1` replaces or deletes it
    the current text of agent:default#build@1:
    make all
    ");
    insta::assert_snapshot!(shell("mv build other").said(), @"
    exit 1
    error: agent:default#build has text by person (revision 1)
      nothing was moved: `waynote cp` copies it, and a person moves it
    ");
    shell("key save own make").ok();
    insta::assert_snapshot!(shell("cp own build --force").said(), @"
    exit 1
    error: agent:default#build has text by person (revision 1)
      nothing was changed: name another address, or read this text, and `--force --if-revision 1` overwrites it
    ");
    let json = shell("key save build make --json").output().stderr;
    let json = serde_json::from_slice(&json).unwrap();
    let of = "error/kind error/current/revision error/current/author";
    assert_eq!(fields(&json, of), "others_text 1 person");
    has(shell("key save build make --if-revision 1").ok(), "saved");
    // Every command that was refused takes the revision.
    for (then, by_person) in [
        ("edit build --file make.txt", 3),
        ("cp own build --force", 5),
    ] {
        scratch.put("work/make.txt", "make -j");
        scratch.ok(&format!("key save build 'make {by_person}'"));
        has(shell(then).said(), "agent:default#build has text by person");
        has(
            shell(&format!("{then} --if-revision 1")).said(),
            "has changed",
        );
        shell(&format!("{then} --if-revision {by_person}")).ok();
    }
    scratch.ok("key save build 'make 7'");
    has(
        shell("restore build@1").said(),
        "has text by person (revision 7)",
    );
    shell("restore build@1 --if-revision 7").ok();
    shell("key save build make --if-revision 8").ok();
    let author = |of: &str| fields(&scratch.json(&format!("show {of} --json")), "author");
    assert_eq!(author("build"), "agent:claude-code");
    // Who is named writes, and no other.
    shell("--author person key save build 'make -j'").ok();
    assert_eq!(author("build"), "person");
    let named = shell("key save own 1").env("WAYNOTE_AUTHOR", "agent:ci");
    named.ok();
    assert_eq!(author("own"), "agent:ci");
    scratch.ok("config set author ann");
    shell("key save hers 1").ok();
    assert_eq!(author("hers"), "ann");
}

#[test]
fn the_morning_shows_what_others_did_to_ones_notes() {
    let scratch = Scratch::ticking();
    let save = |author: &str, words: &str| scratch.ok(&format!("{author} {words}"));
    scratch.ok("place write 'Rust workspace.\nPrices are integers, in cents.\nAsk Ann.'");
    scratch.ok("key save build 'make all' --pin");
    scratch.ok("key save gone 'one'");
    scratch.ok("key save same 'two'");
    save("--author agent:mia", "key save hers 'three'");
    scratch.ok("status");
    // An agent that looks leaves the news to its person.
    save("--author agent:mia", "status");
    let mia = "--author agent:mia";
    save(
        mia,
        "place write 'Rust workspace.\nThe tests need redis.\nAsk Bob.' --if-revision 1",
    );
    save(
        mia,
        "place write 'Rust workspace.\nThe tests need redis.\nNo more.' --if-revision 2",
    );
    save(mia, "key save build 'make -j' --if-revision 1");
    save(mia, "key delete gone --if-revision 1");
    save(mia, "key pin same");
    save(mia, "key save hers 'four'");
    assert_transcript!(scratch, @"
    $ waynote status
    Since 2026-05-17 12:00 UTC: 6 changes by agent:mia
      your agent:default#gone was deleted by agent:mia; `waynote restore agent:default#gone@1` brings it back
        - one
      your agent:default#build was changed by agent:mia; `waynote restore agent:default#build@1` brings it back
        - make all
        + make -j
      your place:~/work was changed by agent:mia; `waynote restore place:~/work@1` brings it back
        - Prices are integers, in cents.
        - Ask Ann.
        + The tests need redis.
        … 1 line more

    Here, ~/work (4 notes, 101 tokens at a start):
      ~/work          Rust workspace.
      #build  pinned  make -j
      #same   pinned  two
      #hers           four
      waynote context · waynote search WORDS · waynote --help
    ");
    scratch.ok("restore build@1");
    // What the person wrote since is the text that was lost.
    save(mia, "key save same one --if-revision 2");
    scratch.ok("key save same 'by the person'");
    save(mia, "key save same two --if-revision 4");
    has(
        scratch.ok("status"),
        "`waynote restore agent:default#same@4` brings it back\n    - by the person\n    + two",
    );
    lacks(scratch.ok("status"), "  your ");
    let changed = scratch.json("status --json")["changed"].take();
    assert_eq!(changed, json!([]));
    for number in 0..5 {
        scratch.ok(&format!("key save n{number} old"));
    }
    scratch.ok("status");
    for number in 0..5 {
        save(mia, &format!("key save n{number} new --if-revision 1"));
    }
    let status = scratch.run("status --json").json();
    let of = "changed/0/address changed/0/by changed/0/revision changed/0/lines/0";
    assert_eq!(fields(&status, of), "agent:default#n4 agent:mia 1 - old");
    let shown = scratch.ok("status");
    has(&shown, "… 2 more of your notes: waynote history");
    assert!(shown.lines().count() <= 20, "{shown}");
}
