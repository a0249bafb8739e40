//! Credentials in texts: keys, tokens and passwords that somebody could use.
//!
//! [`scan`] finds them by rules of their own ([`rules`]): by the form of the tokens that services mark, by the heading
//! of a private key, by their place in a URL or a header, or by the name that a random value is assigned to. What only
//! stands where a credential would (`<token>`, `$PASSWORD`, `xxxx`, an example of the documentation) is none.
//!
//! A text of n bytes takes time in the order of n, whatever it holds, and nothing is built before the first scan.

mod clean;
mod keys;
mod named;
mod policy;
mod shape;
#[cfg(test)]
mod tests;
mod tokens;
mod triggers;
mod url;
mod value;

use std::borrow::Cow;
use std::ops::Range;

pub use policy::{Flagged, SecretPolicy};
use triggers::Look;

/// A credential in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the rule that found it, of those in [`rules`].
    pub rule: &'static str,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

/// A rule that finds credentials. The names are kept: configurations hold them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule's name.
    pub name: &'static str,
    /// What it finds, in one line.
    pub about: &'static str,
}

/// The rules beside those for the tokens of services.
const OTHERS: [Rule; 7] = [
    Rule {
        name: keys::PRIVATE_KEY,
        about: "Private key with its heading (PEM, OpenSSH, PGP, PuTTY)",
    },
    Rule {
        name: keys::JWT,
        about: "JSON web token with its signature",
    },
    Rule {
        name: url::RULE,
        about: "Password in a URL, `scheme://user:password@host`",
    },
    Rule {
        name: keys::AUTHORIZATION,
        about: "Value of an `Authorization` header, Bearer or Basic",
    },
    Rule {
        name: named::AWS_SECRET,
        about: "AWS secret access key, by its name and form",
    },
    Rule {
        name: named::ENTROPY,
        about: "Random value under a name such as `api_key`, `token`, `secret`",
    },
    Rule {
        name: named::PASSWORD,
        about: "Strong password under a name such as `password`",
    },
];

/// Every rule.
pub fn rules() -> impl Iterator<Item = Rule> {
    let tokens = tokens::TOKENS.iter().map(|token| Rule {
        name: token.rule,
        about: token.about,
    });
    tokens.chain(OTHERS)
}

/// The rule of that name.
pub fn rule(name: &str) -> Option<Rule> {
    rules().find(|rule| rule.name == name)
}

/// What stands in the place of a masked credential, before the rule's name and `]`.
pub(crate) const MASK: &str = "[masked: ";

/// The credentials in a text, in their order, none overlapping another.
///
/// Zero-width characters inside one do not hide it, nor does the end of a line in a token of known length.
pub fn scan(text: &str) -> Vec<Secret> {
    match clean::cleaned(text) {
        None => found_in(text),
        Some(clean) => {
            let mut found = found_in(clean.text());
            for secret in &mut found {
                secret.range = clean.original(&secret.range);
            }
            found
        }
    }
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

fn found_in(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = Vec::new();
    triggers::each(text.as_bytes(), |begin, after, look| {
        if let Some((rule, start, end)) = look_at(text, begin, after, look) {
            found.push(Secret {
                rule,
                range: start..end,
            });
        }
    });
    apart(found)
}

fn look_at(
    text: &str,
    begin: usize,
    after: usize,
    look: Look,
) -> Option<(&'static str, usize, usize)> {
    let bytes = text.as_bytes();
    let named = |rule: &'static str| move |(start, end)| (rule, start, end);
    match look {
        Look::Token(rule, pattern) => {
            let found = pattern.find(bytes, begin)?;
            let body = if pattern.lead.is_some() {
                found.start
            } else {
                found.body
            };
            (!value::is_made_up(&bytes[body..found.end])).then_some((rule, found.start, found.end))
        }
        Look::Name => named::find(text, begin, after),
        Look::Url => url::find(text, begin, after).map(named(url::RULE)),
        Look::Armour => keys::armoured(text, begin, after).map(named(keys::PRIVATE_KEY)),
        Look::Putty => keys::putty(text, after).map(named(keys::PRIVATE_KEY)),
        Look::Jwt => keys::jwt(bytes, begin).map(named(keys::JWT)),
        Look::Scheme => keys::authorization(bytes, begin, after).map(named(keys::AUTHORIZATION)),
    }
}

/// Joins what overlaps: the whole of it, by the name of the rule that knows most.
fn apart(mut found: Vec<Secret>) -> Vec<Secret> {
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
    let place = OTHERS.iter().position(|other| other.name == rule);
    place.map_or(0, |place| place + 1)
}
