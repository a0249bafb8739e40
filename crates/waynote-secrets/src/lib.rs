//! Credentials in texts: usable keys, tokens and passwords.
//!
//! [`scan`] finds them by rules of their own ([`rules`]): by the form of the tokens that services mark, by the heading
//! of a private key, by their place in a URL or a header, or by the name that a random value is assigned to.
//! A placeholder (`<token>`, `$PASSWORD`, `xxxx`, an example of the documentation) is none.
//!
//! A text of n bytes takes time in the order of n, whatever it holds, and nothing is built before the first scan.

mod commands;
mod headers;
mod keys;
mod named;
mod names;
mod paths;
mod shape;
mod table;
mod triggers;
mod url;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use table::{FORMS, SERVICES};
use triggers::Look;

/// A credential in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the rule that found it, of those in [`rules`].
    pub rule: &'static str,
    /// In bytes.
    pub range: Range<usize>,
}

/// A rule that finds credentials. The names are kept: configurations hold them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule's name.
    pub name: &'static str,
    /// The credentials it finds, in one line.
    pub about: &'static str,
}

/// Every rule.
pub fn rules() -> impl Iterator<Item = Rule> {
    let services = SERVICES.iter().map(|service| service.rule);
    services.chain(FORMS.iter().copied())
}

/// The rule of that name.
pub fn rule(name: &str) -> Option<Rule> {
    rules().find(|rule| rule.name == name)
}

/// The beginning of a mask; the rule's name and `]` follow.
pub const MASK: &str = "[masked: ";

/// The credentials in a text, in their order, none overlapping another. The end of a line in a token of known length
/// does not hide it.
pub fn scan(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut look = |begin, after, look| {
        let mut add = |rule, (start, end)| {
            found.push(Secret {
                rule,
                range: start..end,
            });
        };
        match look {
            Look::Cookie => {
                headers::cookies(text, after, |start, end| add(table::COOKIE, (start, end)));
            }
            Look::Name => {
                if let Some((rule, start, end)) = named::find(text, begin, after) {
                    add(rule, (start, end));
                }
            }
            Look::Token(rule, pattern) => {
                pattern
                    .find(text.as_bytes(), begin)
                    .into_iter()
                    .for_each(|range| add(rule, range));
            }
            Look::Reader(rule, reader) => {
                reader(text, begin, after)
                    .into_iter()
                    .for_each(|range| add(rule, range));
            }
        }
    };
    // Elsewhere, what is before the word belongs to it.
    if text
        .get(..2)
        .is_some_and(|word| word.eq_ignore_ascii_case("pw"))
    {
        look(0, 2, Look::Name);
    }
    triggers::each(text.as_bytes(), look);
    apart(found)
}

/// The text with each credential replaced by `[masked: RULE]`.
pub fn masked(text: &str) -> Cow<'_, str> {
    let found = scan(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut after = 0;
    for Secret { rule, range } in found {
        out.push_str(&text[after..range.start]);
        out.push_str(MASK);
        out.push_str(rule);
        out.push(']');
        after = range.end;
    }
    out.push_str(&text[after..]);
    Cow::Owned(out)
}

/// The line and the column, both from 1 and in characters, of a byte of a text.
pub fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte)];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    (
        1 + before.matches('\n').count(),
        1 + before[line..].chars().count(),
    )
}

/// Joins what overlaps: the whole of it, by the name of the rule that knows most.
fn apart(mut found: Vec<Secret>) -> Vec<Secret> {
    found.retain(|secret| !secret.range.is_empty());
    found.sort_by_key(|secret| secret.range.start);
    let mut apart: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match apart.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
                if vagueness(secret.rule) < vagueness(last.rule) {
                    last.rule = secret.rule;
                }
            }
            _ => apart.push(secret),
        }
    }
    apart
}

/// How little a rule says of what it found: the order of [`rules`], all tokens alike.
fn vagueness(rule: &str) -> usize {
    let place = FORMS.iter().position(|form| form.name == rule);
    place.map_or(0, |place| place + 1)
}
