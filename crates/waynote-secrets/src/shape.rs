//! The shape of a token: fixed words and runs of characters of a class, without backtracking.

use super::value::is_made_up;

/// A set of ASCII characters, as bits.
pub(super) type Class = u16;

const DIGIT: Class = 1;
const HEX_LOWER: Class = 1 << 1;
const HEX_UPPER: Class = 1 << 2;
const REST_LOWER: Class = 1 << 3;
const REST_UPPER: Class = 1 << 4;
pub(super) const DASH: Class = 1 << 5;
pub(super) const UNDERSCORE: Class = 1 << 6;
pub(super) const DOT: Class = 1 << 7;
const PLUS_SLASH: Class = 1 << 8;
const EQUALS: Class = 1 << 9;
pub(super) const PERCENT: Class = 1 << 10;
const TILDE: Class = 1 << 11;

/// `0-9`
pub(super) const DIGITS: Class = DIGIT;
/// `0-9 a-f`
pub(super) const HEX: Class = DIGIT | HEX_LOWER;
/// `0-9 a-f A-F`
pub(super) const ANY_HEX: Class = HEX | HEX_UPPER;
/// `a-z`
pub(super) const LOWER: Class = HEX_LOWER | REST_LOWER;
/// `A-Z`
pub(super) const UPPER: Class = HEX_UPPER | REST_UPPER;
/// `0-9 A-Z`
pub(super) const CAPS: Class = DIGIT | UPPER;
/// `0-9 A-Z a-z`
pub(super) const ALNUM: Class = CAPS | LOWER;
/// Letters, digits, `_`.
pub(super) const WORD: Class = ALNUM | UNDERSCORE;
/// Base64 for URLs: letters, digits, `_`, `-`.
pub(super) const URL64: Class = WORD | DASH;
/// Base64 with its padding.
pub(super) const BASE64: Class = ALNUM | PLUS_SLASH | EQUALS;
/// The characters of a token of no known form.
pub(super) const OPAQUE: Class = URL64 | BASE64 | DOT | TILDE;

const CLASSES: [Class; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' => HEX_LOWER,
            b'A'..=b'F' => HEX_UPPER,
            b'g'..=b'z' => REST_LOWER,
            b'G'..=b'Z' => REST_UPPER,
            b'-' => DASH,
            b'_' => UNDERSCORE,
            b'.' => DOT,
            b'+' | b'/' => PLUS_SLASH,
            b'=' => EQUALS,
            b'%' => PERCENT,
            b'~' => TILDE,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// True if a byte is in a class.
pub(super) fn is(byte: u8, class: Class) -> bool {
    CLASSES[usize::from(byte)] & class != 0
}

/// How many bytes a text begins with of which this is true.
pub(super) fn leading(text: &[u8], is: impl Fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| is(byte)).count()
}

/// The same of its first `limit` bytes.
pub(super) fn leading_within(text: &[u8], limit: usize, is: impl Fn(&u8) -> bool) -> usize {
    leading(&text[..text.len().min(limit)], is)
}

/// The end of the run of a class that begins at `from`.
pub(super) fn run_end(text: &[u8], from: usize, class: Class) -> usize {
    from + leading(&text[from..], |byte| is(*byte, class))
}

/// As [`run_end`], at most `limit` bytes on.
pub(super) fn run_end_within(text: &[u8], from: usize, class: Class, limit: usize) -> usize {
    run_end(&text[..text.len().min(from + limit)], from, class)
}

/// The start of the run of a class that ends at `to`, at most `limit` bytes before.
pub(super) fn run_start(text: &[u8], to: usize, class: Class, limit: usize) -> usize {
    let run = text[..to].iter().rev().take(limit);
    to - run.take_while(|byte| is(**byte, class)).count()
}

/// The limit of a run that has none: so much is looked at.
pub(super) const OPEN: usize = 1000;

/// A piece of a token.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// These characters.
    Word(&'static str),
    /// Between so many and so many characters of a class.
    Run(Class, usize, usize),
}

