//! Rows of a store in a file of its own, which also has a record of its acknowledged writes.

use crate::engine::{Ask, Read, Rows};
use crate::error::Result;
use crate::model::report::Report;

use super::pool::{Lease, Sqlite};
use crate::sqlite::rows::handle::Handle;

/// The rows of a store that does not exist yet: every answer is empty.
pub(super) struct NoRows;

impl Read for NoRows {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        Ok(Rows::none(ask))
    }

    fn verify(&self, _: &mut Report) -> Result<bool> {
        Ok(true)
    }
}

/// Rows on a connection of the pool.
pub(super) struct PooledRows<'e> {
    pub(super) sqlite: &'e Sqlite,
    pub(in crate::sqlite) conn: Lease<'e>,
}

impl PooledRows<'_> {
    fn at_once<T>(&self, work: impl FnOnce(&OneState<'_>) -> T) -> T {
        let sqlite = self.sqlite;
        let rows = &Handle::new(sqlite.named(), &self.conn);
        work(&OneState { sqlite, rows })
    }
}

impl Read for PooledRows<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        self.at_once(|state| state.read(ask))
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        self.at_once(|state| state.verify(report))
    }
}

/// Rows of one state.
pub(super) struct OneState<'e> {
    pub(super) sqlite: &'e Sqlite,
    pub(super) rows: &'e dyn Read,
}

impl Read for OneState<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        let mut rows = self.rows.read(ask)?;
        let ask = &ask.store;
        // The faults of the store as a whole belong to the damage of lists.
        if !(ask.scopes.is_empty() && ask.kinds.is_empty() && ask.pages.is_empty()) {
            rows.store.damaged.extend(self.sqlite.faults());
        }
        Ok(rows)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        let can_go_on = self.rows.verify(report)?;
        // Compares with the newest state, not with the one that is read: the record has later writes already.
        if let Ok(Some(rollback)) = self.sqlite.rollback() {
            report.problems.push(format!(
                "acknowledged writes are missing: the last was at position {}, the store is at {}",
                rollback.acknowledged, rollback.found
            ));
        }
        Ok(can_go_on)
    }
}
