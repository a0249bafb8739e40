//! A text without the characters that nobody sees, which would cut a credential in two.

use std::ops::Range;

/// A text that invisible characters were taken out of.
pub(super) struct Clean {
    text: String,
    /// Where bytes were taken out: the place in the clean text, and how many in all up to there.
    cuts: Vec<(usize, usize)>,
}

/// The text without them; none when there are none.
pub(super) fn cleaned(text: &str) -> Option<Clean> {
    if !holds_unseen(text.as_bytes()) {
        return None;
    }
    let mut clean = Clean {
        text: String::with_capacity(text.len()),
        cuts: Vec::new(),
    };
    let mut taken = 0;
    for char in text.chars() {
        if is_unseen(char) {
            taken += char.len_utf8();
            clean.cuts.push((clean.text.len(), taken));
        } else {
            clean.text.push(char);
        }
    }
    Some(clean)
}

/// Whether there is one, looked for by the first byte in blocks, which is fast.
fn holds_unseen(text: &[u8]) -> bool {
    const BLOCK: usize = 64;
    let begins = |byte: &u8| matches!(byte, 0xc2 | 0xe2 | 0xef);
    let has = |block: &[u8]| block.iter().fold(false, |has, byte| has | begins(byte));
    let mut blocks = text
        .chunks(BLOCK)
        .enumerate()
        .filter(|(_, block)| has(block));
    blocks.any(|(number, block)| {
        let start = number * BLOCK;
        let end = (start + block.len() + 2).min(text.len());
        let here = &text[start..end];
        here.windows(2).any(|two| two == [0xc2, 0xad])
            || here.windows(3).any(|three| {
                matches!(
                    three,
                    [0xe2, 0x80, 0x8b..=0x8f] | [0xe2, 0x81, 0xa0..=0xa4] | [0xef, 0xbb, 0xbf]
                )
            })
    })
}

/// Zero-width characters, joiners, the soft hyphen, the byte order mark.
fn is_unseen(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
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
