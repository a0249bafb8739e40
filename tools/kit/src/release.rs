//! The profile `release`, which `cargo install` builds and which is measured.

use std::path::PathBuf;

/// The folder of the profile's programs.
#[must_use]
pub fn folder() -> PathBuf {
    crate::registries::target().join("release")
}
