//! What a session has, as its ledger says.

use std::collections::{HashMap, HashSet};

use waynote::context::{Shown, ShownNote};
use waynote::{Address, Note};

/// Who gave a session the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Hook,
    /// The MCP server, beside a reply.
    Server,
    /// The prompt of a loop.
    Loop,
    /// A plugin, in the system prompt.
    System,
}

impl By {
    const ALL: [Self; 4] = [Self::Hook, Self::Server, Self::Loop, Self::System];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Server => "server",
            Self::Loop => "loop",
            Self::System => "system",
        }
    }
}

/// What a session has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    /// Who gave it the block, if anybody did.
    pub(crate) block: Option<By>,
    /// Whether it lost what it had been given, once at least.
    pub(crate) was_reset: bool,
    notes: HashMap<(String, u64), Shown>,
    pub(super) subagents: HashSet<String>,
    pub(super) last_reset: Option<(String, String, u64)>,
    /// How long the ledger is: whether somebody wrote to it meanwhile.
    pub(super) length: u64,
}

impl Given {
    /// How much the session has of a note as it is now.
    pub(crate) fn of(&self, note: &Note) -> Option<Shown> {
        self.has(&note.address, note.revision)
    }

    pub(super) fn has(&self, address: &Address, revision: u64) -> Option<Shown> {
        self.notes.get(&(address.to_string(), revision)).copied()
    }

    /// The notes that it has.
    pub(super) fn pieces(&self) -> Vec<ShownNote> {
        let notes = self
            .notes
            .iter()
            .filter_map(|((address, revision), shown)| {
                let address = address.parse().ok()?;
                Some((address, *revision, *shown))
            });
        notes.collect()
    }

    pub(super) fn read(text: &str, length: u64) -> Self {
        let mut given = Self {
            length,
            ..Self::default()
        };
        for line in text.lines() {
            given.note(line);
        }
        given
    }

    /// Takes in a line; one that says nothing is passed over.
    fn note(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let shown = match word {
            "whole" => Shown::Whole,
            "line" => Shown::Line,
            "block" => {
                self.block = By::ALL.into_iter().find(|by| by.word() == rest);
                return;
            }
            "subagent" => {
                self.subagents.insert(rest.to_owned());
                return;
            }
            "reset" => {
                let mut parts = rest.split(' ').map(str::to_owned);
                let (source, event) = (parts.next(), parts.next());
                let millis = parts.next().and_then(|millis| millis.parse().ok());
                self.block = None;
                self.was_reset = true;
                self.notes.clear();
                self.last_reset = source
                    .zip(event)
                    .zip(millis)
                    .map(|((source, event), millis)| (source, event, millis));
                return;
            }
            _ => return,
        };
        let Some((revision, address)) = rest.split_once(' ') else {
            return;
        };
        let Ok(revision) = revision.parse() else {
            return;
        };
        let known = self.notes.entry((address.to_owned(), revision));
        let known = known.or_insert(shown);
        if shown == Shown::Whole {
            *known = shown;
        }
    }
}
