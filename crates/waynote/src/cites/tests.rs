//! What becomes of cited code, over files that are made here.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;

/// A repository in memory.
#[derive(Default)]
struct Files {
    files: BTreeMap<String, String>,
    renamed: Option<String>,
    is_whole: bool,
    is_late: Mutex<bool>,
}

impl Checkouts for Files {
    fn repository(&self, directory: Option<&Place>) -> Option<(Place, String)> {
        let repository: Place = "repo:a/p".parse().unwrap();
        let below = directory.and_then(|directory| directory.below(&repository));
        let below = below.unwrap_or_default().to_owned();
        Some((repository, below))
    }

    fn commit(&self, _: &Place) -> Option<String> {
        Some("c0ffee".into())
    }

    fn file(&self, _: &Place, path: &str) -> CodeFile {
        match self.files.get(path).map(String::as_str) {
            None => CodeFile::Gone,
            Some("(a pipe)") => CodeFile::Refused,
            Some(text) => CodeFile::Text(text.into()),
        }
    }

    fn has_word(&self, _: &Place, word: &str) -> Option<bool> {
        Some(self.files.values().any(|text| text.contains(word)))
    }

    fn elsewhere(&self, _: &Place, _: Option<&str>, path: &str) -> Option<CandidateFiles> {
        let others = self.files.keys().filter(|of| *of != path);
        Some(CandidateFiles {
            renamed: self.renamed.clone(),
            others: others.cloned().collect(),
            is_whole: self.is_whole,
        })
    }

