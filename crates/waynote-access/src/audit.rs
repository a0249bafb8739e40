//! The audit log: a line for each refused and each administrative call.
//!
//! It is kept in the store's side data, the newest lines of it. Refusals are kept apart from what was done, so that
//! somebody who is refused over and over pushes nothing else out. Refusals of one kind within a minute are one line
//! with a count, and at most two writes: whoever guesses at tokens fills no disk.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use waynote::error::safe;
use waynote::jiff::Timestamp;
use waynote::store::SideValue;
use waynote::{Name, Result, SideData};

/// The spaces of administrative calls and of refused ones.
const SPACES: [&str; 2] = ["audit", "audit refused"];

/// How many lines of each are kept.
const KEPT: usize = 5_000;

/// After how many lines the oldest are removed.
const PRUNED_EVERY: u32 = 200;

/// The longest detail, in characters.
const DETAIL: usize = 200;

const MINUTE: i64 = 60_000_000;

/// Something to be noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The call, in a few words that do not depend on its arguments: `token created`, `forget`, `sign in`.
    pub call: &'static str,
    /// The token that called; none without one.
    pub token: Option<Name>,
    /// True if it was refused.
    pub refused: bool,
    /// Its object, or the reason of the refusal. Never the text of a token or a note.
    pub detail: String,
}

/// A receiver of each refused and each administrative call.
pub trait Watch: fmt::Debug + Send + Sync {
    /// Notes a call. Nobody waits for the result, and a failure must not change the answer of the call.
    fn saw(&self, line: Line);
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// Its place in the log: a later one is greater.
    pub key: String,
    /// When; the first time if there were several.
    pub at: String,
    /// The call, in a few words.
    pub call: String,
    /// The token that called.
    pub token: Option<String>,
    /// True if it was refused.
    pub refused: bool,
    /// Its object, or the reason of the refusal; that of the first call if there were several.
    pub detail: String,
    /// How often, within a minute.
    pub times: u64,
}

/// A line as it is kept, under its key.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredLine {
    at: String,
    call: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    detail: String,
    times: u64,
}

/// The audit log of a store. A server has one for each store, and keeps it.
pub struct Audit<S> {
    side: S,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// Told apart from others that write at the same time.
    writer: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The refusals of the last minutes by call and token, each with its key.
    refused: BTreeMap<(&'static str, Option<Name>), (String, StoredLine)>,
    /// How many lines were written by this one.
    written: u32,
    last: i64,
}

impl<S> fmt::Debug for Audit<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Audit")
    }
}

impl<S: SideData> Audit<S> {
    /// The log of the store with this side data. `writer` is a number of this process or server that others do not
    /// have, for example a random one.
    pub fn new(
        side: S,
        writer: u64,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            side,
            clock: Box::new(clock),
            writer: format!("{writer:016x}"),
            state: Mutex::default(),
        }
    }

    /// Notes a line.
    ///
    /// # Errors
    /// As [`Store::apply`](waynote::Store::apply).
    pub fn add(&self, line: Line) -> Result<()> {
        let mut state = self.state.lock();
        // Two lines of this writer never have one key.
        let now = (self.clock)();
        let micros = now.as_microsecond().max(state.last + 1);
        state.last = micros;
        let key = format!("{micros:020}-{}", self.writer);
        let kept = StoredLine {
            at: now.to_string(),
            call: line.call.to_owned(),
            token: line.token.as_ref().map(Name::to_string),
            detail: safe(&line.detail).chars().take(DETAIL).collect(),
            times: 1,
        };
        let [done, refused] = SPACES;
        if !line.refused {
            self.side
                .keep_side_values(done, &[value(&key, &kept)], &[])?;
            return self.prune(&mut state, done);
        }
        let over = self.over(&mut state, micros);
        match state.refused.get_mut(&(line.call, line.token.clone())) {
            Some((_, same)) => same.times += 1,
            None => {
                let new = value(&key, &kept);
                state.refused.insert((line.call, line.token), (key, kept));
                self.side.put_side_values(refused, &[new], &[])?;
                self.prune(&mut state, refused)?;
            }
        }
        match over.is_empty() {
            true => Ok(()),
            false => self.side.put_side_values(refused, &over, &[]),
        }
    }

    /// Writes the counts of refusals that are not written yet. A server calls this when it stops, and may call it once
    /// a minute.
    ///
    /// # Errors
    /// As [`Store::apply`](waynote::Store::apply).
    pub fn flush(&self) -> Result<()> {
        let over = self.over(&mut self.state.lock(), i64::MAX);
        match over.is_empty() {
            true => Ok(()),
            false => self.side.put_side_values(SPACES[1], &over, &[]),
        }
    }

    /// The lines before one (none: from the newest on), latest first, at most `limit`.
    ///
    /// # Errors
    /// As [`Reader::read`](waynote::Reader::read).
    pub fn list(&self, before: Option<&str>, limit: usize) -> Result<Vec<AuditEntry>> {
        let mut all = Vec::new();
        for (space, refused) in SPACES.into_iter().zip([false, true]) {
            let values = self.side.side_values(space)?;
            let newest = values.len().saturating_sub(KEPT);
            let values = values.into_iter().skip(newest);
            let values = values.filter(|value| before.is_none_or(|before| *value.key < *before));
            all.extend(values.filter_map(|value| entry(value, refused)));
        }
        all.sort_by(|one, other| other.key.cmp(&one.key));
        all.truncate(limit);
        Ok(all)
    }

    /// Removes the refusals of earlier minutes, and returns those that were repeated.
    fn over(&self, state: &mut State, now: i64) -> Vec<SideValue> {
        let minute = now / MINUTE;
        let is_over = |key: &str| {
            let micros = key.split('-').next().and_then(|micros| micros.parse().ok());
            micros.is_none_or(|micros: i64| micros / MINUTE != minute)
        };
        let all = std::mem::take(&mut state.refused);
        let (over, rest): (BTreeMap<_, _>, _) =
            all.into_iter().partition(|(_, (key, _))| is_over(key));
        state.refused = rest;
        let repeated = over.into_values().filter(|(_, kept)| kept.times > 1);
        repeated.map(|(key, kept)| value(&key, &kept)).collect()
    }

    fn prune(&self, state: &mut State, space: &str) -> Result<()> {
        let is_due = state.written.is_multiple_of(PRUNED_EVERY);
        state.written = state.written.wrapping_add(1);
        if !is_due {
            return Ok(());
        }
        let values = self.side.side_values(space)?;
        let old = values.len().saturating_sub(KEPT);
        let old: Vec<String> = values
            .into_iter()
            .take(old)
            .map(|value| value.key)
            .collect();
        match old.is_empty() {
            true => Ok(()),
            false => self.side.put_side_values(space, &[], &old),
        }
    }
}

impl<S: SideData + Send + Sync> Watch for Audit<S> {
    fn saw(&self, line: Line) {
        // A store that cannot be written keeps nobody from reading it.
        let _ = self.add(line);
    }
}

fn value(key: &str, kept: &StoredLine) -> SideValue {
    SideValue::new(key, serde_json::to_vec(kept).unwrap_or_default())
}

fn entry(value: SideValue, refused: bool) -> Option<AuditEntry> {
    let kept: StoredLine = serde_json::from_slice(&value.value).ok()?;
    Some(AuditEntry {
        key: value.key,
        at: kept.at,
        call: kept.call,
        token: kept.token,
        refused,
        detail: kept.detail,
        times: kept.times,
    })
}
