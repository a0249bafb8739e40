//! A store that does not exist yet: it reads as empty.

use std::cell::Cell;

use crate::content::Content;
use crate::engine::{Ask, IndexState, JournalRow, Read, Row, Rows, SegmentHead, Transaction};
use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::model::report::Report;
use crate::store::SideValue;

use crate::sqlite::options::Named;

/// Rows of nothing.
pub(in crate::sqlite) struct Missing<'m> {
    named: &'m Named,
    /// Whether somebody had something to write.
    pub(in crate::sqlite) is_wanted: Cell<bool>,
}

impl<'m> Missing<'m> {
    pub(in crate::sqlite) fn new(named: &'m Named) -> Self {
        Self {
            named,
            is_wanted: Cell::new(false),
        }
    }

    /// There is nothing to write to: whoever began the transaction makes the store and begins anew.
    fn wanted<T>(&self) -> Result<T> {
        self.is_wanted.set(true);
        Err(Error::ReadOnly {
            path: self.named.path.clone(),
            reason: "it does not exist".into(),
        })
    }
}

impl Read for Missing<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        Ok(Rows::none(ask))
    }

    fn each_row(&self, _: i64, _: usize, _: &mut dyn FnMut(&JournalRow<'_>) -> bool) -> Result<()> {
        Ok(())
    }

    fn verify(&self, _: &mut Report) -> Result<bool> {
        Ok(true)
    }
}

impl Transaction for Missing<'_> {
    fn put(&self, rows: &[Row<'_>]) -> Result<()> {
        match rows {
            [] => Ok(()),
            _ => self.wanted(),
        }
    }

    fn remove_contents(&self, contents: &[Content]) -> Result<()> {
        match contents {
            [] => Ok(()),
            _ => self.wanted(),
        }
    }

    fn put_side(&self, _: &str, _: &[SideValue], _: &[String]) -> Result<()> {
        self.wanted()
    }

    fn renew_id(&self) -> Result<StoreId> {
        self.wanted()
    }

    fn put_segment(&self, _: &SegmentHead, _: &[u8], _: &[(Vec<u8>, Vec<u8>)]) -> Result<()> {
        self.wanted()
    }

    fn put_dead(&self, _: i64, _: u32, _: &[u8]) -> Result<()> {
        self.wanted()
    }

    fn clear_index(&self) -> Result<()> {
        self.wanted()
    }

    fn remove_segments(&self, _: &[i64]) -> Result<()> {
        self.wanted()
    }

    fn put_index(&self, _: IndexState) -> Result<()> {
        self.wanted()
    }
}
