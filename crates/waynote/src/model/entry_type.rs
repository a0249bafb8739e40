//! The types of log entries.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The type of a log entry (as in ralph.nu).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryType {
    /// An obstacle: a run was blocked, or something did not work.
    Stuck,
    /// Something that worked; an insight.
    Learning,
    /// A recommendation for later runs.
    Tip,
    /// A choice made, and why.
    Decision,
    /// A type that another program wrote. It is kept and listed, but no new entry can have it.
    Other(OtherType),
}

/// The word of an entry type that another program wrote; not one of the four.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OtherType(String);

impl OtherType {
    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl EntryType {
    /// The four types, in the order in which prompts show them.
    pub const ALL: [Self; 4] = [Self::Stuck, Self::Learning, Self::Tip, Self::Decision];

    /// The words of the four types, in the same order.
    pub const WORDS: [&'static str; 4] = ["stuck", "learning", "tip", "decision"];

    /// The types in the order in which they are listed: always the four, then the others by word, each once.
    pub fn in_order(there: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let others = there
            .into_iter()
            .filter(|kind| matches!(kind, Self::Other(_)));
        let mut others: Vec<Self> = others.collect();
        others.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        others.dedup();
        Self::ALL.into_iter().chain(others).collect()
    }

    /// The type's word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stuck => "stuck",
            Self::Learning => "learning",
            Self::Tip => "tip",
            Self::Decision => "decision",
            Self::Other(word) => word.as_str(),
        }
    }

    /// The type with this word, as an engine stores it.
    pub fn stored(word: &str) -> Self {
        word.parse()
            .unwrap_or_else(|_| Self::Other(OtherType(word.to_owned())))
    }

    /// The type of an imported entry: one of the four, or any other word, on one line.
    pub fn imported(word: &str) -> Self {
        let plain = |char: char| if char.is_control() { ' ' } else { char };
        Self::stored(word.chars().map(plain).collect::<String>().trim())
    }
}

/// Parses only the four types that a new entry can have.
impl FromStr for EntryType {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == word);
        known.ok_or_else(|| Error::UnknownType {
            kind: word.to_owned(),
        })
    }
}

impl fmt::Display for EntryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_types_come_first_and_others_by_word() {
        assert_eq!(
            EntryType::ALL.each_ref().map(EntryType::as_str),
            EntryType::WORDS
        );
        let there = ["warning", "tip", "note", "warning", "Tip"].map(EntryType::imported);
        let order = EntryType::in_order(there);
        let words: Vec<&str> = order.iter().map(EntryType::as_str).collect();
        assert_eq!(
            words,
            [
                "stuck", "learning", "tip", "decision", "Tip", "note", "warning"
            ]
        );
    }

    #[test]
    fn a_type_of_another_program_is_one_line_and_none_of_the_four() {
        assert_eq!(EntryType::imported("stuck"), EntryType::Stuck);
        assert_eq!(EntryType::imported(" my\nkind ").as_str(), "my kind");
    }
}
