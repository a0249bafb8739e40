//! Undoing codes in a text that an agent read, changed and writes back: they become characters again.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::align::aligned;
use super::{Code, Form, codes};

/// The text that an agent wrote in the place of `original`, of which it saw the shown form: each code (`<U+202E>`,
/// `&lt;`) that stands where `original` has the character itself becomes that character.
///
/// A code stands at the same place if what is beside it was there before, or if its line is one of `original`, moved
/// perhaps. All other codes stay: those that `original` holds as text, and those that the agent writes as text. A NUL
/// is not put back, since no note may be written with one.
pub fn restored<'w>(original: &str, written: &'w str) -> Cow<'w, str> {
    let mut ids = HashMap::new();
    let new = parts(written, &mut ids);
    if !new.iter().any(|part| part.kind == Kind::Literal) {
        return Cow::Borrowed(written);
    }
    let old = parts(original, &mut ids);
    if !old.iter().any(|part| part.kind == Kind::Real) {
        return Cow::Borrowed(written);
    }
    let mut sources = in_place(&old, &new);
    in_moved_lines(&old, &new, &mut sources);
    let mut out = String::with_capacity(written.len());
    for (part, source) in new.iter().zip(sources) {
        let source = source.filter(|at| part.kind == Kind::Literal && old[*at].kind == Kind::Real);
        let source = source.map(|at| &original[old[at].range.clone()]);
        let own = &written[part.range.clone()];
        out.push_str(source.filter(|text| *text != "\0").unwrap_or(own));
    }
    Cow::Owned(out)
}

/// True if a text may hold a code that [`restored`] would make a character again: quick to tell, and no for most texts.
pub fn may_hold_codes(text: &str) -> bool {
    text.contains("<U+") || text.contains(BRACKET)
}

/// All matches, overlapping ones too, of a pattern that was taken from the text as it is, or as
/// [`editable`](super::editable) shows it.
pub fn find(text: &str, pattern: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = overlapping(text, pattern)
        .map(|at| at..at + pattern.len())
        .collect();
    let (mut shown, mut after) = (String::new(), 0);
    // The end of each code in the shown form, how much longer the form is until there, and where the code begins.
    let mut ends: Vec<(Range<usize>, usize)> = Vec::new();
    for (at, code) in codes(text, Form::Editable) {
        shown.push_str(&text[after..at]);
        let begin = shown.len();
        shown.push_str(&code.to_string());
        after = at + code.len();
        ends.push((begin..shown.len(), shown.len() - after));
    }
    if ends.is_empty() {
        return found;
    }
    shown.push_str(&text[after..]);
    // A place in the shown form as one in the text, unless it is inside a code.
    let place = |at: usize| {
        let next = ends.partition_point(|(code, _)| code.end <= at);
        let is_inside = ends.get(next).is_some_and(|(code, _)| code.start < at);
        let longer = next.checked_sub(1).map_or(0, |last| ends[last].1);
        (!is_inside).then(|| at - longer)
    };
    found.extend(overlapping(&shown, pattern).filter_map(|at| {
        let (begin, end) = (place(at)?, place(at + pattern.len())?);
        Some(begin..end)
    }));
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup();
    found
}

/// The offsets of the pattern, overlapping ones too.
fn overlapping(text: &str, pattern: &str) -> impl Iterator<Item = usize> {
    let step = pattern.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(pattern)?;
        from = at + step;
        Some(at)
    })
}

/// A part of a text: a word, any other character, or a code.
struct Part {
    range: Range<usize>,
    /// Equal parts have equal ids: a character that is shown as a code, and that code as text.
    id: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A character that some form shows as a code.
    Real,
    /// A code as text.
    Literal,
    LineEnd,
    Blank,
    Other,
}

impl Kind {
    /// True if the part tells one place in a text from another.
    fn tells(self) -> bool {
        self == Self::Other
    }
}

/// The parts of a text, in order and without gaps.
fn parts(text: &str, ids: &mut HashMap<String, usize>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut id = |shown: Cow<'_, str>| match ids.get(shown.as_ref()) {
        Some(id) => *id,
        None => {
            ids.insert(shown.into_owned(), ids.len());
            ids.len() - 1
        }
    };
    let mut after = 0;
    let codes = codes(text, Form::Every);
    let ends = codes.iter().map(|(at, code)| (*at, Some(*code)));
    for (at, code) in ends.chain([(text.len(), None)]) {
        while after < at {
            let (length, kind) = first(&text[after..at]);
            let range = after..after + length;
            let id = id(Cow::Borrowed(&text[range.clone()]));
            parts.push(Part { range, id, kind });
            after += length;
        }
        if let Some(code) = code {
            let range = at..at + Code::len(code);
            let id = id(Cow::Owned(code.to_string()));
            let kind = Kind::Real;
            after = range.end;
            parts.push(Part { range, id, kind });
        }
    }
    parts
}

