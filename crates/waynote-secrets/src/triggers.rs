//! Finding the words that a credential can stand beside, many at once.
//!
//! A table over pairs of bytes says which words a pair can begin, and in which it can be the second and third letter;
//! where two pairs that follow one another agree, the words are compared. The tables are made when the program is
//! compiled: nothing is built when it starts.

use super::shape::Pattern;
use super::table::{FORMS, Row, SERVICES, SPLICES, Trigger, word};

/// The search to make where a word stands.
#[derive(Clone, Copy)]
pub(super) enum Look {
    /// A token of that form: its rule and pattern.
    Token(&'static str, &'static Pattern),
    /// A name that something is assigned to.
    Name,
    /// The password of a URL.
    Url,
    /// A private key between lines that say so.
    Armour,
    /// PuTTY's private key.
    Putty,
    /// A JSON web token.
    Jwt,
    /// The value of an authorization header, behind its scheme.
    Scheme,
    /// The value of an authorization header, behind its name.
    Authorization,
    /// The cookies of a header.
    Cookie,
    /// A line of `.pgpass`.
    Pgpass,
    /// The user and the password of a JDBC URL of Oracle.
    Thin,
    /// A call that takes a user and a password.
    Call,
    /// A call that connects to something, and takes a password among its texts.
    Connect,
    /// The arguments of a command.
    Command,
    /// The end of a text in quotes, which may go on behind it.
    Quote,
}

/// The length that the search relies on: no word is shorter.
const SHORTEST: usize = 3;

const COUNT: usize = SPLICES.len() + count(SERVICES) + count(FORMS);

const fn count(rows: &[Row]) -> usize {
    let (mut count, mut row) = (0, 0);
    while row < rows.len() {
        count += rows[row].patterns.len() + rows[row].words.len();
        row += 1;
    }
    count
}

static TRIGGERS: [Trigger; COUNT] = {
    let mut triggers = [SPLICES[0]; COUNT];
    let mut at = add(SERVICES, &mut triggers, 0);
    at = add(FORMS, &mut triggers, at);
    let mut splice = 0;
    while splice < SPLICES.len() {
        triggers[at] = SPLICES[splice];
        (at, splice) = (at + 1, splice + 1);
    }
    assert!(at == COUNT);
    triggers
};

/// Adds the triggers of some rows from `at` on, and returns the end.
const fn add(rows: &'static [Row], triggers: &mut [Trigger; COUNT], mut at: usize) -> usize {
    let mut row = 0;
    while row < rows.len() {
        let Row {
            name,
            patterns,
            words,
            ..
        } = &rows[row];
        let mut pattern = 0;
        while pattern < patterns.len() {
            let form = &patterns[pattern];
            assert!(form.trigger.len() >= SHORTEST);
            triggers[at] = word(form.trigger, true, Look::Token(name, form));
            (at, pattern) = (at + 1, pattern + 1);
        }
        let mut other = 0;
        while other < words.len() {
            assert!(words[other].word.len() >= SHORTEST);
            triggers[at] = words[other];
            (at, other) = (at + 1, other + 1);
        }
        row += 1;
    }
    at
}

/// The slot of a pair of bytes, in any case.
const fn slot(first: u8, second: u8) -> usize {
    const ANY_CASE: usize = 0x20;
    const SEVEN_BITS: usize = 0x7f;
    (((first as usize | ANY_CASE) & SEVEN_BITS) << 7) | ((second as usize | ANY_CASE) & SEVEN_BITS)
}

/// The groups that words are told apart by at first sight.
const fn group(word: &[u8]) -> u32 {
    1 << (word[0] & 0b1111)
}

/// Per pair: below, the groups of the words that begin with it; above, of those whose second and third letters are it.
static GROUPS: [u32; 1 << 14] = {
    let mut groups = [0; 1 << 14];
    let mut at = 0;
    while at < COUNT {
        let word = TRIGGERS[at].word.as_bytes();
        groups[slot(word[0], word[1])] |= group(word);
        groups[slot(word[1], word[2])] |= group(word) << 16;
        at += 1;
    }
    groups
};

