//! `waynote edit`: with an editor that is a script, and without one.

use insta::assert_snapshot;

use super::common::{Scratch, has};

/// What `waynote edit` says with an editor that does that to the file `$1`.
fn edited(scratch: &Scratch, words: &str, does: &str) -> String {
    let editor = scratch.script("editor", &format!("#!/bin/sh\n{does}\n"));
    let editor = format!("'{}' --wait", editor.display());
    let run = scratch.run(words).env("EDITOR", editor);
    let run = run.env("TMPDIR", scratch.path("")).env("VISUAL", "");
    // The option of the editor comes first.
    without_draft(&run.said())
}

/// The text without the random part of the draft's name.
fn without_draft(text: &str) -> String {
    let mut parts = text.split("/waynote-");
    let mut said = parts.next().unwrap_or_default().to_owned();
    let folder = |said: &mut String| said.truncate(said.rfind([' ', '\'']).map_or(0, |at| at + 1));
    for part in parts {
        folder(&mut said);
        said.push_str("DRAFT");
        said.push_str(part.split_once(".md").unwrap().1);
    }
    said
}

/// The drafts that are left.
fn drafts(scratch: &Scratch) -> Vec<String> {
    let files = std::fs::read_dir(scratch.path("")).unwrap().flatten();
    let names = files.map(|file| file.path());
    let drafts = names.filter(|path| path.extension().is_some_and(|of| of == "md"));
    drafts
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

#[test]
fn an_editor_changes_creates_and_leaves_a_note() {
    let scratch = Scratch::new();
    scratch.ok("key save deploy 'make ship'");
    assert_snapshot!(edited(&scratch, "edit deploy", "echo two >> \"$2\""), @"saved agent:default#deploy (overwrote revision 1; `waynote undo agent:default#deploy` brings it back)");
    assert_eq!(scratch.ok("show deploy"), "make ship\ntwo");
    assert_snapshot!(edited(&scratch, "edit deploy", "touch \"$2\""), @"the text is unchanged: nothing was written");
    // Without a name: the note of this directory, which is new.
    assert_snapshot!(edited(&scratch, "edit", "test -s \"$2\" || echo here > \"$2\""), @"saved place:~/work (new)");
    assert_eq!(scratch.ok("place read"), "here");
    assert_snapshot!(edited(&scratch, "edit ./src#build", "echo all > \"$2\""), @"saved place:~/work/src#build (new)");
    assert_snapshot!(edited(&scratch, "edit brand-new", "true"), @"the text is unchanged: nothing was written");
    assert_eq!(drafts(&scratch), [""; 0]);
}

#[test]
fn line_ends_and_controls_stay() {
    let scratch = Scratch::new();
    let text = "a\u{1b}b\r\nlast\u{ad}";
    scratch.run("key save odd -").stdin(text).ok();
    edited(&scratch, "edit odd", "echo more >> \"$2\"");
    assert_eq!(scratch.ok("show odd"), format!("{text}\nmore"));
    assert_snapshot!(edited(&scratch, "edit odd", "printf 'a\\342\\200\\256b' > \"$2\""), @"saved agent:default#odd (overwrote revision 2; `waynote undo agent:default#odd` brings it back); dropped 1 hidden character");
    assert_eq!(scratch.ok("show odd"), "ab");
}

#[test]
fn what_cannot_be_saved_stays_in_a_file() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    let meanwhile = "echo mine > \"$2\"; \"$WAYNOTE\" --author ann key save k theirs";
    assert_snapshot!(edited(&scratch, "edit k", meanwhile), @"
    exit 1
    saved agent:default#k (overwrote revision 1; `waynote undo agent:default#k` brings it back)
    error: agent:default#k has changed: it is at revision 2, revision 1 was expected
      your text is in DRAFT; `waynote show agent:default#k` prints the other; bring them together, then `waynote edit agent:default#k --file DRAFT` saves it
    ");
    assert_eq!(drafts(&scratch), ["mine\n"]);
    assert_eq!(scratch.ok("show k"), "theirs");
    assert_snapshot!(edited(&scratch, "edit k", "echo lost > \"$2\"; exit 3"), @"
    exit 1
    error: the editor `'HOME/editor' --wait` failed (exit status: 3): nothing was saved
      your text is in DRAFT; `waynote edit agent:default#k --file DRAFT` saves it
    ");
    let mut left = drafts(&scratch);
    left.sort();
    assert_eq!(left, ["lost\n", "mine\n"]);
    has(
        edited(&scratch, "edit k", "printf 'a\\0b' > \"$2\""),
        "your text is in DRAFT",
    );
    assert_snapshot!(edited(&scratch, "edit k", ": > \"$2\""), @"
    exit 1
    error: the text is empty: nothing was written
      `--allow-empty` writes it anyway
    ");
    assert_snapshot!(scratch.run("edit k").said(), @"
    exit 1
    error: no editor is set
      set VISUAL or EDITOR, for example `export EDITOR=nano`; or give the text: `--append TEXT`, `--file FILE`
    ");
    has(
        edited(&scratch, "edit k@1", "true"),
        "name the note without a revision",
    );
}

#[test]
fn a_text_is_added_or_taken_from_a_file_without_an_editor() {
    let scratch = Scratch::new();
    let spec = scratch.put("work/SPEC.md", "# Spec\n");
    let spec = spec.display();
    assert_snapshot!(scratch.run("edit . --append one").said(), @"saved place:~/work (new)");
    assert_snapshot!(scratch.run("edit . --append two").said(), @"saved place:~/work (added to revision 1; `waynote undo place:~/work` takes it out)");
    scratch.run("edit . --append -").stdin("three\n").ok();
    assert_eq!(scratch.ok("place read"), "one\ntwo\nthree\n");
    assert_snapshot!(scratch.run("edit spec --file SPEC.md").said(), @"saved agent:default#spec (new)");
    assert_eq!(scratch.ok("show spec"), "# Spec\n");
    scratch.ok(&format!("key save spec --file {spec}"));
    scratch.ok(&format!("place write --file {spec}"));
    assert_eq!(
        scratch.ok("show spec") + &scratch.ok("place read"),
        "# Spec\n# Spec\n"
    );
    assert_snapshot!(scratch.run("place write").said(), @"
    exit 2
    error: no text is given
      write it as an argument; `-` reads it from standard input, `--file FILE` from a file
    ");
    assert_snapshot!(scratch.run("place write --file NO.md").said(), @"
    exit 1
    error: NO.md cannot be read: No such file or directory (os error 2)
      check the path
    ");
}
