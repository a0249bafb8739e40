//! Commands that must succeed.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

/// A call of the cargo that runs this.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

static IS_BUILT: OnceLock<()> = OnceLock::new();

/// The tests of the workspace have built the program: it is not built again.
pub(crate) fn has_built_program() {
    let _ = IS_BUILT.set(());
}

/// The program of a profile of cargo; `WAYNOTE_PROGRAM` names another build.
pub(crate) fn program(profile: &str) -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("WAYNOTE_PROGRAM") {
        return Ok(PathBuf::from(program).canonicalize()?);
    }
    let folder = if profile == "dev" { "debug" } else { profile };
    if profile != "dev" || IS_BUILT.get().is_none() {
        let build = [
            "build",
            "--quiet",
            "--profile",
            profile,
            "-p",
            "waynote-cli",
        ];
        step("program", cargo(&build))?;
    }
    let program = crate::tools::target().join(folder).join("waynote");
    program.canonicalize().context("the program was not built")
}

/// Runs a command of the gate, and says how long it took.
pub(crate) fn step(name: &str, mut command: Command) -> Result<()> {
    println!("== {name}");
    let begin = std::time::Instant::now();
    let status = command
        .status()
        .with_context(|| format!("{name}: cannot run {command:?}"))?;
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    println!(
        "== {name}: passed in {:.0} s",
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}
