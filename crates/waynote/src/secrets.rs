//! Stand-in for the feature `secrets`, when it is off: no credential is found, refused or masked.

use std::borrow::Cow;
use std::ops::Range;

/// A credential in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the rule that found it.
    pub rule: &'static str,
    /// Its position, in bytes.
    pub range: Range<usize>,
}

/// A rule that finds credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule's name.
    pub name: &'static str,
    /// The credentials that it finds, in one line.
    pub about: &'static str,
}

/// The beginning of the text that replaces a masked credential. The rule's name and `]` follow.
pub const MASK: &str = "[masked: ";

/// There are no rules.
pub fn rules() -> impl Iterator<Item = Rule> {
    std::iter::empty()
}

/// There is no rule of any name.
pub fn rule(_: &str) -> Option<Rule> {
    None
}

/// Finds nothing.
pub fn scan(_: &str) -> Vec<Secret> {
    Vec::new()
}

/// Returns the text unchanged.
pub fn masked(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// The line and the column of a byte of a text. Both count from 1; columns count characters.
pub fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte)];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    (
        1 + before.matches('\n').count(),
        1 + before[line..].chars().count(),
    )
}