/// The list of the words whose second and third letters are a pair; 0 for none.
static LIST: [u8; 1 << 14] = {
    let mut list = [0; 1 << 14];
    let (mut at, mut lists) = (0, 0);
    while at < COUNT {
        let word = TRIGGERS[at].word.as_bytes();
        let pair = slot(word[1], word[2]);
        if list[pair] == 0 {
            lists += 1;
            list[pair] = lists;
        }
        at += 1;
    }
    list
};

/// A word's number, or none.
type Link = u16;
const END: Link = Link::MAX;

/// The first word of each list, and the word that follows each in its list.
const LISTS: ([Link; 256], [Link; COUNT]) = {
    assert!(COUNT < END as usize);
    let (mut first, mut next) = ([END; 256], [END; COUNT]);
    let mut at = COUNT;
    while at > 0 {
        at -= 1;
        let word = TRIGGERS[at].word.as_bytes();
        let list = LIST[slot(word[1], word[2])] as usize;
        next[at] = first[list];
        first[list] = at as Link;
    }
    (first, next)
};

static FIRST: [Link; 256] = LISTS.0;
static NEXT: [Link; COUNT] = LISTS.1;

/// Calls `found` with the start and the end of each word, and the search to make there; by start.
pub(super) fn each(text: &[u8], mut found: impl FnMut(usize, usize, Look)) {
    // Two pairs in a turn, with one branch: nearly all of them begin no word.
    let mut turns = text.windows(4).step_by(2);
    let mut at = 0;
    let mut here = match text {
        [first, second, ..] => GROUPS[slot(*first, *second)],
        _ => return,
    };
    for bytes in &mut turns {
        let next = GROUPS[slot(bytes[1], bytes[2])];
        let after = GROUPS[slot(bytes[2], bytes[3])];
        let begins = may_begin(here, next);
        let begins_next = may_begin(next, after);
        if begins | begins_next != 0 {
            if begins != 0 {
                each_at(text, at, &mut found);
            }
            if begins_next != 0 {
                each_at(text, at + 1, &mut found);
            }
        }
        here = after;
        at += 2;
    }
    if let Some([second, third]) = text.get(at + 1..at + 3)
        && may_begin(here, GROUPS[slot(*second, *third)]) != 0
    {
        each_at(text, at, &mut found);
    }
}

/// The groups of words that two pairs side by side can begin.
fn may_begin(first: u32, second: u32) -> u32 {
    first & (second >> 16)
}

/// Calls `found` with the words that begin here.
fn each_at(text: &[u8], begin: usize, found: &mut impl FnMut(usize, usize, Look)) {
    let pair = slot(text[begin + 1], text[begin + 2]);
    let mut link = FIRST[usize::from(LIST[pair])];
    while link != END {
        let trigger = &TRIGGERS[usize::from(link)];
        let end = begin + trigger.word.len();
        // Others with the same second and third letter are the most.
        const ANY_CASE: u8 = 0x20;
        let begins = (text[begin] ^ trigger.word.as_bytes()[0]) & !ANY_CASE == 0;
        let there = begins
            && text.get(begin..end).is_some_and(|there| {
                if trigger.exact {
                    there == trigger.word.as_bytes()
                } else {
                    there.eq_ignore_ascii_case(trigger.word.as_bytes())
                }
            });
        if there {
            found(begin, end, trigger.look);
        }
        link = NEXT[usize::from(link)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that begin in a text, by trying every word at every place.
    fn tried(text: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for begin in 0..text.len() {
            for trigger in &TRIGGERS {
                let end = begin + trigger.word.len();
                let there = text
                    .get(begin..end)
                    .is_some_and(|there| match trigger.exact {
                        true => there == trigger.word.as_bytes(),
                        false => there.eq_ignore_ascii_case(trigger.word.as_bytes()),
                    });
                if there {
                    found.push((begin, end));
                }
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        for trigger in &TRIGGERS {
            for before in ["", "x", "xy", "\u{e9}", "pas"] {
                for behind in ["", "x", "xy", "xyz", trigger.word] {
                    let text = format!("{before}{}{behind}", trigger.word);
                    for text in [text.to_ascii_uppercase(), text] {
                        let mut found = Vec::new();
                        each(text.as_bytes(), |begin, end, _| found.push((begin, end)));
                        assert!(found.is_sorted_by_key(|(begin, _)| *begin), "{text:?}");
                        found.sort_unstable();
                        assert_eq!(found, tried(text.as_bytes()), "{text:?}");
                    }
                }
            }
        }
    }
}
