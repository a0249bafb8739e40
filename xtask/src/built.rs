//! Tests and tools that cargo has built with the features of the whole workspace.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Result, ensure};
use kit::steps::cargo;
use serde_json::Value;

/// A program of tests that cargo has built.
pub(crate) struct TestProgram {
    pub(crate) package: String,
    pub(crate) program: PathBuf,
    /// The folder of its package, in which its tests run.
    pub(crate) folder: PathBuf,
}

impl TestProgram {
    /// The tests of the whole workspace, built with its features.
    pub(crate) fn all() -> Result<Vec<Self>> {
        let words = ["test", "--workspace", "--no-run", "--quiet"];
        let mut build = cargo(&words);
        build.arg("--message-format=json-render-diagnostics");
        let output = build.stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "the tests cannot be built");
        let said = String::from_utf8(output.stdout)?;
        let messages = said
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        Ok(messages.filter_map(|message| Self::of(&message)).collect())
    }

    /// The program that a message of cargo names.
    fn of(message: &Value) -> Option<Self> {
        let program = message["executable"].as_str()?;
        message["profile"]["test"]
            .as_bool()
            .filter(|is_test| *is_test)?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        Some(Self {
            // A crate here is called as its folder is.
            package: folder.file_name()?.to_str()?.to_owned(),
            program: program.into(),
            folder: folder.to_owned(),
        })
    }
}
