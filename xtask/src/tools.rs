//! The programs under `tools/`: only the commands that run one of them build it.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use kit::registries::target;
use kit::steps::{cargo, step};
use kit::{release, unchecked};

/// All of them; each is a package with a program of its name.
pub(crate) const ALL: [&str; 6] = [
    "agents",
    "bench",
    "conformance",
    "faults",
    "serving",
    "trial",
];

/// Builds a tool with the features of the whole workspace, in which the tests are built, and runs it.
pub(crate) fn run(tool: &str, words: &[&str]) -> Result<()> {
    let built = cargo(&["build", "--quiet", "--workspace", "--bin", tool]).status()?;
    ensure!(built.success(), "the build of {tool} failed");
    carry_out(tool, Command::new(target().join("debug").join(tool)), words)
}

/// As [`run`], with a tool and a program that are built as waynote is shipped.
pub(crate) fn released(tool: &str, words: &[&str]) -> Result<()> {
    let packages = ["-p", "waynote-cli", "-p", "bench", "-p", "serving"];
    let built = cargo(&["build", "--release", "--quiet"])
        .args(packages)
        .status()?;
    ensure!(built.success(), "the build of what is shipped failed");
    carry_out(tool, Command::new(release::folder().join(tool)), words)
}

fn carry_out(tool: &str, mut command: Command, words: &[&str]) -> Result<()> {
    let list = unchecked::listed(&mut command);
    let done = step(tool, {
        command.args(words);
        command
    });
    unchecked::take(&list);
    done.with_context(|| format!("{tool} {}", words.join(" ")))
}
