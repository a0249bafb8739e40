//! Errors as problem details (RFC 9457), from the library's errors and back.

mod fields;
mod interned;
mod read;
mod remote;
mod write;

use std::path::Path;

use serde::{Deserialize, Serialize};
use waynote::error::ErrorClass;
use waynote::{Error, LoopError};

use crate::note::Note;
use crate::words::Class;

pub use fields::Fields;
pub use remote::Remote;

/// An error: `application/problem+json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// The kind of the error, as a name: `urn:waynote:problem:not_found`. It never changes.
    #[serde(rename = "type")]
    pub reference: String,
    /// The kind in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What went wrong, and why, in one line.
    pub detail: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The kind of the error: a stable word.
    #[serde(default)]
    pub kind: String,
    /// What a caller can do about it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "if_known"
    )]
    pub class: Option<Class>,
    /// The note as it is now, when a write expected another revision.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "if_known"
    )]
    pub current: Option<Box<Note>>,
    /// What a client in Rust makes the library's error of again.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "if_known"
    )]
    pub fields: Option<Fields>,
}

impl Problem {
    /// The problem for an error, with the store named `/s`.
    pub fn of(error: &Error) -> Self {
        Self::of_store(error, "/s")
    }

    /// The problem for an error of a store that clients know by this name, such as `/s/NAME`. Paths of the server's
    /// machine are not told: the name stands in their place.
    pub fn of_store(error: &Error, store: &str) -> Self {
        let (fields, current) = match write::fields(error) {
            Some((fields, current)) => (Some(fields), current),
            None => (None, None),
        };
        let told = fields
            .clone()
            .and_then(|fields| read::error(fields, current.clone(), Path::new(store)));
        // What the fields cannot say the error says itself: it has no path.
        let told = told.as_ref().unwrap_or(error);
        Self {
            status: status(error),
            class: Class::try_from(error.class()).ok(),
            detail: told.to_string(),
            hint: told.advice(),
            current: current.map(Box::new),
            fields,
            ..Self::new(error.kind(), 500, "")
        }
    }

    /// A problem that is none of the library: of a request that no route takes, for instance.
    pub fn new(kind: &str, status: u16, detail: impl Into<String>) -> Self {
        Self {
            reference: format!("urn:waynote:problem:{kind}"),
            title: kind.replace('_', " "),
            status,
            detail: detail.into(),
            hint: None,
            kind: kind.to_owned(),
            class: None,
            current: None,
            fields: None,
        }
    }

    /// The problem with a hint.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// The problem with another status: 412 instead of 409 where a header named the expected revision.
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The error that a client gets. `store` is the URL of the store, which stands where a path would.
    pub fn error(self, store: &str) -> Error {
        let Self {
            reference,
            fields,
            current,
            kind,
            detail,
            hint,
            class,
            status,
            title,
        } = self;
        let current = current.map(|note| *note);
        if let Some(error) =
            fields.and_then(|fields| read::error(fields, current, Path::new(store)))
        {
            return error;
        }
        // Its name says it too.
        let named = reference.rsplit([':', '/']).next().unwrap_or_default();
        let kind = if kind.is_empty() { named } else { &kind };
        Remote {
            kind: interned::interned(kind).unwrap_or("problem"),
            class: class.map_or_else(|| class_of(status), ErrorClass::from),
            detail: if detail.is_empty() { title } else { detail },
            hint,
        }
        .into()
    }
}

/// What a later version says in a way that this one does not know is left out: the words of the problem remain.
fn if_known<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: serde::de::DeserializeOwned,
    D: serde::Deserializer<'de>,
{
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

/// The status for an error.
fn status(error: &Error) -> u16 {
    match error.class() {
        // The server is well: another loop has the session.
        _ if matches!(error, Error::Loop(LoopError::LoopRunning { .. })) => 409,
        ErrorClass::Invalid => 400,
        ErrorClass::NotFound => 404,
        ErrorClass::Conflict | ErrorClass::Blocked => 409,
        ErrorClass::Refused | ErrorClass::Limit => 422,
        ErrorClass::Denied => 403,
        ErrorClass::Busy | ErrorClass::Unreachable => 503,
        _ => 500,
    }
}

/// The class for a status, where nothing else is known.
fn class_of(status: u16) -> ErrorClass {
    match status {
        401 | 403 => ErrorClass::Denied,
        404 | 410 => ErrorClass::NotFound,
        409 | 412 => ErrorClass::Conflict,
        413 | 422 => ErrorClass::Limit,
        429 | 503 => ErrorClass::Busy,
        400..500 => ErrorClass::Invalid,
        _ => ErrorClass::Unreachable,
    }
}
