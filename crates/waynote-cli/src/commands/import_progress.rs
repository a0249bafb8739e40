//! The progress bar of an import or a copy, and Ctrl-C on a screen.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::{Failure, Outcome};
use crate::process;

/// How often the time that is shown is renewed.
const TICK: Duration = Duration::from_millis(200);

/// A bar on standard error. It is shown on a terminal only, and cleared at the end.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// Until the first report of progress, the bar says that the source is read.
    pub(super) fn start() -> Self {
        let bar = Self(ProgressBar::no_length());
        bar.show("reading", 0, 0);
        bar.0.enable_steady_tick(TICK);
        bar
    }

    /// Shows how far a part of the work is. A total of 0 is not known.
    pub(super) fn show(&self, what: &'static str, done: u64, total: u64) {
        let Self(bar) = self;
        if bar.message() != what || bar.length() != Some(total) {
            let style = ProgressStyle::with_template(match total {
                0 => "{msg} ({elapsed})",
                _ => "{msg} {bar:30} {pos}/{len} ({eta} left)",
            });
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(what);
            bar.set_length(total);
            bar.reset_eta();
        }
        bar.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

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
