//! What the addresses of databases come to in a program without PostgreSQL: an error that says so.

use std::time::Duration;

use waynote::SqliteStore;
use waynote::copy::CopyReport;
use waynote::engine::Engine;

use crate::error::{Failure, Outcome};
use crate::settings::Settings;

/// No value of it is ever made, so the type of a store in a file stands for it.
pub(crate) type DatabaseStore = SqliteStore;

fn missing<T>() -> Outcome<T> {
    Err(Failure::left_out("postgres"))
}

pub(crate) fn open(_: &Settings, _: &str, _: Option<Duration>) -> Outcome<DatabaseStore> {
    missing()
}

pub(crate) fn try_write(_: &Settings, _: &str) -> Outcome {
    missing()
}

pub(crate) fn source(_: &Settings, _: &str) -> Outcome<DatabaseStore> {
    missing()
}

pub(crate) fn made(
    _: &Settings,
    _: &str,
    _: impl FnOnce(&dyn Engine) -> waynote::Result<CopyReport>,
) -> Outcome<(waynote::Result<CopyReport>, String)> {
    missing()
}

#[cfg(feature = "server")]
pub(crate) fn served(
    _: &Settings,
    _: &str,
) -> Outcome<std::sync::Arc<dyn waynote_server::Database>> {
    missing()
}

pub(crate) fn check(_: &str) -> Outcome {
    missing()
}

pub(crate) fn named(_: &Settings, _: &str) -> Outcome {
    missing()
}
