//! How long ago, in the coarse words of openotters: floored, never more than days, the future is now.

use jiff::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

pub(super) fn age(now: Timestamp, then: Timestamp) -> String {
    let micros = now.as_microsecond().saturating_sub(then.as_microsecond());
    match micros.div_euclid(1_000_000) {
        ..MINUTE => "just now".into(),
        seconds @ ..HOUR => format!("{}m ago", seconds / MINUTE),
        seconds @ ..DAY => format!("{}h ago", seconds / HOUR),
        seconds => format!("{}d ago", seconds / DAY),
    }
}
