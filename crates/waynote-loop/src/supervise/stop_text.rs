//! Finding the text by which an agent says that everything is done.
//!
//! It counts only as a line that is the text alone: agents quote it, plan it and deny it, and some clients print their
//! prompt. Clients that print JSON have it in one of their strings: there, too, a line of the decoded string counts.

use std::borrow::Cow;

use serde_json::Value;

/// The text that ends a loop, in one line.
pub(crate) struct StopText(String);

/// A longer line is not looked at.
const LINE_BYTES: usize = 4 * 1024 * 1024;

/// Strings of JSON that hold JSON, and so on.
const LEVELS: usize = 3;

impl StopText {
    /// None if there is no text to look for.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// True if a line is the text alone, or JSON that says so.
    fn is_said(&self, line: &str, levels: usize) -> bool {
        let line = plain(line);
        let line = line.trim();
        line == self.0 || levels > 0 && json(line).is_some_and(|json| self.is_in(&json, levels - 1))
    }

    fn is_in(&self, json: &Value, levels: usize) -> bool {
        match json {
            Value::String(text) => text.lines().any(|line| self.is_said(line, levels)),
            Value::Array(values) => values.iter().any(|value| self.is_in(value, levels)),
            Value::Object(fields) => fields.values().any(|value| self.is_in(value, levels)),
            _ => false,
        }
    }
}

/// The line without a terminal's colours.
fn plain(line: &str) -> Cow<'_, str> {
    match line.contains('\u{1b}') {
        true => anstream::adapter::strip_str(line).to_string().into(),
        false => line.into(),
    }
}

/// A line that is JSON: a whole document, or one line of a document with a value or a field on each.
fn json(line: &str) -> Option<Value> {
    if !line.starts_with(['{', '[', '"']) {
        return None;
    }
    let value = line.strip_suffix(',').unwrap_or(line);
    let parsed = serde_json::from_str(value);
    match parsed {
        Err(_) if value.starts_with('"') => serde_json::from_str(&format!("{{{value}}}")).ok(),
        parsed => parsed.ok(),
    }
}

/// One stream's search. It keeps at most a line.
pub(crate) struct Search<'u> {
    until: &'u StopText,
    /// The unfinished line.
    held: Vec<u8>,
    /// True if that line is too long to be looked at.
    is_long: bool,
}

impl<'u> Search<'u> {
    pub(crate) fn new(until: &'u StopText) -> Self {
        Self {
            until,
            held: Vec::new(),
            is_long: false,
        }
    }

    /// Looks at what comes next.
    pub(crate) fn feed(&mut self, chunk: &[u8]) -> bool {
        let mut rest = chunk;
        // A line that a terminal would write over ends, too.
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            self.hold(&rest[..end]);
            rest = &rest[end + 1..];
            if self.finish() {
                return true;
            }
        }
        self.hold(rest);
        false
    }

    /// Looks at what is left when the line or the stream has ended.
    pub(crate) fn finish(&mut self) -> bool {
        let is_said = !self.is_long
            && self
                .until
                .is_said(&String::from_utf8_lossy(&self.held), LEVELS);
        self.held.clear();
        self.is_long = false;
        is_said
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.is_long |= self.held.len() + bytes.len() > LINE_BYTES;
        match self.is_long {
            true => self.held = Vec::new(),
            false => self.held.extend_from_slice(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_seen(text: &str, chunks: &[&str]) -> bool {
        let until = StopText::new(text).unwrap();
        let mut search = Search::new(&until);
        let seen = chunks.iter().any(|chunk| search.feed(chunk.as_bytes()));
        seen || search.finish()
    }

    #[test]
    fn only_a_line_that_is_the_text_alone_counts() {
        for said in [
            "ALL_DONE",
            "working\nALL_DONE\n",
            "  ALL_DONE\t\r\nbye",
            "\u{1b}[1mALL_DONE\u{1b}[0m\n",
            "50 %\rALL_DONE\r",
            r#"{"type":"result","result":"Done.\nALL_DONE"}"#,
            r#"{"message":{"content":[{"type":"text","text":"ALL_DONE"}]}}"#,
            "{\n  \"id\": 1,\n  \"response\": \"Done.\\nALL_DONE\",\n  \"x\": 2\n}\n",
            "[\n  \"ALL_DONE\",\n  2\n]",
            r#"{"item":"{\"text\":\"Done.\\nALL_DONE\"}"}"#,
            "\"ALL_DONE\"",
        ] {
            assert!(is_seen("ALL_DONE", &[said]), "{said}");
        }
        for said in [
            "I am not printing ALL_DONE yet",
            "When all is done, print ALL_DONE, and call session_complete(summary).",
            "7. ALL_DONE",
            "+ALL_DONE",
            "> ALL_DONE",
            "- [ ] print `ALL_DONE`",
            "ALL_DONE.",
            "ALL_DONE!",
            "NOT_ALL_DONE",
            "all_done",
            "ALL_\nDONE",
            "print \"ALL_DONE\" at the end",
            "\"ALL_DONE\" is what I print at the end",
            r#"{"text":"I will print ALL_DONE"}"#,
            r#"{"ALL_DONE":1}"#,
            r#"{"text":"ALL_DONE""#,
        ] {
            assert!(!is_seen("ALL_DONE", &[said]), "{said}");
        }
        assert!(StopText::new(" \n").is_none());
    }

    #[test]
    fn a_text_that_json_escapes_is_found() {
        let said = r#"{"text":"so: \u2713\nsay \"done\" \u2713"}"#;
        assert!(is_seen("say \"done\" ✓", &[said]));
        assert!(is_seen(" say \"done\" ✓\n", &[said]));
        assert!(!is_seen("\"done\" ✓", &[said]));
    }

    #[test]
    fn a_line_without_an_end_takes_little_memory() {
        let until = StopText::new("DONE").unwrap();
        let mut search = Search::new(&until);
        for _ in 0..200 {
            assert!(!search.feed(&[b'x'; 64 * 1024]));
            assert!(search.held.capacity() <= 2 * LINE_BYTES);
        }
        assert!(!search.feed(b"\n"));
        assert!(search.feed(b"DONE\n"));
    }

    proptest! {
        #[test]
        fn how_it_is_cut_does_not_matter(
            output in "[ab \n]{0,80}", cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(output.len() + 1)).collect();
            at.extend([0, output.len()]);
            at.sort_unstable();
            let chunks: Vec<&str> = at.windows(2).map(|pair| &output[pair[0]..pair[1]]).collect();
            let expected = output.split('\n').any(|line| line.trim() == "ab");
            prop_assert_eq!(is_seen("ab", &chunks), expected);
        }
    }
}
