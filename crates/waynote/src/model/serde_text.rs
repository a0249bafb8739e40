//! Values that are serialized as one text: written as they print, checked when they are read.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::event::EventAddress;
use crate::id::{OperationId, StoreId};
use crate::key::{EntryId, Key, Name};
use crate::note::{EntryType, Position};
use crate::place::Place;
use crate::scope::Scope;

macro_rules! written {
    ($($value:ty),*) => {$(
        impl Serialize for $value {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

macro_rules! read {
    ($($value:ty),*) => {$(
        impl<'de> Deserialize<'de> for $value {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

written!(
    Address,
    AddressAt,
    EntryId,
    EntryType,
    EventAddress,
    Key,
    Name,
    OperationId,
    Place,
    Position,
    Scope,
    StoreId
);
read!(
    Address,
    AddressAt,
    EntryId,
    EventAddress,
    Key,
    Name,
    OperationId,
    Place,
    Position,
    Scope,
    StoreId
);

/// Any word: a log may hold the types of another program.
impl<'de> Deserialize<'de> for EntryType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::imported(&Cow::<str>::deserialize(deserializer)?))
    }
}

/// The serialized form of [`Content`]: a string, or a list of bytes if they are not text.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Bytes(Vec<u8>),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Text(text) => Self::imported(text),
            Written::Bytes(bytes) => Self::imported(bytes),
        })
    }
}
