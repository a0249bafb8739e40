//! The token of a Discord bot, which is known by nothing but the lengths of its parts.

use std::ops::{Range, RangeInclusive};

use super::shape::{URL64, run_end};

/// The end of a Discord bot's token. Its first part, `run`, is the application's number in base64; only the lengths of
/// the three parts tell it from other texts.
pub(super) fn find(text: &[u8], run: &Range<usize>) -> Option<usize> {
    let part = |from: usize, lengths: RangeInclusive<usize>| {
        let end = run_end(text, from, URL64);
        lengths.contains(&(end - from)).then_some(end)
    };
    let first = &text[run.clone()];
    let is_number = (23..=28).contains(&first.len()) && b"MNO".contains(&first[0]);
    let dot = |at: usize| (text.get(at) == Some(&b'.')).then_some(at + 1);
    let time = dot(run.end).filter(|_| is_number)?;
    let sum = dot(part(time, 6..=7)?)?;
    let end = part(sum, 27..=45)?;
    let number = super::encoded::text_of(first)?;
    let is_digits = number.bytes().all(|byte| byte.is_ascii_digit());
    (is_digits && !super::value::is_made_up(&text[sum..end])).then_some(end)
}
