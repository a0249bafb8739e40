//! Replays the feed of one store in another, some items at a time.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::address::{Address, AddressAt};
use crate::engine::{Ask, Engine, NoteState, Put, Read, Row, Step, Transaction, Writing};
use crate::error::{Error, Result};
use crate::event::{EventAddress, RecordedEvent, SessionEvent, SessionsEvent};
use crate::note::{Note, Position};
use crate::rules::pending::is_counted;
use crate::rules::shared;
use crate::scope::Scope;
use crate::store::{EventPage, FeedContent, FeedEntry, FeedPage, answer};

/// How many items of the feed are copied in one transaction.
pub(super) const ITEMS: usize = 256;

/// An item of the feed with what its copy needs, as a line of JSON has it.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct Line {
    #[serde(flatten)]
    pub(super) entry: FeedEntry,
    /// The call that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<Step>,
    /// Behind a note's last revision, the note as it is now: it may have been repeated or resolved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) now: Option<CurrentNote>,
    /// The events that a forgetting names, as they are now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) forgotten_events: Vec<(EventAddress, RecordedEvent)>,
}

/// A note as it is now; none if it is not there any more.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct CurrentNote {
    pub(super) note: Option<Note>,
}

/// An empty store that takes lines, some at a time.
pub(super) struct Filling<'e> {
    to: &'e dyn Engine,
    lines: Vec<Line>,
    /// Its last position.
    pub(super) head: i64,
    /// True if it is a store of several people.
    is_shared: bool,
}

impl<'e> Filling<'e> {
    pub(super) fn new(to: &'e dyn Engine) -> Result<Self> {
        Ok(Self {
            to,
            lines: Vec::new(),
            head: 0,
            is_shared: shared::is_marked(&to.rows()?.side(shared::SPACE)?),
        })
    }

    /// Takes a line. Returns true if lines were written.
    pub(super) fn add(&mut self, line: Line) -> Result<bool> {
        if let (FeedContent::Changed(revision), true) = (&line.entry.happened, self.is_shared)
            && let Scope::Place(place) = revision.address().scope()
        {
            shared::check_place(&place, revision.address())?;
        }
        self.lines.push(line);
        let is_full = self.lines.len() >= ITEMS;
        if is_full {
            self.write()?;
        }
        Ok(is_full)
    }

    /// Writes the rest. Returns the last position.
    pub(super) fn finish(mut self) -> Result<i64> {
        self.write()?;
        Ok(self.head)
    }

    fn write(&mut self) -> Result<()> {
        let lines = std::mem::take(&mut self.lines);
        put(lines, self.to, &mut self.head)
    }
}

/// The next items of the source's feed, with the other data that copying them needs, all from one state.
///
/// # Errors
/// [`Error::DamagedNote`], also for a note that is neither there nor deleted.
pub(super) fn page(from: &dyn Read, after: Option<Position>, limit: usize) -> Result<Vec<Line>> {
    let feed = answer!(from, store.feed: FeedPage { after, limit });
    if feed.is_empty() {
        return Ok(Vec::new());
    }
    let mut ask = Ask::default();
    for entry in &feed {
        ask.store.steps.push(entry.at);
        match &entry.happened {
            FeedContent::Changed(revision) if !ask.states.contains(revision.address()) => {
                ask.states.push(revision.address().clone());
            }
            FeedContent::Forgotten(texts) => {
                let events = texts.events.iter().map(|event| EventPage {
                    session: event.session.clone(),
                    before: Some(event.number + 1),
                    limit: 1,
                });
                ask.store.events.extend(events);
            }
            _ => {}
        }
    }
    let rows = from.read(&ask)?;
    if let Some(what) = rows.store.damaged.into_iter().next() {
        return Err(Error::DamagedNote { what });
    }
    let mut states: HashMap<Address, Option<NoteState>> = HashMap::new();
    for (address, state) in ask.states.into_iter().zip(rows.states) {
        if state.is_none() {
            let what = address.to_string();
            return Err(Error::DamagedNote { what });
        }
        states.insert(address, state);
    }
    let (mut steps, mut events) = (rows.store.steps.into_iter(), rows.store.events.into_iter());
    let lines = feed.into_iter().map(|entry| {
        let call = steps.next().flatten();
        let (mut now, mut forgotten_events) = (None, Vec::new());
        match &entry.happened {
            FeedContent::Changed(revision) => {
                let state = states.get_mut(revision.address());
                let last = state.and_then(|state| {
                    state.take_if(|state| Some(state.position) == revision.position)
                });
                now = last.map(|state| CurrentNote { note: state.note });
            }
            FeedContent::Forgotten(texts) => {
                let pages = texts.events.iter().zip(&mut events);
                let known = pages.filter_map(|(of, mut page)| Some((of.clone(), page.pop()?)));
                forgotten_events = known.collect();
            }
            FeedContent::Event(_) => {}
        }
        Line {
            entry,
            call,
            now,
            forgotten_events,
        }
    });
    Ok(lines.collect())
}

