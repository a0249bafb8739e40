//! JSON as Python's `json` module reads and writes it, for files that must come out byte for byte the same.
//!
//! serde_json does the parsing. This module bridges what Python takes and serde_json does not: `NaN` and the
//! infinities (shown to the parser as numbers of the same length), lone surrogates (kept as WTF-8), numbers of
//! any size (kept as their text). The output is that of `json.dump(data, indent=2, sort_keys=True)`.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use waynote::text::line_of;

/// Deeper nesting is refused. Notes are texts, and a value that is no text grows with its depth when it is written: each
/// of its lines is indented.
const MAX_DEPTH: usize = 128;

/// A string that may hold lone surrogates, as WTF-8.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PyString(pub(super) Vec<u8>);

/// A value, read only as far as notes need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PyValue {
    String(PyString),
    /// Anything else, as it stands in the file. It is put into Python's form when it is written.
    Other(Box<str>),
}

/// A syntax error, and its line, from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
    pub(super) reason: String,
}

/// Reads an object; of a key that stands twice the last counts.
pub(super) fn read_object(text: &str) -> Result<BTreeMap<PyString, PyValue>, SyntaxError> {
    if !text.trim_ascii_start().starts_with('{') {
        // The parser's own message would quote what is there.
        return Err(SyntaxError {
            line: 1,
            reason: "the top level is not an object".into(),
        });
    }
    let parsed = parsable(text).map_err(|offset| SyntaxError {
        line: line_of(text, offset),
        reason: "it is nested too deep".into(),
    })?;
    let mut deserializer = serde_json::Deserializer::from_str(&parsed);
    let entries = Entries::deserialize(&mut deserializer).and_then(|entries| {
        deserializer.end()?;
        Ok(entries)
    });
    let entries = entries.map_err(|error| syntax_error(&error))?;
    let mut object = BTreeMap::new();
    for (key, raw) in entries.0 {
        let original = &text[offset_in(&parsed, raw)..][..raw.get().len()];
        let value = match original.starts_with('"') {
            true => read_string(original).map(PyValue::String),
            false => Ok(PyValue::Other(original.into())),
        };
        let value = value.map_err(|reason| SyntaxError {
            line: line_of(text, offset_in(&parsed, raw)),
            reason,
        })?;
        object.insert(key, value);
    }
    Ok(object)
}

/// The offset of a value in the text that it was read from.
fn offset_in(text: &str, raw: &RawValue) -> usize {
    raw.get().as_ptr() as usize - text.as_ptr() as usize
}

/// Writes an object: keys by code point, two blanks, ASCII only, no final newline.
pub(super) fn write_object(object: &BTreeMap<PyString, PyValue>) -> String {
    let mut out = String::new();
    write_members(object.iter(), 0, &mut out, |value, out| match value {
        PyValue::String(string) => write_string(&string.0, out),
        PyValue::Other(text) => write_other(text, out),
    });
    out
}

