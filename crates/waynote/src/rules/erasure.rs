//! Decides the result of a request to forget.

use std::collections::{BTreeSet, HashSet};

use super::decide::{self, Write};
use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::engine::{Ask, Read};
use crate::error::{Error, Result};
use crate::event::{EventAddress, RecordedEvent};
use crate::forget::{Forget, ForgetTarget};
use crate::key::Name;
use crate::note::{Action, Note, Revision, Stamp, State};
use crate::scope::Scope;
use crate::store::{EventPage, answer, answers};

/// The error for reading a forgotten note. Takes the history, oldest first.
pub(crate) fn gone_by_forgetting(history: &[Revision]) -> Option<Error> {
    let last = history.last()?;
    (last.action == Action::Forget).then(|| Error::Forgotten {
        what: last.address().to_string(),
        at: last.recorded_at,
        by: last.author().clone(),
    })
}

/// The result of a request to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Erasure {
    /// The revisions that lose their text and become tombstones: a note and a number each.
    pub(crate) revisions: BTreeSet<(Address, u64)>,
    /// The revisions that are written afterwards: the end of a note that existed.
    pub(crate) writes: Vec<Write>,
    /// The contents of these revisions. A content is removed unless a revision in [`Erasure::shared`] also has it.
    pub(crate) contents: Vec<Content>,
    /// Revisions that keep one of these contents.
    pub(crate) shared: BTreeSet<(Address, u64)>,
    /// The events whose texts are forgotten, as they are afterwards, each with its session.
    pub(crate) events: Vec<(Name, RecordedEvent)>,
    /// Events that stay, and that have one of these texts.
    pub(crate) shared_events: Vec<EventAddress>,
    /// How many revisions of the named note still have a text.
    pub(crate) kept: u64,
}

/// The revisions and events that a request names.
struct ErasureTargets {
    /// The history of the named note.
    history: Vec<Revision>,
    /// The revisions that are to be forgotten.
    notes: Vec<Note>,
    events: Vec<(Name, RecordedEvent)>,
}

/// Finds the revisions and events that a request names. An error if it names something that never existed.
fn meant(request: &Forget, rows: &dyn Read) -> Result<ErasureTargets> {
    let says = |revision: &Revision| revision.note().cloned();
    let mut meant = ErasureTargets {
        history: Vec::new(),
        notes: Vec::new(),
        events: Vec::new(),
    };
    let exists = match &request.target {
        ForgetTarget::Note(AddressAt { address, revision }) => {
            let is_meant = |of: &&Revision| revision.is_none_or(|number| of.number() == number);
            meant.history = rows.history(address)?;
            let is_entry = matches!(address, Address::Session(..));
            let of_note = meant.history.iter();
            let of_note = of_note.filter(|revision| is_entry || is_meant(revision));
            meant.notes = of_note.filter_map(says).collect();
            meant.history.iter().any(|revision| is_meant(&revision))
        }
        ForgetTarget::Event(event) => {
            let mut events = all_events(rows, &event.session)?;
            events.retain(|recorded| recorded.number == event.number);
            let exists = !events.is_empty();
            meant.add(&event.session, events);
            exists
        }
        ForgetTarget::Session(session) => {
            let scope = Scope::Session(session.clone());
            let entries = answer!(rows, scope_histories: scope);
            let events = all_events(rows, session)?;
            let exists = !entries.is_empty() || !events.is_empty();
            meant.notes = entries.iter().flatten().filter_map(says).collect();
            meant.add(session, events);
            exists
        }
    };
    exists.then_some(meant).ok_or_else(|| request.not_found())
}

impl ErasureTargets {
    /// Adds those in which something was said.
    fn add(&mut self, session: &Name, events: Vec<RecordedEvent>) {
        let said = events.into_iter();
        let said = said.filter(|recorded| !recorded.event.texts().is_empty());
        self.events
            .extend(said.map(|recorded| (session.clone(), recorded)));
    }
}

