//! What the values of options must be.

use std::ffi::OsString;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::duration;

/// A text that is not empty: an option with an unset variable (`--agent "$UNSET"`) must not mean another notebook.
pub(super) fn given(text: &str) -> Result<String, String> {
    match text.trim().is_empty() {
        true => Err(EMPTY.to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// The same for a path.
pub(super) fn given_path() -> impl TypedValueParser<Value = OsString> {
    OsStringValueParser::new().try_map(|path| match path.is_empty() {
        true => Err(EMPTY),
        false => Ok(path),
    })
}

const EMPTY: &str = "it is empty: give it a value, or leave the option out";

/// How many iterations a loop runs.
pub(super) fn some_iterations(text: &str) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(0) => Err("0 is no iteration: write 1 or more".to_owned()),
        number => number.map_err(|_| "write a number, as 40".to_owned()),
    }
}

/// A time with its unit, and more than none.
pub(super) fn some_time(text: &str) -> Result<Duration, String> {
    let time = duration::with_unit(text)?;
    match time.is_zero() {
        true => Err("write a time longer than zero".to_owned()),
        false => Ok(time),
    }
}
