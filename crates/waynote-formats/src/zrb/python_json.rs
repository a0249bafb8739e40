//! JSON as Python's `json` module reads and writes it, as far as a `notes.json` needs it: texts are read, any other value
//! keeps its form. The output is that of `json.dump(data, indent=2, sort_keys=True)`.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::value::RawValue;
use waynote::json::mend;

/// A value, read only as far as notes need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PyValue {
    String(String),
    /// Anything else, as it stands in the file.
    Other(Box<str>),
}

/// The line of a syntax error, from 1, and the fault.
pub(super) type SyntaxError = (usize, String);

/// Reads an object; of a key that stands twice the last counts. Half a surrogate pair is U+FFFD.
pub(super) fn read_object(text: &str) -> Result<BTreeMap<String, PyValue>, SyntaxError> {
    if !text.trim_ascii_start().starts_with('{') {
        // The parser's own message would quote what is there.
        let reason = "the top level is not an object".into();
        return Err((1, reason));
    }
    let text = String::from_utf8_lossy(&mend(text.as_bytes())).into_owned();
    let parsable = without_nan(&text);
    let entries: BTreeMap<String, &RawValue> =
        serde_json::from_str(&parsable).map_err(|error| syntax_error(&error))?;
    let value = |(key, raw): (String, &RawValue)| match serde_json::from_str(raw.get()) {
        Ok(text) => (key, PyValue::String(text)),
        Err(_) => {
            let at = raw.get().as_ptr() as usize - parsable.as_ptr() as usize;
            (key, PyValue::Other(text[at..][..raw.get().len()].into()))
        }
    };
    Ok(entries.into_iter().map(value).collect())
}

/// The text with Python's `NaN` and `Infinity` as numbers of the same length, which the parser takes.
fn without_nan(text: &str) -> String {
    let mut in_string = false;
    let parts = text.split('"').map(|part| {
        if !in_string {
            in_string = true;
            return part.replace("NaN", "0.0").replace("Infinity", "0.000000");
        }
        let backslashes = part.len() - part.trim_end_matches('\\').len();
        in_string = backslashes % 2 == 1;
        part.to_owned()
    });
    parts.collect::<Vec<_>>().join("\"")
}

/// serde_json's message, and its line.
fn syntax_error(error: &serde_json::Error) -> SyntaxError {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    (error.line().max(1), reason)
}

/// Writes an object: keys by code point, two blanks, ASCII only, no final newline.
pub(super) fn write_object(object: &BTreeMap<String, PyValue>) -> String {
    let members = object.iter().map(|(key, value)| {
        let value = match value {
            PyValue::String(text) => string(text),
            PyValue::Other(other) => other.to_string(),
        };
        format!("\n  {}: {value}", string(key))
    });
    let members: Vec<String> = members.collect();
    let end = if members.is_empty() { "" } else { "\n" };
    format!("{{{}{end}}}", members.join(","))
}

/// A string in ASCII, escaped as `ensure_ascii` does.
fn string(text: &str) -> String {
    let mut out = String::new();
    for char in serde_json::Value::from(text).to_string().chars() {
        if matches!(char, ' '..='~') {
            out.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
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
                r#"{"b": 1, "a": "é🧠\u007f\b\u001f\"\\"}"#,
                "{\n  \"a\": \"\\u00e9\\ud83e\\udde0\\u007f\\b\\u001f\\\"\\\\\",\n  \"b\": 1\n}",
            ),
            (
                r#"{"NaN": "Infinity \" NaN", "n": NaN, "i": -Infinity}"#,
                "{\n  \"NaN\": \"Infinity \\\" NaN\",\n  \"i\": -Infinity,\n  \"n\": NaN\n}",
            ),
            (r#"{"a": 1, "a": 2}"#, "{\n  \"a\": 2\n}"),
        ] {
            assert_eq!(rewritten(read), written);
            assert_eq!(rewritten(written), written);
        }
        // A value that is no text stays as Python wrote it, also one that no number here can hold.
        let other =
            "{\n  \"k\": [\n    1e+16,\n    123456789012345678901234567890,\n    NaN\n  ]\n}";
        assert_eq!(rewritten(other), other);
    }

    #[test]
    fn half_a_surrogate_pair_is_a_replacement_character() {
        let object = read_object(r#"{"a": "cut \ud83d", "b\ude80": "\ud83d\ude80"}"#).unwrap();
        let string = |text: &str| PyValue::String(text.into());
        assert_eq!(object["a"], string("cut \u{FFFD}"));
        assert_eq!(object["b\u{FFFD}"], string("🚀"));
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let damage = |text: &str| {
            let (line, reason) = read_object(text).unwrap_err();
            format!("{line}: {reason}")
        };
        insta::assert_snapshot!(damage("{\n  \"~\": \"old\",\n  \"~/p\": "), @"3: EOF while parsing a value");
        insta::assert_snapshot!(damage("[1]"), @"1: the top level is not an object");
        insta::assert_snapshot!(damage("{} x"), @"1: trailing characters");
        insta::assert_snapshot!(damage("{\"a\": 1,}"), @"1: trailing comma");
        insta::assert_snapshot!(damage("{\"a\":\n\"x\ny\"}"), @"2: control character (\\u0000-\\u001F) found while parsing a string");
    }

    #[test]
    fn a_value_that_is_no_text_takes_no_more_memory_than_the_file() {
        let value = format!("{}0{}", "[".repeat(600_000), "]".repeat(600_000));
        let object = read_object(&format!("{{\"k\": {value}}}")).unwrap();
        assert_eq!(object["k"], PyValue::Other(value.into()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}") {
            let _ = read_object(&text);
        }

        #[test]
        fn what_is_written_is_json_with_the_same_strings(object in proptest::collection::btree_map(".{0,8}", ".{0,20}", 0..5)) {
            let entries = object.iter().map(|(key, value)| (key.clone(), PyValue::String(value.clone())));
            let written = write_object(&entries.collect());
            let read: BTreeMap<String, String> = serde_json::from_str(&written).unwrap();
            proptest::prop_assert!(written.is_ascii());
            proptest::prop_assert_eq!(&read, &object);
            proptest::prop_assert_eq!(rewritten(&written), written);
        }
    }
}
