//! Slips at the command line: a mistyped flag, an empty pipe, a mistyped command. None of them writes or destroys.

use insta::assert_snapshot;

use super::common::Scratch;

/// What the commands say, one after the other.
fn seen(scratch: &Scratch, commands: &[&[&str]]) -> String {
    let said = |words: &&[&str]| {
        let typed = words.join(" ");
        let said = scratch.waynote(words.iter()).said();
        format!("$ waynote {typed}\n{}\n\n", said.trim_end())
    };
    commands.iter().map(said).collect()
}

#[test]
fn an_unknown_flag_is_never_a_text() {
    let scratch = Scratch::new();
    scratch.ok("place write before");
    scratch.ok("key save k before");
    let said = seen(
        &scratch,
        &[
            &["place", "write", "--append"],
            &["place", "write", "- one item"],
            &["place", "write", "two", "words"],
            &["key", "save", "k", "--show"],
            &["--session", "s", "log", "add", "--type", "tip", "--tip"],
            &["--session", "s", "log", "complete", "--done"],
            &["--session", "s", "log", "blocked", "--why"],
            &["search", "--type", "stuck", "429"],
            &["search", "clock", "-lake"],
            &["search", "-lake"],
            &["loop", "--answer", "--dry-run", "--", "true"],
            &["key", "save", "k", "--show", "--json"],
        ],
    );
    assert_snapshot!(said, @"");
    assert_eq!(scratch.ok("place read"), "before");
    assert_eq!(scratch.ok("key show k"), "before");
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");
}

#[test]
fn a_text_that_begins_like_a_flag_goes_behind_two_dashes() {
    let scratch = Scratch::new();
    for words in [
        &["place", "write", "--", "- one item"][..],
        &["key", "save", "k", "--pin", "--", "--show"],
        &["--session", "s", "log", "add", "--type", "tip", "--", "-5"],
    ] {
        scratch.waynote(words).ok();
    }
    assert_eq!(scratch.ok("place read"), "- one item");
    assert_eq!(scratch.ok("key show k"), "--show");
    assert_eq!(
        scratch.json("--session s log list --json")[0]["content"],
        "-5"
    );
    scratch.run("place write -").stdin("- piped").ok();
    assert_eq!(scratch.ok("place read"), "- piped");
    scratch.ok("key save clock ticking");
    scratch.ok("key save lake deep");
    let found = |words: &[&str]| scratch.waynote(words).ok();
    assert!(!found(&["search", "--", "-lake"]).contains("#lake"));
    assert_eq!(
        found(&["search", "--limit", "1", "--", "ticking", "-lake"]),
        found(&["search", "--limit", "1", "ticking -lake"])
    );
}

#[test]
fn an_empty_text_overwrites_nothing() {
    let scratch = Scratch::new();
    scratch.ok("place write before");
    scratch.ok("key save k before");
    let nothing = |words: &str| scratch.run(words).stdin("").said();
    assert_snapshot!(nothing("place write -"), @"");
    assert_snapshot!(scratch.run("place write -").stdin(" \n").said(), @"");
    assert_snapshot!(nothing("key save k - --json"), @"");
    assert_snapshot!(scratch.waynote(["key", "save", "k", ""]).said(), @"");
    assert_snapshot!(nothing("--session s log add --type tip -"), @"");
    assert_eq!(scratch.ok("place read"), "before");
    assert_eq!(scratch.ok("key show k"), "before");
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");

    assert_snapshot!(nothing("place write - --allow-empty"), @"");
    assert_snapshot!(nothing("key save k - --allow-empty"), @"");
    nothing("key save pinned - --pin --allow-empty");
    nothing("--session s log add --type tip - --allow-empty");
    assert_snapshot!(scratch.ok("--session s context"), @"");
}

#[test]
fn what_is_overwritten_is_named_with_the_way_back() {
    let scratch = Scratch::new();
    let said = seen(
        &scratch,
        &[
            &["place", "write", "one"],
            &["place", "write", "two"],
            &["undo", "place:~/work"],
            &["key", "save", "k", "one"],
            &["key", "save", "k", "two", "--pin"],
            &["undo", "agent:default#k"],
            &["place", "delete"],
            &["place", "write", "three"],
        ],
    );
    assert_snapshot!(said, @"");
}

#[test]
fn a_mistyped_command_never_leads_to_a_destructive_one() {
    let scratch = Scratch::new();
    let said = seen(
        &scratch,
        &[
            &["merge"],
            &["ui"],
            &["forgot"],
            &["unistall"],
            &["key", "delet", "k"],
            &["place", "wrte", "x"],
        ],
    );
    assert_snapshot!(said, @"");
}

