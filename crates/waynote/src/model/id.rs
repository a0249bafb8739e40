//! Ids of stores, and of calls that write.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::note::{Position, Stamp};

/// A store's id. A copy that is used in its own right gets a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoreId([u8; 16]);

/// The id of one call that writes. If its answer is lost, the call can be repeated with the same id: it writes nothing
/// again, and returns the first answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperationId([u8; 16]);

impl OperationId {
    /// The id for a text, such as a key that a client chose. The text itself is not stored.
    pub fn of(text: &str) -> Self {
        let hash = Sha256::digest(text);
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        Self(id)
    }

    /// The id of a call that has none of its own, and whose first row is at this position. Ids of later calls are
    /// greater, so that an index of them grows at its end.
    pub(crate) fn at(position: Position, stamp: &Stamp) -> Self {
        let call = format!("{position} {} {}", stamp.author, stamp.now);
        let mut id = Self::of(&call).0;
        id[..8].copy_from_slice(&stamp.now.as_microsecond().to_be_bytes());
        Self(id)
    }
}

macro_rules! sixteen_bytes {
    ($name:ident) => {
        impl $name {
            /// The id with these bytes, which should be random.
            pub const fn new(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// Its bytes, as an engine stores them.
            pub const fn bytes(&self) -> &[u8; 16] {
                &self.0
            }
        }

        /// 32 hexadecimal digits.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&crate::text::hex(&self.0))
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                bytes_of(text)
                    .map(Self)
                    .ok_or_else(|| Error::invalid_address(text, "an id is 32 hexadecimal digits"))
            }
        }
    };
}

sixteen_bytes!(StoreId);
sixteen_bytes!(OperationId);

/// The bytes of hexadecimal digits.
pub(crate) fn bytes_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_as_they_print() {
        let id = StoreId::new([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 254, 255]);
        assert_eq!(id.to_string(), "000102030405060708090a0b0c0dfeff");
        assert_eq!(id.to_string().parse::<StoreId>().unwrap(), id);
        for bad in [
            "",
            "00",
            "+00102030405060708090a0b0c0dfeff",
            "0001é2030405060708090a0b0c0dfef",
        ] {
            assert!(bad.parse::<StoreId>().is_err(), "{bad}");
        }
        assert_ne!(OperationId::of("one"), OperationId::of("other"));
    }
}
