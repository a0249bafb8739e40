//! Rows of a store in a file of its own, which also has a record of its acknowledged writes.

use crate::engine::{Ask, Read, Rows};
use crate::error::Result;
use crate::model::report::Report;

use super::pool::{Lease, Sqlite};
use crate::sqlite::rows::handle::Handle;

/// Rows on a connection of the pool.
pub(super) struct PooledRows<'e> {
    pub(super) sqlite: &'e Sqlite,
    pub(in crate::sqlite) conn: Lease<'e>,
}

impl PooledRows<'_> {
    fn handle(&self) -> Handle<'_> {
        Handle::new(self.sqlite.named(), &self.conn)
    }
}

impl Read for PooledRows<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        let rows = self.handle().read(ask)?;
        Ok(with_faults(self.sqlite, ask, rows))
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        verify(self.sqlite, &self.handle(), report)
    }
}

/// Rows of one state.
pub(super) struct OneState<'e> {
    pub(super) sqlite: &'e Sqlite,
    pub(super) rows: &'e dyn Read,
}

impl Read for OneState<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        let rows = self.rows.read(ask)?;
        Ok(with_faults(self.sqlite, ask, rows))
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        verify(self.sqlite, self.rows, report)
    }
}

/// Adds the faults of the store as a whole to the damage of lists.
fn with_faults(sqlite: &Sqlite, ask: &Ask, mut rows: Rows) -> Rows {
    let ask = &ask.store;
    if !(ask.scopes.is_empty() && ask.kinds.is_empty() && ask.pages.is_empty()) {
        rows.store.damaged.extend(sqlite.faults());
    }
    rows
}

fn verify(sqlite: &Sqlite, rows: &dyn Read, report: &mut Report) -> Result<bool> {
    let can_go_on = rows.verify(report)?;
    // Compares with the newest state, not with the one that is read: the record has later writes already.
    if let Ok(Some(rollback)) = sqlite.rollback() {
        report.problems.push(format!(
            "acknowledged writes are missing: the last was at position {}, the store is at {}",
            rollback.acknowledged, rollback.found
        ));
    }
    Ok(can_go_on)
}
