//! How long the hook takes when the machine has other things to do: that is when a client gives it up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the hook runs on a machine that is left alone, and on a busy one.
const RUNS: [usize; 2] = [2, 4];

/// More threads than this make no machine busier.
const MOST_THREADS: usize = 64;

/// The slowest run of each kind.
pub(super) struct Measured {
    pub(super) calm: Duration,
    pub(super) busy: Duration,
}

/// Runs something as it is, then with two busy threads for each processor.
pub(super) fn measured(run: impl Fn() -> Result<Duration, String>) -> Result<Measured, String> {
    let slowest = |runs: usize| {
        let mut slowest = Duration::ZERO;
        for _ in 0..runs {
            slowest = slowest.max(run()?);
        }
        Ok::<_, String>(slowest)
    };
    let calm = slowest(RUNS[0])?;
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    let is_done = AtomicBool::new(false);
    let busy = std::thread::scope(|scope| {
        for _ in 0..(2 * processors).min(MOST_THREADS) {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let busy = slowest(RUNS[1]);
        is_done.store(true, Ordering::Relaxed);
        busy
    })?;
    Ok(Measured { calm, busy })
}
