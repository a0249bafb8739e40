//! What is shipped, which is what is measured: the profile `release`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::steps::cargo;

/// Where the profile's programs are.
pub(crate) fn folder() -> PathBuf {
    crate::tools::target().join("release")
}

/// Builds the program and these measurements as they are shipped.
pub(crate) fn build() -> Result<()> {
    let words = [
        "build",
        "--release",
        "--quiet",
        "-p",
        "waynote-cli",
        "-p",
        "xtask",
    ];
    let built = cargo(&words).status()?;
    ensure!(built.success(), "the build of what is shipped failed");
    Ok(())
}

/// Measures in a process that is built as it is shipped: `xtask measure WORDS`.
pub(crate) fn measure(words: &[&str]) -> Result<()> {
    build()?;
    let mut measure = Command::new(folder().join("xtask"));
    let status = measure.arg("measure").args(words).status()?;
    ensure!(status.success(), "measuring {words:?} failed: {status}");
    Ok(())
}
