//! Calls that write: changes of notes, and session events. Each is decided inside the transaction, on top of the
//! planned writes of earlier calls.

use std::borrow::Cow;
use std::collections::HashMap;

use super::decide::decide;
use super::foreseen::Questions;
use super::pending::PendingStore;
use super::person;
use super::same;
use super::session_events::{self, check_inside};
use super::shared;
use crate::address::Address;
use crate::change::{Applied, Change, NoteBefore};
use crate::engine::Step;
use crate::error::{Error, Result};
use crate::event::SessionEvent;
use crate::id::OperationId;
use crate::key::Name;
use crate::note::{Position, Revision, Stamp};
use crate::store::{Done, FeedContent, Reader};

/// A call that writes.
pub(super) enum Call<'c> {
    Apply {
        changes: Cow<'c, [Change]>,
        stamp: Cow<'c, Stamp>,
    },
    Record {
        session: Cow<'c, Name>,
        events: Cow<'c, [SessionEvent]>,
        lease: Option<u64>,
        stamp: Cow<'c, Stamp>,
    },
}

impl Call<'_> {
    /// The same call for another thread.
    pub(super) fn into_owned(self) -> Call<'static> {
        match self {
            Self::Apply { changes, stamp } => Call::Apply {
                changes: Cow::Owned(changes.into_owned()),
                stamp: Cow::Owned(stamp.into_owned()),
            },
            Self::Record {
                session,
                events,
                lease,
                stamp,
            } => Call::Record {
                session: Cow::Owned(session.into_owned()),
                events: Cow::Owned(events.into_owned()),
                lease,
                stamp: Cow::Owned(stamp.into_owned()),
            },
        }
    }

    pub(super) fn stamp(&self) -> &Stamp {
        match self {
            Self::Apply { stamp, .. } | Self::Record { stamp, .. } => stamp,
        }
    }

    /// Registers the questions that its decisions will ask, so that the answers can be read beforehand.
    pub(super) fn foresee(&self, questions: &mut Questions) {
        if let Some(operation) = self.stamp().operation {
            questions.operation(operation);
        }
        if let Some(lease) = &self.stamp().lease {
            questions.session(&lease.session);
        }
        if person::depends_on_leases(self.stamp()) {
            questions.all_leases();
        }
        match self {
            Self::Apply { changes, .. } => {
                for change in changes.iter() {
                    questions.of_change(change);
                }
            }
            Self::Record { session, .. } => questions.session(session),
        }
    }

    /// Plans the rows that the call results in: all of them, or none if the call is refused. A repeated call gets its
    /// first answer.
    pub(super) fn plan(
        &self,
        pending: &PendingStore<'_>,
        done: Option<&[Done]>,
    ) -> Result<Vec<Applied>> {
        if let Some(done) = done {
            return match self {
                Self::Apply { changes, stamp } => again(pending, changes, done, stamp),
                Self::Record { stamp, .. } => recorded_again(done, stamp),
            };
        }
        check_inside(self.stamp(), |session| pending.lease(session))?;
        let stamp = person::stamped(self.stamp(), || pending.leases())?;
        let mark = pending.mark();
        let planned = match self {
            Self::Apply { changes, .. } => apply(pending, changes, &stamp),
            Self::Record {
                session,
                events,
                lease,
                ..
            } => record(pending, session, events, *lease, &stamp),
        };
        if planned.is_err() {
            pending.back_to(mark);
        }
        planned
    }
}

/// The id of a call whose first row is at `position`: an undo takes back all that it wrote.
pub(super) fn operation(stamp: &Stamp, position: Position) -> OperationId {
    let own = stamp.operation;
    own.unwrap_or_else(|| OperationId::at(position, stamp))
}

pub(super) fn step(operation: OperationId, index: usize) -> Option<Step> {
    let step = u32::try_from(index).unwrap_or(u32::MAX);
    Some(Step { operation, step })
}