fn write_members<'v, V: 'v>(
    members: impl ExactSizeIterator<Item = (&'v PyString, V)>,
    depth: usize,
    out: &mut String,
    mut value: impl FnMut(V, &mut String),
) {
    if members.len() == 0 {
        out.push_str("{}");
        return;
    }
    for (index, (key, member)) in members.enumerate() {
        out.push_str(if index == 0 { "{" } else { "," });
        new_line(depth + 1, out);
        write_string(&key.0, out);
        out.push_str(": ");
        value(member, out);
    }
    new_line(depth, out);
    out.push('}');
}

fn new_line(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// The text with Python's non-numbers as numbers of the same length, so that lines and offsets stay. The error is the
/// offset where the text is nested too deep.
fn parsable(text: &str) -> Result<String, usize> {
    let mut out = text.as_bytes().to_vec();
    let (mut index, mut in_string, mut depth) = (0, false, 0_usize);
    while index < out.len() {
        match out[index] {
            b'"' => in_string = !in_string,
            b'\\' if in_string => index += 1,
            _ if in_string => {}
            b'[' | b'{' if depth > MAX_DEPTH => return Err(index),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {
                for (word, number) in [("NaN", "0.0"), ("Infinity", "0.000000")] {
                    // There is a minus infinity, but no minus NaN.
                    let signed = word == "NaN" && index > 0 && out[index - 1] == b'-';
                    if !signed && out[index..].starts_with(word.as_bytes()) {
                        out[index..index + word.len()].copy_from_slice(number.as_bytes());
                    }
                }
            }
        }
        index += 1;
    }
    Ok(String::from_utf8(out).unwrap_or_default())
}

fn read_string(text: &str) -> Result<PyString, String> {
    serde_json::from_str(text).map_err(|error| syntax_error(&error).reason)
}

/// Writes a value of the file as Python writes it: sorted, indented, numbers in its own form.
fn write_other(text: &str, out: &mut String) {
    let parsed = parsable(text).unwrap_or_default();
    let start = out.len();
    if write_value((text, &parsed), 1, out).is_err() {
        // It was read before, so it can be read now. If not, it stays as it is.
        out.truncate(start);
        out.push_str(text);
    }
}

/// Writes a value: as it stands in the file, and as it can be parsed.
fn write_value(
    (text, parsed): (&str, &str),
    depth: usize,
    out: &mut String,
) -> serde_json::Result<()> {
    let part = |raw: &RawValue| {
        let (offset, length) = (offset_in(parsed, raw), raw.get().len());
        (&text[offset..][..length], &parsed[offset..][..length])
    };
    match text.as_bytes().first() {
        Some(b'"') => {
            let string: PyString = serde_json::from_str(text)?;
            write_string(&string.0, out);
        }
        Some(b'{') => {
            let entries: Entries<'_> = serde_json::from_str(parsed)?;
            let members: BTreeMap<PyString, &RawValue> = entries.0.into_iter().collect();
            let mut written = Ok(());
            write_members(members.iter(), depth, out, |raw, out| {
                if written.is_ok() {
                    written = write_value(part(raw), depth + 1, out);
                }
            });
            written?;
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(parsed)?;
            for (index, raw) in items.iter().enumerate() {
                out.push_str(if index == 0 { "[" } else { "," });
                new_line(depth + 1, out);
                write_value(part(raw), depth + 1, out)?;
            }
            if items.is_empty() {
                out.push('[');
            } else {
                new_line(depth, out);
            }
            out.push(']');
        }
        Some(b'0'..=b'9' | b'-') => out.push_str(&number(text)),
        _ => out.push_str(text),
    }
    Ok(())
}

/// A number as Python's `repr` gives it: whole numbers as they are, others by the shortest digits.
fn number(text: &str) -> String {
    if text == "-0" {
        return "0".into();
    }
    if !text.contains(['.', 'e', 'E']) {
        return text.to_owned();
    }
    let Ok(value) = text.parse::<f64>() else {
        return text.to_owned();
    };
    if value.is_infinite() {
        return if value < 0.0 { "-Infinity" } else { "Infinity" }.into();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    match exponent.parse::<i32>() {
        // Python changes to an exponent, of two digits at least, outside 1e-4 .. 1e16.
        Ok(exponent) if !(-4..16).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => format!("{value:?}"),
    }
}

/// A string in ASCII, escaped as `ensure_ascii` does.
fn write_string(wtf8: &[u8], out: &mut String) {
    out.push('"');
    let mut rest = wtf8;
    while !rest.is_empty() {
        // A lone surrogate is the one thing in WTF-8 that UTF-8 has not.
        let surrogate = rest
            .windows(3)
            .position(|bytes| bytes[0] == 0xED && bytes[1] >= 0xA0);
        let (text, after) = rest.split_at(surrogate.unwrap_or(rest.len()));
        String::from_utf8_lossy(text)
            .chars()
            .for_each(|char| write_char(char, out));
        rest = after;
        if let [_, high, low, ..] = rest {
            let unit = 0xD000 | (u32::from(high & 0x3F) << 6) | u32::from(low & 0x3F);
            let _ = write!(out, "\\u{unit:04x}");
            rest = &rest[3..];
        }
    }
    out.push('"');
}

fn write_char(char: char, out: &mut String) {
    match char {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        ' '..='~' => out.push(char),
        _ => {
            for unit in char.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
}

/// serde_json's message without the place, which is told apart.
fn syntax_error(error: &serde_json::Error) -> SyntaxError {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    SyntaxError {
        line: error.line().max(1),
        reason,
    }
}

/// The members of an object in the order of the file.
struct Entries<'de>(Vec<(PyString, &'de RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// serde_json gives the bytes of a string as WTF-8 when bytes are asked for.
impl<'de> Deserialize<'de> for PyString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = PyString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(PyString(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        write_object(&read_object(text).unwrap())
    }

    #[test]
    fn python_writes_what_it_read() {
        // Each pair was made with CPython 3.12: json.dumps(json.loads(a), indent=2, sort_keys=True).
        for (read, written) in [
            ("{}", "{}"),
            (
                r#"{"b": 1, "a": "é🧠\u007f\ud800"}"#,
                "{\n  \"a\": \"\\u00e9\\ud83e\\udde0\\u007f\\ud800\",\n  \"b\": 1\n}",
            ),
            (
                r#"{"k": {"z": [], "y": [1, {"x": null}]}}"#,
                "{\n  \"k\": {\n    \"y\": [\n      1,\n      {\n        \"x\": null\n      }\n    ],\n    \"z\": []\n  }\n}",
            ),
            (
                r#"{"k": [NaN, -Infinity, Infinity]}"#,
                "{\n  \"k\": [\n    NaN,\n    -Infinity,\n    Infinity\n  ]\n}",
            ),
            (
                r#"{"k": [1.0, 1e5, 1e16, 1.5e-7, -0, -0.0, 1e400, 123456789012345678901234567890]}"#,
                "{\n  \"k\": [\n    1.0,\n    100000.0,\n    1e+16,\n    1.5e-07,\n    0,\n    -0.0,\n    Infinity,\n    123456789012345678901234567890\n  ]\n}",
            ),
            (
                r#"{"NaN": "Infinity \" NaN"}"#,
                "{\n  \"NaN\": \"Infinity \\\" NaN\"\n}",
            ),
            (r#"{"a": 1, "a": 2}"#, "{\n  \"a\": 2\n}"),
        ] {
            assert_eq!(rewritten(read), written);
            assert_eq!(rewritten(written), written);
        }
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let damage = |text: &str| {
            let error = read_object(text).unwrap_err();
            format!("{}: {}", error.line, error.reason)
        };
        insta::assert_snapshot!(damage("{\n  \"~\": \"old\",\n  \"~/p\": "), @"3: EOF while parsing a value");
        insta::assert_snapshot!(damage("[1]"), @"1: the top level is not an object");
        insta::assert_snapshot!(damage("{} x"), @"1: trailing characters");
        insta::assert_snapshot!(damage("{\"a\": 1,}"), @"1: trailing comma");
        insta::assert_snapshot!(damage("{\"a\":\n\"x\ny\"}"), @"2: control character (\\u0000-\\u001F) found while parsing a string");
        let nested =
            |depth: usize| format!("{{\n\"a\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        insta::assert_snapshot!(damage(&nested(MAX_DEPTH + 1)), @"2: it is nested too deep");
        insta::assert_snapshot!(damage(&nested(600_000)), @"2: it is nested too deep");
        assert!(read_object(&nested(MAX_DEPTH)).is_ok());
    }

    #[test]
    fn a_value_that_is_no_text_takes_no_more_memory_than_the_file() {
        let depth = MAX_DEPTH - 1;
        let value = format!(
            "{}{}0{}",
            "[".repeat(depth),
            "0,".repeat(10_000),
            "]".repeat(depth)
        );
        let object = read_object(&format!("{{\"k\": {value}}}")).unwrap();
        assert_eq!(
            object.into_values().next(),
            Some(PyValue::Other(value.into()))
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}") {
            let _ = read_object(&text);
        }

        #[test]
        fn what_is_written_is_json_with_the_same_strings(object in proptest::collection::btree_map(".{0,8}", ".{0,20}", 0..5)) {
            let entries = object.iter().map(|(key, value)| {
                let string = |text: &String| PyString(text.clone().into_bytes());
                (string(key), PyValue::String(string(value)))
            });
            let written = write_object(&entries.collect());
            let read: BTreeMap<String, String> = serde_json::from_str(&written).unwrap();
            proptest::prop_assert!(written.is_ascii());
            proptest::prop_assert_eq!(&read, &object);
            proptest::prop_assert_eq!(rewritten(&written), written);
        }
    }
}
