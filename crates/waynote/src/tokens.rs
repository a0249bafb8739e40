//! Counting the tokens of a text.

/// The exact number, by the vocabulary `o200k`.
pub(crate) fn count(text: &str) -> usize {
    #[cfg(test)]
    crate::work::counted(text.len());
    counter::count(text)
}

/// The same, if there are no more than `most`. It stops at about so many tokens, however long the text is.
pub(crate) fn count_to(text: &str, most: usize) -> Option<usize> {
    #[cfg(test)]
    crate::work::counted(text.len());
    counter::count_to(text, most)
}

#[cfg(feature = "tokens")]
use waynote_tokens as counter;

/// An upper estimate for prose and code: one token for every two bytes. A text of rare characters can have more.
#[cfg(not(feature = "tokens"))]
mod counter {
    pub(super) fn count(text: &str) -> usize {
        text.len().div_ceil(2)
    }

    pub(super) fn count_to(text: &str, most: usize) -> Option<usize> {
        let count = count(text);
        (count <= most).then_some(count)
    }
}
