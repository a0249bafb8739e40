//! Names of notes, agents, sessions and log entries. Parsing trims and checks them once.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use scru128::Id;

use crate::content::ContentHash;
use crate::error::{Error, Result};
use crate::secrets::scan;

/// The longest key, in characters (as in openotters).
pub const KEY_CHARS: usize = 64;

/// The longest name of an agent or a session, in bytes.
pub const NAME_BYTES: usize = 200;

/// A note's key: `[a-z0-9][a-z0-9_-]{0,63}` after trimming (as in openotters).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A valid key that is close to the text, for the hint of an error; none if no character of it can be used.
    pub fn suggest(text: &str) -> Option<Self> {
        let mut key = String::new();
        for char in text.trim().chars() {
            let lower = char.to_ascii_lowercase();
            let keep = lower.is_ascii_lowercase() || lower.is_ascii_digit();
            match lower {
                _ if keep => key.push(lower),
                '_' if !key.is_empty() => key.push('_'),
                _ if !key.is_empty() && !key.ends_with('-') => key.push('-'),
                _ => {}
            }
            if key.len() == KEY_CHARS {
                break;
            }
        }
        let key = key.trim_end_matches('-');
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let key = text.trim();
        let body = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let valid = key.len() <= KEY_CHARS
            && key.bytes().next().is_some_and(body)
            && key
                .bytes()
                .all(|byte| body(byte) || byte == b'_' || byte == b'-');
        if valid {
            Ok(Self(key.to_owned()))
        } else {
            Err(Error::InvalidKey {
                key: key.to_owned(),
                // A credential in lower case is still most of the credential.
                suggestion: (scan(key).is_empty().then(|| Self::suggest(key))).flatten(),
            })
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of an agent, a session or an author: trimmed, not empty, without control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = text.trim();
        let reason = if name.is_empty() {
            "it is empty".to_owned()
        } else if name.len() > NAME_BYTES {
            format!("it has {} bytes, the limit is {NAME_BYTES}", name.len())
        } else if let Some(char) = name.chars().find(|char| char.is_control()) {
            format!("it holds the control character U+{:04X}", u32::from(char))
        } else {
            return Ok(Self(name.to_owned()));
        };
        Err(Error::InvalidName {
            name: name.to_owned(),
            reason,
        })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of an entry in a session's log: a SCRU128, whose text sorts by time, as ralph.nu's store uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(Id);

impl EntryId {
    /// The id that follows `last` in its session.
    ///
    /// It contains the time. If the clock stands still or is set back, the id only counts up, so ids always sort in the
    /// order of adding. It has no random part: an id must be unique only in its session, and equal histories give equal
    /// ids. The first bytes of `salt` are part of it.
    pub fn next(last: Option<Self>, now: Timestamp, salt: ContentHash) -> Self {
        const TIMESTAMP_MAX: u64 = (1 << 48) - 1;
        let millis = u64::try_from(now.as_millisecond())
            .unwrap_or(0)
            .min(TIMESTAMP_MAX);
        let [a, b, c, d, ..] = salt.0;
        let entropy = u32::from_be_bytes([a, b, c, d]);
        match last {
            Some(Self(last)) if last.timestamp() >= millis => {
                // Entropy is the lowest part: adding one to it keeps the order and never collides.
                let counted = (last.to_u128() >> 32) + 1;
                Self(Id::from_u128((counted << 32) | u128::from(entropy)))
            }
            _ => Self(Id::from_u128(
                (u128::from(millis) << 80) | u128::from(entropy),
            )),
        }
    }

    /// True if no further id is possible after this one.
    pub fn is_last(self) -> bool {
        self.0.to_u128() >> 32 == u128::MAX >> 32
    }

    /// Its position in the order of adding: larger is later.
    pub(crate) fn order(self) -> u128 {
        self.0.to_u128() >> 32
    }

    /// The time in the id, to the millisecond; the epoch if it is later than any time that can be represented.
    pub fn time(self) -> Timestamp {
        let millis = i64::try_from(self.0.timestamp()).unwrap_or(0);
        Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

impl FromStr for EntryId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let id = text.trim();
        match id.parse() {
            Ok(parsed) => Ok(Self(parsed)),
            Err(_) => Err(Error::InvalidName {
                name: id.to_owned(),
                reason: "an entry's id has 25 digits and letters, as `log list --json` prints it"
                    .into(),
            }),
        }
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Content;

    #[test]
    fn suggestions_are_valid_and_near() {
        let near = |text: &str| Key::suggest(text).map(|key| key.0);
        assert_eq!(near("My Key!"), Some("my-key".into()));
        assert_eq!(near("-a"), Some("a".into()));
        assert_eq!(near("a.b/c"), Some("a-b-c".into()));
        assert_eq!(near("snake_Case"), Some("snake_case".into()));
        assert_eq!(near(&"x".repeat(70)), Some("x".repeat(64)));
        assert_eq!(near("ключ"), None);
        assert_eq!(near(""), None);
    }

    #[test]
    fn ids_follow_the_order_of_adding_whatever_the_clock_does() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let hash = |text: &str| Content::imported(text).hash();
        let first = EntryId::next(None, at(2_000_000_000), hash("z"));
        let same = EntryId::next(Some(first), at(2_000_000_000), hash("a"));
        let back = EntryId::next(Some(same), at(1_000_000_000), hash("b"));
        let later = EntryId::next(Some(back), at(2_000_000_001), hash("c"));
        assert!(first < same && same < back && back < later);
        assert!(first.to_string() < same.to_string() && same.to_string() < back.to_string());
        assert_eq!(later.time(), at(2_000_000_001));
        assert_eq!(first.to_string().parse::<EntryId>().unwrap(), first);
    }
}
