//! Changes: each is decided inside the transaction, over what the ones before it wrote, and put.

use crate::address::Address;
use crate::change::{Applied, Before, Change, Write, decide};
use crate::content::Content;
use crate::engine::{Put, Read, Transaction};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::key::{EntryId, Name};
use crate::note::{Kind, Note, Position, Revision, Stamp};
use crate::scope::Scope;
use crate::store::Count;

/// Carries out changes in their order. After each that wrote, `wrote` is told the position and how many are left.
pub(super) fn all(
    tx: &dyn Transaction,
    changes: &[Change],
    stamp: &Stamp,
    wrote: &mut dyn FnMut(Position, usize) -> Result<()>,
) -> Result<Vec<Applied>> {
    let mut applied = Vec::with_capacity(changes.len());
    for (index, change) in changes.iter().enumerate() {
        let (outcome, position) = carry_out(tx, change, stamp)?;
        if let Some(position) = position {
            wrote(position, changes.len() - index - 1)?;
        }
        applied.push(outcome);
    }
    Ok(applied)
}

/// What a decision may ask, answered inside the transaction.
pub(super) struct View<'t>(pub(super) &'t dyn Read);

impl Before for View<'_> {
    fn current(&self, address: &Address) -> Result<Option<Note>> {
        self.0.note(address)
    }

    fn last_revision(&self, address: &Address) -> Result<u64> {
        Ok(self.0.end(address)?.map_or(0, |end| end.revision))
    }

    fn revision(&self, address: &Address, number: u64) -> Result<Option<Revision>> {
        self.0.revision(address, number)
    }

    fn count(&self, scope: &Scope) -> Result<u64> {
        self.0.count(Count::Counted(scope.clone()))
    }

    fn last_entry(&self, session: &Name) -> Result<Option<EntryId>> {
        self.0.last_entry(session)
    }

    fn entry_saying(&self, session: &Name, kind: &Kind, content: &Content) -> Result<Option<Note>> {
        self.0.entry_saying(session, kind, content)
    }
}

fn carry_out(
    tx: &dyn Transaction,
    change: &Change,
    stamp: &Stamp,
) -> Result<(Applied, Option<Position>)> {
    if let Some(write) = decide(change, &View(tx), stamp)? {
        let position = put(tx, &write)?;
        let applied = Applied {
            address: write.revision.address().clone(),
            note: write.note().cloned(),
            existed: write.existed,
            changed: true,
        };
        return Ok((applied, Some(position)));
    }
    let address = match (change, change.address()) {
        (
            Change::Append {
                session,
                id: Some(id),
                ..
            },
            _,
        ) => Address::Session(session.clone(), *id),
        (_, Some(address)) => address.clone(),
        // An id that the store makes is never there already.
        (_, None) => {
            return Err(Error::NotFound {
                what: "id for the entry".into(),
            });
        }
    };
    let reading: &dyn Read = tx;
    let note = reading.note(&address)?;
    let applied = Applied {
        existed: note.is_some(),
        note,
        address,
        changed: false,
    };
    Ok((applied, None))
}

/// Puts what was decided: the revision, and the event that an entry resolves another one.
pub(super) fn put(tx: &dyn Transaction, write: &Write) -> Result<Position> {
    let address = write.revision.address();
    let reading: &dyn Read = tx;
    // A first revision has nothing before it.
    let previous = match write.revision.number() {
        0 | 1 => None,
        _ => reading.end(address)?.map(|end| end.position),
    };
    let position = tx.put(&Put {
        revision: &write.revision,
        previous,
        note: write.note(),
        existed: write.existed,
        is_counted: counts(address),
    })?;
    if let (Some(entry), Address::Session(session, by)) = (write.resolves, address) {
        let event = Event::Resolved { entry, by: *by };
        tx.put_event(
            session,
            &event,
            write.revision.author(),
            write.revision.recorded_at,
        )?;
        tx.resolve(session, entry, *by)?;
    }
    Ok(position)
}

/// What the cap on notes counts: keyed notes and entries, not a place's own note.
fn counts(address: &Address) -> bool {
    !matches!(address, Address::Place(_))
}
