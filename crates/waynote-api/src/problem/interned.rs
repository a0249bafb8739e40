//! Words of the other side that the library's errors have as constants.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A server that is not to be trusted must not fill the memory: no error needs more words, or longer ones.
const MOST: usize = 256;
const LONGEST: usize = 256;

static WORDS: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);

/// The word for as long as the program runs; none if there are too many, or if it is too long.
pub(super) fn interned(word: &str) -> Option<&'static str> {
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = words.get(word) {
        return Some(known);
    }
    if words.len() == MOST || word.len() > LONGEST || word.is_empty() {
        return None;
    }
    let word: &'static str = Box::leak(word.to_owned().into_boxed_str());
    words.insert(word);
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_once() {
        let one = interned("a word of a test").unwrap();
        assert!(std::ptr::eq(one, interned("a word of a test").unwrap()));
        assert_eq!(interned(&"x".repeat(LONGEST + 1)), None);
        assert_eq!(interned(""), None);
    }
}
