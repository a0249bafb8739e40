//! Each rule finds its examples, and ranges and masks hold together.

use std::collections::HashSet;

use proptest::prelude::*;
use waynote_secrets::{MASK, Secret, masked, position, rule, rules, scan};

use crate::made::Random;

/// An example in `examples.txt`.
struct Example {
    rule: &'static str,
    text: String,
    /// True if the rule finds something in it.
    is_one: bool,
}

fn examples() -> Vec<Example> {
    let (mut rule, mut examples) = ("", Vec::new());
    for line in include_str!("../examples.txt").lines() {
        let text = |text: &str| {
            let text = text.replace("\\\\", "\0").replace("\\n", "\n");
            text.replace('\0', "\\")
        };
        let mut add = |of: &str, is_one| {
            let text = text(of);
            examples.push(Example { rule, text, is_one });
        };
        match line.split_at_checked(2) {
            Some(("+ ", text)) => add(text, true),
            Some(("- ", text)) => add(text, false),
            _ => {
                rule = line
                    .strip_prefix('[')
                    .and_then(|name| name.strip_suffix(']'))
                    .unwrap_or(rule);
            }
        }
    }
    examples
}

#[test]
fn each_rule_finds_its_examples_and_no_others() {
    let (mut random, mut wrong) = (Random(1), String::new());
    for Example {
        rule,
        text: example,
        is_one,
    } in examples()
    {
        if !is_one {
            let text = random.made(&example);
            if let Some(found) = scan(&text).first() {
                wrong += &format!("  {rule}: {} in {text:?}\n", found.rule);
            }
            continue;
        }
        // Chance may make a placeholder or a poor value; it does so rarely.
        const TRIES: usize = 50;
        let found = (0..TRIES).filter(|_| {
            let text = random.made(&example);
            let found = scan(&text);
            found.len() == 1 && found[0].rule == rule
        });
        let found = found.count();
        if found * 10 < TRIES * 9 {
            wrong += &format!("  {rule}: {found} of {TRIES} of {example:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_has_a_name_of_its_own_and_examples() {
    let names: Vec<&str> = rules().map(|rule| rule.name).collect();
    let distinct: HashSet<&str> = names.iter().copied().collect();
    assert_eq!(distinct.len(), names.len());
    for is_one in [true, false] {
        let all = examples();
        let with_examples = all.iter().filter(|example| example.is_one == is_one);
        let with_examples: HashSet<&str> = with_examples.map(|example| example.rule).collect();
        assert_eq!(with_examples, distinct);
    }
    for name in names {
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{name}"
        );
        assert_eq!(rule(name).map(|rule| rule.name), Some(name));
    }
}

#[test]
fn only_the_credential_is_masked() {
    let mut random = Random(2);
    let token = random.made("ghp_{alnum:36}");
    let text = format!("# Release\n\nPush with `{token}`, then wait.\n");
    assert_eq!(
        masked(&text),
        "# Release\n\nPush with `[masked: github-token]`, then wait.\n"
    );
    let password = random.made("{alnum:14}");
    let text = format!("postgres://app:{password}@db.corp.internal/shop");
    assert_eq!(
        masked(&text),
        "postgres://app:[masked: password-in-url]@db.corp.internal/shop"
    );
    assert_eq!(masked("nothing here"), "nothing here");
}

#[test]
fn a_value_that_two_rules_find_is_one_credential_of_the_better_rule() {
    let mut random = Random(3);
    let text = random.made("export GITHUB_TOKEN=ghp_{alnum:36}");
    let found = scan(&text);
    assert_eq!(
        found,
        [Secret {
            rule: "github-token",
            range: 20..60
        }]
    );
    assert_eq!(position(&text, found[0].range.start), (1, 21));
}

#[test]
fn a_line_end_does_not_hide_a_token() {
    let mut random = Random(4);
    let token = random.made("ghp_{alnum:36}");
    let folded = format!("> {}\n> {}\n> more", &token[..20], &token[20..]);
    assert_eq!(masked(&folded), "> [masked: github-token]\n> more");
}

#[test]
fn positions_count_characters() {
    assert_eq!(position("añb\nçd", 7), (2, 2));
    assert_eq!(position("", 0), (1, 1));
}

/// Texts of what the rules look for, in any order.
fn texts() -> impl Strategy<Value = String> {
    let found: Vec<String> = examples()
        .into_iter()
        .filter(|example| example.is_one)
        .map(|example| example.text)
        .collect();
    let pieces = prop_oneof![
        6 => (prop::sample::select(found), any::<u64>()).prop_map(|(example, seed)| Random(seed).made(&example)),
        2 => any::<String>(),
        3 => "[a-zA-Z0-9 =:\"'`@/.,_-]{0,20}",
        2 => prop::sample::select(vec![
            "\n", " ", "\u{200b}", "\u{feff}", "é", "://", "password=", "token: ", "-----BEGIN PRIVATE KEY-----", "eyJ", "\\n", "%3D", "[masked: jwt]", MASK, "]", "@", ":",
            "--token ", "key = \"", "Private-Lines: 3\n", "bearer ",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn ranges_are_in_order_and_on_characters(text in texts()) {
        let mut after = 0;
        for Secret { range, rule: name } in scan(&text) {
            prop_assert!(after <= range.start && range.start < range.end && range.end <= text.len());
            prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            prop_assert!(rule(name).is_some());
            after = range.end;
        }
    }

    #[test]
    fn what_is_masked_is_not_found_there_again(text in texts()) {
        let masked = masked(&text).into_owned();
        let mut spans = Vec::new();
        for (start, _) in masked.match_indices(MASK) {
            let name = masked[start + MASK.len()..].split(']').next().unwrap();
            if rule(name).is_some() {
                spans.push(start..start + MASK.len() + name.len() + 1);
            }
        }
        for Secret { range, .. } in scan(&masked) {
            for span in &spans {
                prop_assert!(range.end <= span.start || span.end <= range.start, "{range:?} in {span:?} of {masked:?}");
            }
        }
    }

    #[test]
    fn a_masked_text_holds_no_found_credential(text in texts()) {
        let found = scan(&text);
        let masked = masked(&text);
        // A short password may also be a word elsewhere.
        const LONG: usize = 16;
        for Secret { range, .. } in found.iter().filter(|secret| secret.range.len() >= LONG) {
            let again = text.matches(&text[range.clone()]).count();
            prop_assert!(again > 1 || !masked.contains(&text[range.clone()]));
        }
    }
}
