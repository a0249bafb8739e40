//! A text without invisible characters, which would cut a credential in two.

use super::mapped::MappedText;
use waynote_text::visible::is_invisible;

/// The text without them; none when there are none.
pub(super) fn cleaned(text: &str) -> Option<MappedText> {
    if !holds_unseen(text) {
        return None;
    }
    let mut clean = MappedText::default();
    let (mut copied, mut at) = (0, 0);
    while let Some(char) = text[at..].chars().next() {
        let end = at + char.len_utf8();
        if is_unseen(char) {
            clean.copy(&text[copied..at], copied);
            copied = end + command(char, &text[end..]);
            at = copied;
        } else {
            at = end;
        }
    }
    clean.copy(&text[copied..], copied);
    Some(clean)
}

/// How long the rest of a command to a terminal is, which is not seen either.
fn command(char: char, rest: &str) -> usize {
    const ESCAPE: char = '\u{1b}';
    let Some(inside) = rest.strip_prefix('[').filter(|_| char == ESCAPE) else {
        return 0;
    };
    let length = inside
        .bytes()
        .take_while(|byte| matches!(byte, b' '..=b'?'));
    let length = length.count();
    let is_ended = inside[length..].starts_with(|char| matches!(char, '@'..='~'));
    1 + length + usize::from(is_ended)
}

/// True if there is one; first by bytes with which one could begin, which is fast.
fn holds_unseen(text: &str) -> bool {
    const BLOCK: usize = 64;
    let begins = |byte: u8| matches!(byte, 0..=8 | 0x0b | 0x0c | 0x0e..=0x1f | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3);
    let has = |block: &[u8]| block.iter().fold(false, |has, byte| has | begins(*byte));
    let unseen_at = |at: usize| {
        let rest = text.get(at..).and_then(|rest| rest.chars().next());
        rest.is_some_and(is_unseen)
    };
    let bytes = text.as_bytes();
    bytes.chunks(BLOCK).enumerate().any(|(number, block)| {
        has(block) && (0..block.len()).any(|at| begins(block[at]) && unseen_at(number * BLOCK + at))
    })
}

/// Characters that are not shown, and commands to a terminal.
fn is_unseen(char: char) -> bool {
    is_invisible(char) || (char.is_control() && !matches!(char, '\t' | '\n' | '\r'))
}
