//! Copies a whole store into another engine: the journal with its authors, tokens and times, events, forgettings, the ids
//! of calls, and side data. The search index is built again.
//!
//! Rows are replayed in the order of the feed, in batches. Each batch is one transaction of the target, which also records
//! how far the copy is. A copy that was killed goes on after the last committed batch. Nothing else may be written to the
//! target until the copy is complete: [`EngineStore`](crate::EngineStore) refuses it with [`CopyError::Unfinished`].
//!
//! At the end, both stores are read and compared. Positions are the same in both, unless the source has events from before
//! November 2026, which share a position: then the target counts on. The target keeps its own store id, because cursors
//! and positions that others remember are those of the source.

mod blocks;
mod compare;
mod error;
mod mark;
mod replay;

use crate::engine::{Engine, Read, Writing};
use crate::error::{Error, Result};
use crate::forget::Residue;
use crate::id::StoreId;
use crate::note::Position;
use crate::store::{self, Cursor, SideValue};

use super::EngineStore;

pub use error::CopyError;
pub(crate) use mark::{UNFINISHED, refuse_marked, refuse_unfinished};

use compare::Compared;
use mark::{Done, Mark};

/// What a copy is doing.
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
    /// What it is doing.
    pub phase: CopyPhase,
    /// How much of that is done.
    pub done: u64,
    /// How much there is to do; 0 if that is not known.
    pub total: u64,
}

/// A complete copy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
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
    /// The position of the source after which an earlier, interrupted run had left off; none if there was none.
    pub resumed_after: Option<Position>,
    /// Why old bytes of a text may still be in the copy, if it was copied before it was forgotten in the source.
    pub residue: Option<Residue>,
    /// Whether positions differ between the stores.
    pub is_renumbered: bool,
    /// Whether the copy was complete already, so that this run has written nothing.
    pub was_complete: bool,
}

/// Copies the store of one engine into another, which has to be empty or hold the unfinished copy of the same store.
/// `watch` is told how far it is, and may end the copy by an error; the next run goes on from there.
///
/// # Errors
/// [`CopyError`] in [`Error::Custom`]; [`Error::NotFound`] if there is no source; [`Error::DamagedNote`] and
/// [`Error::DamagedStore`] if the source cannot be read whole; and those of [`Engine::write`].
pub fn copy(
    from: &dyn Engine,
    to: &dyn Engine,
    watch: &mut dyn FnMut(CopyProgress) -> Result<()>,
) -> Result<Copied> {
    let (source, head) = identity(from)?;
    refuse_unfinished(&*from.rows()?, &|| from.name())?;
    let begun = mark::begin(to, source)?;
    if let Some(done) = &begun.done {
        if done.source_head == head {
            return already(to, source, done);
        }
        return Err(CopyError::Outdated {
            store: to.name(),
            up_to: done.source_head,
        }
        .into());
    }
    let (mut mark, mut residue) = (begun.mark, None);
    let resumed_after = (mark.after != Cursor::START).then_some(mark.after.position);
    let mut watch_rows = |mark: &Mark, head: i64| {
        watch(CopyProgress {
            phase: CopyPhase::Rows,
            done: u64::try_from(mark.after.position.number()).unwrap_or_default(),
            total: u64::try_from(head).unwrap_or_default(),
        })
    };
    watch_rows(&mark, head)?;
    // Each batch reads a state of its own, so that a long copy does not hold an old one.
    while replay::from_engine(from, to, &mut mark, &mut residue)? {
        watch_rows(&mark, head)?;
    }
    let at = |phase| CopyProgress {
        phase,
        done: 0,
        total: 0,
    };
    let mut copied = None;
    // What was written meanwhile is copied too, and all is compared with that one state.
    from.snapshot(&mut |rows| {
        while replay::batch(rows, to, &mut mark, &mut residue)? {}
        side_data(rows, to)?;
        watch(at(CopyPhase::Index))?;
        build_index(to)?;
        let compared = compare::compare(from, rows, to, watch)?;
        copied = Some((head_of(rows)?, compared));
        Ok(())
    })?;
    let (head, compared) = copied.ok_or_else(|| store::nothing_ran(from.name()))?;
    let done = Done {
        source,
        source_head: head,
        target_head: mark.head,
    };
    mark::complete(to, &mark, &done)?;
    let copied = answer(to, &done, &compared, resumed_after)?;
    Ok(Copied { residue, ..copied })
}

fn answer(
    to: &dyn Engine,
    done: &Done,
    compared: &Compared,
    resumed_after: Option<Position>,
) -> Result<Copied> {
    Ok(Copied {
        from: done.source,
        to: identity(to)?.0,
        up_to: (done.source_head > 0).then(|| Position::new(done.source_head)),
        notes: compared.notes,
        revisions: compared.revisions,
        events: compared.events,
        forgettings: compared.forgettings,
        side_values: compared.side_values,
        blocks: compared.blocks,
        resumed_after,
        residue: None,
        is_renumbered: done.source_head != done.target_head,
        was_complete: false,
    })
}

/// The answer for a copy that an earlier run has completed.
fn already(to: &dyn Engine, source: StoreId, done: &Done) -> Result<Copied> {
    debug_assert_eq!(source, done.source);
    let copied = answer(to, done, &Compared::default(), None)?;
    Ok(Copied {
        was_complete: true,
        ..copied
    })
}

/// A store's id, and its last position.
fn identity(engine: &dyn Engine) -> Result<(StoreId, i64)> {
    let ask = store::Ask {
        store_id: true,
        version: true,
        ..store::Ask::default()
    };
    let answers = engine.rows()?.ask(ask)?;
    match answers.store_id {
        Some(id) => Ok((id, answers.version.head())),
        None => Err(Error::NotFound {
            what: format!("the store {}", engine.name()),
        }),
    }
}

fn head_of(rows: &dyn Read) -> Result<i64> {
    Ok(rows.version()?.head())
}

/// Makes the side data of the target that of the source.
fn side_data(from: &dyn Read, to: &dyn Engine) -> Result<()> {
    /// How many values are written at once.
    const VALUES: usize = 256;
    let spaces = from.spaces()?;
    let there = to.rows()?.spaces()?;
    let gone = there.iter().filter(|space| !spaces.contains(space));
    for space in spaces.iter().chain(gone) {
        if mark::is_ours(space) {
            continue;
        }
        let values = from.side(space)?;
        let known = to.rows()?.side(space)?;
        let new: Vec<SideValue> = values
            .iter()
            .filter(|value| !known.contains(value))
            .cloned()
            .collect();
        let is_there = |key: &str| values.iter().any(|value| value.key == key);
        let removed: Vec<String> = known
            .into_iter()
            .map(|value| value.key)
            .filter(|key| !is_there(key))
            .collect();
        if !removed.is_empty() {
            to.write(Writing::Durable, &mut |tx| {
                tx.put_side(space, &[], &removed)
            })?;
        }
        for some in new.chunks(VALUES) {
            to.write(Writing::Durable, &mut |tx| tx.put_side(space, some, &[]))?;
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
