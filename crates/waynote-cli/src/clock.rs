//! The one place that asks the clock.

use std::time::SystemTime;

use jiff::Timestamp;

use crate::error::{Failure, Outcome};

/// The time: the system's, or the one in `WAYNOTE_NOW` (RFC 3339), for tests.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub(crate) fn now() -> Outcome<Timestamp> {
    match std::env::var(crate::variables::NOW) {
        Ok(fixed) if !fixed.is_empty() => fixed.parse().map_err(|_| {
            let what = format!("WAYNOTE_NOW is not a time: `{fixed}`");
            Failure::usage(what, "write it as 2026-05-17T12:00:00Z, or unset it")
        }),
        _ => Ok(Timestamp::now()),
    }
}

/// The system's time, even if `WAYNOTE_NOW` is set: files have the system's time.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub(crate) fn of_files() -> SystemTime {
    SystemTime::now()
}