fn apply(pending: &PendingStore<'_>, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
    let mut applied = Vec::with_capacity(changes.len());
    let operation = operation(stamp, pending.upcoming());
    for (index, change) in changes.iter().enumerate() {
        if let (true, Some(address)) = (pending.is_of_several(), change.address())
            && !matches!(change, Change::Delete { .. })
        {
            shared::check(address, stamp)?;
        }
        let Some(write) = decide(change, pending, stamp)? else {
            applied.push(unchanged(pending, change)?);
            continue;
        };
        let address = write.revision.address().clone();
        // A new note was looked up by its text, and has no earlier state.
        let before = match write.existed {
            true => pending.current(&address)?,
            false => None,
        };
        let write = write.to(before.as_ref(), pending)?;
        applied.push(Applied {
            address,
            note: write.note().cloned(),
            before: before.as_ref().map(NoteBefore::of),
            changed: true,
        });
        pending.plan(write, stamp, step(operation, index))?;
    }
    Ok(applied)
}

fn record(
    pending: &PendingStore<'_>,
    session: &Name,
    events: &[SessionEvent],
    lease: Option<u64>,
    stamp: &Stamp,
) -> Result<Vec<Applied>> {
    let operation = operation(stamp, pending.upcoming());
    for (index, event) in events.iter().enumerate() {
        session_events::check(event, pending, session, lease, stamp)?;
        pending.plan_event(session, event, stamp, step(operation, index))?;
    }
    Ok(Vec::new())
}

/// The answer to a repeated call that recorded events.
fn recorded_again(done: &[Done], stamp: &Stamp) -> Result<Vec<Applied>> {
    let is_event = |done: &Done| matches!(done.entry.happened, FeedContent::Event(_));
    match done.iter().all(is_event) {
        true => Ok(Vec::new()),
        false => Err(another(stamp)),
    }
}

/// The error when another call has used the id.
pub(super) fn another(stamp: &Stamp) -> Error {
    let id = stamp.operation.map(|id| id.to_string());
    Error::IdUsed {
        id: id.unwrap_or_default(),
    }
}

/// The answer to a repeated call: the notes as its revisions made them.
fn again(
    pending: &PendingStore<'_>,
    changes: &[Change],
    done: &[Done],
    stamp: &Stamp,
) -> Result<Vec<Applied>> {
    let mut written = HashMap::new();
    for Done { step, entry } in done {
        match &entry.happened {
            FeedContent::Changed(revision) => {
                written.insert(*step, revision);
            }
            // An entry that resolves another one.
            FeedContent::Event(_) => {}
            FeedContent::Forgotten(_) => return Err(another(stamp)),
        }
    }
    let is_longer = |step: &u32| *step as usize >= changes.len();
    if written.is_empty() || written.keys().any(is_longer) {
        return Err(another(stamp));
    }
    let mut applied = Vec::with_capacity(changes.len());
    for (index, change) in changes.iter().enumerate() {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let Some(revision) = written.get(&index) else {
            applied.push(unchanged(pending, change)?);
            continue;
        };
        if !same::made(change, revision) {
            return Err(another(stamp));
        }
        let mut history = pending.rows().history(revision.address())?;
        history.retain(|of| of.number() <= revision.number());
        let before = history.iter().rev().nth(1);
        applied.push(Applied {
            address: revision.address().clone(),
            // An entry that was noted again was answered with the entry as it then was.
            note: revision.noted(&history),
            before: before.and_then(Revision::note).map(NoteBefore::of),
            changed: true,
        });
    }
    Ok(applied)
}

/// The answer to a change that changes nothing.
fn unchanged(pending: &PendingStore<'_>, change: &Change) -> Result<Applied> {
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
            return Err(Error::not_found("id for the entry"));
        }
    };
    let note = pending.current(&address)?;
    Ok(Applied {
        before: note.as_ref().map(NoteBefore::of),
        note,
        address,
        changed: false,
    })
}
