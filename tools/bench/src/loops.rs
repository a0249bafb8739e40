//! Measures the loop itself: a thousand iterations of an agent that does nothing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use waynote_testing::values::entry_of;

use crate::contexts::{filled, kind};
use kit::measure::median;
use kit::release;

const ITERATIONS: usize = 1_000;

/// Iterations at either end that are held against each other.
const END: usize = 100;

pub(crate) fn run() -> Result<()> {
    let program = release::program();
    let folder = tempfile::tempdir_in("target")?;
    let folder = folder.path().canonicalize()?;
    println!("loop: {ITERATIONS} iterations of `true`, in turn with starting it alone");
    for notes in [0, 10_000] {
        let store = folder.join(format!("{notes}.db"));
        let entries = (0..notes).map(|number| {
            let text = format!("entry {number}: what iteration {} came to", number / 10);
            Ok(entry_of("bench", kind(number), number / 10, &text))
        });
        filled(&store, entries)?;
        let bare = bare(ITERATIONS)?;
        let times = looped(&program, &folder, &store)?;
        let cost = |times: &[f64]| median(times.iter().copied()) - bare;
        let (first, last) = (cost(&times[..END]), cost(&times[times.len() - END..]));
        println!(
            "  {notes} notes in the session: {:.2} ms of its own an iteration (wanted: at most 10); the last {END} {:.2} ms, the first {END} {:.2} ms; the agent alone {:.2} ms",
            cost(&times),
            last,
            first,
            bare
        );
    }
    Ok(())
}

/// Milliseconds that starting the agent and waiting for it takes.
fn bare(rounds: usize) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let begin = Instant::now();
        let mut child = Command::new("true");
        let child = child
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        ensure!(child.output()?.status.success(), "`true` failed");
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(median(times))
}

/// Milliseconds from each iteration's start to the next one's.
fn looped(program: &Path, folder: &Path, store: &Path) -> Result<Vec<f64>> {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("HOME", folder)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(folder)
        .arg("--store")
        .arg(store)
        .args([
            "--session",
            "bench",
            "--json",
            "loop",
            "--stall",
            "0",
            "--iterations",
        ])
        .args([&ITERATIONS.to_string(), "--", "true"]);
    let output = command.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{}", output.status);
    let summary: Value = serde_json::from_slice(&output.stdout)?;
    let iterations = summary["iterations"].as_array().context("iterations")?;
    let mut starts = Vec::new();
    for iteration in iterations {
        let start = iteration["started_at"].as_str().context("a time")?;
        starts.push(start.parse::<jiff::Timestamp>()?.as_microsecond());
    }
    Ok(starts
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64 / 1e3)
        .collect())
}
