//! A text without the characters that nobody sees, which would cut a credential in two.

use std::ops::Range;

use crate::visible::is_invisible;

/// A text that invisible characters were taken out of.
pub(super) struct Clean {
    text: String,
    /// Where bytes were taken out: the place in the clean text, and how many in all up to there.
    cuts: Vec<(usize, usize)>,
}

/// The text without them; none when there are none.
pub(super) fn cleaned(text: &str) -> Option<Clean> {
    if !holds_unseen(text.as_bytes()) || !text.contains(is_unseen) {
        return None;
    }
    let mut clean = Clean {
        text: String::with_capacity(text.len()),
        cuts: Vec::new(),
    };
    let mut taken = 0;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if !is_unseen(char) {
            clean.text.push(char);
            continue;
        }
        taken += char.len_utf8();
        // What a terminal takes for a command is not seen either.
        if char == ESCAPE && chars.next_if_eq(&'[').is_some() {
            taken += 1;
            let is_inside = |char: &char| matches!(char, ' '..='?');
            while chars.next_if(is_inside).is_some() {
                taken += 1;
            }
            taken += usize::from(chars.next_if(|char| matches!(char, '@'..='~')).is_some());
        }
        clean.cuts.push((clean.text.len(), taken));
    }
    Some(clean)
}

const ESCAPE: char = '\u{1b}';

/// Whether there is one; first by bytes with which one could begin, which is fast.
fn holds_unseen(text: &[u8]) -> bool {
    const BLOCK: usize = 64;
    let begins = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0c | 0x0e..=0x1f | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf3);
    let has = |block: &[u8]| block.iter().fold(false, |has, byte| has | begins(byte));
    text.chunks(BLOCK).any(has)
}

/// Characters that are not shown, and commands to a terminal.
fn is_unseen(char: char) -> bool {
    is_invisible(char) || (char.is_control() && !matches!(char, '\t' | '\n' | '\r'))
}

impl Clean {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where a range of the clean text, which is not empty, lies in the original.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let of = |byte: usize| {
            let before = self.cuts.partition_point(|(at, _)| *at <= byte);
            byte + before.checked_sub(1).map_or(0, |last| self.cuts[last].1)
        };
        of(range.start)..of(range.end - 1) + 1
    }
}
