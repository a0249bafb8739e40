//! Parts of texts for people and models: counts, days, lines cut short, the numbers of lines.

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::Offset;

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A count and what is counted: `1 note`, `2 notes`. Only for nouns that take an `s`.
pub fn plural(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

/// A number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A word for a shell: in quotes where it needs them. The name of a note or a session may hold a command; copied from a
/// hint, it stays one word.
pub fn shell_word(word: &str) -> String {
    // Inside a word, these two have no meaning of their own.
    let inside = |at: usize, char| at > 0 && matches!(char, '#' | '~');
    let plain = |char: char| char.is_ascii_alphanumeric() || "/._-+:@%".contains(char);
    let mut chars = word.char_indices();
    if !word.is_empty() && chars.all(|(at, char)| plain(char) || inside(at, char)) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The beginning of a text, with `…` where it has more characters than that.
pub fn cut(text: &str, most_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most_chars) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The number of the line, from 1, in which a byte stands; of one behind the end, that of the last line.
pub fn line_of(text: impl AsRef<[u8]>, at: usize) -> usize {
    let text = text.as_ref();
    let before = &text[..at.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// A limit of time: `2 s`, `40 ms`. Rounded up, so that one that was too short is never shown as none.
pub fn seconds(time: Duration) -> String {
    match time.as_micros().div_ceil(1000) {
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        millis => format!("{millis} ms"),
    }
}

/// The day of a time, in universal time: `2026-05-17`.
pub fn day(time: Timestamp) -> String {
    Offset::UTC.to_datetime(time).date().to_string()
}

/// Day and minute, in universal time: `2026-05-17 12:00`.
pub fn minute(time: Timestamp) -> String {
    let time = Offset::UTC.to_datetime(time);
    format!("{} {:02}:{:02}", time.date(), time.hour(), time.minute())
}

/// The nearest of the words to one that was typed, if one is near.
pub fn nearest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let typed: String = typed.trim().to_lowercase().chars().take(64).collect();
    let edits = |word: &'w str| (strsim::osa_distance(&typed, word), word);
    let (edits, word) = words
        .into_iter()
        .map(edits)
        .min_by_key(|(edits, _)| *edits)?;
    let is_part =
        typed.len() >= 3 && (word.contains(&typed) || (word.len() >= 3 && typed.contains(word)));
    let is_near = edits <= 1 + word.chars().count() / 4;
    (is_near || is_part).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_time_is_shown_in_milliseconds() {
        let micros = [0, 1, 40_000, 999_001, 2_000_000, 2_500_000];
        let shown = micros.map(|micros| seconds(Duration::from_micros(micros)));
        assert_eq!(shown, ["0 s", "1 ms", "40 ms", "1 s", "2 s", "2500 ms"]);
    }

    #[test]
    fn one_is_no_plural() {
        let of = [0, 1, 2].map(|count| plural(count, "note"));
        assert_eq!(of, ["0 notes", "1 note", "2 notes"]);
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        assert_eq!(cut("über", 4), "über");
        assert_eq!(cut("über", 3), "übe…");
        assert_eq!(cut("", 0), "");
    }

    #[test]
    fn lines_are_counted_from_one() {
        let text = "a\nb\n";
        let lines = [0, 1, 2, 4, 99].map(|at| line_of(text, at));
        assert_eq!(lines, [1, 1, 2, 3, 3]);
    }

    #[test]
    fn times_are_universal() {
        let time = "2026-05-17T01:02:03+02:00".parse().unwrap();
        assert_eq!(
            (day(time), minute(time)),
            ("2026-05-16".into(), "2026-05-16 23:02".into())
        );
    }

    #[test]
    fn typing_errors_find_their_word() {
        let words = ["content", "type", "key", "if_revision"];
        assert_eq!(nearest("contnet", words), Some("content"));
        assert_eq!(nearest("Key", words), Some("key"));
        assert_eq!(nearest("revision", words), Some("if_revision"));
        assert_eq!(nearest("tpye", words), Some("type"));
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest("x", []), None);
    }
}