/// Writes items behind the last position of the target, in one transaction.
fn put(mut lines: Vec<Line>, to: &dyn Engine, head: &mut i64) -> Result<()> {
    for Line { entry, .. } in &mut lines {
        *head += 1;
        entry.at = Position::new(*head);
        match &mut entry.happened {
            FeedContent::Changed(revision) => revision.position = Some(entry.at),
            FeedContent::Event(event) => event.recorded.position = entry.at,
            FeedContent::Forgotten(_) => {}
        }
    }
    to.write(Writing::Durable, &mut |tx| {
        let mut target = Target::read(&lines, tx)?;
        let rows: Vec<Row<'_>> = lines.iter().flat_map(|line| target.rows(line)).collect();
        tx.put(&rows)
    })
}

/// The target as it is while rows are planned.
struct Target {
    /// The last revision of notes, and whether the note is there.
    notes: HashMap<Address, (Position, bool)>,
    /// The positions of revisions that were forgotten.
    revisions: HashMap<AddressAt, Position>,
}

impl Target {
    fn read(lines: &[Line], tx: &dyn Transaction) -> Result<Self> {
        let mut ask = Ask::default();
        for Line { entry, .. } in lines {
            match &entry.happened {
                FeedContent::Changed(revision) if !ask.states.contains(revision.address()) => {
                    ask.states.push(revision.address().clone());
                }
                FeedContent::Forgotten(texts) => ask.revisions.extend_from_slice(&texts.revisions),
                FeedContent::Event(SessionsEvent { recorded, session }) => {
                    if let SessionEvent::Resolved { entry, .. } = &recorded.event {
                        ask.states.push(Address::Session(session.clone(), *entry));
                    }
                }
                FeedContent::Changed(_) => {}
            }
        }
        let rows = tx.read(&ask)?;
        let notes = ask.states.into_iter().zip(rows.states);
        let revisions = ask.revisions.into_iter().zip(rows.revisions);
        Ok(Self {
            notes: notes
                .filter_map(|(address, state)| {
                    let state = state?;
                    Some((address, (state.position, state.note.is_some())))
                })
                .collect(),
            revisions: revisions
                .filter_map(|(at, revision)| Some((at, revision?.position?)))
                .collect(),
        })
    }

    /// The rows of an item.
    fn rows<'l>(&mut self, line: &'l Line) -> Vec<Row<'l>> {
        let (position, step) = (line.entry.at, line.call);
        match &line.entry.happened {
            FeedContent::Changed(revision) => {
                let address = revision.address();
                // Only the last revision knows the note as it is now: a repeated entry, one that is resolved. It
                // replaces the note that an earlier one leaves.
                let note = match &line.now {
                    Some(now) => now.note.as_ref(),
                    None => revision.note(),
                };
                let now = (position, note.is_some());
                let before = self.notes.insert(address.clone(), now);
                let at = AddressAt::new(address.clone(), revision.number());
                self.revisions.insert(at, position);
                vec![Row::Revision(Put {
                    revision,
                    previous: before.map(|(position, _)| position),
                    note,
                    existed: before.is_some_and(|(_, is_there)| is_there),
                    is_counted: is_counted(address),
                    step,
                })]
            }
            FeedContent::Event(SessionsEvent { session, recorded }) => {
                let mut rows = vec![Row::Event {
                    session,
                    recorded: recorded.clone(),
                    step,
                }];
                if let SessionEvent::Resolved { entry, by } = recorded.event {
                    let address = Address::Session(session.clone(), entry);
                    let is_there = self
                        .notes
                        .get(&address)
                        .is_some_and(|(_, is_there)| *is_there);
                    rows.extend(is_there.then_some(Row::Resolved { session, entry, by }));
                }
                rows
            }
            FeedContent::Forgotten(texts) => vec![Row::Forgotten {
                position,
                at: texts.at,
                by: &texts.by,
                revisions: texts
                    .revisions
                    .iter()
                    .filter_map(|at| Some((at.clone(), *self.revisions.get(at)?)))
                    .collect(),
                events: line
                    .forgotten_events
                    .iter()
                    .map(|(of, event)| (of.session.clone(), event.clone()))
                    .collect(),
                step,
            }],
        }
    }
}
