//! Scans a JSON message without parsing all of it, for its id and its number of values.

use serde_json::Value;

/// The most values in a message: each takes up memory of its own when it is read.
pub(crate) const MESSAGE_VALUES: usize = 20_000;

/// The longest id that is looked for, in bytes.
const ID_BYTES: usize = 256;

/// Takes a message byte by byte, keeping none of it but the id.
#[derive(Default)]
pub(crate) struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The part of the top level that is being read.
    at: ScanPosition,
    /// The bytes of a key or of the id, with their quotation marks.
    taken: Vec<u8>,
    id: Option<Value>,
    values: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ScanPosition {
    /// Anything else.
    #[default]
    Elsewhere,
    /// A key of the message's own object.
    Key,
    /// After the key `id`.
    Id,
}

impl Scan {
    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.take(*byte));
    }

    /// The message's id: a number or a text, if it has one.
    pub(crate) fn id(self) -> Option<Value> {
        self.id
    }

    /// How many values there are at most, those in arrays and objects counted.
    pub(crate) fn values(&self) -> usize {
        self.values + 1
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.values += 1;
                self.at = if self.depth == 1 && byte == b'{' {
                    ScanPosition::Key
                } else {
                    ScanPosition::Elsewhere
                };
                self.taken.clear();
            }
            b'}' | b']' => {
                self.end();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => {
                self.end();
                self.values += 1;
                if self.depth == 1 {
                    self.at = ScanPosition::Key;
                }
            }
            b':' => {
                if self.at == ScanPosition::Key {
                    self.at = if self.taken == b"\"id\"" {
                        ScanPosition::Id
                    } else {
                        ScanPosition::Elsewhere
                    };
                    self.taken.clear();
                }
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.at != ScanPosition::Elsewhere && self.taken.len() < ID_BYTES {
            self.taken.push(byte);
        }
    }

    /// A value of the top level is over.
    fn end(&mut self) {
        if self.depth == 1 && self.at == ScanPosition::Id {
            let id = serde_json::from_slice(&self.taken).ok();
            self.id = id.filter(|id: &Value| id.is_i64() || id.is_string());
        }
        if self.depth == 1 {
            self.at = ScanPosition::Elsewhere;
            self.taken.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(message: &str) -> Option<Value> {
        let mut scan = Scan::default();
        scan.feed(message.as_bytes());
        scan.id()
    }

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        assert_eq!(id(r#"{"id": 7, "method": "x"}"#), Some(7.into()));
        assert_eq!(
            id(r#"{"params":{"id":1,"a":["id",{"id":2}]},"id":"a\"b"}"#),
            Some("a\"b".into())
        );
        assert_eq!(id(r#"{"text":"\"id\":3,","id" : -4}"#), Some((-4).into()));
        assert_eq!(id(r#"{"id":5,"cut off"#), Some(5.into()));
    }

    #[test]
    fn what_is_no_id_is_none() {
        for message in [
            r#"{"params":{"id":1}}"#,
            r#"[{"id":1}]"#,
            r#"{"id":{"id":1}}"#,
            r#"{"id":[1]}"#,
            r#"{"id":1.5}"#,
            r#"{"id":null}"#,
            r#"{"key":"id","other":1}"#,
            "",
            "\"id\":1",
        ] {
            assert_eq!(id(message), None, "{message}");
        }
    }

    #[test]
    fn values_are_counted_outside_texts() {
        let mut scan = Scan::default();
        scan.feed(br#"{"a":[1,2,{"b":",[{"}],"c":3}"#);
        assert_eq!(scan.values(), 7);
    }
}
