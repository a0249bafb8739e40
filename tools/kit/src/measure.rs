//! Whole processes timed in pairs: A B A B …, so that a machine that changes its speed changes both.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};

/// The cost of one run, in seconds.
#[derive(Clone, Copy)]
pub struct Cost {
    /// From start to end.
    pub wall: f64,
    /// Of the process and its children.
    pub cpu: f64,
}

/// Runs a command that must succeed, its output read and thrown away.
pub fn run(command: &mut Command) -> Result<Cost> {
    run_on(command, "", 0)
}

/// As [`run`], for a command that reads an input and prints at least so many bytes.
pub fn run_on(command: &mut Command, input: &str, least: usize) -> Result<Cost> {
    let before = children_cpu()?;
    let begin = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that takes no input may have ended.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output()?;
    let wall = begin.elapsed().as_secs_f64();
    ensure!(
        output.status.success() && output.stdout.len() >= least,
        "{command:?}: {}",
        output.status
    );
    Ok(Cost {
        wall,
        cpu: children_cpu()? - before,
    })
}

fn children_cpu() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// The higher one of two in the middle.
///
/// # Panics
/// Of no values.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    below(values, 0.5)
}

/// The value below which so large a share of them lies; with 1, the largest.
///
/// # Panics
/// Of no values.
pub fn below(values: impl IntoIterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values[at.min(values.len() - 1)]
}

/// So much of so many, in percent.
pub fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}
