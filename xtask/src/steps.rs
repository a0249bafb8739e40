//! Commands that must succeed.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// A call of the cargo that runs this.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
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
