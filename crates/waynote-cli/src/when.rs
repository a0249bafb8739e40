//! Times as people write and read them: local on a terminal, universal everywhere else.

use std::sync::OnceLock;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use waynote::text::plural;

use crate::clock;
use crate::error::{Failure, Outcome};

/// The zone in which this call prints times; unset: universal time.
static SHOWN: OnceLock<TimeZone> = OnceLock::new();

/// Prints local times from here on: a person reads them.
pub(crate) fn show_local() {
    let _ = SHOWN.set(TimeZone::system());
}

/// Day and minute, for a sentence or a cell.
pub(crate) fn minute(time: Timestamp) -> String {
    match SHOWN.get() {
        Some(zone) => {
            let time = time.to_zoned(zone.clone());
            time.strftime("%Y-%m-%d %H:%M").to_string()
        }
        None => waynote::text::minute(time),
    }
}

/// The zone of what [`minute`] prints, as a heading or a sentence has it behind the time.
pub(crate) fn zone() -> &'static str {
    SHOWN.get().map_or(" UTC", |_| "")
}

/// The same in a heading.
pub(crate) fn zone_in_heading() -> &'static str {
    SHOWN.get().map_or(" (UTC)", |_| "")
}

/// The time of day, for a line of a log.
pub(crate) fn clock(time: Timestamp) -> String {
    let zone = SHOWN.get().cloned().unwrap_or(TimeZone::UTC);
    time.to_zoned(zone).strftime("%H:%M:%S").to_string()
}

/// A time for a cell: local to the minute, or universal to the second.
pub(crate) fn cell(time: Timestamp) -> String {
    match SHOWN.get() {
        Some(_) => minute(time),
        None => {
            let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
            whole.to_string()
        }
    }
}

/// The time since then, in one unit: `3h ago`.
pub(crate) fn ago(time: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_second().saturating_sub(time.as_second());
    match seconds {
        ..60 => "just now".into(),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => {
            let days = u64::try_from(seconds / 86_400).unwrap_or_default();
            format!("{} ago", plural(days, "day"))
        }
    }
}

/// A time as a person writes it: `2026-11-18`, `2026-11-18 14:00`, RFC 3339, `yesterday`, `2 days ago`, `2h`. A day
/// without a time is its first moment here.
pub(crate) fn read(text: &str) -> Outcome<Timestamp> {
    let zone = TimeZone::system();
    let now = clock::now()?.to_zoned(zone);
    parsed(text.trim(), &now).ok_or_else(|| {
        let hint =
            "write it as 2026-05-17, '2026-05-17 14:00', 2026-05-17T12:00:00Z, yesterday, 2h or '2 days ago'";
        Failure::usage(format!("`{}` is not a time", waynote::visible::visible(text)), hint)
    })
}

fn parsed(text: &str, now: &Zoned) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let zone = now.time_zone();
    let day_before = |days: i64| {
        let before = Span::new().try_days(days).ok()?;
        let day = now.date().checked_sub(before).ok()?;
        Some(day.to_zoned(zone.clone()).ok()?.timestamp())
    };
    match text.to_lowercase().as_str() {
        "now" => return Some(now.timestamp()),
        "today" => return day_before(0),
        "yesterday" => return day_before(1),
        _ => {}
    }
    if let Ok(span) = text.parse::<Span>() {
        // `2h` and `2h ago` are the same: what is asked for has happened.
        return Some(now.checked_sub(span.abs()).ok()?.timestamp());
    }
    let civil = match text.parse::<Date>() {
        Ok(date) if text.len() <= 10 => date.to_datetime(jiff::civil::Time::midnight()),
        _ => text.parse().ok()?,
    };
    Some(civil.to_zoned(zone.clone()).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_people_write_it() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let now: Timestamp = "2026-11-18T08:30:00Z".parse().unwrap();
        let now = now.to_zoned(zone);
        for (text, expected) in [
            ("2026-11-17T12:00:00Z", "2026-11-17T12:00:00Z"),
            ("2026-11-17T12:00:00+02:00", "2026-11-17T10:00:00Z"),
            ("2026-11-17", "2026-11-16T22:00:00Z"),
            ("2026-11-17 14:00", "2026-11-17T12:00:00Z"),
            ("today", "2026-11-17T22:00:00Z"),
            ("Yesterday", "2026-11-16T22:00:00Z"),
            ("2 days ago", "2026-11-16T08:30:00Z"),
            ("2h", "2026-11-18T06:30:00Z"),
            ("90m ago", "2026-11-18T07:00:00Z"),
        ] {
            let read = parsed(text, &now).map(|time| time.to_string());
            assert_eq!(read.as_deref(), Some(expected), "{text}");
        }
        for text in ["", "soon", "3", "2026-13-01", "tomorrow"] {
            assert_eq!(parsed(text, &now), None, "{text}");
        }
    }

    #[test]
    fn an_age_has_one_unit() {
        let now = Timestamp::UNIX_EPOCH;
        let of = |seconds: i64| ago(Timestamp::from_second(-seconds).unwrap(), now);
        let ages = [0, 61, 7_300, 90_000, 200_000].map(of);
        assert_eq!(
            ages,
            ["just now", "1m ago", "2h ago", "1 day ago", "2 days ago"]
        );
    }
}
