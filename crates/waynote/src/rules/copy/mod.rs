//! Copies a whole store into another engine: the journal with its authors, tokens and times, events, forgettings, the ids
//! of calls, and side data. The search index is built again.
//!
//! A copy is an export that is piped into an import. One state of the source is read, however long that takes. What is
//! damaged in it is left out and named. The target must be new, and known to nobody before the copy is whole:
//! [`SqliteStore::make`](crate::SqliteStore::make) sees to that. At the end it is checked. A copy that was interrupted
//! starts anew.
//!
//! Positions are those of the source if nothing was left out. The target has its own store id, because cursors and
//! positions that others remember are those of the source.

mod error;
mod json;
mod replay;
mod whole;

use crate::engine::{Engine, Read, Writing};
use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::model::report::Report;
use crate::note::Position;
use crate::store::{self, LocalStore, Store};

use super::EngineStore;

pub use error::CopyError;
pub use json::{read_json, write_json};

/// What is damaged and was left out: addresses, and other names.
pub type Lost = Vec<String>;

/// The phase of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyPhase {
    /// Copying rows: changes, events, forgettings.
    Rows,
    /// Building the search index.
    Index,
    /// Checking the copy.
    Checking,
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

/// A copy that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// The id of the source; none if it is damaged.
    pub from: Option<StoreId>,
    /// The id of the copy.
    pub to: Option<StoreId>,
    /// The last position of the source.
    pub up_to: Option<Position>,
    /// How many items of the feed are in the copy: changes, events, forgettings.
    pub items: u64,
    /// The result of the check.
    pub report: Report,
    /// What is damaged in the source and not in the copy.
    pub lost: Lost,
}

/// Copies the store of one engine into another, which has to be empty. `watch` gets the progress, and may end the copy
/// by returning an error.
///
/// # Errors
/// [`Error::OnePersons`] for a note on a path, if the target is a store of several people; [`CopyError`] in
/// [`Error::Custom`]; [`Error::NotFound`] if there is no source; [`Error::DamagedStore`] if pages of
/// the source cannot be read; and those of [`Engine::write`].
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
    let mut target = replay::Filling::new(to)?;
    let mut lost = whole::lines(rows, head, &mut |line| {
        if target.add(line)? {
            watch(at(CopyPhase::Rows, target.head, head))?;
        }
        Ok(())
    })?;
    let items = target.finish()?;
    side_data(rows, to, &mut lost)?;
    watch(at(CopyPhase::Index, 0, 0))?;
    EngineStore::new(to).rebuild_index()?;
    watch(at(CopyPhase::Checking, 0, 0))?;
    let report = EngineStore::new(to).verify()?;
    if let Some(problem) = report.problems.first() {
        return Err(CopyError::NotWhole {
            store: to.name(),
            problem: problem.clone(),
        }
        .into());
    }
    let (copy, _) = identity(&*to.rows()?, &to.name())?;
    Ok(CopyReport {
        from: source,
        to: copy,
        up_to: (head > 0).then(|| Position::new(head)),
        items: u64::try_from(items).unwrap_or_default(),
        report,
        lost,
    })
}

/// A store's id, if it is not damaged, and its last position.
fn identity(rows: &dyn Read, name: &str) -> Result<(Option<StoreId>, i64)> {
    let ask = store::Ask {
        store_id: true,
        ..store::Ask::default()
    };
    let id = match rows.ask(ask) {
        Err(Error::DamagedNote { .. }) => None,
        answers => answers?.store_id,
    };
    match (id, rows.version()?.head()) {
        (None, 0) => Err(Error::not_found(format!("the store {name}"))),
        found => Ok(found),
    }
}

/// Copies the side data.
fn side_data(from: &dyn Read, to: &dyn Engine, lost: &mut Lost) -> Result<()> {
    /// How many values are written at once.
    const VALUES: usize = 256;
    for space in from.spaces()? {
        let values = match from.side(&space) {
            Ok(values) => values,
            Err(Error::DamagedNote { .. }) => {
                lost.push(format!("the side data of {space}"));
                continue;
            }
            Err(error) => return Err(error),
        };
        for some in values.chunks(VALUES) {
            to.write(Writing::Durable, &mut |tx| tx.put_side(&space, some, &[]))?;
        }
    }
    Ok(())
}
