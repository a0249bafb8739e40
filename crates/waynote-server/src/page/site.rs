//! The data that every view needs besides its own: the store, the reader's grant, and the time.

use std::sync::Arc;

use jiff::Timestamp;
use waynote::event::SessionsEvent;
use waynote::session_status::Holder;
use waynote::store::StoreBeside;
use waynote::tend::LastGiven;
use waynote::{Limits, Lineage, Name, Place, Result, Store};

use super::fields::Link;
use super::seen::Seen;
use crate::access::{Grant, Rights};
use crate::app::Start;
use crate::machine::IsDead;
use crate::visit::Visit;

/// The views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
pub(crate) enum View {
    Now,
    Notes,
    Sessions,
}

impl View {
    pub(crate) fn title(self) -> &'static str {
        self.into()
    }

    /// Its path below that of the store.
    pub(crate) fn path(self) -> String {
        match self {
            Self::Now => String::new(),
            view => view.title().to_lowercase(),
        }
    }
}

/// The data for every page: the store, the reader's grant, the time.
pub(crate) struct Site<'a> {
    /// The name of the store in the path.
    pub(crate) store: &'a str,
    /// The reader's grant.
    pub(crate) grant: &'a Grant,
    /// The time.
    pub(crate) now: Timestamp,
    /// The limits for notes that are written.
    pub(crate) limits: Limits,
    /// The place and the agent that the server was started with, if its user started it there.
    pub(crate) start: Option<&'a Start>,
    /// The scopes of the store that the reader may see.
    pub(crate) seen: Arc<Seen>,
    /// True if the store is one of several people.
    pub(crate) is_shared: bool,
    /// The sessions that a loop holds, and whether the loop lives.
    pub(crate) holders: Vec<(Name, Holder)>,
    /// The check for dead processes.
    pub(crate) is_dead: IsDead<'a>,
    /// When notes were last given to a session of this machine, if the server was started by its user.
    pub(crate) last_given: Option<&'a (dyn Fn() -> LastGiven + Send + Sync)>,
}

/// The sessions that a loop holds, and whether the loop lives.
pub(crate) fn holders(store: &dyn Store, is_dead: IsDead<'_>) -> Result<Vec<(Name, Holder)>> {
    let leases = store.leases()?.into_iter();
    let holders = leases.map(|SessionsEvent { session, recorded }| {
        let holder = Holder::of(store, &session, Some(&recorded), &is_dead)?;
        Ok((session, holder))
    });
    holders.collect()
}

/// The store with the notes that others have for the directory that the server was started with.
pub(crate) fn beside<'s>(visit: &Visit, store: &'s dyn Store) -> StoreBeside<&'s dyn Store> {
    let beside = StoreBeside::new(store);
    if let Some(start) = &visit.app.start {
        beside.lay_over((start.beside)());
    }
    beside
}

impl<'a> Site<'a> {
    /// Gathers the data from the store, which has the notes of others [beside](beside) it.
    ///
    /// # Errors
    /// Those of reading the store.
    pub(crate) fn gather(visit: &'a Visit, store: &dyn Store) -> Result<Self> {
        Ok(Self {
            store: &visit.name,
            grant: &visit.grant,
            now: visit.app.now(),
            limits: visit.app.note_limits,
            start: visit.app.start.as_ref(),
            seen: visit.served_store.seen.read(&store)?,
            is_shared: store.is_shared()?,
            holders: holders(store, &*visit.app.is_dead)?,
            is_dead: &*visit.app.is_dead,
            last_given: visit.app.last_given.as_deref(),
        })
    }
}

impl Site<'_> {
    /// A link to a page of the store; the path begins behind the store's own.
    pub(crate) fn link(&self, path: &str) -> Link {
        Link::to_store(self.store, path)
    }

    pub(crate) fn view(&self, view: View) -> Link {
        self.link(&view.path())
    }

    /// Every place whose notes apply at a place.
    pub(crate) fn lineage(&self, place: Place) -> Lineage {
        match self.start {
            Some(start) => (start.lineages)(&place),
            None => place.into(),
        }
    }

    /// The loop that holds a session.
    pub(crate) fn holder(&self, session: &Name) -> Holder {
        let held = self.holders.iter().find(|(held, _)| held == session);
        held.map_or(Holder::Nobody, |(_, holder)| *holder)
    }

    /// The number of sessions in which a loop runs. A loop that was killed keeps its session, but does not count.
    pub(crate) fn running(&self) -> usize {
        let alive = self.holders.iter().filter(|(_, of)| *of == Holder::Alive);
        alive.count()
    }

    /// True if the reader may write.
    pub(crate) fn may_write(&self) -> bool {
        self.grant.rights >= Rights::Write
    }
}
