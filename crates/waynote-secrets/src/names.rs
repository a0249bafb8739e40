//! The kind of value that a name announces.

use super::table::names::{
    KEYS, NOT, PASSWORDS, SECRET_KEYS, SHORT_PASSWORDS, SUFFIXES, TOKENS_TO_ENTER, VARIABLES,
};

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Chosen by a person: may be short.
    Password,
    /// A password, in a place where nothing else can stand.
    PasswordAlone,
    /// Made by a generator.
    Token,
    /// Made by a generator, and not only a number that ties requests together, as a token may be.
    Key,
    /// A key or a password.
    Secret,
    /// A user and a password, in base64 or beside each other.
    Login,
}

/// The kind of value that the name from `start` to `end` announces; none for names of other things.
pub(super) fn kind(text: &str, start: usize, end: usize) -> Option<Kind> {
    let name = text[start..end].trim_matches(['-', '.', '_']);
    if VARIABLES.contains(&name) {
        return Some(Kind::PasswordAlone);
    }
    let lower = lower(name);
    let mut words: Vec<&str> = lower
        .split(SEPARATOR)
        .filter(|word| !word.is_empty())
        .collect();
    while let [.., _, last] = words[..] {
        let numbered = last.bytes().all(|byte| byte.is_ascii_digit());
        if !(numbered || SUFFIXES.contains(&last)) {
            break;
        }
        words.pop();
    }
    let last = (*words.last()?).trim_end_matches(|char: char| char.is_ascii_digit());
    let is_csrf = |word: &str| word.starts_with("csrf") || word.starts_with("xsrf");
    if words.iter().any(|word| NOT.contains(word) || is_csrf(word)) {
        return None;
    }
    let ends = |list: &[&str]| list.iter().any(|word| last.ends_with(word));
    let before = || match words.len() {
        // `API key: …`
        1 => text[..start]
            .trim_end_matches([' ', '*', '_'])
            .rsplit(|char: char| !char.is_ascii_alphanumeric())
            .next()
            .map(str::to_ascii_lowercase),
        count => Some(words[count - 2].to_owned()),
    };
    if ends(&PASSWORDS) || SHORT_PASSWORDS.contains(&last) {
        return Some(Kind::Password);
    }
    // `ConvertTo-SecureString`, `SecureString`.
    if last == "secure" && name.ends_with("String") {
        return Some(Kind::Password);
    }
    if last.ends_with("token") {
        let enters = before().is_some_and(|word| TOKENS_TO_ENTER.contains(&word.as_str()));
        return Some(if enters { Kind::Key } else { Kind::Token });
    }
    if last.ends_with("secret") {
        return Some(Kind::Secret);
    }
    if last == "auth" {
        return Some(Kind::Login);
    }
    // `?key=…` in a URL.
    if last == "key" && words.len() == 1 && text[..start].ends_with(['?', '&']) {
        return Some(Kind::Key);
    }
    let is_key = last == "key" && before().is_some_and(|word| SECRET_KEYS.contains(&word.as_str()));
    (ends(&KEYS) || is_key).then_some(Kind::Key)
}

const SEPARATOR: char = '_';

/// The words of a name, in lower case and with one sign between: `dbPassword`, `DB_PASSWORD` and `db.password` are two
/// each.
fn lower(name: &str) -> String {
    let mut lower = String::with_capacity(name.len() + name.len() / 2);
    let mut before = SEPARATOR;
    for char in name.chars() {
        if char.is_ascii_uppercase() && before.is_ascii_lowercase() {
            lower.push(SEPARATOR);
        }
        lower.push(match char {
            '-' | '.' => SEPARATOR,
            char => char.to_ascii_lowercase(),
        });
        before = char;
    }
    lower
}
