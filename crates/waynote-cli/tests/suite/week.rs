//! A week with waynote, played from the guide alone: notes written and edited, a directory moved, two questions answered
//! (one on the page), tidied up, exported, and all of it read back.

use std::fs;

use super::common::{Scratch, has, lacks};
use super::http::{get, submit};
use super::ui::{Page, cookie};

/// The agent asks in its first iteration, and writes the answer that it was given in the next.
const ASKS: &str = "cat > prompt; test -e asked && { cp prompt answered; exit 0; }; touch asked
\"$WAYNOTE\" log add 'the cache helps' --type learning; \"$WAYNOTE\" log blocked 'blue or green?'";

/// A run of a loop whose agent asks, in a directory of its own.
fn asks(scratch: &Scratch, session: &str) -> std::path::PathBuf {
    let folder = scratch.home().join(session);
    fs::create_dir_all(&folder).unwrap();
    let words = [
        "--session",
        session,
        "loop",
        "--iterations",
        "2",
        "--",
        "sh",
        "-c",
        ASKS,
    ];
    let asked = scratch.waynote(words).cwd(&folder).output();
    assert_eq!(asked.status.code(), Some(4), "{asked:?}");
    folder
}

#[test]
fn a_week_from_the_guide() {
    let scratch = Scratch::new();
    let editor = scratch.script("editor", "#!/bin/sh\necho \"$EDITS\" >> \"$1\"\n");
    let edit = |name: &str, day: &str| {
        let run = scratch.run(&format!("edit {name}")).env("EDITOR", &editor);
        run.env("EDITS", day).ok()
    };

    // Monday: thirty notes by hand: of directories, of the notebook, and one pin.
    let names: Vec<String> = (0..30)
        .map(|number| match number % 3 {
            0 => format!("./part-{number}"),
            1 => format!("./part-{}#build", number - 1),
            _ => format!("key-{number}"),
        })
        .collect();
    for name in &names {
        if let Some(path) = name.strip_prefix("./") {
            let folder = path.split('#').next().unwrap();
            fs::create_dir_all(scratch.home().join("work").join(folder)).unwrap();
        }
        scratch.ok(&format!("edit {name} --append Monday"));
    }
    scratch.ok("key pin key-2");
    // Tuesday: each is edited; one edit too many is taken back.
    for name in &names {
        edit(name, "Tuesday");
    }
    let mistake = scratch.run("edit key-5 --append mistake");
    mistake.env("WAYNOTE_NOW", "2026-05-17T12:00:01Z").ok();
    scratch.ok("undo");
    assert_eq!(scratch.ok("show key-5").trim_end(), "Monday\nTuesday");

    // Wednesday: a directory moves, with all below it.
    let (old, new) = (scratch.home().join("work"), scratch.home().join("shop"));
    fs::rename(&old, &new).unwrap();
    fs::create_dir(&old).unwrap();
    scratch.ok("place mv ~/work ~/shop");
    let block = scratch.run("context").cwd(new.join("part-0")).ok();
    has(&block, "Tuesday");
    has(scratch.ok("history '~/shop/part-0'"), "~/shop/part-0");

    // Thursday: two loops ask; one is answered on a terminal, the other on the page.
    let (asked, other) = (asks(&scratch, "paint"), asks(&scratch, "print"));
    let morning = scratch.ok("status");
    has(&morning, "paint asks");
    has(&morning, "print asks");
    scratch.ok("answer paint green");
    let page = Page::start(scratch.command("ui"));
    let (url, _) = page.link().split_once("/open?").unwrap();
    let opened = get(page.link(), None);
    let cookie = cookie(&opened);
    let answered = submit(
        &format!("{url}/s/default/sessions/answer"),
        cookie,
        "session=print&answer=blue",
    );
    has(&answered, "HTTP/1.1 303");
    let shown = get(
        &format!("{url}/s/default/sessions?session=print"),
        Some(cookie),
    );
    has(&shown, "waynote loop --continue print");
    for (session, folder, answer) in [("paint", asked, "green"), ("print", other, "blue")] {
        let state = format!("{session}    answered and ready to go on");
        has(scratch.ok("log sessions"), &state);
        scratch.ok(&format!("loop --continue {session}"));
        has(fs::read_to_string(folder.join("answered")).unwrap(), answer);
    }

    // Friday: tidied up. A session leaves the list, a note is renamed, one goes, one is forgotten.
    scratch.ok("session archive paint");
    lacks(scratch.ok("log sessions"), "paint");
    scratch.ok("mv key-8 checkout");
    scratch.ok("key delete key-11");
    scratch.ok("forget agent:default#key-14 --yes");
    has(scratch.ok("search Tuesday --limit 50"), "checkout");

    // Saturday: exported, as JSON and as files, and read back.
    scratch.ok("export json week.jsonl");
    has(
        scratch.ok("--store back.db import json week.jsonl"),
        "verified",
    );
    for words in [
        "ls --json",
        "history --json",
        "log sessions --all --json",
        "--session print log list --json",
    ] {
        assert_eq!(
            scratch.ok(&format!("--store back.db {words}")),
            scratch.ok(words),
            "{words}"
        );
    }
    scratch.ok("export markdown notes");
    let names = scratch.ok("ls --json");
    let names: serde_json::Value = serde_json::from_str(&names).unwrap();
    assert_eq!(names.as_array().unwrap().len(), 30 - 2 + 4, "{names}");
    has(scratch.ok("verify"), "is sound");
}
