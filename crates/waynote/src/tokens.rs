//! How many tokens a text has.

/// Exactly, as the vocabulary `o200k` counts.
#[cfg(feature = "tokens")]
pub(crate) use waynote_tokens::count;

/// An estimate from above for prose and code: a token for every two bytes. A text of rare characters can have more.
#[cfg(not(feature = "tokens"))]
pub(crate) fn count(text: &str) -> usize {
    text.len().div_ceil(2)
}
