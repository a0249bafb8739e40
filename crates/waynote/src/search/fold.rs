//! Characters: the class of each, and a word in the form in which it is indexed.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter, digit or mark of a script that separates words.
    Word,
    /// A character of a script without blanks.
    Dense,
    /// A character that can join words to an identifier.
    Joiner,
    Other,
}

pub(super) fn class(char: char) -> Class {
    match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
        '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '\u{2010}' | '\u{2011}' => Class::Joiner,
        '\0'..='\u{7f}' => Class::Other,
        _ if is_dense(char) => Class::Dense,
        _ if char.is_alphanumeric() || is_combining_mark(char) => Class::Word,
        _ => Class::Other,
    }
}

/// Scripts without blanks between words: Han, Kana, Thai, Lao, Myanmar, Khmer and others.
fn is_dense(char: char) -> bool {
    let is_script = matches!(char,
        '\u{0e01}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{1aaf}'
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3040}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{a000}'..='\u{a4cf}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}');
    is_script && (char.is_alphanumeric() || is_combining_mark(char))
}

/// A word in its indexed form: lower case, without compatibility forms, Latin letters without diacritics.
pub(super) fn fold(word: &str, out: &mut String) {
    if word.is_ascii() {
        let begin = out.len();
        out.push_str(word);
        out[begin..].make_ascii_lowercase();
        return;
    }
    let mut after_latin = false;
    for char in word.nfkc().flat_map(char::to_lowercase) {
        if is_ignorable(char) || (after_latin && is_combining_mark(char)) {
            continue;
        }
        let plain = plain_latin(char);
        after_latin = plain.chars().all(|char| char.is_ascii_alphabetic());
        out.push_str(&plain);
    }
}

/// A Latin letter without its diacritic; any other character unchanged.
fn plain_latin(char: char) -> Cow<'static, str> {
    let special = match char {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ı' => "i",
        _ => "",
    };
    if !special.is_empty() {
        return Cow::Borrowed(special);
    }
    let mut base = char;
    if matches!(char, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') {
        let mut is_first = true;
        decompose_canonical(char, |part| {
            if is_first {
                base = part;
                is_first = false;
            }
        });
    }
    Cow::Owned(base.to_string())
}

/// Invisible characters inside a word.
pub(super) fn is_ignorable(char: char) -> bool {
    matches!(
        char,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{fe0e}' | '\u{fe0f}'
    )
}
