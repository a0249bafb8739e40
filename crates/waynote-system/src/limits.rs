//! Limits of the system.

use signal_hook::consts::SIGXFSZ;

/// Makes a write past the limit of file sizes (`ulimit -f`) an error. Otherwise a signal ends the process in the middle
/// of it. Programs that this one starts are not affected.
pub fn size_limit_is_an_error() {
    // If it cannot be registered, the signal does what it did before.
    let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
}