/// The length and kind of the part with which a text begins that has no character that any form shows as a code.
fn first(text: &str) -> (usize, Kind) {
    if let Some(length) = literal(text) {
        return (length, Kind::Literal);
    }
    let word = text.find(|char: char| !char.is_alphanumeric());
    match (word.unwrap_or(text.len()), text.chars().next()) {
        (0, Some('\n')) => (1, Kind::LineEnd),
        (0, Some(char)) if char.is_whitespace() => (char.len_utf8(), Kind::Blank),
        (0, char) => (char.map_or(0, char::len_utf8), Kind::Other),
        (word, _) => (word, Kind::Other),
    }
}

/// The first bracket of a tag, as it is shown.
const BRACKET: &str = "&lt;";

/// The length of the code with which a text begins.
fn literal(text: &str) -> Option<usize> {
    if text.starts_with(BRACKET) {
        return Some(BRACKET.len());
    }
    let digits = text.strip_prefix("<U+")?;
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    let count = digits.bytes().take(7).take_while(is_digit).count();
    let is_code = (4..=6).contains(&count) && digits[count..].starts_with('>');
    is_code.then_some("<U+".len() + count + ">".len())
}

/// For each new part the old one that it is, if it is one and stands where that stood.
fn in_place(old: &[Part], new: &[Part]) -> Vec<Option<usize>> {
    let id = |part: &Part| part.id;
    let old_ids: Vec<usize> = old.iter().map(id).collect();
    let new_ids: Vec<usize> = new.iter().map(id).collect();
    let found = aligned(&old_ids, &new_ids);
    let mut is_left = vec![false; old.len()];
    found.iter().flatten().for_each(|at| is_left[*at] = true);
    // The places between the parts, seen from the left and from the right, each with its neighbour.
    let mut is_beside = vec![[Beside::Nothing; 2]; new.len()];
    for (side, step) in [(0, -1), (1, 1)] {
        let neighbour =
            |at: usize, of: &[Part]| at.checked_add_signed(step).filter(|at| *at < of.len());
        let order = 0..new.len();
        let order: Box<dyn Iterator<Item = usize>> = match side {
            0 => Box::new(order),
            _ => Box::new(order.rev()),
        };
        for at in order {
            let Some(was) = found[at] else { continue };
            is_beside[at][side] = match (neighbour(was, old), neighbour(at, new)) {
                (None, None) => Beside::Same,
                (Some(was), Some(is)) if found[is] == Some(was) => match new[is].kind.tells() {
                    true => Beside::Same,
                    false => is_beside[is][side],
                },
                // One part in the place of another, between parts that are the same.
                (Some(was), Some(is)) if found[is].is_none() && !is_left[was] => {
                    match (neighbour(was, old), neighbour(is, new)) {
                        (None, None) => Beside::Replaced,
                        (Some(was), Some(is)) if found[is] == Some(was) => Beside::Replaced,
                        _ => Beside::Nothing,
                    }
                }
                _ => Beside::Nothing,
            };
        }
    }
    let stands = |beside: &[Beside; 2]| match beside {
        [Beside::Same, _] | [_, Beside::Same] => true,
        [one, other] => *one == Beside::Replaced && *other == Beside::Replaced,
    };
    let both = found.into_iter().zip(&is_beside);
    both.map(|(found, beside)| found.filter(|_| stands(beside)))
        .collect()
}

/// The neighbour of a part, apart from blanks and codes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// The neighbour it had before, or the end of the text on both sides.
    Same,
    /// One other part in the place of one.
    Replaced,
    Nothing,
}

/// Sources for the codes in lines that are as a line of the old text was shown.
fn in_moved_lines(old: &[Part], new: &[Part], sources: &mut [Option<usize>]) {
    let ids = |line: &[Part]| line.iter().map(|part| part.id).collect::<Vec<_>>();
    let kinds = |line: &[Part]| line.iter().map(|part| part.kind).collect::<Vec<_>>();
    // The start of each line, unless another one is shown alike.
    let mut lines: HashMap<Vec<usize>, Option<usize>> = HashMap::new();
    let mut at = 0;
    for line in old.split_inclusive(|part| part.kind == Kind::LineEnd) {
        let begin = at;
        at += line.len();
        let line = without_end(line);
        if line.iter().any(|part| part.kind.tells())
            && line.iter().any(|part| part.kind == Kind::Real)
        {
            let same = lines.entry(ids(line)).or_insert(Some(begin));
            let is_alike = |begin: usize| kinds(&old[begin..begin + line.len()]) == kinds(line);
            *same = same.filter(|begin| is_alike(*begin));
        }
    }
    let mut at = 0;
    for line in new.split_inclusive(|part| part.kind == Kind::LineEnd) {
        let begin = at;
        at += line.len();
        let line = without_end(line);
        let lacks = |(part, source): (&Part, &Option<usize>)| {
            part.kind == Kind::Literal && source.is_none()
        };
        if !line.iter().zip(&sources[begin..]).any(lacks) {
            continue;
        }
        if let Some(Some(was)) = lines.get(&ids(line)) {
            for (offset, source) in sources[begin..begin + line.len()].iter_mut().enumerate() {
                *source = source.or(Some(was + offset));
            }
        }
    }
}

