//! Finding the words that a credential can stand beside, all at once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::shape::Pattern;
use super::table::{AS_WRITTEN, IN_ANY_CASE, SERVICES, Service};

/// Finds a credential beside the word from the first to the second offset of a text.
pub(super) type Reader = fn(&str, usize, usize) -> Option<(usize, usize)>;

/// The search to make where a word stands.
#[derive(Clone, Copy)]
pub(super) enum Look {
    /// A token of that form: its rule and pattern.
    Token(&'static str, &'static Pattern),
    /// A credential of that rule, by a reader of its own.
    Reader(&'static str, Reader),
    /// A name that something is assigned to.
    Name,
    /// The cookies of a header.
    Cookie,
}

/// A word, as it is written or in any case.
struct Trigger {
    word: &'static [u8],
    is_exact: bool,
    look: Look,
}

/// How many bytes of a word the matcher knows; the rest is compared where these stand. A matcher of whole words takes
/// three times as long to make, which every start of a program would feel.
const KNOWN: usize = 4;

/// The matcher of the beginnings of words, and for each of them its words.
static TRIGGERS: LazyLock<(AhoCorasick, Vec<Vec<Trigger>>)> = LazyLock::new(|| {
    let mut triggers: BTreeMap<Vec<u8>, Vec<Trigger>> = BTreeMap::new();
    let mut add = |word: &'static str, is_exact, look| {
        let word = word.as_bytes();
        let known = word[..word.len().min(KNOWN)].to_ascii_lowercase();
        triggers.entry(known).or_default().push(Trigger {
            word,
            is_exact,
            look,
        });
    };
    for Service { rule, patterns } in SERVICES {
        for form in *patterns {
            add(form.trigger, true, Look::Token(rule.name, form));
        }
    }
    for (list, is_exact) in [(IN_ANY_CASE, false), (AS_WRITTEN, true)] {
        for (look, words) in list {
            words.split('|').for_each(|word| add(word, is_exact, *look));
        }
    }
    let matcher = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(triggers.keys());
    let matcher = matcher.expect("the words are few");
    (matcher, triggers.into_values().collect())
});

/// Calls `found` with the start and the end of each word, and the search to make there.
pub(super) fn each(text: &[u8], mut found: impl FnMut(usize, usize, Look)) {
    let (matcher, triggers) = &*TRIGGERS;
    for known in matcher.find_overlapping_iter(text) {
        for trigger in &triggers[known.pattern().as_usize()] {
            let (begin, end) = (known.start(), known.start() + trigger.word.len());
            let is_word = text
                .get(begin..end)
                .is_some_and(|there| match trigger.is_exact {
                    true => there == trigger.word,
                    false => there.eq_ignore_ascii_case(trigger.word),
                });
            if is_word {
                found(begin, end, trigger.look);
            }
        }
    }
}
