//! Finding the words that a credential can stand beside, all at once.

use std::sync::LazyLock;

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
    /// The arguments of a command.
    Command,
    /// The end of a text in quotes, which may go on behind it.
    Quote,
}

/// A word, as it is written or in any case.
struct Trigger {
    word: &'static [u8],
    is_exact: bool,
    look: Look,
}

/// The words by their first three letters.
struct Triggers {
    /// For each slot the number of its list, and 0 where no word begins.
    slots: Vec<u16>,
    lists: Vec<Vec<Trigger>>,
}

static TRIGGERS: LazyLock<Triggers> = LazyLock::new(|| {
    let mut triggers = Triggers {
        slots: vec![0; SLOTS],
        lists: vec![Vec::new()],
    };
    for Service { rule, patterns } in SERVICES {
        for form in *patterns {
            triggers.add(form.trigger, true, Look::Token(rule.name, form));
        }
    }
    for (list, is_exact) in [(IN_ANY_CASE, false), (AS_WRITTEN, true)] {
        for (look, words) in list {
            words
                .split('|')
                .for_each(|word| triggers.add(word, is_exact, *look));
        }
    }
    triggers
});

impl Triggers {
    fn add(&mut self, word: &'static str, is_exact: bool, look: Look) {
        let first = word.bytes().take(LETTERS).fold(0, with);
        if self.slots[first] == 0 {
            self.slots[first] = u16::try_from(self.lists.len()).expect("the words are few");
            self.lists.push(Vec::new());
        }
        self.lists[usize::from(self.slots[first])].push(Trigger {
            word: word.as_bytes(),
            is_exact,
            look,
        });
    }
}

/// How many letters tell at first sight whether a word may begin. No word has fewer.
const LETTERS: usize = 3;
/// The bits of a letter that are the same in any case.
const BITS: usize = 5;
const SLOTS: usize = 1 << (BITS * LETTERS);

/// The slot of three letters, from that of the two before the last.
fn with(slot: usize, letter: u8) -> usize {
    ((slot << BITS) | usize::from(letter & 0x1f)) & (SLOTS - 1)
}

/// Calls `found` with the start and the end of each word, and the search to make there; by start.
pub(super) fn each(text: &[u8], mut found: impl FnMut(usize, usize, Look)) {
    let Triggers { slots, lists } = &*TRIGGERS;
    let mut slot = text
        .iter()
        .take(LETTERS - 1)
        .fold(0, |slot, letter| with(slot, *letter));
    for (begin, letter) in text.iter().skip(LETTERS - 1).enumerate() {
        slot = with(slot, *letter);
        let list = slots[slot];
        if list == 0 {
            continue;
        }
        for trigger in &lists[usize::from(list)] {
            let end = begin + trigger.word.len();
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
