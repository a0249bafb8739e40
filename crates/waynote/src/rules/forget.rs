//! Forgetting: removes the contents from revisions and the texts from events, then contents that no revision has any
//! more, then every trace of them in the files.

use std::collections::BTreeSet;

use super::erasure::{Erasure, decide};
use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::engine::{Ask, Engine, Put, Read, Row, Transaction, Writing};
use crate::error::{Error, Result};
use crate::event::{EventAddress, RecordedEvent, SessionEvent};
use crate::forget::{Forget, ForgetTarget, Forgotten};
use crate::key::Name;
use crate::note::{Position, Revision, Stamp};
use crate::scope::Scope;
use crate::search::upkeep;
use crate::store::{Done, EventPage, FeedContent, ForgottenTexts, answers};

use super::apply::{another, operation, step};
use super::pending::is_counted;
use super::person;
use super::session_events::check_inside;
use super::session_state::is_archived;

pub(super) fn forget(engine: &dyn Engine, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
    let mut forgotten = None;
    // Nobody may write between the erasure and the clearing of its old bytes.
    engine.exclusively(&mut |engine| {
        let mut reply = None;
        engine.write(Writing::Erasing, &mut |tx| {
            if let Some(done) = done(tx, stamp)? {
                reply = Some(again(tx, request, &done, stamp)?);
                return Ok(());
            }
            let rows: &dyn Read = tx;
            check_inside(stamp, |session| rows.lease(session))?;
            let stamp = &*person::stamped(stamp, || Ok(answers!(rows, store.all_leases: true)))?;
            let erasure = decide(request, rows, stamp)?;
            let spaces = carry_out(tx, request, &erasure, stamp)?;
            reply = Some(replied(request, erasure, spaces));
            Ok(())
        })?;
        forgotten = reply.map(|reply| Forgotten {
            residue: engine.scrub(),
            ..reply
        });
        Ok(())
    })?;
    forgotten.ok_or_else(|| request.not_found())
}

/// The revisions that this call wrote, if it was carried out already.
fn done(rows: &dyn Read, stamp: &Stamp) -> Result<Option<Vec<Done>>> {
    let Some(operation) = stamp.operation else {
        return Ok(None);
    };
    let done = rows.operation(operation)?;
    Ok((!done.is_empty()).then_some(done))
}

/// The answer to a repeated call: the revisions and events that it forgot the first time. It cannot name other
/// revisions with the same text, because the text is gone.
fn again(rows: &dyn Read, request: &Forget, done: &[Done], stamp: &Stamp) -> Result<Forgotten> {
    let mut forgotten = Forgotten::nothing(request);
    let mut at = None;
    for Done { entry, .. } in done {
        match &entry.happened {
            FeedContent::Changed(revision) => forgotten.gone.push(revision.address().clone()),
            FeedContent::Forgotten(ForgottenTexts {
                revisions, events, ..
            }) => {
                forgotten.revisions.clone_from(revisions);
                forgotten.events.clone_from(events);
                at = Some(entry.at);
            }
            FeedContent::Event(_) => return Err(another(stamp)),
        }
    }
    let Forgotten {
        revisions, events, ..
    } = &forgotten;
    let is_of_it = match &request.target {
        ForgetTarget::Note(note) => revisions.iter().any(|of| of.address == note.address),
        ForgetTarget::Event(event) => events.contains(event),
        ForgetTarget::Session(session) => {
            let is_of_session =
                |of: &AddressAt| of.address.scope() == Scope::Session(session.clone());
            revisions.iter().any(is_of_session) || events.iter().any(|of| of.session == *session)
        }
    };
    if at.is_none() || !(is_of_it || revisions.is_empty() && events.is_empty()) {
        return Err(another(stamp));
    }
    let Some(note) = request.note() else {
        return Ok(forgotten);
    };
    let history = rows.history(&note.address)?;
    let is_kept = |of: &&Revision| of.note().is_some() && of.position < at;
    forgotten.kept = history.iter().filter(is_kept).count() as u64;
    Ok(forgotten)
}

/// The result that forgetting would have. Writes nothing.
pub(super) fn would_forget(rows: &dyn Read, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
    let erasure = decide(request, rows, stamp)?;
    let spaces = spaces(rows, &unheld(rows, &erasure)?)?;
    Ok(Forgotten {
        up_to: rows.version()?.position,
        ..replied(request, erasure, spaces)
    })
}

fn replied(request: &Forget, erasure: Erasure, spaces: Vec<String>) -> Forgotten {
    let gone = erasure.writes.iter().map(|write| &write.revision);
    Forgotten {
        named: request.target.clone(),
        events: addresses(&erasure.events),
        shared_events: erasure.shared_events,
        gone: gone.map(|revision| revision.address().clone()).collect(),
        revisions: erasure.revisions.into_iter().map(at).collect(),
        kept: erasure.kept,
        shared: erasure.shared.into_iter().map(at).collect(),
        spaces,
        up_to: None,
        residue: None,
    }
}