    fn at_commit(&self, _: &Place, _: &str, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn known(&self, _: &Citation) -> Option<Standing> {
        None
    }

    fn keep(&self, _: &Citation, _: &Standing) {}

    fn begin(&self) {}

    fn has_time(&self) -> bool {
        !*self.is_late.lock().unwrap()
    }
}

const FILE: &str = "use std::fs;\n\nfn charge(cents: u64) -> u64 {\n    let fee = cents / 100;\n\n    \
                    cents + fee\n}\n\nfn other() {}\n";

fn files(files: &[(&str, &str)]) -> Files {
    let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    Files {
        files: files.iter().map(owned).collect(),
        is_whole: true,
        ..Files::default()
    }
}

fn cited(code: &str) -> Result<Citation> {
    let before = files(&[
        ("src/pay.rs", FILE),
        ("src/pipe.rs", "(a pipe)"),
        ("lib/x.rs", "x\n"),
    ]);
    let directory: Place = "repo:a/p//lib".parse().unwrap();
    cite(&before, Some(&directory), code, Timestamp::UNIX_EPOCH)
}

#[test]
fn code_that_moved_is_not_changed() {
    let moved = |code: &str| Standing::Moved(code.into());
    let with = |old: &str, new: &str| FILE.replacen(old, new, 1);
    let all = "src/pay.rs:3-7";
    for (what, code, file, becomes) in [
        ("nothing", all, FILE.to_owned(), Standing::AsCited),
        (
            "lines above",
            all,
            format!("// one\n\n{FILE}"),
            moved("src/pay.rs:5-9"),
        ),
        (
            "indented",
            all,
            with("    let", "\t\tlet"),
            Standing::AsCited,
        ),
        (
            "broken",
            all,
            with("(cents: u64)", "(\n    cents: u64\n)"),
            moved("src/pay.rs:3-9"),
        ),
        (
            "blank lines",
            all,
            with("100;\n\n", "100;\n"),
            Standing::AsCited,
        ),
        ("a number", all, with("100", "50"), Standing::Changed),
        (
            "its last line",
            "src/pay.rs:4-6",
            with("cents + fee", "cents + fee + 1"),
            Standing::Changed,
        ),
        (
            "a line within",
            all,
            with("100;\n", "100;\n    log();\n"),
            Standing::Changed,
        ),
        ("emptied", all, String::new(), Standing::Changed),
        (
            "one line",
            "src/pay.rs:9",
            format!("\n{FILE}"),
            moved("src/pay.rs:10"),
        ),
        (
            "other lines",
            "src/pay.rs:9",
            with("100", "50"),
            Standing::AsCited,
        ),
        ("a file", "src/pay.rs", with("100", "50"), Standing::AsCited),
        (
            "an identifier",
            "fn charge",
            with("100", "50"),
            Standing::AsCited,
        ),
        (
            "its name",
            "fn charge",
            with("charge", "bill"),
            Standing::Changed,
        ),
    ] {
        let now = files(&[("src/pay.rs", &file)]);
        assert_eq!(standing(&now, &cited(code).unwrap()), becomes, "{what}");
    }
}

#[test]
fn code_is_found_in_other_files() {
    let (lines, bracket) = (
        cited("src/pay.rs:3-7").unwrap(),
        cited("src/pay.rs:7").unwrap(),
    );
    let moved = || files(&[("src/new.rs", FILE)]);
    assert_eq!(
        standing(&moved(), &lines),
        Standing::Moved("src/new.rs:3-7".into())
    );
    assert_eq!(
        standing(&moved(), &bracket),
        Standing::Changed,
        "a lone bracket is everywhere"
    );
    let renamed = Files {
        renamed: Some("src/new.rs".into()),
        ..moved()
    };
    assert_eq!(
        standing(&renamed, &bracket),
        Standing::Moved("src/new.rs:7".into())
    );
    let whole = cited("src/pay.rs").unwrap();
    assert_eq!(
        standing(&renamed, &whole),
        Standing::Moved("src/new.rs".into())
    );
    assert_eq!(standing(&moved(), &whole), Standing::Changed);
    // In doubt nothing is said.
    let many = Files {
        is_whole: false,
        ..files(&[])
    };
    assert_eq!(standing(&many, &lines), Standing::Unknown);
    let late = files(&[]);
    *late.is_late.lock().unwrap() = true;
    assert_eq!(standing(&late, &lines), Standing::Unknown);
    let pipe = files(&[("src/pay.rs", "(a pipe)")]);
    assert_eq!(standing(&pipe, &lines), Standing::Unknown);
    for code in ["../x.rs:1", "/etc/passwd:1", ".git/config:1"] {
        let foreign = Citation {
            code: code.into(),
            ..lines.clone()
        };
        assert_eq!(standing(&files(&[]), &foreign), Standing::Unknown, "{code}");
    }
}

#[test]
fn only_what_is_there_is_cited() {
    let said = |code: &str| match cited(code) {
        Ok(cited) => cited.code,
        Err(error) => error.to_string(),
    };
    let all = [
        "src/pay.rs:3-7",
        " src/pay.rs:4 ",
        "x.rs:1",
        "src/pay.rs",
        "fn charge",
        "src/pay.rs:2",
        "src/pay.rs:9-10",
        "src/pay.rs:0",
        "src/pipe.rs:1",
        "../x.rs:1",
        "/etc/passwd:1",
        "fn nobody",
        "a\nb",
        "",
    ];
    let all: Vec<String> = all.into_iter().map(said).collect();
    insta::assert_snapshot!(all.join("\n"), @"
    src/pay.rs:3-7
    src/pay.rs:4
    lib/x.rs:1
    src/pay.rs
    fn charge
    `src/pay.rs:2` cannot be cited: these lines are empty, or not in the file
    `src/pay.rs:9-10` cannot be cited: these lines are empty, or not in the file
    `src/pay.rs:0` cannot be cited: it is no tracked file of the repository and not found in its code
    `src/pipe.rs:1` cannot be cited: it is no tracked file of the repository and not found in its code
    `../x.rs:1` cannot be cited: a path is relative to the repository, without `..`
    `/etc/passwd:1` cannot be cited: a path is relative to the repository, without `..`
    `fn nobody` cannot be cited: it is no tracked file of the repository and not found in its code
    `a
    b` cannot be cited: it is no line of text
    `` cannot be cited: it is no line of text
    ");
    assert!(cited(&"x".repeat(600)).is_err());
    assert!(Citation::check(&vec![Citation::new("x"); 17]).is_err());
}

#[test]
fn citations_are_read_from_a_text() {
    for (text, named) in [
        (
            "see `src/pay.rs:40-60` and `a/b.rs:7`, `src/pay.rs:40-60`",
            "src/pay.rs:40-60 a/b.rs:7",
        ),
        (
            "src/pay.rs:40 without quotes, `src/pay.rs`, `fn charge`",
            "",
        ),
        (
            "`http://h:80`, `localhost:80`, `../x:1`, `/x:1`, `a b:1`, `x:9-3`",
            "localhost:80",
        ),
        ("```\nsrc/x.rs:1\n```", ""),
        ("an open `src/x.rs:1", "src/x.rs:1"),
    ] {
        assert_eq!(named_in(text).join(" "), named, "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn a_text_is_found_in_itself(text in "[a-c \n]{1,60}", first in 1_usize..9, lines in 0_usize..4) {
        let bare = CompactText::of(text.as_bytes());
        if let Some(said) = bare.print(first, first + lines) {
            let (begin, end) = bare.find(&said, first).unwrap();
            proptest::prop_assert_eq!(bare.print(begin, end), Some(said));
        }
        let _ = named_in(&text);
    }
}
