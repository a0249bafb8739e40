//! References to stores as stores, so that a wrapper can own, share or borrow the store inside it.

use std::sync::Arc;
use std::time::Duration;

use super::{Answers, AsOf, Ask, Damage, LocalStore, Reader, SideData, SideValue, Snapshot, Store};
use crate::address::Address;
use crate::change::{Applied, Change};
use crate::context::{BlockAnswer, BlockAsk};
use crate::error::Result;
use crate::event::SessionEvent;
use crate::forget::{Forget, Forgotten};
use crate::id::StoreId;
use crate::key::Name;
use crate::model::report::Report;
use crate::note::{Note, Revision, Stamp};
use crate::scope::Scope;
use crate::search::{Hit, SearchRequest};

/// [`Reader`], [`Store`] and [`SideData`] for a kind of reference.
macro_rules! by_reference {
    ($inner:ident, $reference:ty) => {
        impl<$inner: Reader + ?Sized> Reader for $reference {
            fn read(&self, ask: &Ask) -> Result<Answers> {
                (**self).read(ask)
            }

            fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
                (**self).select_at(scopes, moment)
            }

            fn take_damage(&self) -> Damage {
                (**self).take_damage()
            }

            fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
                (**self).search(request)
            }

            fn rendered(&self, ask: &BlockAsk) -> Result<Option<BlockAnswer>> {
                (**self).rendered(ask)
            }

            fn history_before(
                &self,
                address: &Address,
                before: Option<u64>,
                limit: usize,
            ) -> Result<Vec<Revision>> {
                (**self).history_before(address, before, limit)
            }

            fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
                (**self).one_state(work)
            }
        }

        impl<$inner: Store + ?Sized> Store for $reference {
            fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
                (**self).apply(changes, stamp)
            }

            fn record(
                &self,
                session: &Name,
                events: &[SessionEvent],
                lease: Option<u64>,
                stamp: &Stamp,
            ) -> Result<()> {
                (**self).record(session, events, lease, stamp)
            }

            fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
                (**self).forget(request, stamp)
            }

            fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
                (**self).would_forget(request, stamp)
            }

            fn verify(&self) -> Result<Report> {
                (**self).verify()
            }

            fn beat(&self, session: &Name, lease: u64) -> Result<()> {
                (**self).beat(session, lease)
            }

            fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
                (**self).silence(session, lease)
            }

            fn checkpoint(&self) -> Result<bool> {
                (**self).checkpoint()
            }
        }

        impl<$inner: SideData + ?Sized> SideData for $reference {
            fn side_values(&self, space: &str) -> Result<Vec<SideValue>> {
                (**self).side_values(space)
            }

            fn put_side_values(
                &self,
                space: &str,
                values: &[SideValue],
                removed: &[String],
            ) -> Result<()> {
                (**self).put_side_values(space, values, removed)
            }

            fn keep_side_values(
                &self,
                space: &str,
                values: &[SideValue],
                removed: &[String],
            ) -> Result<()> {
                (**self).keep_side_values(space, values, removed)
            }
        }
    };
}

by_reference!(S, &S);
by_reference!(S, Arc<S>);

impl<S: Snapshot + ?Sized> Snapshot for &S {
    fn search_over(&self, request: &SearchRequest, laid_over: &[Note]) -> Result<Vec<Hit>> {
        (**self).search_over(request, laid_over)
    }
}

impl<S: LocalStore + ?Sized> LocalStore for &S {
    fn exclusively(&self, work: &mut dyn FnMut(&dyn LocalStore) -> Result<()>) -> Result<()> {
        (**self).exclusively(work)
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Snapshot) -> Result<()>) -> Result<()> {
        (**self).snapshot(work)
    }

    fn rebuild_index(&self) -> Result<()> {
        (**self).rebuild_index()
    }

    fn renew_id(&self) -> Result<StoreId> {
        (**self).renew_id()
    }
}
