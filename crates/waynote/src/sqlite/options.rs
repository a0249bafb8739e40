//! Options for opening a store, and its name in errors.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::note::Position;

/// How a store of its own file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How long a write waits for the writers before it.
    pub wait: Duration,
    /// True if a database of another program may become a store (default: no). Our tables are made beside its own,
    /// which stay as they are. Later on such a database is opened without this.
    pub attach: bool,
    /// After how many pages of 4 KiB a write moves the write-ahead log into the database. A longer log lets a server
    /// write more a second; the first to open the store after a crash reads all of it.
    pub log_pages: u32,
}

/// As the engine has it.
pub(super) const LOG_PAGES: u32 = 1000;

impl Default for Options {
    /// Ten seconds; a database of another program is refused; 1,000 pages.
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(10),
            attach: false,
            log_pages: LOG_PAGES,
        }
    }
}

impl Options {
    setters! {
        exact {
            /// How long a write waits for the writers before it.
            wait: Duration;
            /// Sets whether a database of another program may become a store.
            attach: bool;
        }
    }

    /// After how many pages of 4 KiB a write moves the write-ahead log into the database.
    pub fn log_pages(self, log_pages: u32) -> Self {
        // The engine takes 0 for never.
        let log_pages = log_pages.clamp(1, i32::MAX as u32);
        Self { log_pages, ..self }
    }
}

/// The distance of a store behind its acknowledged writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rollback {
    /// The position of the last acknowledged write.
    pub acknowledged: Position,
    /// The last position that the store still has; 0 when there is no store any more.
    pub found: Position,
}

/// In words that follow the name of the store.
impl fmt::Display for Rollback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let acknowledged = self.acknowledged;
        write!(
            f,
            "has lost acknowledged writes: it was at position {acknowledged}, and now it is "
        )?;
        match self.found == Position::new(0) {
            true => f.write_str("empty or gone"),
            false => write!(f, "at {}", self.found),
        }
    }
}

/// The store in errors: its path, and the time that a write waits.
#[derive(Clone, Debug)]
pub(super) struct StoreName {
    pub(super) path: PathBuf,
    pub(super) wait: Duration,
}

impl StoreName {
    pub(super) fn new(path: impl Into<PathBuf>, wait: Duration) -> Self {
        let path = path.into();
        Self { path, wait }
    }
}
