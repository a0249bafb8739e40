//! The handles through which rows are read and written.

use waynote::engine::{self, Ask, IndexState, JournalRow, Read, Rows, SegmentHead, Transaction};
use waynote::store::SideValue;
use waynote::{Content, Report, Result, StoreId};

use crate::engine::Postgres;
use crate::put;
use crate::read::{self, each};
use crate::session::{Purpose, Session, Then};
use crate::verify;

/// Rows as they are when they are asked for.
pub(crate) struct Now<'e>(pub(crate) &'e Postgres);

impl Read for Now<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        let session = Session::new(self.0, Purpose::Read, self.0.limits());
        read::read(&session, ask, Then::Commit)
    }

    fn each_row(
        &self,
        after: i64,
        limit: usize,
        found: &mut dyn FnMut(&JournalRow<'_>) -> bool,
    ) -> Result<()> {
        let session = Session::new(self.0, Purpose::Read, self.0.limits());
        each::row(&session, after, limit, found)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        let session = Session::new(self.0, Purpose::Read, self.0.limits());
        verify::verify(&session, report)
    }
}

/// Rows of a transaction.
pub(crate) struct Handle<'s, 'e> {
    session: &'s Session<'e>,
}

impl<'s, 'e> Handle<'s, 'e> {
    pub(crate) fn new(session: &'s Session<'e>) -> Self {
        Self { session }
    }
}

impl Read for Handle<'_, '_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        read::read(self.session, ask, Then::GoOn)
    }

    fn each_row(
        &self,
        after: i64,
        limit: usize,
        found: &mut dyn FnMut(&JournalRow<'_>) -> bool,
    ) -> Result<()> {
        each::row(self.session, after, limit, found)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        verify::verify(self.session, report)
    }
}

impl Transaction for Handle<'_, '_> {
    fn put(&self, rows: &[engine::Row<'_>]) -> Result<()> {
        put::put(self.session, rows)
    }

    fn remove_contents(&self, contents: &[Content]) -> Result<()> {
        put::remove_contents(self.session, contents);
        Ok(())
    }

    fn put_side(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()> {
        put::side(self.session, space, values, removed);
        Ok(())
    }

    fn renew_id(&self) -> Result<StoreId> {
        put::renew_id(self.session)
    }

    fn put_segment(
        &self,
        head: &SegmentHead,
        notes: &[u8],
        blocks: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<()> {
        put::segment(self.session, head, notes, blocks);
        Ok(())
    }

    fn put_dead(&self, segment: i64, dead: u32, bits: &[u8]) -> Result<()> {
        put::dead(self.session, segment, dead, bits);
        Ok(())
    }

    fn clear_index(&self) -> Result<()> {
        put::clear_index(self.session);
        Ok(())
    }

    fn remove_segments(&self, ids: &[i64]) -> Result<()> {
        put::remove_segments(self.session, ids);
        Ok(())
    }

    fn put_index(&self, state: IndexState) -> Result<()> {
        put::index(self.session, state);
        Ok(())
    }
}
