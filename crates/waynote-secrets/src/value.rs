//! Judging whether a text is a secret: random enough, and no placeholder.

use data_encoding::BASE64_NOPAD;

use super::shape::{ANY_HEX, BASE64, CAPS, DIGITS, LOWER, OPAQUE, UNDERSCORE, UPPER, is, run_end};
use super::table::words::{
    INSIDE, OF_CODE, OF_PLACES, PAIRS, PLACEHOLDERS, REFERENCES, SHOWN, TOKEN_PLACEHOLDERS,
};

pub(super) fn contains_any(text: &[u8], words: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    let lower = std::str::from_utf8(&lower).unwrap_or_default();
    words.iter().any(|word| lower.contains(word))
}

/// How many different bytes there are.
fn variety(text: &[u8]) -> usize {
    let mut seen = [false; 256];
    text.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// True if the part behind a token's prefix was made up by hand.
pub(super) fn is_made_up(body: &[u8]) -> bool {
    const FEW: usize = 7;
    const ENOUGH: usize = 200;
    const LONG: usize = 24;
    let body = &body[..body.len().min(ENOUGH)];
    // Words, on several lines perhaps, have no other characters.
    let is_word = body.len() >= LONG
        && body
            .iter()
            .all(|byte| is(*byte, LOWER) || byte.is_ascii_whitespace());
    is_word || variety(body) < FEW || contains_any(body, &TOKEN_PLACEHOLDERS)
}

/// True if the value stands for another: a variable, a template, a call, a path; or says that one belongs here.
pub(super) fn is_reference(value: &str) -> bool {
    // `%s`, `%NAME%`, `&anchor`, `*alias`, `@file`: a name behind a sign.
    let named = value.strip_prefix(['%', '&', '*', '@']);
    let is_name = |byte: u8| is(byte, OPAQUE) || byte == b'%' || byte == b'(' || byte == b'{';
    named.is_some_and(|name| name.bytes().all(is_name))
        || REFERENCES.iter().any(|start| value.starts_with(start))
        || INSIDE.iter().any(|inside| value.contains(inside))
        || value.ends_with("()")
}

/// True if a value is only written where a secret would stand.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    const FEW: usize = 5;
    variety(value) < FEW || contains_any(value, &PLACEHOLDERS)
}

/// Bits a character, by how often each occurs.
fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    text.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let total = text.len() as f64;
    let bits = counts.iter().filter(|count| **count > 0).map(|count| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    });
    bits.sum()
}

fn count(text: &[u8], class: super::shape::Class) -> usize {
    text.iter().filter(|byte| is(**byte, class)).count()
}

/// How often lower case, upper case and digits follow one another without a separator, for a hundred characters. A
/// capital at the beginning of a word is no change of its own.
fn changes(text: &[u8]) -> usize {
    let changed = |pair: &[u8]| {
        let kind = |byte| match byte {
            byte if is(byte, LOWER) => 1,
            byte if is(byte, UPPER) => 2,
            byte if is(byte, DIGITS) => 3,
            _ => 0,
        };
        let (left, right) = (kind(pair[0]), kind(pair[1]));
        left != right && left != 0 && right != 0 && (left, right) != (2, 1)
    };
    100 * text.windows(2).filter(|pair| changed(pair)).count() / text.len()
}

/// True if a generator made it: a token, a key, a hash.
pub(super) fn is_random(value: &[u8]) -> bool {
    const SHORTEST: usize = 16;
    const SHORTEST_HEX: usize = 20;
    const BITS: f64 = 3.3;
    const BITS_HEX: f64 = 3.0;
    const CHANGES: usize = 18;
    if value.len() < SHORTEST || !value.iter().all(|byte| is(*byte, OPAQUE)) {
        return false;
    }
    let (digits, letters) = (count(value, DIGITS), count(value, LOWER | UPPER));
    let is_mixed = match value.iter().all(|byte| is(*byte, ANY_HEX)) {
        true => {
            value.len() >= SHORTEST_HEX && digits >= 3 && letters >= 3 && entropy(value) >= BITS_HEX
        }
        false => digits >= 1 && letters >= 6 && changes(value) >= CHANGES && entropy(value) >= BITS,
    };
    // Last: to look for all of those words takes the longest.
    is_mixed && !is_placeholder(value)
}

