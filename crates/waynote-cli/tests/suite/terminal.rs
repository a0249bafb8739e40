//! What is different on a terminal: a line end after a note, and a question before something is destroyed.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use insta::assert_snapshot;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::common::Scratch;

/// What a person sees who types that into the running command, and its exit code.
fn typed(scratch: &Scratch, words: &str, input: &str) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let name = std::ffi::OsStr::from_bytes(name.as_bytes());
    let open = || {
        let mut options = File::options();
        options.read(true).write(true).open(name).unwrap()
    };
    let mut command = scratch.command(words);
    command
        .env("NO_COLOR", "1")
        .stdin(Stdio::from(open()))
        .stdout(Stdio::from(open()))
        .stderr(Stdio::from(open()));
    // Typed before it starts, so that the terminal's echo always comes first.
    let mut ours = File::from(ours);
    ours.write_all(input.as_bytes()).unwrap();
    let mut child = command.spawn().unwrap();
    // Else it is open here, too, and never ends.
    drop(command);
    let mut seen = Vec::new();
    // The end is an error on Linux: nobody has the terminal open any more.
    let _ = ours.read_to_end(&mut seen);
    let code = child.wait().unwrap().code();
    let seen = String::from_utf8(seen).unwrap().replace("\r\n", "\n");
    format!("exit {}\n{seen}", code.unwrap_or(-1))
}

#[test]
fn a_note_ends_with_a_line_end_on_a_terminal_and_nowhere_else() {
    let scratch = Scratch::new();
    scratch.ok("key save k text");
    scratch.run("key save ends -").stdin("text\n").ok();
    scratch.ok("place write text");
    for words in [
        "key show k",
        "key show ends",
        "show agent:default#k",
        "place read",
    ] {
        assert_eq!(typed(&scratch, words, ""), "exit 0\ntext\n", "{words}");
    }
    for words in ["key show k", "show agent:default#k", "place read"] {
        assert_eq!(scratch.run(words).bytes(), b"text", "{words}");
    }
}

#[test]
fn an_empty_block_is_explained_to_a_person() {
    let scratch = Scratch::new();
    assert_eq!(
        typed(&scratch, "context", ""),
        "exit 0\nno notes apply here\n"
    );
}

#[test]
fn forgetting_asks() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    scratch.ok("key save k two");
    scratch.ok("key save other one");
    let forget = "forget agent:default#k";
    assert_snapshot!(typed(&scratch, forget, "n\n"), @"
    exit 1
    n
    would forget 2 revisions:
      agent:default#k@1
      agent:default#k@2
    agent:default#k would be gone, and nothing would bring it back
    the same text would still stand in agent:default#other@1; `--everywhere` forgets it there too
    Nothing brings it back. Forget it? [y/N] error: agent:default#k was not forgotten
      answer `y` to forget it
    ");
    assert_snapshot!(typed(&scratch, forget, "\n"), @"
    exit 1

    would forget 2 revisions:
      agent:default#k@1
      agent:default#k@2
    agent:default#k would be gone, and nothing would bring it back
    the same text would still stand in agent:default#other@1; `--everywhere` forgets it there too
    Nothing brings it back. Forget it? [y/N] error: agent:default#k was not forgotten
      answer `y` to forget it
    ");
    assert_eq!(scratch.ok("key show k"), "two");
    // Nobody is there to ask.
    assert_snapshot!(scratch.run(forget).said(), @"
    exit 1
    error: nothing brings back what is forgotten of agent:default#k, and nobody is here to confirm it
      look with `--dry-run` at what would go, then add `--yes`
    ");
    assert_snapshot!(scratch.run(&format!("{forget} --json")).said(), @r#"
    exit 1
    {"error":{"hint":"look with `--dry-run` at what would go, then add `--yes`","kind":"not_confirmed","message":"nothing brings back what is forgotten of agent:default#k, and nobody is here to confirm it"}}
    "#);
    assert_eq!(scratch.ok("key show k"), "two");
    assert_snapshot!(typed(&scratch, forget, "y\n"), @"
    exit 0
    y
    would forget 2 revisions:
      agent:default#k@1
      agent:default#k@2
    agent:default#k would be gone, and nothing would bring it back
    the same text would still stand in agent:default#other@1; `--everywhere` forgets it there too
    Nothing brings it back. Forget it? [y/N] forgot 2 revisions of agent:default#k; nothing it said is left
    the same text still stands in agent:default#other@1; `waynote forget agent:default#other@1 --everywhere` forgets it there too
    ");
    assert_eq!(scratch.ok("key count"), "1\n");
    assert_snapshot!(typed(&scratch, "forget agent:default#never", ""), @"
    exit 1
    error: there is no agent:default#never
      list what there is with `place list`, `key list` or `log list`
    ");
}

#[test]
fn a_dry_run_forgets_nothing() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    scratch.ok("key save k two");
    scratch.ok("key save other one");
    let said = |words: &str| scratch.run(words).said();
    assert_snapshot!(said("forget agent:default#k --dry-run"), @"
    exit 0
    would forget 2 revisions:
      agent:default#k@1
      agent:default#k@2
    agent:default#k would be gone, and nothing would bring it back
    the same text would still stand in agent:default#other@1; `--everywhere` forgets it there too
    ");
    assert_snapshot!(said("forget agent:default#k@1 --dry-run --everywhere"), @"
    exit 0
    would forget 2 revisions:
      agent:default#k@1
      agent:default#other@1
    also gone would be agent:default#other
    ");
    assert_snapshot!(said("forget agent:default#k@2 --dry-run --json"), @r#"
    exit 0
    {
      "named": "agent:default#k@2",
      "revisions": [
        "agent:default#k@2"
      ],
      "gone": [
        "agent:default#k"
      ],
      "kept": 1,
      "shared": [],
      "files": [],
      "residue": null
    }
    "#);
    assert_snapshot!(said("forget agent:default#k@9 --dry-run"), @"
    exit 1
    error: there is no agent:default#k@9
      list what there is with `place list`, `key list` or `log list`
    ");
    assert_snapshot!(said("forget agent:default#k --dry-run --yes"), @"
    exit 2
    error: the argument '--dry-run' cannot be used with '--yes'

    Usage: waynote forget --dry-run <ADDRESS>

    For more information, try '--help'.
    ");
    assert_eq!(scratch.ok("key show k"), "two");
    assert_eq!(scratch.ok("show agent:default#k@1"), "one");
}

/// A text that lies only in the kept-in-step file would go too.
#[test]
fn a_dry_run_knows_the_file() {
    let scratch = Scratch::new();
    let file = scratch.path("notes.json");
    let said = |words: &str| {
        let run = scratch.run(words);
        run.env("ZRB_LLM_NOTE_FILE", file.to_str().unwrap()).said()
    };
    std::fs::write(&file, r#"{"~/work": "from the file"}"#).unwrap();
    assert_snapshot!(said("forget place:~/work --dry-run"), @"
    exit 0
    would forget 1 revision:
      place:~/work@1
    place:~/work would be gone, and nothing would bring it back
    ");
    said("place write ours");
    std::fs::write(&file, r#"{"~/work": "by hand"}"#).unwrap();
    assert_snapshot!(said("forget place:~/work --dry-run"), @"
    exit 0
    would forget 3 revisions:
      place:~/work@1
      place:~/work@2
      place:~/work@3
    place:~/work would be gone, and nothing would bring it back
    ");
    assert_snapshot!(said("forget place:~/work --yes"), @"
    exit 0
    forgot 3 revisions of place:~/work; nothing it said is left
    ");
}
