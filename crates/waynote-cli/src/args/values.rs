//! What the values of options must be.

use std::ffi::OsString;
use std::str::FromStr;
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
    at_least_one(text, "0 is no iteration", "40")
}

/// A number from 1; `zero` says what is wrong with 0.
fn at_least_one<N: FromStr + Default + PartialEq>(
    text: &str,
    zero: &str,
    example: &str,
) -> Result<N, String> {
    match text.trim().parse() {
        Ok(number) if number == N::default() => Err(format!("{zero}: write 1 or more")),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("write a number, as {example}")),
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
