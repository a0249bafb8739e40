//! How many forms of credentials are found, and how many texts without one are refused.
//!
//! The forms are templates in `fixtures/secrets`, filled in here with invented values, so that no file of ours holds
//! what looks like a credential. `WAYNOTE_SHOW_FORMS=1 cargo test -p waynote secret_forms -- --nocapture` lists what is
//! missed and what is refused by mistake.

use waynote::secrets::{masked, scan};

/// Runs of each template; its values are others every time.
const RUNS: u64 = 5;

/// Random as a generator's, and the same in every run of the test.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn of(&mut self, chars: &str, count: usize) -> String {
        let chars: Vec<char> = chars.chars().collect();
        (0..count).map(|_| chars[self.below(chars.len())]).collect()
    }

    fn shuffled(&mut self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for at in (1..chars.len()).rev() {
            let other = self.below(at + 1);
            chars.swap(at, other);
        }
        chars.into_iter().collect()
    }
}

const DIGITS: &str = "0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SIGNS: &str = "!#^*+?~";

/// A template with its values: the text, and the longest value in it.
struct FilledTemplate {
    text: String,
    longest: String,
}

fn filled(template: &str, random: &mut Random) -> FilledTemplate {
    let mut longest = String::new();
    let template = template.replace('⏎', "\n").replace('⇥', "\t");
    let text = expanded(&template, random, &mut longest);
    FilledTemplate { text, longest }
}

/// Replaces `{class:length}` by random characters and `{encoding|text}` by the encoded text; other braces stay.
fn expanded(template: &str, random: &mut Random, longest: &mut String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let inside = &rest[open + 1..];
        let Some(close) = closing(inside) else {
            out.push('{');
            rest = inside;
            continue;
        };
        let made = match inside[..close].split_once('|') {
            Some((encoding, text)) => {
                let text = expanded(text, random, &mut String::new());
                encoded(encoding, &text)
            }
            None => value(&inside[..close], random),
        };
        match made {
            Some(made) => {
                out.push_str(&made);
                if made.len() > longest.len() {
                    *longest = made;
                }
                rest = &inside[close + 1..];
            }
            None => {
                out.push('{');
                rest = inside;
            }
        }
    }
    out + rest
}

