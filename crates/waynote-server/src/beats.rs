//! Heartbeats of loops on other machines, for a store that keeps no record of them by itself.
//!
//! The times are kept beside the notes, by the clock of this machine: another server of the same file knows them too,
//! and so does a server after a restart. A loop that works on the file itself sends no heartbeats here, and so never
//! counts as silent.

use std::time::Duration;

use jiff::Timestamp;
use waynote::store::SideValue;
use waynote::{Name, Result};

use crate::stores::Served;

/// The space of the side data that holds the times of heartbeats: a value for each session, by its name.
const SPACE: &str = "beats";

/// Records a heartbeat of the loop with this lease. Nothing is written if the loop has lost the session. The times of
/// loops that no longer hold a session are removed.
pub(crate) fn beat(store: &dyn Served, session: &Name, lease: u64, now: Timestamp) -> Result<()> {
    let held = store.leases()?;
    let holds = |name: &str, lease: u64| {
        let mut held = held.iter();
        held.any(|of| of.session.as_str() == name && of.recorded.number == lease)
    };
    if !holds(session.as_str(), lease) {
        return Ok(());
    }
    let known = store.side_values(SPACE)?.into_iter();
    let old = known.filter(|of| parts(&of.value).is_none_or(|(lease, _)| !holds(&of.key, lease)));
    let old: Vec<String> = old
        .map(|of| of.key)
        .filter(|key| key != session.as_str())
        .collect();
    let value = SideValue {
        key: session.to_string(),
        value: format!("{lease} {}", now.as_millisecond()).into_bytes(),
        about: None,
    };
    store.put_side_values(SPACE, &[value], &old)
}

/// The time since the last heartbeat of the loop with this lease. It counts from `since`, the start of this server, at
/// the earliest: before that, no loop could send a heartbeat.
pub(crate) fn silence(
    store: &dyn Served,
    session: &Name,
    lease: u64,
    now: Timestamp,
    since: Timestamp,
) -> Result<Option<Duration>> {
    let mut values = store.side_values(SPACE)?.into_iter();
    let value = values.find(|of| of.key == session.as_str());
    let heard = value.and_then(|value| parts(&value.value));
    let heard = heard.filter(|(of, _)| *of == lease).map(|(_, at)| at);
    Ok(heard.map(|heard| {
        let silent = now.as_millisecond() - heard.max(since.as_millisecond());
        // The clock may have been put back.
        Duration::from_millis(u64::try_from(silent).unwrap_or_default())
    }))
}

/// The lease of a value, and the time of its last heartbeat, in milliseconds.
fn parts(value: &[u8]) -> Option<(u64, i64)> {
    let (lease, at) = std::str::from_utf8(value).ok()?.split_once(' ')?;
    Some((lease.parse().ok()?, at.parse().ok()?))
}
