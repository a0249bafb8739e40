//! Counting the tokens of a text.

/// The exact number, by the vocabulary `o200k`.
pub(crate) fn count(text: &str) -> usize {
    #[cfg(test)]
    crate::work::counted(text.len());
    waynote_tokens::count(text)
}

/// The same, if there are no more than `most`. It stops at about so many tokens, however long the text is.
pub(crate) fn count_to(text: &str, most: usize) -> Option<usize> {
    #[cfg(test)]
    crate::work::counted(text.len());
    waynote_tokens::count_to(text, most)
}