/// The position of the brace that closes the open one.
fn closing(inside: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, char) in inside.char_indices() {
        match char {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn value(class: &str, random: &mut Random) -> Option<String> {
    const WORDS: [&str; 8] = [
        "Falcon", "Harbor", "Maple", "Quartz", "Violet", "Tundra", "Cobalt", "Lantern",
    ];
    let (class, length) = class.split_once(':').unwrap_or((class, ""));
    if class == "u" {
        let code = u32::from_str_radix(length, 16).ok()?;
        return char::from_u32(code).map(String::from);
    }
    let count = length.parse().unwrap_or(12);
    Some(match class {
        "" => String::new(),
        "digit" => random.of(DIGITS, count),
        "hex" => random.of("0123456789abcdef", count),
        "caps" => random.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", count),
        "base36" => random.of(&[DIGITS, LOWER].concat(), count),
        "alnum" => random.of(&[DIGITS, LOWER, UPPER].concat(), count),
        "url" => random.of(&[DIGITS, LOWER, UPPER, "-_"].concat(), count - 1) + "k",
        "b64" => random.of(&[DIGITS, LOWER, UPPER, "+/"].concat(), count - 1) + "g",
        // As a password manager makes them.
        "pw" => {
            let parts = [
                random.of(DIGITS, 2),
                random.of(SIGNS, 2),
                random.of(UPPER, 3),
                random.of(LOWER, count - 7),
            ];
            let first = random.of(LOWER, 1);
            first + &random.shuffled(&parts.concat())[..count - 2] + "q"
        }
        // As a program makes them that avoids signs.
        "mid" => {
            let parts = [
                random.of(DIGITS, count / 3),
                random.of(LOWER, count - count / 3 - 1),
            ];
            random.of(LOWER, 1) + &random.shuffled(&parts.concat())
        }
        // As people make them.
        "own" => {
            let word = WORDS[random.below(WORDS.len())];
            let sign = random.of("!#*", 1);
            let number = 11 + random.below(8_000);
            format!("{word}{number}{sign}")
        }
        // The number of a Discord application, in base64 but for its first letter.
        "discord" => encoded("base64", &format!("1{}", random.of(DIGITS, 17)))?[1..].to_owned(),
        _ => return None,
    })
}

fn encoded(encoding: &str, text: &str) -> Option<String> {
    let each = |form: &dyn Fn(u32) -> String| text.chars().map(|char| form(char as u32)).collect();
    Some(match encoding {
        "base64" => base64(text.as_bytes()),
        "u16" => text.chars().flat_map(|char| [char, '\0']).collect(),
        "hexof" => text.bytes().map(|byte| format!("{byte:02x}")).collect(),
        "uni" => each(&|code| format!("\\u{code:04x}")),
        "pct" => each(&|code| format!("%{code:02X}")),
        "ent" => each(&|code| format!("&#{code};")),
        _ => return None,
    })
}

fn base64(bytes: &[u8]) -> String {
    let alphabet: Vec<char> = [UPPER, LOWER, DIGITS, "+/"].concat().chars().collect();
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let number = (0..3).fold(0, |number, at| {
            number << 8 | usize::from(group.get(at).copied().unwrap_or(0))
        });
        for at in 0..4 {
            out.push(match at <= group.len() {
                true => alphabet[number >> (18 - 6 * at) & 63],
                false => '=',
            });
        }
    }
    out
}

fn templates(file: &str) -> Vec<(&str, &str)> {
    let mut family = "";
    let mut templates = Vec::new();
    for line in file.lines() {
        match line.strip_prefix("## ") {
            Some(title) => family = title,
            None => templates.push((family, line)),
        }
    }
    templates
}

/// How often a template's texts have a credential that is masked whole.
fn found(template: &str) -> u64 {
    let runs = (0..RUNS).filter(|run| {
        let FilledTemplate { text, longest } = filled(template, &mut Random(run * 7919 + 1));
        !scan(&text).is_empty() && !masked(&text).contains(&longest)
    });
    runs.count() as u64
}

fn refused(template: &str) -> Option<(&'static str, String)> {
    let texts = (0..RUNS).map(|run| filled(template, &mut Random(run * 104_729 + 3)).text);
    texts.into_iter().find_map(|text| {
        let first = scan(&text).into_iter().next()?;
        Some((first.rule, text))
    })
}

/// Prints a missed or refused text, if the variable asks for it.
fn show(line: &str) {
    if std::env::var_os("WAYNOTE_SHOW_FORMS").is_some() {
        println!("{line}");
    }
}

fn share_found(file: &str) -> f64 {
    let templates = templates(file);
    let mut all = 0;
    for (family, template) in &templates {
        let found = found(template);
        all += found;
        if found < RUNS {
            show(&format!(
                "missed {} of {RUNS} [{family}] {template}",
                RUNS - found
            ));
        }
    }
    let share = all as f64 / (templates.len() as u64 * RUNS) as f64;
    show(&format!(
        "found: {:.1} % of {} forms",
        100.0 * share,
        templates.len()
    ));
    share
}

fn number_refused(file: &str) -> usize {
    let templates = templates(file);
    let refused = templates.iter().filter(|(family, template)| {
        let refused = refused(template);
        if let Some((rule, text)) = &refused {
            show(&format!("refused [{family}] {rule}: {text}"));
        }
        refused.is_some()
    });
    let count = refused.count();
    show(&format!("refused: {count} of {} texts", templates.len()));
    count
}

#[test]
fn most_forms_of_credentials_are_found() {
    let share = share_found(include_str!("../fixtures/secrets/credentials.txt"));
    assert!(share >= 0.97, "{share}");
}

/// Some of them are behind escapes or in pieces, which no rule looks for.
#[test]
fn many_less_usual_forms_are_found_too() {
    let share = share_found(include_str!("../fixtures/secrets/less_usual.txt"));
    assert!(share >= 0.6, "{share}");
}

#[test]
fn texts_without_a_credential_are_not_refused() {
    let refused = number_refused(include_str!("../fixtures/secrets/harmless.txt"));
    assert!(refused <= 2, "{refused}");
}

/// Forms that were written down when the rules were done. Some are encoded, or are command lines of programs that no
/// rule knows.
#[test]
fn forms_that_the_rules_were_not_made_with_are_found_too() {
    let share = share_found(include_str!("../fixtures/secrets/held_out.txt"));
    assert!(share >= 0.7, "{share}");
    let refused = number_refused(include_str!("../fixtures/secrets/held_out_harmless.txt"));
    assert!(refused <= 1, "{refused}");
}
