//! The progress bar of an import or a copy, and Ctrl-C during a copy.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use waynote_formats::Progress;

use crate::error::{Failure, Outcome};
use crate::process;

/// The delay before the bar appears: shorter imports show none.
const DELAY: Duration = Duration::from_secs(2);

/// How often the time that is shown is renewed.
const TICK: Duration = Duration::from_millis(200);

/// A bar on standard error, from two seconds after the start. It is shown on a terminal only, and cleared at the end.
pub(super) struct Bar {
    bar: ProgressBar,
    /// Ends the wait for the delay when it is dropped.
    _delayed: Option<Sender<()>>,
}

impl Bar {
    /// Starts the clock. Until the first report of progress, the bar says that the source is read.
    pub(super) fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style("{msg} ({elapsed})"));
        bar.set_message("reading");
        let (sender, ended) = channel();
        let shown = bar.clone();
        let waits = std::thread::Builder::new()
            .name("progress".into())
            .spawn(move || {
                if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(TICK);
                }
            });
        Self {
            bar,
            // Without a thread, there is no bar, and the import does its work.
            _delayed: waits.is_ok().then_some(sender),
        }
    }

    /// Shows how far the import is.
    pub(super) fn show(&self, progress: Progress) {
        if self.bar.length() != Some(progress.total) {
            self.bar
                .set_style(style("importing {bar:30} {pos}/{len} notes ({eta} left)"));
            self.bar.set_length(progress.total);
            self.bar.reset_eta();
        }
        self.bar.set_position(progress.done);
    }
}

impl Bar {
    /// Shows a part of some other work: as a bar if its length is known.
    pub(super) fn show_part(&self, what: &'static str, done: u64, total: u64) {
        if self.bar.message() != what || self.bar.length() != Some(total) {
            self.bar.set_message(what);
            self.bar.set_style(style(match total {
                0 => "{msg} ({elapsed})",
                _ => "{msg} {bar:30} {pos}/{len} ({eta} left)",
            }));
            self.bar.set_length(total);
            self.bar.reset_eta();
        }
        self.bar.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A request to end a copy. A second request ends the process at once, as it would any other.
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

    pub(super) fn is_requested(&self) -> ControlFlow<()> {
        match self.signal.load(Ordering::Relaxed) {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// The exit code by a shell's convention for a process that a signal ended: 128 and the signal's number.
    pub(super) fn exit_code(&self) -> ExitCode {
        let signal = u8::try_from(self.signal.load(Ordering::Relaxed)).unwrap_or(0);
        ExitCode::from(128 + signal)
    }
}
