//! Credentials in texts, where the feature `secrets` is off: none is found, and nothing is refused or masked.

use std::borrow::Cow;
use std::ops::Range;

/// A credential in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the rule that found it.
    pub rule: &'static str,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

/// A rule that finds credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule's name.
    pub name: &'static str,
    /// What it finds, in one line.
    pub about: &'static str,
}

/// What stands in the place of a masked credential, before the rule's name and `]`.
pub const MASK: &str = "[masked: ";

/// No rule.
pub fn rules() -> impl Iterator<Item = Rule> {
    std::iter::empty()
}

/// No rule, whatever the name.
pub fn rule(_: &str) -> Option<Rule> {
    None
}

/// Nothing is found.
pub fn scan(_: &str) -> Vec<Secret> {
    Vec::new()
}

/// The text as it is.
pub fn masked(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
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
