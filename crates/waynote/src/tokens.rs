//! Counting the tokens of a text.

/// The exact number, by the vocabulary `o200k`.
#[cfg(feature = "tokens")]
pub(crate) use waynote_tokens::count;

/// An upper estimate for prose and code: one token for every two bytes. A text of rare characters can have more.
#[cfg(not(feature = "tokens"))]
pub(crate) fn count(text: &str) -> usize {
    text.len().div_ceil(2)
}
