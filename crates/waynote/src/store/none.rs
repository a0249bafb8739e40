//! The store that was never written.

use crate::address::Address;
use crate::change::{Applied, Before, Change, decide};
use crate::content::{Content, ContentHash};
use crate::error::{Error, Result};
use crate::event::{Event, EventLog, Recorded};
use crate::forget::{Forget, Forgotten};
use crate::key::{EntryId, Name};
use crate::note::{Kind, Note, Position, Revision, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::search::{Hit, SearchRequest};
use crate::verify::Report;

use super::{FileMark, Filter, Moment, Recent, ScopeSummary, Store, Version};

/// A store that was never written: there is nothing in it, and nothing can be put there.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStore;

impl EventLog for NoStore {
    fn events(&self, _: &Name, _: Option<u64>, _: usize) -> Result<Vec<Recorded>> {
        Ok(Vec::new())
    }

    fn lease(&self, _: &Name) -> Result<Option<Recorded>> {
        Ok(None)
    }
}

impl Store for NoStore {
    /// Refuses as any store does; what would have to be written is refused too.
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let mut applied = Vec::new();
        for change in changes {
            if decide(change, self, stamp)?.is_some() {
                let reason = "it was opened for reading and does not exist".into();
                return Err(Error::ReadOnly {
                    path: "store".into(),
                    reason,
                });
            }
            if let Some(address) = change.address() {
                applied.push(Applied {
                    address: address.clone(),
                    note: None,
                    existed: false,
                    changed: false,
                });
            }
        }
        Ok(applied)
    }

    fn forget(&self, request: &Forget, _: &Stamp) -> Result<Forgotten> {
        Err(request.not_found())
    }

    fn would_forget(&self, request: &Forget, _: &Stamp) -> Result<Forgotten> {
        Err(request.not_found())
    }

    fn get(&self, _: &Address) -> Result<Option<Note>> {
        Ok(None)
    }

    fn select(&self, _: &Filter) -> Result<Vec<Note>> {
        Ok(Vec::new())
    }

    fn recent(&self, _: &Recent, _: usize, _: usize) -> Result<Vec<Note>> {
        Ok(Vec::new())
    }

    fn count_keyed(&self, _: &Scope, _: bool) -> Result<u64> {
        Ok(0)
    }

    /// Refuses, as there is no place to record it.
    fn record(&self, _: &Name, _: &[Event], _: Option<u64>, _: &Stamp) -> Result<()> {
        Err(Error::ReadOnly {
            path: "store".into(),
            reason: "it was opened for reading and does not exist".into(),
        })
    }

    fn leases(&self) -> Result<Vec<(Name, Recorded)>> {
        Ok(Vec::new())
    }

    fn sessions_with_events(&self) -> Result<Vec<Name>> {
        Ok(Vec::new())
    }

    fn last_iteration(&self, _: &Name) -> Result<Option<i64>> {
        Ok(None)
    }

    fn count_entries(&self, _: &Name, _: Option<&Kind>, _: Option<i64>, _: bool) -> Result<u64> {
        Ok(0)
    }

    fn kinds(&self, _: &Name) -> Result<Vec<Kind>> {
        Ok(Vec::new())
    }

    fn select_at(&self, _: &[Scope], _: Moment) -> Result<Vec<Note>> {
        Ok(Vec::new())
    }

    fn version(&self) -> Result<Version> {
        Ok(Version {
            position: None,
            changes: (0, 0),
            file: None,
        })
    }

    fn scopes(&self, _: ScopeKind) -> Result<Vec<ScopeSummary>> {
        Ok(Vec::new())
    }

    fn count(&self, _: &Scope) -> Result<u64> {
        Ok(0)
    }

    fn history(&self, _: &Address) -> Result<Vec<Revision>> {
        Ok(Vec::new())
    }

    fn journal(&self, _: Option<Position>, _: usize) -> Result<Vec<Revision>> {
        Ok(Vec::new())
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        crate::search::without_index(request)
    }

    fn verify(&self) -> Result<Report> {
        Ok(Report::default())
    }

    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        work()
    }

    fn on_one_state(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        work()
    }

    fn file_marks(&self, _: &str) -> Result<Vec<FileMark>> {
        Ok(Vec::new())
    }

    fn mark_file(&self, _: &str, _: &[(String, Option<ContentHash>)]) -> Result<()> {
        Ok(())
    }
}

impl Before for NoStore {
    fn current(&self, _: &Address) -> Result<Option<Note>> {
        Ok(None)
    }

    fn last_revision(&self, _: &Address) -> Result<u64> {
        Ok(0)
    }

    fn revision(&self, _: &Address, _: u64) -> Result<Option<Revision>> {
        Ok(None)
    }

    fn count(&self, _: &Scope) -> Result<u64> {
        Ok(0)
    }

    fn last_entry(&self, _: &Name) -> Result<Option<EntryId>> {
        Ok(None)
    }

    fn entry_saying(&self, _: &Name, _: &Kind, _: &Content) -> Result<Option<Note>> {
        Ok(None)
    }
}
