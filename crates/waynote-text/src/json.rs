//! JSON as programs really write it.

use std::borrow::Cow;

/// A JSON text that every parser takes: a byte order mark is dropped, and U+FFFD stands for each byte that is not UTF-8
/// and for each half of a surrogate pair, such as the `\ud83d` that JavaScript leaves where it cut an emoji in two.
/// Everything else stays, also mistakes in the JSON itself. A text without these faults is borrowed.
pub fn mend(json: &[u8]) -> Cow<'_, [u8]> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let mut mended = match String::from_utf8_lossy(json) {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    let mut at = 0;
    while let Some(next) = mended[at..].iter().position(|byte| *byte == b'\\') {
        at += next;
        let half = |at| escaped(&mended[at..]).filter(|unit| (0xD800..0xE000).contains(unit));
        at += match half(at) {
            Some(..0xDC00) if half(at + 6).is_some_and(|unit| unit >= 0xDC00) => 12,
            Some(_) => {
                mended.to_mut()[at + 2..at + 6].copy_from_slice(b"FFFD");
                6
            }
            // With the character that is escaped, which may be another backslash.
            None => 2.min(mended.len() - at),
        };
    }
    mended
}

/// The UTF-16 code unit of an escape `\uXXXX` at the beginning of a text.
fn escaped(json: &[u8]) -> Option<u16> {
    let digits = json.strip_prefix(br"\u")?.get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(json: &[u8]) -> String {
        String::from_utf8(mend(json).into_owned()).unwrap()
    }

    #[test]
    fn what_is_valid_is_borrowed() {
        for json in [
            r#"{"a":"\ud83d\ude80 \uD83D\uDE80","b":"\\ud83d","c":"\\\\ud83d\n"}"#,
            r#""é 🚀 \u00e9""#,
            "",
            r"\",
            r"\u",
            r"\ud8",
        ] {
            assert!(
                matches!(mend(json.as_bytes()), Cow::Borrowed(same) if same == json.as_bytes())
            );
        }
        assert!(matches!(mend(b"\xEF\xBB\xBF{}"), Cow::Borrowed(b"{}")));
    }

    #[test]
    fn half_a_pair_is_a_replacement_character() {
        for (json, expected) in [
            (r#""cut \ud83d""#, r#""cut \uFFFD""#),
            (r#""\uDE80 low""#, r#""\uFFFD low""#),
            (r#""\ud83d\ud83d\ude80""#, r#""\uFFFD\ud83d\ude80""#),
            (r#""\ud83d\n\ude80""#, r#""\uFFFD\n\uFFFD""#),
            (r#""\\\ud83d\\ud83d""#, r#""\\\uFFFD\\ud83d""#),
            (r#"{"\ud83d":1}"#, r#"{"\uFFFD":1}"#),
            (r#""\ude80\ud83d""#, r#""\uFFFD\uFFFD""#),
        ] {
            assert_eq!(mended(json.as_bytes()), expected);
        }
    }

    #[test]
    fn a_byte_that_is_not_utf8_is_a_replacement_character() {
        assert_eq!(mended(b"\"a\xFFb\xF0\x9F\x98\""), "\"a\u{FFFD}b\u{FFFD}\"");
        // A surrogate that was written as if it were a character.
        assert!(!mended(b"\"\xED\xA0\xBD\"").contains('\u{D7FF}'));
    }
}
