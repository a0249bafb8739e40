//! Values that are serialized as one text. They are written as they print, and checked when they are read.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::address::{Address, AddressAt};
use crate::content::{Content, ContentHash};
use crate::error::{Error, safe};
use crate::event::EventAddress;
use crate::forget::ForgetTarget;
use crate::id::{OperationId, StoreId};
use crate::key::{EntryId, Key, Name};
use crate::note::{EntryType, Position};
use crate::place::Place;
use crate::scope::Scope;

macro_rules! written {
    ($($value:ty: $pattern:literal),*) => {$(
        impl Serialize for $value {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for $value {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let text = utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String);
                text.pattern((!$pattern.is_empty()).then_some($pattern)).into()
            }
        }

        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for $value {}
    )*};
}

macro_rules! read {
    ($($value:ty: $error:expr),*) => {$(
        impl<'de> Deserialize<'de> for $value {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(|error| D::Error::custom($error(&text, &error)))
            }
        }
    )*};
}

// The patterns of the OpenAPI document: no valid text is left out, and most texts that are not valid are.
written!(
    Address: "^(place:[~/%]|agent:.|session:.)",
    AddressAt: "^(place:[~/%]|agent:.|session:.)",
    ContentHash: "^[0-9a-f]{64}$",
    EntryId: "^\\s*[0-9A-Fa-f][0-9A-Za-z]{24}\\s*$",
    EntryType: "",
    EventAddress: "^session:.+#event-[0-9]+$",
    ForgetTarget: "^(place:[~/%]|agent:.|session:.)",
    Key: "^[a-z0-9][a-z0-9_-]{0,63}$",
    Name: "^[^\\u0000-\\u001f\\u007f]{1,200}$",
    OperationId: "^[0-9a-fA-F]{32}$",
    Place: "^(~|/|~?(/([^/.\\u0000]|[.][^/.\\u0000]|[.][.][^/\\u0000])[^/\\u0000]*)+)$",
    Position: "^[0-9]{1,19}$",
    Scope: "^(place:[~/%]|agent:.|session:.)",
    StoreId: "^[0-9a-fA-F]{32}$"
);
read!(
    Address: with_advice,
    AddressAt: with_advice,
    ContentHash: |_: &str, error: &&'static str| *error,
    EntryId: with_advice,
    EventAddress: with_advice,
    ForgetTarget: with_advice,
    Key: with_advice,
    Name: with_advice,
    OperationId: with_advice,
    Place: with_advice,
    Position: |text: &str, _| format!("`{}` is not a position", safe(text)),
    Scope: with_advice,
    StoreId: with_advice
);

/// The error of a text, with the advice how to write it.
fn with_advice(_: &str, error: &Error) -> String {
    match error.advice() {
        Some(advice) => format!("{error}: {advice}"),
        None => error.to_string(),
    }
}

/// The form of a value that is written and read through another type.
#[cfg(feature = "openapi")]
macro_rules! through {
    ($($value:ty: $form:ty),*) => {$(
        impl utoipa::PartialSchema for $value {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                <$form>::schema()
            }
        }

        impl utoipa::ToSchema for $value {
            fn schemas(all: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
                <$form>::schemas(all);
            }
        }
    )*};
}

#[cfg(feature = "openapi")]
through!(
    crate::note::Note: super::note::NoteForm,
    crate::note::Revision: super::note::RevisionForm,
    crate::search::Hit: crate::search::HitForm,
    crate::store::FeedEntry: crate::store::FeedForm,
    Content: ContentForm
);

/// Any word: a log may hold the types of another program.
impl<'de> Deserialize<'de> for EntryType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::imported(&Cow::<str>::deserialize(deserializer)?))
    }
}

/// The text of a note: a string, or a list of bytes if it is not UTF-8. No byte is changed.
#[derive(Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Content))]
#[serde(untagged)]
enum ContentForm {
    /// Text.
    Text(String),
    /// Bytes that are not UTF-8: what another program wrote.
    Bytes(Vec<u8>),
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match ContentForm::deserialize(deserializer)? {
            ContentForm::Text(text) => Self::imported(text),
            ContentForm::Bytes(bytes) => Self::imported(bytes),
        })
    }
}
