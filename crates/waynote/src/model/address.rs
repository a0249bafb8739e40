//! Addresses: the names of notes, in output and in input.
//!
//! `place:~/p`, `place:~/p#key`, `repo:github.com/acme/shop//src#key`, `agent:name#key`, `session:name#id`; `@REVISION` for
//! an older one.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::error::{Error, Result};
use crate::event::EventAddress;
use crate::key::{EntryId, Key, Name};
use crate::place::{Base, Place};
use crate::scope::{Scope, ScopeKind, no_kind};

/// The characters that are escaped inside a part of an address. Percent-encoding also escapes characters outside ASCII.
/// `encode` leaves those unchanged, so that a path stays readable.
const SPECIAL: &AsciiSet = &CONTROLS.add(b'%').add(b'#').add(b'@');

/// The address of a note.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Address {
    /// A place's own note.
    Place(Place),
    /// A keyed note of a place.
    PlaceKey(Place, Key),
    /// A note in an agent's notebook.
    Agent(Name, Key),
    /// An entry of a session's log.
    Session(Name, EntryId),
}

impl Address {
    /// True if a text looks like an address, valid or not, rather than a path: it begins with `place:`, `repo:`, `agent:`
    /// or `session:`.
    pub fn is_meant(text: &str) -> bool {
        let word = text.split_once(':').map(|(word, _)| word);
        word.is_some_and(|word| ScopeKind::of_address(word).is_some())
    }

    /// The scope that the note belongs to.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Place(place) | Self::PlaceKey(place, _) => Scope::Place(place.clone()),
            Self::Agent(name, _) => Scope::Agent(name.clone()),
            Self::Session(name, _) => Scope::Session(name.clone()),
        }
    }

    /// The place that the note is on; none for one of an agent or a session.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Place(place) | Self::PlaceKey(place, _) => Some(place),
            Self::Agent(..) | Self::Session(..) => None,
        }
    }

    /// The key within the scope: none for a place's own note; the id for a session's entry.
    pub fn key(&self) -> Option<String> {
        match self {
            Self::Place(_) => None,
            Self::PlaceKey(_, key) | Self::Agent(_, key) => Some(key.to_string()),
            Self::Session(_, id) => Some(id.to_string()),
        }
    }

    /// The address as a model or a list shows it, with credentials masked. A masked address cannot be read back.
    pub fn masked(&self) -> String {
        crate::secrets::masked(&self.to_string()).into_owned()
    }

    /// The address of the note under `key` in a notebook: an agent's, or a place's.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] for a session: its entries have ids, which the store assigns.
    pub fn keyed(scope: &Scope, key: Key) -> Result<Self> {
        match scope {
            Scope::Place(place) => Ok(Self::PlaceKey(place.clone(), key)),
            Scope::Agent(name) => Ok(Self::Agent(name.clone(), key)),
            Scope::Session(_) => Err(Error::invalid_address(
                format!("{scope}#{key}"),
                "a session's entries have ids, not keys",
            )),
        }
    }

    /// The address with this scope and stored key.
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for an invalid key, [`Error::InvalidName`] for an invalid entry id, and
    /// [`Error::InvalidAddress`] for a missing key.
    pub fn from_parts(scope: Scope, key: Option<&str>) -> Result<Self> {
        Ok(match (scope, key) {
            (Scope::Place(place), None) => Self::Place(place),
            (Scope::Place(place), Some(key)) => Self::PlaceKey(place, key.parse()?),
            (Scope::Agent(name), Some(key)) => Self::Agent(name, key.parse()?),
            (Scope::Session(name), Some(id)) => Self::Session(name, id.parse()?),
            (scope, None) => {
                let reason = "the note's key is missing: `#KEY`";
                return Err(Error::invalid_address(scope.to_string(), reason));
            }
        })
    }

    /// The same note, with a place's path inside the home directory of `base` written with `~`.
    pub fn within(self, base: &Base) -> Self {
        match self {
            Self::Place(place) => Self::Place(place.within(base)),
            Self::PlaceKey(place, key) => Self::PlaceKey(place.within(base), key),
            other => other,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scope().fmt(f)?;
        self.key().map_or(Ok(()), |key| write!(f, "#{key}"))
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parsed: AddressAt = text.parse()?;
        match parsed.revision {
            None => Ok(parsed.address),
            Some(_) => Err(Error::invalid_address(
                text,
                "name the note without a revision",
            )),
        }
    }
}

/// An address, with an optional revision.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AddressAt {
    /// The note.
    pub address: Address,
    /// The revision; none for the current one.
    pub revision: Option<u64>,
}

