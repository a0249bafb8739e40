//! `waynote context`: all sections together, in both styles.

use super::common::{Scratch, has};

fn filled() -> Scratch {
    let scratch = Scratch::new();
    for words in [
        "place write --at ~ Prefers-Rust.",
        "place write The-shop.",
        "key save zeta last",
        "key save alpha first",
        "key save steps tag-then-ship --pin",
        "--session s --iteration 1 log add --type decision sqlite",
        "--session s --iteration 2 log add --type stuck rate-limit",
        "--session s --iteration 3 log add --type tip not-yet",
    ] {
        scratch.ok(words);
    }
    scratch
}

#[test]
fn sections_alone_and_as_json() {
    let scratch = filled();
    assert_eq!(
        scratch.ok("context --only pinned --style faithful"),
        "## steps\n\ntag-then-ship\n"
    );
    let block = scratch.json("context --json --only places");
    assert_eq!(block["sections"][0]["section"], "places");
    let text = block["text"].as_str().unwrap();
    assert_eq!(block["receipt"]["tokens"], waynote_tokens::count(text));
    assert!(text.starts_with(block["sections"][0]["text"].as_str().unwrap()));
    assert_eq!(Scratch::new().ok("context"), "");
    let whole = scratch.ok("context --budget 0");
    let status = scratch.ok("context").replace(whole.as_str(), "");
    assert_eq!(status, "\n93 of 2,000 tokens\n");
    // A query goes with every other flag.
    let query = "context --query first --json --explain --as-of 2026-05-18T00:00:00Z";
    has(scratch.ok(query), "alpha");
}

#[test]
fn a_budget_and_its_receipt() {
    let scratch = filled();
    let text = "The import died; the log says that the disk was full. ".repeat(9);
    scratch.ok(&format!("key save died '{text}' --pin"));
    assert_eq!(scratch.ok("--session s context --budget 3"), "");
    let block = scratch.ok("--session s context --budget 220");
    let last_line = |name: &str, value: &str| {
        let said = scratch.run("--session s context").env(name, value).said();
        format!("{}\n", said.lines().last().unwrap())
    };
    assert!(block.ends_with(&last_line("WAYNOTE_BUDGET", "220")));
    // An unusable value is named, and the default is used.
    let of_variables = [
        ("WAYNOTE_TOKEN_FACTOR", "2"),
        ("WAYNOTE_BUDGET", "-1"),
        ("WAYNOTE_TOKEN_FACTOR", "much"),
    ];
    let of_variables = of_variables.map(|(name, value)| last_line(name, value));
    insta::assert_snapshot!(of_variables.concat(), @"
    530 of 2,000 tokens
    warning: WAYNOTE_BUDGET: `-1` is not a token budget; run `waynote doctor` for details
    warning: WAYNOTE_TOKEN_FACTOR: `much` is not a token factor; run `waynote doctor` for details
    ");
    insta::assert_snapshot!(scratch.run("context --style faithful --budget 9").said(), @"
    exit 2
    error: style faithful prints everything, without a budget
      leave out `--budget`, `--explain` and `--query`, or use `--style stable`
    ");
}

#[test]
fn as_it_was() {
    let scratch = Scratch::new();
    for (day, words) in [
        (1, "key save plan first"),
        (2, "key save plan second"),
        (3, "key delete plan"),
    ] {
        let time = format!("2026-05-0{day}T10:00:00Z");
        scratch.run(words).env("WAYNOTE_NOW", time).ok();
    }
    let of = |when: &str| scratch.ok(&format!("context --only index --as-of {when}"));
    has(of("1"), "`first`");
    has(of("2026-05-02T12:00:00Z"), "`second`");
    assert_eq!(of("2026-05-04T12:00:00Z"), "");
    has(
        of("2026-05-02T12:00:00Z --style faithful"),
        "| `plan` | 15d ago | second |",
    );
    has(
        scratch.run("context --as-of soon").said(),
        "error: `soon` is not a time\n  write it as 2026-05-17,",
    );
}