/// One form of a token.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    /// The word that is searched for.
    pub(super) trigger: &'static str,
    /// How much of the trigger belongs to the context, and is not secret.
    pub(super) context: usize,
    /// Characters of a class that stand before the trigger and belong to the token: at least and at most so many.
    pub(super) lead: Option<(Class, usize, usize)>,
    /// The characters behind the trigger.
    pub(super) parts: &'static [Part],
}

/// A token that begins with a word of its own.
pub(super) const fn new(trigger: &'static str, parts: &'static [Part]) -> Pattern {
    Pattern {
        trigger,
        context: 0,
        lead: None,
        parts,
    }
}

/// A token that is known by the word before it, which is no secret.
pub(super) const fn after(trigger: &'static str, parts: &'static [Part]) -> Pattern {
    Pattern {
        context: trigger.len(),
        ..new(trigger, parts)
    }
}

/// A token that is known by a word inside it.
pub(super) const fn around(
    lead: (Class, usize, usize),
    trigger: &'static str,
    parts: &'static [Part],
) -> Pattern {
    Pattern {
        lead: Some(lead),
        ..new(trigger, parts)
    }
}

impl Pattern {
    /// The token with its trigger at `at`.
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<(usize, usize)> {
        let body = at + self.trigger.len();
        let mut start = at + self.context;
        if let Some((class, min, max)) = self.lead {
            start = run_start(text, at, class, max);
            if at - start < min {
                return None;
            }
        }
        if self.context == 0 && !begins_at(text, start) {
            return None;
        }
        let mut end = body;
        for part in self.parts {
            end = match *part {
                Part::Word(word) => {
                    let after = end + word.len();
                    (text.get(end..after)? == word.as_bytes()).then_some(after)?
                }
                Part::Run(class, min, max) => run(text, end, class, min, max)?,
            };
        }
        let last = self.parts.last();
        // A longer word is another word. A run without a known limit may be cut.
        let goes_on = text.get(end).is_some_and(|byte| is(*byte, WORD));
        let open = matches!(last, Some(Part::Run(_, _, OPEN)));
        let own = if self.lead.is_some() { start } else { body };
        let is_one = (!goes_on || open) && !is_made_up(&text[own..end]);
        is_one.then_some((start, end))
    }
}

/// True if a token can begin here: not inside a word, but right after `%3D` or a written `\n`.
pub(super) fn begins_at(text: &[u8], at: usize) -> bool {
    match text[..at] {
        [] => true,
        [.., last] if !is(last, WORD) => true,
        [.., b'%', high, low] => is(high, ANY_HEX) && is(low, ANY_HEX),
        [.., b'\\', b'n' | b't' | b'r'] => true,
        // As Telegram's URLs have it.
        [.., b'/', b'b', b'o', b't'] => true,
        _ => false,
    }
}

/// How often a token may be cut in two by the end of a line.
const MAX_FOLDS: usize = 3;

/// How many characters of a token stand before such a cut at least.
const BEFORE_FOLD: usize = 4;

/// The end of a run. One that is too short at the end of a line goes on in the next, as mail and terminals cut it.
fn run(text: &[u8], from: usize, class: Class, min: usize, max: usize) -> Option<usize> {
    let (mut at, mut count, mut folds) = (from, 0, 0);
    loop {
        let end = run_end_within(text, at, class, max - count);
        count += end - at;
        if count >= min {
            return Some(end);
        }
        if folds == MAX_FOLDS || count < BEFORE_FOLD {
            return None;
        }
        at = next_line(text, end)?;
        folds += 1;
    }
}

/// The first character of the next line, when the line ends here; marks of a quotation are passed over.
fn next_line(text: &[u8], at: usize) -> Option<usize> {
    // With a sign that it goes on: of a shell, PowerShell, Windows, mail.
    let rest = match text.get(at) {
        Some(b'\\' | b'`' | b'^' | b'=') => &text[at + 1..],
        _ => &text[at..],
    };
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
    let rest = rest.strip_prefix(b"\n")?;
    const MAX_INDENT: usize = 24;
    let indent = leading_within(rest, MAX_INDENT, |byte| b" \t>".contains(byte));
    Some(text.len() - rest.len() + indent)
}
