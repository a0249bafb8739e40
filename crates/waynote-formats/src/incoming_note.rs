//! A note of another program, and which text is current when both sides changed it.

use jiff::Timestamp;
use waynote::note::micros;
use waynote::{Address, Change, Content, EntryId, EntryType, Name};

/// A text of another program and the note that it becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingNote {
    /// The note.
    pub address: Address,
    /// Its name in its source. With one, the text gets a key of its own where the address is another note; without,
    /// it keeps its key and others give way: the notes of Zrb, ralph.nu and openotters.
    pub name: Option<String>,
    /// Its text.
    pub content: Content,
    /// True if it is pinned there; none: the format does not say.
    pub pin: Option<bool>,
    /// When it was written there.
    pub times: Times,
}

/// An entry of a session's log.
#[derive(Clone, Debug)]
pub(crate) struct IncomingEntry {
    pub(crate) session: Name,
    pub(crate) id: EntryId,
    pub(crate) kind: EntryType,
    pub(crate) iteration: Option<i64>,
    pub(crate) content: Content,
}

impl IncomingEntry {
    pub(crate) fn change(&self) -> Change {
        Change::Append {
            session: self.session.clone(),
            kind: self.kind.clone(),
            iteration: self.iteration,
            content: self.content.clone(),
            resolves: None,
            id: Some(self.id),
            created_at: Some(self.id.time()),
        }
    }
}

/// When a note was written in the other program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// The time is unknown: it counts as written now.
    Unknown,
    /// The time of its file; one that lies ahead counts as now.
    OfFile(Timestamp),
    /// The program recorded it.
    Recorded {
        /// When the note was written first.
        created_at: Timestamp,
        /// When it was written last.
        updated_at: Timestamp,
    },
}

/// The text that becomes current when a note was changed on both sides. The other one is a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precedence {
    /// The imported one: its time is unknown, and the user asks for it now.
    Imported,
    /// The one that was written here.
    Here,
    /// The later one: both sides record when a note was written.
    Later,
}

/// Write, or only plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It writes.
    Write,
    /// It only says what it would write.
    DryRun,
}

impl Times {
    /// When the note was written first and last.
    pub(crate) fn created_and_updated(self, now: Timestamp) -> (Timestamp, Timestamp) {
        match self {
            Self::Unknown => (now, now),
            Self::OfFile(time) => {
                let time = micros(time).min(now);
                (time, time)
            }
            Self::Recorded {
                created_at,
                updated_at,
            } => (created_at, updated_at),
        }
    }
}
