//! Notes of others beside one's own: each surface says where a note is from.

use serde_json::{Value, json};

use super::common::{Run, Scratch, assert_transcript, git, has, lacks};
use super::mcp_client::Client;

/// A checkout that shares three notes, of which two have own ones beside them.
fn sharing() -> Scratch {
    let scratch = Scratch::ticking();
    let work = scratch.home().join("work");
    git(&work, "init -q");
    git(&work, "remote add origin https://github.com/acme/shop.git");
    let build = "cargo build needs node 20";
    for (file, text) in [
        ("README.md", "Prices are in cents."),
        ("build.md", build),
        (
            "src/pay/fees.md",
            "---\npinned: true\n---\nFees are rounded down.",
        ),
        ("deploy.md", "ask ops first"),
    ] {
        scratch.put(&format!("work/.waynote/{file}"), text);
    }
    scratch.put("work/src/pay/x.rs", "");
    for words in [
        "note --key build 'make all'",
        "note --key deploy 'ask ops first'",
        "note --key own mine",
    ] {
        trusted(&scratch, words).ok();
    }
    scratch
}

fn trusted(scratch: &Scratch, words: &str) -> Run {
    let run = scratch.run(words);
    run.env("WAYNOTE_TRUST", scratch.home().join("work"))
}

#[test]
fn lists_say_where_a_note_is_from() {
    let scratch = sharing();
    let plays = |words: &str| trusted(&scratch, words).said();
    assert_transcript!(plays, @"
    $ waynote ls
    NOTE                                     UPDATED               AUTHOR  PREVIEW
    repo:github.com/acme/shop#own            2026-05-17T12:00:00Z  person  mine
    repo:github.com/acme/shop#build          2026-05-17T12:00:00Z  person  (yours; the shared one differs) make all
    repo:github.com/acme/shop//src/pay#fees  -                     -       (shared) Fees are rounded down.
    repo:github.com/acme/shop#deploy         -                     -       (shared) ask ops first
    repo:github.com/acme/shop                -                     -       (shared) Prices are in cents.

    $ waynote key list
    NOTE                              UPDATED               PINNED  PREVIEW
    repo:github.com/acme/shop#own     2026-05-17T12:00:00Z          mine
    repo:github.com/acme/shop#build   2026-05-17T12:00:00Z          (yours; the shared one differs) make all
    repo:github.com/acme/shop#deploy  -                             (shared) ask ops first
    notes of the project repo:github.com/acme/shop that apply here; `--notebook` lists the agent's

    $ waynote place list
    NOTE                                     UPDATED               PREVIEW
    repo:github.com/acme/shop                -                     (shared) Prices are in cents.
    repo:github.com/acme/shop#build          2026-05-17T12:00:00Z  (yours; the shared one differs) make all
    repo:github.com/acme/shop#deploy         -                     (shared) ask ops first
    repo:github.com/acme/shop#own            2026-05-17T12:00:00Z  mine
    repo:github.com/acme/shop//src/pay#fees  -                     (shared) Fees are rounded down.

    $ waynote search cents fees node ops
    repo:github.com/acme/shop#deploy (shared)
      ask «ops» first
    repo:github.com/acme/shop (shared)
      Prices are in «cents».
    These do not apply here:
    repo:github.com/acme/shop//src/pay#fees (shared)
      «Fees» are rounded down.

    $ waynote show deploy
    ask ops firstrepo:github.com/acme/shop#deploy (shared)

    $ waynote show build
    make allrepo:github.com/acme/shop#build (yours; the shared one differs)

    the text of others (shared):
    cargo build needs node 20

    `waynote key delete repo:github.com/acme/shop#build` drops yours
    `waynote share repo:github.com/acme/shop#build` gives them yours

    $ waynote show repo:/src/pay#fees
    Fees are rounded down.repo:github.com/acme/shop//src/pay#fees (shared)

    $ waynote history repo:/src/pay#fees
    exit 1
    error: repo:github.com/acme/shop//src/pay#fees is a shared note: .waynote/src/pay/fees.md
      a person changes its file, and commits that; `waynote edit` without a text opens it, `git mv` renames it, `git rm` deletes it, `git log` has its history, `pinned: true` in its front matter pins it

    $ waynote status
    Here, ~/work (4 notes, 80 tokens at a start):
      repo:github.com/acme/shop           (shared) Prices are in cents.
      repo:github.com/acme/shop#own       mine
      repo:github.com/acme/shop#build     (yours; the shared one differs) make all
      repo:github.com/acme/shop#deploy    (shared) ask ops first
      waynote context · waynote search WORDS · waynote --help

    $ waynote context --explain
    SECTION  SHOWN  TOKENS  NOTE                              WHY
    places   whole  17      repo:github.com/acme/shop         fits
    index    line   10      repo:github.com/acme/shop#own     listed
    index    line   20      repo:github.com/acme/shop#build   listed
    index    line   15      repo:github.com/acme/shop#deploy  listed
                    10      (headings and blank lines)
                    8       (the last line)

    80 tokens of 2000: 4 notes shown, 0 shortened to a line, 0 left out

    $ waynote --author agent:x note --key deploy 'call ops'
    exit 1
    error: repo:github.com/acme/shop#deploy is a shared note: .waynote/deploy.md
      give your text a key of its own, or read this one, then expect revision 1; `--if-revision 1` puts yours before it in this store
    the current text of repo:github.com/acme/shop#deploy:
    ask ops first

    $ waynote --author agent:x note --key deploy --if-revision 1 'call ops'
    saved repo:github.com/acme/shop#deploy (overwrote revision 1; `waynote undo repo:github.com/acme/shop#deploy` brings it back); it stands before the shared one here

    $ waynote key delete build
    deleted repo:github.com/acme/shop#build; the shared one applies now

    $ waynote key delete build
    exit 1
    error: repo:github.com/acme/shop#build is a shared note: .waynote/build.md
      a person changes its file, and commits that; `waynote edit` without a text opens it, `git mv` renames it, `git rm` deletes it, `git log` has its history, `pinned: true` in its front matter pins it
    ");
    // Own notes alone are written for other programs, and move with their directory.
    let exported = plays("export json -");
    lacks(&exported, "Prices");
    has(&exported, "call ops");
    has(plays("place mv repo:/ repo:a/other"), "moved 2 notes");
}

#[test]
fn another_checkout_has_its_own_notes() {
    let scratch = sharing();
    let other = scratch.home().join("work2");
    scratch.put("work2/.waynote/only.md", "of this branch");
    git(&other, "init -q");
    git(&other, "remote add origin https://github.com/acme/shop.git");
    let run = scratch.run("ls --at ../work2");
    let listed = run.env("WAYNOTE_TRUST", "~/wo*").ok();
    has(&listed, "(shared) of this branch");
    lacks(&listed, "fees");
}

#[test]
fn an_agent_gets_them_at_each_moment() {
    let scratch = sharing();
    let hook = |event: &str, mut input: Value| {
        input["session_id"] = "s".into();
        input["cwd"] = json!(scratch.home().join("work"));
        trusted(&scratch, &format!("hook claude-code {event}"))
            .stdin(input.to_string())
            .patient()
            .said()
    };
    let begun = hook("SessionStart", json!({ "source": "startup" }));
    has(&begun, "`repo:/` (shared)");
    has(&begun, "`repo:/#build` (yours; the shared one differs)");
    let read = || {
        let read = json!({ "tool_name": "Read", "tool_input": { "file_path": "src/pay/x.rs" } });
        hook("PreToolUse", read)
    };
    has(
        read(),
        "`repo:/src/pay#fees` (shared): `Fees are rounded down.`",
    );
    assert_eq!(read(), "");
    scratch.put("work/.waynote/src/pay/fees.md", "Fees are rounded up.");
    has(read(), "rounded up");
    assert_eq!(read(), "");
    let why = trusted(&scratch, "why").ok();
    has(&why, "repo:github.com/acme/shop//src/pay#fees  whole");

    let mut server = scratch.command("mcp");
    server.env("WAYNOTE_TRUST", scratch.home().join("work"));
    let mut server = Client::spawn(server);
    server.initialize(json!({}));
    let listed = server.call("note_list", json!({}));
    has(&listed, "- repo:/ (shared): Prices");
    has(
        &listed,
        "- repo:/#build (yours; the shared one differs): make all",
    );
    let fees = || json!({ "place": "src/pay", "key": "fees" });
    has(
        server.call("note_show", fees()),
        "(shared)\nFees are rounded up.",
    );
    for tool in ["note_delete", "note_pin", "note_confirm"] {
        has(server.call(tool, fees()), "a person changes it");
    }
}

#[test]
fn each_checkout_that_is_not_trusted_is_named() {
    let scratch = sharing();
    let inner = scratch.home().join("work/inner");
    scratch.put("work/inner/.waynote/a.md", "a");
    git(&inner, "init -q");
    let said = scratch.run("ls").cwd(&inner).said();
    has(&said, "1 shared note of this checkout is not read");
    has(&said, "4 shared notes of this checkout are not read");
}
