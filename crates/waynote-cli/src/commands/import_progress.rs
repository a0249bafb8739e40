//! The progress bar of an import or a copy.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

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
