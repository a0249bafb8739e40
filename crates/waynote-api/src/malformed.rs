//! Requests that cannot be read.

use std::str::FromStr;

use jiff::Timestamp;
use waynote::error::{CustomError, ErrorClass, safe};
use waynote::{Error, Result};

/// A part of a request or of an answer that cannot be read, where the library has no error of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not {what}", safe(text))]
pub struct Malformed {
    /// What was given.
    pub text: String,
    /// What it should be, with its article.
    pub what: &'static str,
    /// How to write it.
    pub hint: &'static str,
}

impl CustomError for Malformed {
    fn kind(&self) -> &'static str {
        "invalid_request"
    }

    fn class(&self) -> ErrorClass {
        ErrorClass::Invalid
    }

    fn advice(&self) -> Option<String> {
        Some(self.hint.into())
    }
}

/// Reads a time.
pub(crate) fn time(text: &str) -> Result<Timestamp> {
    read(text, "a time", "write it as 2026-05-17T12:00:00Z")
}

/// Reads a text for which the library has no error.
pub(crate) fn read<T: FromStr>(text: &str, what: &'static str, hint: &'static str) -> Result<T> {
    text.parse().map_err(|_| malformed(text, what, hint))
}

/// Reads a position.
pub(crate) fn position(text: &str) -> Result<waynote::Position> {
    read(
        text,
        "a position",
        "take it from an answer: a position is opaque",
    )
}

pub(crate) fn malformed(text: &str, what: &'static str, hint: &'static str) -> Error {
    Malformed {
        text: text.to_owned(),
        what,
        hint,
    }
    .into()
}

/// A value of a kind that this version of the API has no form for.
pub(crate) fn no_form(feature: &'static str) -> Error {
    Error::NotBuiltIn { feature }
}

/// Reads each of a list.
pub(crate) fn each<W, T: TryFrom<W, Error = Error>>(list: Vec<W>) -> Result<Vec<T>> {
    list.into_iter().map(T::try_from).collect()
}

/// Reads each text of a list.
pub(crate) fn texts<T: FromStr<Err = Error>>(list: &[String]) -> Result<Vec<T>> {
    list.iter().map(|text| text.parse()).collect()
}

/// Each of a list in its JSON form.
pub(crate) fn forms<'v, V: 'v, W: From<&'v V>>(list: impl IntoIterator<Item = &'v V>) -> Vec<W> {
    list.into_iter().map(W::from).collect()
}

/// Each of a list as it prints.
pub(crate) fn printed<V: ToString>(list: &[V]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

/// A value that may be none, as it prints.
pub(crate) fn printed_or_none<V: ToString>(value: Option<&V>) -> Option<String> {
    value.map(ToString::to_string)
}

/// Reads a text that may be none.
pub(crate) fn text_or_none<T: FromStr<Err = Error>>(text: Option<&String>) -> Result<Option<T>> {
    text.map(|text| text.parse()).transpose()
}
