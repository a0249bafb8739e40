//! The word that was probably meant.

/// The nearest of the words, if one is near.
pub(crate) fn nearest<'w>(
    typed: &str,
    words: impl IntoIterator<Item = &'w str>,
) -> Option<&'w str> {
    let typed: Vec<char> = typed.trim().to_lowercase().chars().take(64).collect();
    let best = words
        .into_iter()
        .map(|word| (distance(&typed, &word.chars().collect::<Vec<_>>()), word))
        .min_by_key(|(distance, _)| *distance)?;
    let (distance, word) = best;
    let is_part = || {
        let typed: String = typed.iter().collect();
        typed.len() >= 3 && (word.contains(&typed) || (word.len() >= 3 && typed.contains(word)))
    };
    let near = distance <= 1 + word.chars().count() / 4;
    (near || is_part()).then_some(word)
}

/// How many letters must be put in, taken out, changed, or swapped with their neighbour.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, left) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, right) in other.iter().enumerate() {
            let mut cost = (last[column] + usize::from(left != right))
                .min(last[column + 1] + 1)
                .min(next[column] + 1);
            let swapped =
                row > 0 && column > 0 && one[row - 1] == *right && other[column - 1] == *left;
            if swapped {
                cost = cost.min(before[column - 1] + 1);
            }
            next.push(cost);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[other.len()]
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
