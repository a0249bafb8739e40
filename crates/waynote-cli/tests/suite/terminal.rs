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
    let mut child = command.spawn().unwrap();
    // Else it is open here, too, and never ends.
    drop(command);
    let mut ours = File::from(ours);
    ours.write_all(input.as_bytes()).unwrap();
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
    assert_snapshot!(typed(&scratch, forget, "n\n"), @"");
    assert_snapshot!(typed(&scratch, forget, "\n"), @"");
    assert_eq!(scratch.ok("key show k"), "two");
    // Nobody is there to ask.
    assert_snapshot!(scratch.run(forget).said(), @"");
    assert_snapshot!(scratch.run(&format!("{forget} --json")).said(), @"");
    assert_eq!(scratch.ok("key show k"), "two");
    assert_snapshot!(typed(&scratch, forget, "y\n"), @"");
    assert_eq!(scratch.ok("key count"), "1\n");
    assert_snapshot!(typed(&scratch, "forget agent:default#never", ""), @"");
}

#[test]
fn a_dry_run_forgets_nothing() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    scratch.ok("key save k two");
    scratch.ok("key save other one");
    let said = |words: &str| scratch.run(words).said();
    assert_snapshot!(said("forget agent:default#k --dry-run"), @"");
    assert_snapshot!(said("forget agent:default#k@1 --dry-run --everywhere"), @"");
    assert_snapshot!(said("forget agent:default#k@2 --dry-run --json"), @"");
    assert_snapshot!(said("forget agent:default#k@9 --dry-run"), @"");
    assert_snapshot!(said("forget agent:default#k --dry-run --yes"), @"");
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
    assert_snapshot!(said("forget place:~/work --dry-run"), @"");
    said("place write ours");
    std::fs::write(&file, r#"{"~/work": "by hand"}"#).unwrap();
    assert_snapshot!(said("forget place:~/work --dry-run"), @"");
    assert_snapshot!(said("forget place:~/work --yes"), @"");
}
