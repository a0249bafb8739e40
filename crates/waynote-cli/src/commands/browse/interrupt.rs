//! The end of the screen by a signal: Ctrl-C, or a terminal that was closed.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::{Failure, Outcome};
use crate::process;

/// A request to end. A second request ends the process at once, as it would any other.
pub(super) struct Interrupt {
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Handles Ctrl-C, SIGTERM, and SIGHUP of a closed terminal, but no signal that this process was started to ignore.
    pub(super) fn listen() -> Outcome<Self> {
        let failed = |error| Failure::file("signals", "listened to", error);
        let (signal, is_second) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        for number in [SIGINT, SIGTERM, SIGHUP] {
            if process::ignores(number) {
                continue;
            }
            signal_hook::flag::register_conditional_default(number, Arc::clone(&is_second))
                .map_err(failed)?;
            signal_hook::flag::register(number, Arc::clone(&is_second)).map_err(failed)?;
            let value = usize::try_from(number).unwrap_or(0);
            signal_hook::flag::register_usize(number, Arc::clone(&signal), value)
                .map_err(failed)?;
        }
        Ok(Self { signal })
    }

    /// The exit code by a shell's convention for a process that a signal ended: 128 and the signal's number.
    pub(super) fn requested(&self) -> Option<ExitCode> {
        let signal = self.signal.load(Ordering::Relaxed);
        let code = u8::try_from(128 + signal).unwrap_or(1);
        (signal != 0).then(|| ExitCode::from(code))
    }
}