/// Decides the result of a request to forget.
///
/// # Errors
/// [`Error::NotFound`] when there never was such a note, revision, event or session; [`Error::Busy`], [`Error::DamagedStore`] or
/// [`Error::Engine`] when the store cannot be read.
pub(crate) fn decide(request: &Forget, rows: &dyn Read, stamp: &Stamp) -> Result<Erasure> {
    let ErasureTargets {
        history,
        notes,
        mut events,
    } = meant(request, rows)?;
    let mut revisions = BTreeSet::new();
    let mut contents = HashSet::new();
    for note in notes {
        revisions.insert((note.address, note.revision));
        contents.insert(note.content);
    }
    for (_, recorded) in &events {
        contents.extend(recorded.event.texts().into_iter().map(Content::imported));
    }
    let contents: Vec<Content> = contents.into_iter().collect();
    let holding = rows.holders(&contents)?.into_iter().flatten();
    let mut holders: BTreeSet<_> = holding
        .filter_map(|at| Some((at.address, at.revision?)))
        .collect();
    if request.everywhere {
        revisions.append(&mut holders);
    }
    let mut others = events_saying(&contents, rows)?;
    others.retain(|other| !events.contains(other));
    if request.everywhere {
        events.append(&mut others);
    }
    let without_texts = events.into_iter().map(|(session, recorded)| {
        let event = recorded.event.forgotten();
        (session, RecordedEvent { event, ..recorded })
    });
    let notes: BTreeSet<&Address> = revisions.iter().map(|(address, _)| address).collect();
    let mut writes = Vec::new();
    for note in notes {
        if let Some(current) = rows.note(note)?
            && revisions.contains(&(note.clone(), current.revision))
        {
            let state = decide::deleted(note, current.revision + 1, stamp);
            writes.push(decide::write(Action::Forget, state, true, stamp));
        }
    }
    let says = |revision: &&Revision| matches!(revision.state, State::Present(_));
    let kept = history
        .iter()
        .filter(says)
        .filter(|revision| !revisions.contains(&(revision.address().clone(), revision.number())));
    Ok(Erasure {
        events: without_texts.collect(),
        shared_events: others
            .iter()
            .map(|(session, recorded)| recorded.address(session))
            .collect(),
        kept: kept.count() as u64,
        shared: holders.difference(&revisions).cloned().collect(),
        revisions,
        writes,
        contents,
    })
}

/// The events of so many sessions are read at once.
const SESSIONS: usize = 256;

/// The events of any session in which one of these texts was said.
fn events_saying(contents: &[Content], rows: &dyn Read) -> Result<Vec<(Name, RecordedEvent)>> {
    let texts: Vec<&str> = contents.iter().filter_map(Content::as_text).collect();
    let mut saying = Vec::new();
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Ok(saying);
    }
    let sessions = answers!(rows, store.event_sessions: true);
    for sessions in sessions.chunks(SESSIONS) {
        let events = events_of(rows, sessions)?;
        for (session, events) in sessions.iter().zip(events) {
            let of_texts = events.into_iter().filter(|recorded| {
                let mut texts = texts.iter().filter(|text| !text.trim().is_empty());
                texts.any(|text| recorded.event.says(text))
            });
            saying.extend(of_texts.map(|recorded| (session.clone(), recorded)));
        }
    }
    Ok(saying)
}

/// The events of one session.
fn all_events(rows: &dyn Read, session: &Name) -> Result<Vec<RecordedEvent>> {
    let mut events = events_of(rows, std::slice::from_ref(session))?;
    Ok(events.pop().unwrap_or_default())
}

/// The events of each of these sessions.
fn events_of(rows: &dyn Read, sessions: &[Name]) -> Result<Vec<Vec<RecordedEvent>>> {
    let of_each = sessions.iter();
    let of_each = of_each.map(|session| EventPage::last(session.clone(), usize::MAX));
    Ok(answers!(rows, store.events: of_each.collect()))
}
