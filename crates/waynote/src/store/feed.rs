//! Everything that happens in a store, in one order.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::address::AddressAt;
use crate::event::{EventAddress, RecordedEvent};
use crate::key::Name;
use crate::note::{Position, Revision};

/// A point in the feed: everything up to it has been read. It prints as `12` or `12.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cursor {
    /// The position.
    pub position: Position,
    /// 0, except for events written by older versions: they share the position of the change before them, and count 1,
    /// 2, 3 … after it.
    pub ordinal: u32,
}

impl Cursor {
    /// The start of the feed.
    pub const START: Self = Self {
        position: Position(0),
        ordinal: 0,
    };

    /// The point after the item at this position.
    pub fn at(position: Position) -> Self {
        Self {
            position,
            ordinal: 0,
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ordinal {
            0 => self.position.fmt(f),
            ordinal => write!(f, "{}.{ordinal}", self.position),
        }
    }
}

impl FromStr for Cursor {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (position, ordinal) = text.split_once('.').unwrap_or((text, "0"));
        Ok(Self {
            position: position.parse()?,
            ordinal: ordinal.parse()?,
        })
    }
}

/// One item of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedEntry {
    /// Its point in the feed; a reader continues from there.
    pub at: Cursor,
    /// What happened.
    pub happened: Happened,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Happened {
    /// A note changed.
    Changed(Revision),
    /// An event of a session.
    Event {
        /// The session.
        session: Name,
        /// The event.
        recorded: RecordedEvent,
    },
    /// The texts of revisions were forgotten.
    Forgotten {
        /// The revisions.
        revisions: Vec<AddressAt>,
        /// The events of which what was said in them was forgotten.
        events: Vec<EventAddress>,
        /// When.
        at: Timestamp,
        /// By whom.
        by: Name,
    },
}
