//! How long the hook takes when the machine has other things to do: that is when a client gives it up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the hook runs on a machine that is left alone, and on a busy one.
const RUNS: [usize; 2] = [2, 4];

/// More threads than this make no machine busier.
const MAX_THREADS: usize = 64;

/// How long a hook takes: the slowest run of each kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct HookTime {
    /// On a machine that is left alone.
    pub(super) calm: Duration,
    /// While its processors are busy.
    pub(super) busy: Duration,
}

/// Runs something as it is, then with two busy threads for each processor.
pub(super) fn measured<E>(run: impl Fn() -> Result<Duration, E>) -> Result<HookTime, E> {
    let slowest = |runs: usize| {
        let mut slowest = Duration::ZERO;
        for _ in 0..runs {
            slowest = slowest.max(run()?);
        }
        Ok::<_, E>(slowest)
    };
    let calm = slowest(RUNS[0])?;
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    let is_done = AtomicBool::new(false);
    let busy = std::thread::scope(|scope| {
        for _ in 0..(2 * processors).min(MAX_THREADS) {
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
    Ok(HookTime { calm, busy })
}
