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
fn stable() {
    let scratch = filled();
    let block = scratch.ok("--session s --iteration 3 context");
    insta::assert_snapshot!(block, @"
    ## Pinned notes

    ### `agent:default#steps` (2026-05-17, by a person)

    ```
    tag-then-ship
    ```

    ## Notes of this place

    ### `place:~` (2026-05-17, by a person)

    ```
    Prefers-Rust.
    ```

    ### `place:~/work` (2026-05-17, by a person)

    ```
    The-shop.
    ```

    ## Other notes

    - `agent:default#alpha` (2026-05-17, by a person): `first`
    - `agent:default#zeta` (2026-05-17, by a person): `last`

    ## Notes from previous iterations

    STUCK:
    - [#2, by a person] `rate-limit`

    DECISION:
    - [#1, by a person] `sqlite`

    190 of 2,000 tokens
    ");
    let later = scratch
        .run("--session s --iteration 3 context")
        .env("WAYNOTE_NOW", "2027-01-01T00:00:00Z");
    assert_eq!(later.ok(), block);
}

#[test]
fn faithful() {
    let scratch = filled();
    let block = scratch.run("--session s --iteration 3 context --style faithful");
    insta::assert_snapshot!(block.env("WAYNOTE_NOW", "2026-05-19T12:00:00Z").ok(), @"
    ## steps

    tag-then-ship

    ### Notes & Context
    **~**:
    Prefers-Rust.

    **~/work**:
    The-shop.

    ## Notes

    | Key | Updated | Preview |
    |-----|---------|---------|
    | `alpha` | 2d ago | first |
    | `steps` | 2d ago | tag-then-ship |
    | `zeta` | 2d ago | last |

    Notes persist across sessions. Use `note_show <key>` for full content; `note_save` / `note_delete` to mutate.

    ## Notes from Previous Iterations
    STUCK:
      - [#2] rate-limit
    DECISION:
      - [#1] sqlite
    ");
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
    assert_eq!(status, "\n153 of 2,000 tokens\n");
}

#[test]
fn a_budget_and_its_receipt() {
    let scratch = filled();
    for number in 1..9 {
        let text =
            format!("The import died at row {number}00; the log says that the disk was full.");
        let iteration = number.to_string();
        scratch
            .run(&format!(
                "--session s --iteration '{iteration}' log add '{text}' --type learning"
            ))
            .ok();
    }
    let block = scratch.ok("--session s context --budget 220");
    insta::assert_snapshot!(block.lines().last().unwrap(), @"191 of 220 tokens; 9 notes left out: note_search finds them");
    // The whole screen stands in docs/prompt-block.md.
    let explained = scratch.ok("--session s context --budget 220 --explain");
    insta::assert_snapshot!(explained.lines().last().unwrap(), @"191 tokens of 220: 7 notes shown, 0 shortened to a line, 9 left out");
    has(&explained, "its line needs 28 tokens, 9 were left");
    has(&explained, "no room left in this section");
    let explained = scratch.json("--session s context --budget 220 --explain --json");
    insta::assert_snapshot!(format!("{:#}", explained["receipt"]["claims"][1]), @r#"
    {
      "address": "place:~/work",
      "revision": 1,
      "section": "places",
      "shown": "whole",
      "tokens": 26,
      "why": "fits"
    }
    "#);
    assert_eq!(scratch.ok("--session s context --budget 3"), "");
    let halved = scratch
        .run("--session s context")
        .env("WAYNOTE_TOKEN_FACTOR", "2")
        .ok();
    insta::assert_snapshot!(halved.lines().last().unwrap(), @"866 of 2,000 tokens");
    let by_setting = scratch
        .run("--session s context")
        .env("WAYNOTE_BUDGET", "220")
        .ok();
    assert_eq!(by_setting, block);
    insta::assert_snapshot!(scratch.run("context --style faithful --budget 9").said(), @"
    exit 2
    error: style faithful prints everything, without a budget
      leave out `--budget`, `--explain` and `--query`, or use `--style stable`
    ");
    // An unusable value is named, and the default is used.
    let last_lines = |name: &str, value: &str| {
        let said = scratch.run("context").env(name, value).said();
        let lines: Vec<&str> = said.lines().collect();
        lines[lines.len() - 2..].join("\n")
    };
    insta::assert_snapshot!(last_lines("WAYNOTE_BUDGET", "-1"), @"
    153 of 2,000 tokens
    warning: WAYNOTE_BUDGET: `-1` is not a token budget; run `waynote doctor` for details
    ");
    insta::assert_snapshot!(last_lines("WAYNOTE_TOKEN_FACTOR", "much"), @"
    153 of 2,000 tokens
    warning: WAYNOTE_TOKEN_FACTOR: `much` is not a token factor; run `waynote doctor` for details
    ");
}
#[test]
fn as_it_was() {
    let scratch = Scratch::new();
    let at = |time: &str, words: &str| scratch.run(words).env("WAYNOTE_NOW", time).ok();
    at("2026-05-01T10:00:00Z", "key save plan first");
    let first = scratch.json("context --json");
    at("2026-05-02T10:00:00Z", "key save plan second");
    at("2026-05-03T10:00:00Z", "key delete plan");
    let of = |when: &str| scratch.ok(&format!("context --as-of {when}"));
    assert_eq!(
        of(first["position"].as_str().unwrap()),
        first["text"].as_str().unwrap()
    );
    assert_eq!(of("2026-05-01T12:00:00Z"), first["text"].as_str().unwrap());
    assert!(of("2026-05-02T12:00:00Z").contains("`second`"));
    assert_eq!(of("2026-05-04T12:00:00Z"), "");
    assert_eq!(of("2026-04-01T12:00:00Z"), "");
    let faithful = scratch.ok("context --style faithful --only index --as-of 2026-05-02T12:00:00Z");
    has(&faithful, "| `plan` | 15d ago | second |");
    has(
        scratch.run("context --as-of soon").said(),
        "error: `soon` is not a time\n  write it as 2026-05-17,",
    );
}

#[test]
fn a_repeat_is_shown_once_with_its_count() {
    let scratch = Scratch::new();
    for iteration in [3, 4, 4, 6] {
        scratch.ok(&format!(
            "--session s --iteration {iteration} log add --type stuck wall"
        ));
    }
    let block = |words: &str| {
        scratch.ok(&format!(
            "--session s {words} context --only iterations --budget 0"
        ))
    };
    let shown = |origin: &str| {
        format!("## Notes from previous iterations\n\nSTUCK:\n- [{origin}] `wall`\n")
    };
    assert_eq!(block("--author person"), shown("#3, 4 times, by a person"));
    assert_eq!(block("--iteration 4"), shown("#3, by a person"));
    assert_eq!(block("--iteration 5"), shown("#3, 3 times, by a person"));
    assert_eq!(block("--iteration 3"), "");
}

#[test]
fn a_query_goes_with_every_other_flag() {
    let scratch = filled();
    let plain = scratch.ok("context --query first");
    for flags in [
        "--budget 0",
        "--explain",
        "--json --explain",
        "--only index",
        "--as-of 2026-05-18T00:00:00Z",
        "--budget 9",
    ] {
        let said = scratch.ok(&format!("context --query first {flags}"));
        assert!(
            said.contains("alpha") || flags == "--budget 9",
            "{flags}: {said}"
        );
    }
    assert_eq!(
        scratch.ok("context --query first --as-of 2026-05-18T00:00:00Z"),
        plain
    );
    has(
        scratch.ok("search --limit 18446744073709551615 first"),
        "alpha",
    );
}