#[test]
fn a_place_takes_64_kib_and_as_much_as_it_is_allowed() {
    let scratch = Scratch::new();
    let write = |bytes: usize, words: &str| scratch.run(words).stdin("x".repeat(bytes)).said();
    assert_snapshot!(write(65_537, "place write -"), @"");
    assert_snapshot!(write(65_536, "place write -"), @"");
    assert_snapshot!(write(65_537, "place write - --max-bytes 0"), @"");
    assert_snapshot!(
        scratch.run("place write 12345").env("WAYNOTE_MAX_PLACE_BYTES", "4").said(), @""
    );
    assert_snapshot!(write(4_097, "key save k - --at ."), @"");
}

#[test]
fn a_larger_note_of_a_kept_in_step_file_stays_whole() {
    let scratch = Scratch::new();
    let file = scratch.path("notes.json");
    let large = "x".repeat(100_000);
    std::fs::write(&file, format!("{{\"~/large\": \"{large}\"}}")).unwrap();
    let run = |words: &str| {
        scratch
            .run(words)
            .env("ZRB_LLM_NOTE_FILE", file.to_str().unwrap())
    };
    run("place write small").ok();
    run("place write other").ok();
    assert_eq!(run("place read --at ~/large").ok(), large);
    assert!(std::fs::read_to_string(&file).unwrap().contains(&large));
    let refused = run("place write --at ~/large -").stdin(format!("{large}!"));
    assert_eq!(refused.output().status.code(), Some(1));
    run("place write --at ~/large short").ok();
    run("undo").ok();
    assert_eq!(run("place read --at ~/large").ok(), large);
    // And of an import.
    scratch.ok(&format!("import zrb {}", file.display()));
    assert_eq!(scratch.ok("place read --at ~/large"), large);
}

#[test]
fn a_byte_order_mark_is_named() {
    let scratch = Scratch::new();
    let utf16: Vec<u8> = b"\xff\xfeh\0i\0".to_vec();
    assert_snapshot!(scratch.run("place write -").stdin(utf16).said(), @"");
    let file = scratch.path("notes.json");
    std::fs::write(&file, "\u{feff}{\"~\": \"home\"}").unwrap();
    let said = scratch
        .run(&format!("import zrb {}", file.display()))
        .said();
    assert_snapshot!(said.replace(file.to_str().unwrap(), "FILE"), @"");
    let file = scratch.path("memory.jsonl");
    let entity = r#"{"type":"entity","name":"a","entityType":"","observations":["x"]}"#;
    std::fs::write(&file, format!("\u{feff}{entity}\n")).unwrap();
    assert_eq!(
        scratch.ok(&format!("import server-memory {}", file.display())),
        "1 added, 0 updated, 0 unchanged, 0 skipped\n"
    );
}

#[test]
fn nothing_printed_is_explained() {
    let scratch = Scratch::new();
    assert_snapshot!(scratch.run("place read").said(), @"");
    assert_snapshot!(scratch.run("place read --json").said(), @"");
    // No note at all is no problem of the program that asks.
    assert_snapshot!(scratch.run("context").said(), @"");
    scratch.ok("place write here");
    scratch.ok("key save k v");
    assert_snapshot!(scratch.run("context --budget 5").said(), @"");
}

#[test]
fn the_rows_of_the_receipt_sum_to_the_total() {
    let scratch = Scratch::new();
    scratch.ok("place write here");
    scratch.ok("key save steps one-two-three --pin");
    for number in 0..20 {
        scratch.ok(&format!("key save k{number} v{number}"));
        scratch.ok(&format!(
            "--session s log add --type tip about-{number}-more"
        ));
    }
    for flags in [
        "",
        " --budget 0",
        " --budget 100",
        " --budget 300",
        " --only index",
    ] {
        let block = scratch.json(&format!("--session s context --explain --json{flags}"));
        let receipt = &block["receipt"];
        let number = |value: &serde_json::Value| value.as_u64().unwrap();
        let claims = receipt["claims"].as_array().unwrap().iter();
        let notes: u64 = claims.map(|claim| number(&claim["tokens"])).sum();
        let rows = notes + number(&receipt["headings"]) + number(&receipt["last_line"]);
        assert_eq!(rows, number(&receipt["counted"]), "{flags}");
    }
    let listed = scratch
        .run("context --explain --only pinned")
        .env("WAYNOTE_TOKEN_FACTOR", "1.5");
    assert_snapshot!(listed.said(), @"");
}
