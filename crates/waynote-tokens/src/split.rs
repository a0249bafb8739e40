//! A text in pieces that are merged one by one, as o200k's pattern cuts it.
//!
//! The pattern, in order: letters with one character before them and an English contraction after (small letters at the end,
//! or only capitals), up to three digits, other signs with a blank before and line ends or slashes after, blanks up to
//! the last line end, blanks but the last before a word, blanks. A regular expression for it takes longer to compile
//! than a prompt block takes to count.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// The pieces of a text, which together are the text.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = first_piece(rest)?;
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(piece)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Capital or title case.
    Upper,
    /// Small.
    Lower,
    /// Letters without case, modifiers.
    Other,
    /// Marks: count as letters inside a word and as other signs outside.
    Mark,
    Number,
    Space,
    LineEnd,
    Sign,
}

impl Class {
    fn of(char: char) -> Self {
        match char {
            'a'..='z' => return Self::Lower,
            'A'..='Z' => return Self::Upper,
            '0'..='9' => return Self::Number,
            '\n' | '\r' => return Self::LineEnd,
            _ if char.is_whitespace() => return Self::Space,
            _ if char.is_ascii() => return Self::Sign,
            _ => {}
        }
        match get_general_category(char) {
            Category::UppercaseLetter | Category::TitlecaseLetter => Self::Upper,
            Category::LowercaseLetter => Self::Lower,
            Category::ModifierLetter | Category::OtherLetter => Self::Other,
            Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark => {
                Self::Mark
            }
            Category::DecimalNumber | Category::LetterNumber | Category::OtherNumber => {
                Self::Number
            }
            _ => Self::Sign,
        }
    }

    /// May stand at the beginning of a word.
    fn begins(self) -> bool {
        matches!(self, Self::Upper | Self::Other | Self::Mark)
    }

    /// May stand at the end of a word.
    fn ends(self) -> bool {
        matches!(self, Self::Lower | Self::Other | Self::Mark)
    }

    /// May stand before a word.
    fn leads(self) -> bool {
        matches!(self, Self::Mark | Self::Space | Self::Sign)
    }
}

/// The length in bytes of the first piece; none at the end.
fn first_piece(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let class = Class::of(first);
    let after_first = first.len_utf8();
    let leads = class.leads().then_some(after_first);
    let word = leads
        .and_then(|start| word_with_end(text, start))
        .or_else(|| word_with_end(text, 0))
        .or_else(|| leads.and_then(|start| capitals(text, start)))
        .or_else(|| capitals(text, 0));
    if let Some(end) = word {
        return Some(end + contraction(&text[end..]));
    }
    if class == Class::Number {
        let digits = text
            .chars()
            .take(3)
            .take_while(|char| Class::of(*char) == Class::Number);
        return Some(digits.map(char::len_utf8).sum());
    }
    signs(text, if first == ' ' { 1 } else { 0 }).or_else(|| Some(blanks(text)))
}

/// Capitals, then small letters, from `start`: where they end, if they end in a letter that may.
fn word_with_end(text: &str, start: usize) -> Option<usize> {
    let mut last_end = None;
    let mut chars = text[start..]
        .char_indices()
        .map(|(at, char)| (start + at + char.len_utf8(), Class::of(char)));
    let mut next = chars.next();
    while let Some((end, class)) = next.filter(|(_, class)| class.begins()) {
        if class.ends() {
            last_end = Some(end);
        }
        next = chars.next();
    }
    while let Some((end, _)) = next.filter(|(_, class)| class.ends()) {
        last_end = Some(end);
        next = chars.next();
    }
    last_end
}

/// A run of what begins words, from `start`: where it ends, if there is any.
fn capitals(text: &str, start: usize) -> Option<usize> {
    let run = text[start..]
        .chars()
        .take_while(|char| Class::of(*char).begins());
    let length: usize = run.map(char::len_utf8).sum();
    (length > 0).then_some(start + length)
}

/// The length of an English contraction at the beginning: `'s`, `'re`, …
fn contraction(text: &str) -> usize {
    let Some(after) = text.strip_prefix('\'') else {
        return 0;
    };
    let mut chars = after.chars();
    let (first, second) = (chars.next(), chars.next());
    let lower = |char: Option<char>| char.map(|char| char.to_ascii_lowercase());
    match (lower(first), lower(second)) {
        // The long s folds to s.
        (Some('\u{17f}'), _) => 1 + '\u{17f}'.len_utf8(),
        (Some('s' | 't' | 'm' | 'd'), _) => 2,
        (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => 3,
        _ => 0,
    }
}

/// Signs from `start`, with the line ends and slashes after them.
fn signs(text: &str, start: usize) -> Option<usize> {
    let is_sign = |char: &char| matches!(Class::of(*char), Class::Sign | Class::Mark);
    let run: usize = text[start..]
        .chars()
        .take_while(is_sign)
        .map(char::len_utf8)
        .sum();
    if run == 0 {
        return None;
    }
    let end = start + run;
    let tail = text[end..]
        .bytes()
        .take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/'))
        .count();
    Some(end + tail)
}

/// A run of white space: up to its last line end; without one all of it, but the last before something else.
fn blanks(text: &str) -> usize {
    let run: &str = &text[..text
        .chars()
        .take_while(|char| char.is_whitespace())
        .map(char::len_utf8)
        .sum()];
    if let Some(last) = run.rfind(['\r', '\n']) {
        return last + 1;
    }
    match run.char_indices().next_back() {
        Some((last, _)) if last > 0 && run.len() < text.len() => last,
        _ => run.len(),
    }
}
