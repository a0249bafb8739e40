//! The data that every view needs besides its own: the store, the reader's grant, and the time.

use jiff::Timestamp;
use parking_lot::Mutex;
use waynote::event::SessionsEvent;
use waynote::session_status::Holder;
use waynote::tend::findings;
use waynote::{Author, Limits, Name, Result, Stamp, Store};
use waynote_access::{Grant, Rights};

use super::changes::Changes;
use super::deliveries::MachineRecords;
use super::fields::Link;
use super::overview::Seen;
use crate::app::Start;
use crate::machine::IsDead;
use crate::visit::Visit;

/// The six views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
pub(crate) enum View {
    Now,
    Notes,
    Sessions,
    Tend,
    History,
    Access,
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
    /// True if the server is for one browser, which gets in by a link.
    pub(crate) is_for_one: bool,
    /// The scopes of the store that the reader may see.
    pub(crate) seen: Seen<'a>,
    /// The journal, as the reader may see it.
    pub(crate) changes: &'a dyn Changes,
    /// The sessions that a loop holds, and whether the loop lives.
    pub(crate) holders: Vec<(Name, Holder)>,
    /// The check for dead processes.
    pub(crate) is_dead: IsDead<'a>,
    /// What this machine recorded, if the server was started by its user.
    pub(crate) records: Option<&'a dyn MachineRecords>,
    /// The number of notes that were found to be worth a look.
    pub(crate) worth: &'a Mutex<Option<usize>>,
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

impl<'a> Site<'a> {
    /// Gathers the data from the store.
    ///
    /// # Errors
    /// Those of reading the store.
    pub(crate) fn gather(visit: &'a Visit, store: &dyn Store) -> Result<Self> {
        let served_store = &visit.served_store;
        // The cache of the whole store, of which a grant sees a part.
        let known = served_store.overview.now(&served_store.store)?;
        let site = Self {
            store: &visit.name,
            grant: &visit.grant,
            now: visit.app.now(),
            limits: visit.app.note_limits,
            start: visit.app.start.as_ref(),
            is_for_one: visit.app.link().is_some(),
            seen: Seen::new(known, &visit.grant),
            changes: &*visit.store,
            holders: holders(store, &*visit.app.is_dead)?,
            is_dead: &*visit.app.is_dead,
            records: visit.app.records.as_deref(),
            worth: &served_store.overview.worth,
        };
        // Counted once for the rail, in a store where that takes no time; later by the view Tend.
        const COUNTED: u64 = 5_000;
        let counts = site.seen.notes() <= COUNTED && site.worth.lock().is_none();
        if let Some(records) = site.records.filter(|_| counts)
            && let Ok(found) = findings(store, &records.last_given(), site.now)
        {
            site.found(found.len());
        }
        Ok(site)
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

    /// A stamp for a preview of a change.
    ///
    /// # Errors
    /// [`waynote::Error::InvalidName`], never for the name of a person.
    pub(crate) fn stamp(&self) -> Result<Stamp> {
        Ok(Stamp::new(self.now, Author::Person.name()?))
    }

    /// Keeps the number of notes that are worth a look. The reader of a narrowed grant counts only what they see.
    pub(crate) fn found(&self, number: usize) {
        if !self.grant.is_narrowed() {
            *self.worth.lock() = Some(number);
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

    /// True if the reader may forget, and manage tokens.
    pub(crate) fn may_administer(&self) -> bool {
        self.grant.rights >= Rights::Admin
    }
}
