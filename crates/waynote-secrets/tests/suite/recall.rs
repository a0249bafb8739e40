//! How many of the forms in `forms.txt` are found. The credentials are made by the test.

use std::collections::BTreeMap;
use std::ops::Range;

use waynote_secrets::scan;

use crate::made::Random;

/// The least share that is found, in percent: of the forms that anybody writes, and of those that were made to be hard.
const LEAST: usize = 97;
const LEAST_HARD: usize = 70;

/// How often each form is made: chance makes a poor value now and then.
const TRIES: usize = 20;

/// The text of a form, and where its credentials stand.
fn text_of(form: &str, random: &mut Random) -> (String, Vec<Range<usize>>) {
    let form = form
        .replace("\\\\", "\0")
        .replace("\\n", "\n")
        .replace('\0', "\\");
    let (mut text, mut ranges, mut start) = (String::new(), Vec::new(), 0);
    for part in random.made(&form).split_inclusive(['⟦', '⟧']) {
        text.push_str(part.trim_end_matches(['⟦', '⟧']));
        match part.chars().last() {
            Some('⟦') => start = text.len(),
            Some('⟧') => ranges.push(start..text.len()),
            _ => {}
        }
    }
    (text, ranges)
}

/// True if all that is secret would be masked, but for a sign at its end.
fn is_found(text: &str, credentials: &[Range<usize>]) -> bool {
    let found = scan(text);
    credentials.iter().all(|range| {
        found.iter().any(|secret| {
            secret.range.start <= range.start && range.end <= secret.range.end + 1
                || range.start <= secret.range.start
                    && secret.range.end >= range.end
                    && secret.range.start < range.start + 8
        })
    })
}

#[test]
fn nearly_all_forms_are_found() {
    let mut random = Random(7);
    let mut sections: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut section, mut missed) = ("", String::new());
    for form in include_str!("../forms.txt").lines() {
        if form.is_empty() || form.starts_with('#') {
            continue;
        }
        let name = form
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        if let Some(name) = name.filter(|name| !name.contains('"')) {
            section = name;
            continue;
        }
        let tries = (0..TRIES).filter(|_| {
            let (text, credentials) = text_of(form, &mut random);
            is_found(&text, &credentials)
        });
        let found = tries.count() * 10 >= TRIES * 9;
        let counts = sections.entry(section).or_default();
        counts.0 += usize::from(found);
        counts.1 += 1;
        if !found {
            missed += &format!("  {section}: {form}\n");
        }
    }
    let of = |is_hard: bool| {
        let counts = sections
            .iter()
            .filter(|(name, _)| (**name == "hard") == is_hard);
        counts.fold((0, 0), |sum, (_, (found, all))| {
            (sum.0 + found, sum.1 + all)
        })
    };
    for ((found, all), least) in [(of(false), LEAST), (of(true), LEAST_HARD)] {
        println!("{found} of {all}");
        assert!(
            all >= 60 && found * 100 >= all * least,
            "{found} of {all} found, not:\n{missed}"
        );
    }
    println!("{sections:?}, not found:\n{missed}");
}
