//! Deliveries to a session, as its ledger has them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use waynote::Address;
use waynote::context::{Shown, ShownNote};

/// The way in which a session got the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// A hook.
    Hook,
    /// The MCP server, beside a reply.
    Server,
    /// The prompt of a loop.
    Loop,
    /// A plugin, in the system prompt.
    System,
}

/// Deliveries to a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Deliveries {
    /// How it got the block, if it did.
    pub block: Option<Channel>,
    /// True if its conversation lost them, at least once.
    pub was_reset: bool,
    /// True while a turn runs whose prompt switched delivery off.
    pub is_off: bool,
    /// When it first changed a file, in milliseconds of the clock.
    pub changed: Option<u64>,
    /// True if its agent was asked for what the next run should know.
    pub was_asked: bool,
    /// The tokens that it was told at tools.
    pub spent: usize,
    /// Of each note its latest revision.
    pub(super) notes: BTreeMap<String, (u64, Shown)>,
    pub(super) subagents: BTreeSet<String>,
    /// By what it lost them, the client's name of the event, and when.
    pub(super) last_reset: Option<(String, String, u64)>,
}

impl Deliveries {
    /// How much the session has of a revision of a note.
    pub(super) fn has(&self, address: &Address, revision: u64) -> Option<Shown> {
        let (known, shown) = self.notes.get(&address.to_string())?;
        (*known == revision).then_some(*shown)
    }

    /// The notes that it has.
    pub fn pieces(&self) -> Vec<ShownNote> {
        let notes = self
            .notes
            .iter()
            .filter_map(|(address, (revision, shown))| {
                Some(ShownNote {
                    address: address.parse().ok()?,
                    revision: *revision,
                    shown: *shown,
                })
            });
        notes.collect()
    }

    /// Takes in a note that it was given. What it has whole it has whole, also after a line of it.
    pub(super) fn give(&mut self, note: &ShownNote) {
        if note.shown == Shown::LeftOut {
            return;
        }
        let now = (note.revision, note.shown);
        let known = self.notes.entry(note.address.to_string()).or_insert(now);
        // A revision is newer by its number; the texts of others have numbers in no order.
        let is_older = now.0 < known.0 && !ShownNote::is_of_others(known.0);
        if known.0 != now.0 && !is_older || known.0 == now.0 && now.1 == Shown::Whole {
            *known = now;
        }
    }

    /// Its conversation has lost what was delivered, but not what concerns subagents.
    pub(super) fn lose(&mut self, reset: Option<(String, String, u64)>) {
        self.block = None;
        self.was_reset = true;
        self.notes.clear();
        self.spent = 0;
        self.last_reset = reset;
    }
}
