//! Heartbeats of loops: values beside the notes, by which another machine tells if a loop is dead.
//!
//! The clock is one that all machines ask: that of the database ([`EngineStore`](crate::EngineStore)), or that of the
//! server that serves the store. A loop that works on a file itself sends no heartbeats, and so never counts as silent.

use std::time::Duration;

use jiff::Timestamp;

use crate::engine::Writing;
use crate::error::Result;
use crate::key::Name;
use crate::store::{Reader, SideData, SideValue};

/// The space of the side data that holds the times of heartbeats. A key names lease and session, so that a loop that
/// has lost its session cannot overwrite the heartbeat of its successor.
pub const SPACE: &str = "beats";

fn key(session: &Name, lease: u64) -> String {
    format!("{lease} {session}")
}

/// Records a heartbeat of the loop with this lease. Nothing is written if the loop has lost the session. The times of
/// loops that no longer hold a session are removed.
///
/// # Errors
/// As [`SideData::put_side_values`].
pub fn beat<S: Reader + SideData + ?Sized>(
    store: &S,
    session: &Name,
    lease: u64,
    now: Timestamp,
) -> Result<()> {
    let held = store.leases()?.into_iter();
    let held: Vec<String> = held
        .map(|of| key(&of.session, of.recorded.number))
        .collect();
    let own = key(session, lease);
    if !held.contains(&own) {
        return Ok(());
    }
    let known = store.side_values(SPACE)?.into_iter().map(|of| of.key);
    let old: Vec<String> = known.filter(|key| !held.contains(key)).collect();
    let value = SideValue::new(own, now.as_millisecond().to_string().into_bytes());
    store.put_side_values(SPACE, &[value], &old, Writing::Relaxed)
}

/// The time since the last heartbeat of each of these loops, named by session and lease, by the values of [`SPACE`];
/// none if there was none. It counts from `since` at the earliest: before that, no loop could send a heartbeat.
pub fn silences(
    values: &[SideValue],
    loops: &[(Name, u64)],
    now: Timestamp,
    since: Timestamp,
) -> Vec<Option<Duration>> {
    let silence = |(session, lease): &(Name, u64)| {
        let own = key(session, *lease);
        let value = values.iter().find(|of| of.key == own)?;
        let heard: i64 = std::str::from_utf8(&value.value).ok()?.parse().ok()?;
        let silent = now.as_millisecond() - heard.max(since.as_millisecond());
        // The clock may have been put back, or be that of another server after a failover.
        Some(Duration::from_millis(u64::try_from(silent).unwrap_or(0)))
    };
    loops.iter().map(silence).collect()
}
