//! What is shipped, which is what is measured: the profile `release`.

use std::path::PathBuf;

/// Where the profile's programs are.
#[must_use]
pub fn folder() -> PathBuf {
    crate::registries::target().join("release")
}
