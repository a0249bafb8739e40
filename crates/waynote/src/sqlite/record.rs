//! Recording events: each checked against what is there, inside the transaction that writes it.

use crate::error::Result;
use crate::event::{self, Event, EventLog, Recorded};
use crate::key::Name;
use crate::note::Stamp;
use crate::scope::Scope;

use super::SqliteStore;
use super::events;
use super::write::View;

pub(super) fn record(
    store: &SqliteStore<'_>,
    session: &Name,
    happened: &[Event],
    lease: Option<u64>,
    stamp: &Stamp,
) -> Result<()> {
    let _turn = store.turn()?;
    store.transaction(|conn| {
        let view = View::new(store, conn);
        let now = stamp.now.as_microsecond();
        for event in happened {
            event::check(event, &view, session, lease, stamp)?;
            let scope = view.scope_row(&Scope::Session(session.clone()))?;
            events::insert(conn, scope, event, now, &stamp.author)?;
        }
        Ok(())
    })
}

impl EventLog for View<'_> {
    fn events(&self, session: &Name, before: Option<u64>, limit: usize) -> Result<Vec<Recorded>> {
        self.store
            .mapped(events::page(self.conn, session, before, limit))
    }

    fn lease(&self, session: &Name) -> Result<Option<Recorded>> {
        self.store.mapped(events::lease(self.conn, session))
    }
}
