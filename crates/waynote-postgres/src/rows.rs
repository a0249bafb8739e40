//! The handles through which rows are read and written.

use waynote::engine::{self, Ask, IndexChange, Read, Rows, Transaction};
use waynote::store::SideValue;
use waynote::{Content, Report, Result, StoreId};

use crate::engine::Postgres;
use crate::put;
use crate::read;
use crate::session::{Purpose, Session, TripEnd};
use crate::verify;

/// Rows as they are when they are asked for.
pub(crate) struct CurrentRows<'e>(pub(crate) &'e Postgres);

impl Read for CurrentRows<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        let session = Session::new(self.0, Purpose::Read, self.0.limits());
        read::read(&session, ask, TripEnd::Commit)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        let session = Session::new(self.0, Purpose::Read, self.0.limits());
        verify::verify(&session, report)
    }
}

/// Rows of a transaction.
pub(crate) struct Handle<'s, 'e>(pub(crate) &'s Session<'e>);

impl Read for Handle<'_, '_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        read::read(self.0, ask, TripEnd::GoOn)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        verify::verify(self.0, report)
    }
}

impl Transaction for Handle<'_, '_> {
    fn put(&self, rows: &[engine::Row<'_>]) -> Result<()> {
        put::put(self.0, rows)
    }

    fn remove_contents(&self, contents: &[Content]) -> Result<()> {
        put::remove_contents(self.0, contents);
        Ok(())
    }

    fn put_side(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()> {
        put::side(self.0, space, values, removed);
        Ok(())
    }

    fn renew_id(&self) -> Result<StoreId> {
        put::renew_id(self.0)
    }

    fn put_index(&self, changes: &[IndexChange<'_>]) -> Result<()> {
        for change in changes {
            put::index(self.0, change);
        }
        Ok(())
    }
}
