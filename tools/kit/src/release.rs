//! The profile `release`, which `cargo install` builds and which is measured.

use std::path::PathBuf;

/// The folder of the profile's programs.
#[must_use]
pub fn folder() -> PathBuf {
    crate::registries::target().join("release")
}

/// The program that is measured; `WAYNOTE_PROGRAM` names another build.
#[must_use]
pub fn program() -> PathBuf {
    std::env::var_os("WAYNOTE_PROGRAM").map_or_else(|| folder().join("waynote"), PathBuf::from)
}
