//! Saves the parts of a damaged store that are whole into a new one.
//!
//! The old store is copied first, with its WAL, and only the copy is opened. Rows are read around pages that cannot be
//! read, each by the reader that checks its checksum and the hash of its text. `chains.rs` chooses what to keep, note by
//! note, and makes a feed of it. That is replayed like the feed of a store that is copied, so that authors, times, pins
//! and histories stay as they were. Positions are given anew if rows are missing.

mod around;
mod chains;
mod copy;

use std::path::Path;

use rusqlite::Connection;
use serde::Serialize;

use crate::engine::{Engine, Writing};
use crate::error::{Error, Result};
use crate::rules::EngineStore;
use crate::rules::copy::replay::{self, Line};
use crate::store::{FeedContent, Store};

use crate::sqlite::file::pool::Sqlite;
use crate::sqlite::options::{Options, StoreName};
use crate::sqlite::{SqliteStore, migrate};

use chains::SalvagePlan;

/// The numbers of saved items, and a list of those that are lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SalvageReport {
    /// Notes and log entries that are in the new store as they were.
    pub notes: u64,
    /// Revisions in the new store.
    pub revisions: u64,
    /// Events in the new store.
    pub events: u64,
    /// The items that are not in the new store, or not whole.
    pub lost: Vec<SalvageLoss>,
}

impl SalvageReport {
    /// True if all of the old store is in the new one.
    pub fn is_complete(&self) -> bool {
        self.lost.is_empty()
    }
}

/// Something that was not saved, or not whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct SalvageLoss {
    /// Its address, as far as that is known.
    pub what: String,
    /// The damage or the loss.
    pub why: String,
}

impl SalvageLoss {
    fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            why: why.into(),
        }
    }
}

/// Saves everything that is whole in the store at `old` into a new store at `new`, and lists the rest. Nothing is
/// written to the old store.
///
/// # Errors
/// [`Error::File`] when `old` cannot be read, or `new` exists; [`Error::NotAStore`], [`Error::NewerStore`];
/// [`Error::DamagedStore`] when not even its tables can be read; [`Error::DiskFull`], [`Error::ReadOnly`].
pub fn salvage(old: &Path, new: &Path, options: &Options) -> Result<SalvageReport> {
    let (_folder, copy) = copy::copied(old, new, options)?;
    let named = StoreName::new(old, options.wait);
    let conn = named.mapped(Connection::open(copy).map_err(Into::into))?;
    match named.mapped(migrate::version(&conn))? {
        None => {
            return Err(Error::not_a_store(old, "it has no table of notes"));
        }
        version => {
            named.mapped(migrate::refuse_newer(&conn, old, false))?;
            if version < Some(migrate::KNOWN) {
                let run = |conn: &Connection| migrate::migrate(conn, old);
                named.mapped(crate::sqlite::transaction::run(&conn, run))?;
            }
        }
    }
    let found = named.mapped(around::read(&conn))?;
    let kept = SalvagePlan::of(found);
    SqliteStore::make(new, options, |sqlite| written(kept, sqlite))
}

/// Writes the new store, and checks it.
fn written(kept: SalvagePlan, new: &Sqlite) -> Result<SalvageReport> {
    let is_revision = |line: &&Line| matches!(line.entry.happened, FeedContent::Changed(_));
    let revisions = kept.lines.iter().filter(is_revision).count();
    let notes = kept
        .lines
        .iter()
        .filter_map(|line| line.now.as_ref()?.note.as_ref());
    let mut salvaged = SalvageReport {
        notes: notes.count() as u64,
        revisions: revisions as u64,
        events: (kept.lines.len() - revisions) as u64,
        lost: kept.lost,
    };
    replay::read_lines(&mut kept.lines.into_iter().map(Ok), new)?;
    for ((space, _), value) in kept.side {
        new.write(Writing::Relaxed, &mut |tx| {
            tx.put_side(&space, std::slice::from_ref(&value), &[])
        })?;
    }
    let report = EngineStore::new(new).verify()?;
    salvaged.lost.extend(
        report
            .problems
            .into_iter()
            .map(|problem| SalvageLoss::new("the new store", problem)),
    );
    salvaged.lost.sort();
    salvaged.lost.dedup();
    Ok(salvaged)
}
