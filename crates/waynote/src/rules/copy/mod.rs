//! Copies a whole store into another engine: the journal with its authors, tokens and times, events, forgettings, the ids
//! of calls, and side data. The search index is built again.
//!
//! One state of the source is read, however long that takes. Rows are replayed in the order of the feed, in batches. At the
//! end, both stores are read and compared. The target must be new, and known to nobody before the copy is whole:
//! [`SqliteStore::make`](crate::SqliteStore::make) sees to that. A copy that was interrupted starts anew.
//!
//! Positions are the same in both, unless the source has events from before November 2026, which share a position: then
//! the target counts on. The target keeps its own store id, because cursors and positions that others remember are those
//! of the source.

mod blocks;
mod compare;
mod error;
mod json;
pub(crate) mod replay;

use crate::engine::{Engine, Read, Writing};
use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::note::Position;
use crate::store::{self, Cursor};

use super::EngineStore;

pub use error::CopyError;
pub use json::{read_json, write_json};

/// The phase of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyPhase {
    /// Copying rows: changes, events, forgettings.
    Rows,
    /// Building the search index.
    Index,
    /// Comparing the rows of both stores.
    Comparing,
    /// Comparing the blocks of all agents, places and sessions.
    Blocks,
}

/// How far a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyProgress {
    /// The current phase.
    pub phase: CopyPhase,
    /// The number of items of this phase that are done.
    pub done: u64,
    /// The number of items of this phase; 0 if it is not known.
    pub total: u64,
}

/// A complete copy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// The id of the source.
    pub from: StoreId,
    /// The id of the copy.
    pub to: StoreId,
    /// The last position of the source that is in the copy.
    pub up_to: Option<Position>,
    /// How many notes and log entries there are.
    pub notes: u64,
    /// How many revisions were compared.
    pub revisions: u64,
    /// How many events were compared.
    pub events: u64,
    /// How many forgettings were compared.
    pub forgettings: u64,
    /// How many values of side data were compared.
    pub side_values: u64,
    /// How many blocks were compared.
    pub blocks: u64,
    /// True if positions differ between the stores.
    pub is_renumbered: bool,
}

/// Copies the store of one engine into another, which has to be empty. `watch` gets the progress, and may end the copy
/// by returning an error.
///
/// # Errors
/// [`CopyError`] in [`Error::Custom`]; [`Error::NotFound`] if there is no source; [`Error::DamagedNote`] and
/// [`Error::DamagedStore`] if the source cannot be read whole; and those of [`Engine::write`].
pub fn copy(
    from: &dyn Engine,
    to: &dyn Engine,
    watch: &mut dyn FnMut(CopyProgress) -> Result<()>,
) -> Result<CopyReport> {
    let mut copied = None;
    from.snapshot(&mut |rows| {
        copied = Some(copy_state(from, rows, to, watch)?);
        Ok(())
    })?;
    copied.ok_or_else(|| store::nothing_ran(from.name()))
}

fn copy_state(
    from: &dyn Engine,
    rows: &dyn Read,
    to: &dyn Engine,
    watch: &mut dyn FnMut(CopyProgress) -> Result<()>,
) -> Result<CopyReport> {
    let (source, head) = identity(rows, &from.name())?;
    if identity(&*to.rows()?, &to.name()).is_ok_and(|(_, head)| head != 0) {
        return Err(CopyError::NotEmpty { store: to.name() }.into());
    }
    let at = |phase, done: i64, total: i64| CopyProgress {
        phase,
        done: u64::try_from(done).unwrap_or_default(),
        total: u64::try_from(total).unwrap_or_default(),
    };
    let (mut after, mut reached) = (Cursor::START, 0);
    loop {
        watch(at(CopyPhase::Rows, after.position.number(), head))?;
        if !replay::some(rows, &mut after, to, &mut reached)? {
            break;
        }
    }
    side_data(rows, to)?;
    watch(at(CopyPhase::Index, 0, 0))?;
    build_index(to)?;
    let compared = compare::compare(from, rows, to, watch)?;
    let (copy, _) = identity(&*to.rows()?, &to.name())?;
    Ok(CopyReport {
        from: source,
        to: copy,
        up_to: (head > 0).then(|| Position::new(head)),
        notes: compared.notes,
        revisions: compared.revisions,
        events: compared.events,
        forgettings: compared.forgettings,
        side_values: compared.side_values,
        blocks: compared.blocks,
        is_renumbered: head != reached,
    })
}

/// A store's id, and its last position.
fn identity(rows: &dyn Read, name: &str) -> Result<(StoreId, i64)> {
    let ask = store::Ask {
        store_id: true,
        version: true,
        ..store::Ask::default()
    };
    let answers = rows.ask(ask)?;
    match answers.store_id {
        Some(id) => Ok((id, answers.version.head())),
        None => Err(Error::not_found(format!("the store {name}"))),
    }
}

/// Copies the side data.
fn side_data(from: &dyn Read, to: &dyn Engine) -> Result<()> {
    /// How many values are written at once.
    const VALUES: usize = 256;
    for space in from.spaces()? {
        for some in from.side(&space)?.chunks(VALUES) {
            to.write(Writing::Durable, &mut |tx| tx.put_side(&space, some, &[]))?;
        }
    }
    Ok(())
}

/// Builds the search index, if this build has one.
fn build_index(to: &dyn Engine) -> Result<()> {
    use crate::store::LocalStore;
    match EngineStore::new(to).rebuild_index() {
        // A program with the feature builds it at its first write.
        Err(Error::NotBuiltIn { .. }) => Ok(()),
        built => built,
    }
}