impl AddressAt {
    /// A revision of a note; none: the current one.
    pub fn new(address: Address, revision: impl Into<Option<u64>>) -> Self {
        let revision = revision.into();
        Self { address, revision }
    }
}

impl FromStr for AddressAt {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let invalid = |reason: &str| Error::invalid_address(text, reason);
        if text.parse::<EventAddress>().is_ok() {
            return Err(invalid("it is an event, and here a note is meant"));
        }
        let (kind, rest) = text.split_once(':').ok_or_else(|| no_kind(text))?;
        let kind = ScopeKind::of_address(kind).ok_or_else(|| no_kind(text))?;
        let (rest, revision) = match rest.rsplit_once('@') {
            None => (rest, None),
            Some((rest, number)) => match number.parse::<u64>() {
                Ok(revision) if revision > 0 => (rest, Some(revision)),
                _ => {
                    return Err(invalid(
                        "`@` must be followed by a revision (1, 2, 3 …); write an `@` in a name as `%40`",
                    ));
                }
            },
        };
        let (name, key) = match rest.split_once('#') {
            None => (rest, None),
            Some((name, key)) => (name, Some(key)),
        };
        let decode = |part: &str| {
            decoded(part).ok_or_else(|| invalid("a percent-encoded part is not UTF-8"))
        };
        let scope = Scope::printed(text, kind, &decode(name)?)?;
        let key = key.map(decode).transpose()?;
        Ok(Self {
            address: Address::from_parts(scope, key.as_deref())?,
            revision,
        })
    }
}

impl fmt::Display for AddressAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)?;
        self.revision
            .map_or(Ok(()), |revision| write!(f, "@{revision}"))
    }
}

/// A part of an address without the escapes of [`encode`]; none if it is then not UTF-8.
pub(crate) fn decoded(part: &str) -> Option<String> {
    let text = percent_decode_str(part).decode_utf8().ok()?;
    Some(text.into_owned())
}

/// A part of an address with its special characters escaped: `%`, `#`, `@` and every control character.
pub(crate) fn encode(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let mut buffer = [0; 4];
    for char in part.chars() {
        let text: &str = char.encode_utf8(&mut buffer);
        if char.is_ascii() || char.is_control() {
            out.extend(utf8_percent_encode(text, SPECIAL));
        } else {
            out.push_str(text);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_back_as_they_print() {
        for text in [
            "place:~",
            "place:~/p",
            "place:/",
            "place:~/p#key",
            "repo:github.com/acme/shop",
            "repo:github.com/acme/shop//src/pay#key",
            "agent:name#key",
            "agent:a b%40c%23d%25#k",
            "place:~/caf\u{e9}/%0Ax",
            "session:s#03ha3k08o7ty8aejjfa1xvzas",
            "agent:name#key@3",
        ] {
            let parsed: AddressAt = text.parse().unwrap();
            assert_eq!(parsed.to_string(), text);
        }
    }

    #[test]
    fn c1_controls_are_escaped_too() {
        assert_eq!(encode("a\u{85}b"), "a%C2%85b");
        assert_eq!(
            "place:~/a%C2%85b".parse::<Address>().unwrap().to_string(),
            "place:~/a%C2%85b"
        );
    }

    #[test]
    fn refusals_say_why() {
        let refused = |text: &str| text.parse::<AddressAt>().unwrap_err().to_string();
        insta::assert_snapshot!(refused("note"), @"`note` is not an address: it must start with `place:`, `repo:`, `agent:` or `session:`");
        insta::assert_snapshot!(refused("agent:a"), @"`agent:a` is not an address: the note's key is missing: `#KEY`");
        insta::assert_snapshot!(refused("agent:a#k@0"), @"`agent:a#k@0` is not an address: `@` must be followed by a revision (1, 2, 3 …); write an `@` in a name as `%40`");
        insta::assert_snapshot!(refused("agent:a#K"), @"`K` is not a valid key");
        insta::assert_snapshot!(refused("place:p"), @"`p` is not a place: it must start with `~` or `/`");
        insta::assert_snapshot!(refused("place:~/%FF"), @"`place:~/%FF` is not an address: a percent-encoded part is not UTF-8");
    }

    #[test]
    fn a_path_is_not_meant_as_an_address() {
        for (text, expected) in [
            ("place:~/p", true),
            ("place:", true),
            ("agent:a#k", true),
            ("session:#", true),
            ("place", false),
            ("places:~", false),
            ("./place:x", false),
            ("~/p", false),
        ] {
            assert_eq!(Address::is_meant(text), expected, "{text}");
        }
    }
}