/// True if a person or a generator chose it as a good password: long, and of several kinds of characters that are not
/// only those of a name.
pub(super) fn is_strong(value: &[u8]) -> bool {
    const SHORTEST: usize = 8;
    const SHORTEST_PLAIN: usize = 10;
    if value.len() < SHORTEST || value.iter().any(|byte| is_blank(*byte)) || is_placeholder(value) {
        return false;
    }
    const JOINS: [u8; 6] = *b"-_.,:/";
    let special = value
        .iter()
        .any(|byte| !is(*byte, CAPS | LOWER) && !JOINS.contains(byte));
    // `vault/data/shop#password`
    if value.iter().filter(|byte| **byte == b'/').count() > 1 && changes(value) < 20 {
        return false;
    }
    let has = |class| count(value, class) > 0;
    let kinds = [has(LOWER), has(UPPER), has(DIGITS), special];
    let kinds = kinds.into_iter().filter(|kind| *kind).count();
    if special {
        return kinds >= 3 && has(DIGITS) && has(LOWER | UPPER);
    }
    let letters = count(value, LOWER | UPPER);
    let is_made = letters + count(value, DIGITS) == value.len()
        && letters >= 3
        && count(value, DIGITS) >= 2
        && changes(value) >= 25;
    is_made || (value.len() >= SHORTEST_PLAIN && kinds >= 3 && changes(value) >= 20)
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte.is_ascii_control()
}

/// True if a person chose it as a password: a word, a number and perhaps a sign.
pub(super) fn is_word_and_number(value: &[u8]) -> bool {
    const SHORTEST: usize = 8;
    const FEWEST_LETTERS: usize = 4;
    let word = run_end(value, 0, LOWER | UPPER);
    let end = run_end(value, word, DIGITS);
    let rest = &value[end..];
    value.len() >= SHORTEST
        && word >= FEWEST_LETTERS
        && end - word >= 2
        && count(&value[..word], UPPER) > 0
        && count(&value[..word], LOWER) > 0
        && rest.len() <= 3
        && rest.iter().all(u8::is_ascii_punctuation)
        && !contains_any(value, &OF_CODE)
        && !is_placeholder(value)
}

/// True if it is a password where nothing else can stand, as behind `mysql -p`: no word that is only shown there.
pub(super) fn is_chosen(value: &[u8]) -> bool {
    const SHORTEST: usize = 6;
    const FEWEST_LETTERS: usize = 2;
    if value.len() < SHORTEST || value.iter().any(|byte| is_blank(*byte)) || is_placeholder(value) {
        return false;
    }
    let is_mixed = count(value, LOWER | UPPER) >= FEWEST_LETTERS
        && value
            .iter()
            .any(|byte| !is(*byte, LOWER | UPPER) && !b"-_.,:/".contains(byte))
        && !value.contains(&b'/');
    is_strong(value) || is_random(value) || (is_mixed && !is_shown("", value))
}

/// True if it is a password where nothing else than one can stand: anything but what only shows the place.
pub(super) fn is_any(user: &str, value: &str) -> bool {
    const SHORTEST: usize = 4;
    const FEW: usize = 3;
    let bytes = value.as_bytes();
    let is_number = bytes.iter().all(u8::is_ascii_digit);
    // `MY_TOKEN`, `DB_PW`: a name that stands for a value.
    let is_name = value.contains('_') && bytes.iter().all(|byte| is(*byte, CAPS | UNDERSCORE));
    value.chars().count() >= SHORTEST
        && !value.starts_with(['-', ' '])
        && !value.contains(['/', '<', '>', '{', '(', '[', '\\', '='])
        && !value.chars().any(char::is_control)
        && value.chars().any(char::is_alphanumeric)
        && !is_number
        && !is_name
        && variety(bytes) >= FEW
        && !is_reference(value)
        && !contains_any(bytes, &PLACEHOLDERS)
        && !contains_any(bytes, &OF_PLACES)
        && !is_shown(user, bytes)
}

