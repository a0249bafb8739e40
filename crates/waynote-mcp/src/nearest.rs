//! The word that was probably meant.

/// The nearest of the words, if one is near.
pub(crate) fn nearest<'w>(
    typed: &str,
    words: impl IntoIterator<Item = &'w str>,
) -> Option<&'w str> {
    let typed: String = typed.trim().to_lowercase().chars().take(64).collect();
    let edits = |word: &'w str| (strsim::osa_distance(&typed, word), word);
    let (edits, word) = words
        .into_iter()
        .map(edits)
        .min_by_key(|(edits, _)| *edits)?;
    let is_part =
        typed.len() >= 3 && (word.contains(&typed) || (word.len() >= 3 && typed.contains(word)));
    let is_near = edits <= 1 + word.chars().count() / 4;
    (is_near || is_part).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typing_errors_find_their_word() {
        let words = ["content", "type", "key", "if_revision"];
        assert_eq!(nearest("contnet", words), Some("content"));
        assert_eq!(nearest("Key", words), Some("key"));
        assert_eq!(nearest("revision", words), Some("if_revision"));
        assert_eq!(nearest("tpye", words), Some("type"));
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest("x", []), None);
    }
}