/// Refuses to forget a text that was written after what was shown.
fn was_shown(
    request: &Forget,
    revisions: &[(AddressAt, Position)],
    events: &[(Name, RecordedEvent)],
) -> Result<()> {
    let Some(up_to) = request.up_to else {
        return Ok(());
    };
    let revision = revisions.iter().find(|(_, position)| *position > up_to);
    let event = events.iter().find(|(_, event)| event.position > up_to);
    let newer = revision
        .map(|(at, _)| at.to_string())
        .or(event.map(|(session, event)| event.address(session).to_string()));
    match newer {
        Some(what) => Err(Error::ForgetsMore { what }),
        None => Ok(()),
    }
}

/// Returns the spaces of side data that had a value about one of the contents.
fn carry_out(
    tx: &dyn Transaction,
    request: &Forget,
    erasure: &Erasure,
    stamp: &Stamp,
) -> Result<Vec<String>> {
    let rows: &dyn Read = tx;
    let mut revisions = Vec::new();
    let notes: BTreeSet<&Address> = erasure.revisions.iter().map(|(note, _)| note).collect();
    for note in notes {
        for revision in rows.history(note)? {
            let named = (note.clone(), revision.number());
            if let Some(position) = revision
                .position
                .filter(|_| erasure.revisions.contains(&named))
            {
                revisions.push((at(named), position));
            }
        }
    }
    was_shown(request, &revisions, &erasure.events)?;
    let archives = archives(rows, request)?;
    // A call with an id is found again even if there was nothing to forget: a repeated call must not forget notes that
    // were written since.
    let is_nothing = revisions.is_empty()
        && erasure.writes.is_empty()
        && erasure.events.is_empty()
        && archives.is_none();
    if is_nothing && stamp.operation.is_none() {
        return Ok(Vec::new());
    }
    let numbers: Vec<i64> = revisions.iter().map(|(_, at)| at.number()).collect();
    upkeep::forget(tx, &numbers)?;
    put(tx, erasure, revisions, archives, stamp)?;
    let unheld = unheld(rows, erasure)?;
    let spaces = spaces(rows, &unheld)?;
    tx.remove_contents(&unheld)?;
    Ok(spaces)
}

/// The session that leaves the list because it is forgotten, and the number of the event that says so.
fn archives<'r>(rows: &dyn Read, request: &'r Forget) -> Result<Option<(&'r Name, u64)>> {
    let ForgetTarget::Session(session) = &request.target else {
        return Ok(None);
    };
    let mut last = answers!(rows, store.events: vec![EventPage::last(session.clone(), 1)]);
    let last = last.pop().unwrap_or_default();
    Ok(match last.first() {
        Some(event) if !is_archived(&last) => Some((session, event.number + 1)),
        _ => None,
    })
}

/// Writes the erasure, and the rows that belong to it, at the next positions.
fn put(
    tx: &dyn Transaction,
    erasure: &Erasure,
    revisions: Vec<(AddressAt, Position)>,
    archives: Option<(&Name, u64)>,
    stamp: &Stamp,
) -> Result<()> {
    let rows: &dyn Read = tx;
    let mut head = rows.version()?.head();
    let operation = operation(stamp, Position::new(head + 1));
    let mut next = || {
        head += 1;
        Position::new(head)
    };
    let mut gone = Vec::with_capacity(erasure.writes.len());
    for write in &erasure.writes {
        let mut revision = write.revision.clone();
        let before = rows.state(revision.address())?;
        revision.position = Some(next());
        gone.push((revision, before.map(|state| state.position), write.existed));
    }
    let mut put: Vec<Row<'_>> = gone
        .iter()
        .enumerate()
        .map(|(index, (revision, previous, existed))| {
            Row::Revision(Put {
                revision,
                previous: *previous,
                note: None,
                existed: *existed,
                is_counted: is_counted(revision.address()),
                step: step(operation, index),
            })
        })
        .collect();
    if let Some((session, number)) = archives {
        put.push(Row::Event {
            session,
            recorded: RecordedEvent {
                number,
                position: next(),
                author: stamp.author.clone(),
                recorded_at: stamp.now,
                event: SessionEvent::Archived,
            },
            step: None,
        });
    }
    put.push(Row::Forgotten {
        position: next(),
        at: stamp.now,
        by: &stamp.author,
        revisions,
        events: erasure.events.clone(),
        step: step(operation, gone.len()),
    });
    tx.put(&put)
}

fn addresses(events: &[(Name, RecordedEvent)]) -> Vec<EventAddress> {
    let events = events.iter();
    events
        .map(|(session, recorded)| recorded.address(session))
        .collect()
}

fn at((address, revision): (Address, u64)) -> AddressAt {
    AddressAt::new(address, revision)
}

/// The contents that only the erased revisions have.
fn unheld(rows: &dyn Read, erasure: &Erasure) -> Result<Vec<Content>> {
    let is_erased = |at: &AddressAt| {
        let revision = at.revision.unwrap_or_default();
        erasure.revisions.contains(&(at.address.clone(), revision))
    };
    let held = rows.holders(&erasure.contents)?;
    let unheld = erasure.contents.iter().zip(held);
    Ok(unheld
        .filter(|(_, holders)| holders.iter().all(is_erased))
        .map(|(content, _)| content.clone())
        .collect())
}

/// The spaces of side data that have a value about one of these, by name.
fn spaces(rows: &dyn Read, contents: &[Content]) -> Result<Vec<String>> {
    let spaces: BTreeSet<String> = answers!(rows, about: contents.to_vec())
        .into_iter()
        .flatten()
        .collect();
    Ok(spaces.into_iter().collect())
}