/// True if everybody uses it to show where a password stands: `secret`, `password123`, the user's own name.
pub(super) fn is_shown(user: &str, password: &[u8]) -> bool {
    let password = String::from_utf8_lossy(password).to_ascii_lowercase();
    let stem = password.trim_end_matches(|char: char| char.is_ascii_digit() || char == '!');
    stem.is_empty()
        || SHOWN.contains(&stem.replace(' ', "").as_str())
        || stem == user.to_ascii_lowercase()
        || ["pass", "pwd", "secret"]
            .iter()
            .any(|word| password.contains(word))
}

/// A secret access key of AWS: 40 characters of base64 of all kinds.
pub(super) fn is_aws_secret(value: &[u8]) -> bool {
    const LENGTH: usize = 40;
    value.len() == LENGTH
        && value.iter().all(|byte| is(*byte, BASE64) && *byte != b'=')
        && [LOWER, UPPER, DIGITS]
            .into_iter()
            .all(|class| count(value, class) >= 2)
        && !is_placeholder(value)
}

/// The 8-4-4-4-12 form, which is as often a number as a secret.
pub(super) fn has_uuid_form(value: &[u8]) -> bool {
    let groups = value.split(|byte| *byte == b'-').map(<[u8]>::len);
    groups.eq([8, 4, 4, 4, 12])
}

/// True if it is a strong password with a sign that neither words nor code have: where much else can stand.
pub(super) fn is_signed(value: &str) -> bool {
    const SIGNS: &[u8] = b"!#$%&";
    is_strong(value.as_bytes())
        && !value.contains(['/', '.', '=', '(', '[', '{', ','])
        && value.bytes().any(|byte| SIGNS.contains(&byte))
}

/// True if a generator made it of letters, digits and signs, as those of keys for sessions do.
pub(super) fn is_generated(value: &[u8]) -> bool {
    const SHORTEST: usize = 32;
    const BITS: f64 = 4.2;
    const CHANGES: usize = 18;
    value.len() >= SHORTEST
        && value.iter().all(u8::is_ascii_graphic)
        && !value
            .iter()
            .any(|byte| b"<>{}()[]\\ \"'`,;/".contains(byte))
        && count(value, DIGITS) >= 3
        && count(value, LOWER) >= 3
        && count(value, UPPER) >= 3
        && changes(value) >= CHANGES
        && entropy(value) >= BITS
        && !is_placeholder(value)
}

/// The text that a value in base64 stands for, if it is one.
pub(super) fn text_in_base64(value: &[u8]) -> Option<String> {
    let value = value
        .strip_suffix(b"==")
        .or_else(|| value.strip_suffix(b"="))
        .unwrap_or(value);
    let text = String::from_utf8(BASE64_NOPAD.decode(value).ok()?).ok()?;
    (!text.contains(|char: char| char.is_control() && char != '\n')).then_some(text)
}

/// True if a generator made it of letters alone: most pairs of neighbours are such as words do not have.
pub(super) fn is_random_letters(value: &[u8]) -> bool {
    const SHORTEST: usize = 8;
    const FEW: usize = 5;
    const MOST_USUAL: usize = 50;
    let lower = value.to_ascii_lowercase();
    let usual = lower
        .windows(2)
        .filter(|pair| PAIRS.as_bytes().chunks(2).any(|of| of == *pair))
        .count();
    value.len() >= SHORTEST
        && lower.iter().all(|byte| is(*byte, LOWER))
        && variety(&lower) >= FEW
        && 100 * usual <= MOST_USUAL * (value.len() - 1)
        && !is_placeholder(value)
}
