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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn ages_are_as_recorded() {
        let cases = include_str!("../../tests/fixtures/reference/gonotes/cases.json");
        let cases: Value = serde_json::from_str(cases).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        for case in cases["relative_times"].as_array().unwrap() {
            let ago = jiff::SignedDuration::from_millis(case["age_ms"].as_i64().unwrap());
            assert_eq!(case["text"], age(now, now - ago), "{case}");
        }
    }
}
