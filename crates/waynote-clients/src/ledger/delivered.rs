//! Deliveries to a session, from its ledger.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;

use waynote::context::{Shown, ShownNote};
use waynote::{Address, Note};

/// The way in which a session got the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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

impl Channel {
    const ALL: [Self; 4] = [Self::Hook, Self::Server, Self::Loop, Self::System];

    pub(super) fn word(self) -> &'static str {
        self.into()
    }
}

/// Deliveries to a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    notes: HashMap<(String, u64), Shown>,
    pub(super) subagents: HashSet<String>,
    pub(super) last_reset: Option<(String, String, u64)>,
}

impl Deliveries {
    /// How much the session has of a note as it is now.
    pub fn of(&self, note: &Note) -> Option<Shown> {
        self.has(&note.address, note.revision)
    }

    pub(super) fn has(&self, address: &Address, revision: u64) -> Option<Shown> {
        self.notes.get(&(address.to_string(), revision)).copied()
    }

    /// The notes that it has.
    pub fn pieces(&self) -> Vec<ShownNote> {
        let notes = self
            .notes
            .iter()
            .filter_map(|((address, revision), shown)| {
                Some(ShownNote {
                    address: address.parse().ok()?,
                    revision: *revision,
                    shown: *shown,
                })
            });
        notes.collect()
    }

    /// Reads a ledger. A last line without its end was cut off in the middle: it says nothing.
    pub(super) fn read(text: &str) -> Self {
        let mut given = Self::default();
        for line in text.split_inclusive('\n') {
            if let Some(line) = line.strip_suffix('\n') {
                given.note(line);
            }
        }
        given
    }

    /// The shortest ledger that says the same: of each note its latest revision. Notes that would make it longer than `most`
    /// bytes are left out, so they are given again.
    pub(super) fn text(&self, most: usize) -> String {
        let mut text = String::new();
        match &self.last_reset {
            Some((source, event, millis)) => {
                text.push_str(&format!("reset {source} {event} {millis}\n"));
            }
            None if self.was_reset => text.push_str("reset\n"),
            None => {}
        }
        if let Some(by) = self.block {
            text.push_str(&format!("block {}\n", by.word()));
        }
        if let Some(millis) = self.changed {
            text.push_str(&format!("changed {millis}\n"));
        }
        if self.spent > 0 {
            text.push_str(&format!("spent {}\n", self.spent));
        }
        for (line, says) in [("off\n", self.is_off), ("asked\n", self.was_asked)] {
            text.push_str(if says { line } else { "" });
        }
        for id in self.subagents.iter().collect::<BTreeSet<_>>() {
            text.push_str(&format!("subagent {id}\n"));
        }
        let mut latest = BTreeMap::new();
        for ((address, revision), shown) in &self.notes {
            let known = latest.entry(address).or_insert((*revision, *shown));
            if known.0 < *revision {
                *known = (*revision, *shown);
            }
        }
        for (address, (revision, shown)) in latest {
            let line = note_line(address, revision, shown);
            if text.len() + line.len() <= most {
                text.push_str(&line);
            }
        }
        text
    }

    /// Takes in a line; one that says nothing is passed over. Tells whether it said anything new.
    pub(super) fn note(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let shown = match word {
            "whole" => Shown::Whole,
            "line" => Shown::Line,
            "block" => {
                let by = Channel::ALL.into_iter().find(|by| by.word() == rest);
                return std::mem::replace(&mut self.block, by) != by;
            }
            "off" => return !std::mem::replace(&mut self.is_off, true),
            "on" => return std::mem::replace(&mut self.is_off, false),
            "asked" => return !std::mem::replace(&mut self.was_asked, true),
            "changed" => {
                let is_new = self.changed.is_none();
                self.changed = self.changed.or(rest.parse().ok());
                return is_new && self.changed.is_some();
            }
            "spent" => {
                self.spent += rest.parse().unwrap_or(0);
                return true;
            }
            "subagent" => return self.subagents.insert(rest.to_owned()),
            "lost" => return self.subagents.remove(rest),
            "reset" => {
                let mut parts = rest.split(' ').map(str::to_owned);
                let (source, event) = (parts.next(), parts.next());
                let millis = parts.next().and_then(|millis| millis.parse().ok());
                self.block = None;
                self.was_reset = true;
                self.notes.clear();
                self.spent = 0;
                self.last_reset = source
                    .zip(event)
                    .zip(millis)
                    .map(|((source, event), millis)| (source, event, millis));
                return true;
            }
            _ => return false,
        };
        let Some((revision, address)) = rest.split_once(' ') else {
            return false;
        };
        let Ok(revision) = revision.parse() else {
            return false;
        };
        let of = (address.to_owned(), revision);
        let known = self.notes.get(&of);
        let is_new = known.is_none_or(|known| *known != shown && shown == Shown::Whole);
        if is_new {
            self.notes.insert(of, shown);
        }
        is_new
    }
}

/// The line that says how much of a note a session has; empty for nothing.
pub(super) fn note_line(address: &impl Display, revision: u64, shown: Shown) -> String {
    let word = match shown {
        Shown::Whole => "whole",
        Shown::Line => "line",
        _ => return String::new(),
    };
    format!("{word} {revision} {address}\n")
}
