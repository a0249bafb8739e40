//! Durations, as people write them and as waynote shows them.

use std::time::Duration;

/// A duration with its units: 90s, 10m, 1h30m. A bare number is refused: some would mean seconds by it, others hours.
pub(crate) fn with_unit(text: &str) -> Result<Duration, String> {
    let of = text.trim().parse::<jiff::SignedDuration>();
    let of = of.ok().and_then(|of| Duration::try_from(of).ok());
    of.ok_or_else(|| "write a time with its unit, for example 90s, 10m or 1h30m".to_owned())
}

/// A duration in seconds without a unit, for settings that are documented as seconds: 10, 0.5.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let seconds = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A duration in its two largest units, as `0.4s`, `13s`, `2m 13s`, `1h 02m`.
pub(crate) fn rounded(of: Duration) -> String {
    match units(of) {
        (0, 0, 0..10) => format!("{:.1}s", of.as_secs_f64()),
        (0, _, _) => to_the_second(of),
        (hours, minutes, _) => format!("{hours}h {minutes:02}m"),
    }
}

/// A duration in whole seconds, as `0s`, `13s`, `2m 13s`, `1h 02m 13s`.
pub(crate) fn to_the_second(of: Duration) -> String {
    match units(of) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (hours, minutes, seconds) => format!("{hours}h {minutes:02}m {seconds:02}s"),
    }
}

/// Hours, minutes and seconds.
fn units(of: Duration) -> (u64, u64, u64) {
    let seconds = of.as_secs();
    (seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit() {
        assert_eq!(with_unit(" 1h30m "), Ok(Duration::from_secs(5400)));
        assert_eq!(with_unit("90s"), Ok(Duration::from_secs(90)));
        for text in ["", "90", "-5s", "soon"] {
            assert!(with_unit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_are_a_number() {
        assert_eq!(seconds(" 10 "), Some(Duration::from_secs(10)));
        assert_eq!(seconds("0.5"), Some(Duration::from_millis(500)));
        for text in ["", "10s", "-1", "inf", "NaN"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn durations_as_they_are_shown() {
        for (millis, short, long) in [
            (0, "0.0s", "0s"),
            (900, "0.9s", "0s"),
            (9_949, "9.9s", "9s"),
            (59_999, "59s", "59s"),
            (60_000, "1m 00s", "1m 00s"),
            (3_599_000, "59m 59s", "59m 59s"),
            (3_600_000, "1h 00m", "1h 00m 00s"),
            (360_062_000, "100h 01m", "100h 01m 02s"),
        ] {
            let of = Duration::from_millis(millis);
            assert_eq!((&*rounded(of), &*to_the_second(of)), (short, long));
        }
    }
}
