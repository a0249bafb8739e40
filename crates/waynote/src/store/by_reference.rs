//! References to stores as stores, so that a wrapper can own, share or borrow the store inside it.

use std::sync::Arc;

use super::{LocalStore, Reader, SideData, Snapshot, Store};
use crate::error::Result;
use crate::id::StoreId;
use crate::note::Note;
use crate::pass_on;
use crate::search::{Hit, SearchRequest};

/// [`Reader`], [`Store`] and [`SideData`] for a kind of reference.
macro_rules! by_reference {
    ($inner:ident, $reference:ty) => {
        impl<$inner: Reader + ?Sized> Reader for $reference {
            pass_on! {
                self => (**self);
                read select_at search take_damage rendered history_before one_state holder checkouts
            }
        }

        impl<$inner: Store + ?Sized> Store for $reference {
            pass_on! {
                self => (**self);
                apply record forget would_forget verify heartbeat silence silences checkpoint
            }
        }

        impl<$inner: SideData + ?Sized> SideData for $reference {
            pass_on! { self => (**self); side_values put_side_values keep_side_values }
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