fn without_end(line: &[Part]) -> &[Part] {
    match line {
        [line @ .., end] if end.kind == Kind::LineEnd => line,
        line => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visible::{editable, for_model, is_invisible};

    /// The result, codes as escapes, of writing `written` in the place of `original`.
    fn of(original: &str, written: &str) -> String {
        restored(original, written).escape_debug().to_string()
    }

    #[test]
    fn a_text_that_was_read_and_changed_is_as_it_was_elsewhere() {
        for (original, written, want) in [
            // One word changed, on either side of a code, and on both.
            ("one\u{202e}two", "1<U+202E>two", "1\\u{202e}two"),
            ("one\u{202e}two", "one<U+202E>2", "one\\u{202e}2"),
            ("a one\u{202e}two b", "a 1<U+202E>2 b", "a 1\\u{202e}2 b"),
            ("\u{feff}one", "<U+FEFF>two", "\\u{feff}two"),
            // Codes that were text stay text, those that the agent adds too.
            (
                "real \u{202e} and <U+202E> as text",
                "real <U+202E> or <U+202E> as text",
                "real \\u{202e} or <U+202E> as text",
            ),
            (
                "<U+202E> as text and real \u{202e}",
                "<U+202E> as text or real <U+202E>",
                "<U+202E> as text or real \\u{202e}",
            ),
            (
                "a \u{202e}b c",
                "about <U+202E>: a <U+202E>b c",
                "about <U+202E>: a \\u{202e}b c",
            ),
            (
                "stop\u{202e} now",
                "stop now; it had <U+202E> in it",
                "stop now; it had <U+202E> in it",
            ),
            (
                "x \u{202e} y",
                "Here is how <U+202E> is written down",
                "Here is how <U+202E> is written down",
            ),
            // Tags of clients.
            (
                "use <system-reminder> and &lt;b>",
                "mind &lt;system-reminder> and &lt;b>",
                "mind <system-reminder> and &lt;b>",
            ),
            // Lines that moved, and one of them twice.
            (
                "- a\u{1b}[2J\n- b\n- c\u{7}",
                "- c<U+0007>\n- b\n- a<U+001B>[2J\n- c<U+0007>",
                "- c\\u{7}\\n- b\\n- a\\u{1b}[2J\\n- c\\u{7}",
            ),
            // From the block, which shows more as codes.
            (
                "so\u{ad}ft\rone",
                "so<U+00AD>ft<U+000D>two",
                "so\\u{ad}ft\\rtwo",
            ),
            ("nul\0 one", "nul<U+0000> two", "nul<U+0000> two"),
        ] {
            assert_eq!(of(original, written), want, "{original:?}");
        }
    }

    /// Every character there is, in lines of which one changes.
    #[test]
    fn every_character_comes_back() {
        let all: Vec<char> = ('\u{1}'..=char::MAX).collect();
        let coded = all.iter().copied();
        let coded = coded.filter(|char| char.is_control() || is_invisible(*char));
        let coded: Vec<char> = coded.chain("<&".chars()).collect();
        for (chars, show) in [(&all, editable as fn(&str) -> String), (&coded, for_model)] {
            for chars in chars.chunks(4096) {
                let lines: String = chars.iter().map(|char| format!("a{char}b\n")).collect();
                let text = |word: &str| format!("{word} <U+202E> <system>\n{lines}{word} <U+0007>");
                let written = show(&text("old")).replace("old", "new");
                assert!(
                    restored(&text("old"), &written) == text("new"),
                    "{:?}",
                    chars[0]
                );
            }
        }
    }

    #[test]
    fn a_pattern_is_found_as_it_is_shown() {
        let text = "one\u{202e}two <U+202E> <system>\r\n";
        for (pattern, want) in [
            ("<U+202E>", "[3..6, 10..18]"),
            ("one<U+202E>two", "[0..9]"),
            ("one\u{202e}two", "[0..9]"),
            ("two <U+202E> &lt;system>\r", "[6..28]"),
            ("<system", "[19..26]"),
            ("U+202E", "[11..17]"),
            ("t;system", "[]"),
        ] {
            assert_eq!(format!("{:?}", find(text, pattern)), want, "{pattern}");
        }
        assert_eq!(find("aaa", "aa"), [0..2, 1..3]);
        assert_eq!(find("é é\né", "é"), [0..2, 3..5, 6..8]);
    }

    /// As many codes as a note can have, everything around them new: no second.
    #[test]
    fn texts_of_any_kind_take_little_time() {
        let original = "\u{202e}a".repeat(30_000);
        for written in ["<U+202E>a ", "b<U+202E>", "<U+202E>\n"] {
            let written = written.repeat(25_000);
            assert!(restored(&original, &written).len() <= written.len());
        }
    }
}
