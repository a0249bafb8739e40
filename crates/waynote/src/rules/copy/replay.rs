//! Replays the feed of one store in another, a batch at a time.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::{Address, AddressAt};
use crate::engine::{Ask, Engine, NoteState, Put, Read, Row, Step, Transaction, Writing};
use crate::error::{Error, Result};
use crate::event::{EventAddress, RecordedEvent, SessionEvent, SessionsEvent};
use crate::key::{EntryId, Name};
use crate::note::{Note, Position, Revision};
use crate::rules::pending::is_counted;
use crate::store::{Cursor, EventPage, FeedEntry, FeedPage, ForgottenTexts, Happened, answer};

/// How many items of the feed are copied in one transaction.
const ITEMS: usize = 256;

/// How far a copy is.
#[derive(Clone, Copy)]
pub(super) struct CopyPosition {
    /// Everything up to this point of the source's feed is in the target.
    pub(super) after: Cursor,
    /// The last position of the target.
    pub(super) head: i64,
}

impl Default for CopyPosition {
    fn default() -> Self {
        Self {
            after: Cursor::START,
            head: 0,
        }
    }
}

/// Copies the next batch. Returns whether there was one.
pub(super) fn batch(from: &dyn Read, to: &dyn Engine, reached: &mut CopyPosition) -> Result<bool> {
    let Some(batch) = Batch::after(from, reached.after)? else {
        return Ok(false);
    };
    to.write(Writing::Durable, &mut |tx| batch.write(tx, reached.head))?;
    reached.head += i64::try_from(batch.feed.len()).unwrap_or(i64::MAX);
    reached.after = batch.end;
    Ok(true)
}

/// Copies a feed that is in memory into an empty store: the items in order, the notes as they are now, the calls that
/// wrote items, and events by the addresses by which forgettings name them.
pub(crate) fn all(
    feed: &[FeedEntry],
    states: &HashMap<Address, NoteState>,
    steps: &HashMap<Position, Step>,
    events: &HashMap<EventAddress, RecordedEvent>,
    to: &dyn Engine,
) -> Result<()> {
    let mut head = 0;
    for items in feed.chunks(ITEMS) {
        let mut batch = Batch {
            feed: items.to_vec(),
            end: Cursor::START,
            steps: HashMap::new(),
            states: HashMap::new(),
            events: HashMap::new(),
        };
        for entry in items {
            let step = steps.get(&entry.at.position);
            batch
                .steps
                .extend(step.map(|step| (entry.at.position, *step)));
            match &entry.happened {
                Happened::Changed(revision) => {
                    let state = states.get_key_value(revision.address());
                    batch
                        .states
                        .extend(state.map(|(at, state)| (at.clone(), state.clone())));
                }
                Happened::Forgotten(texts) => {
                    let known = texts
                        .events
                        .iter()
                        .filter_map(|of| events.get_key_value(of));
                    batch
                        .events
                        .extend(known.map(|(of, event)| (of.clone(), event.clone())));
                }
                Happened::Event(_) => {}
            }
        }
        to.write(Writing::Durable, &mut |tx| batch.write(tx, head))?;
        head += i64::try_from(items.len()).unwrap_or(i64::MAX);
    }
    Ok(())
}

/// Writes everything as lines of JSON, one for each item of the feed.
pub(super) fn lines(from: &dyn Read, to: &mut dyn FnMut(&Line) -> Result<()>) -> Result<()> {
    let mut after = Cursor::START;
    while let Some(batch) = Batch::after(from, after)? {
        after = batch.end;
        let Batch {
            feed,
            steps,
            mut states,
            events,
            ..
        } = batch;
        for entry in feed {
            let mut line = Line {
                call: steps
                    .get(&entry.at.position)
                    .copied()
                    .filter(|_| entry.at.ordinal == 0),
                now: None,
                forgotten_events: Vec::new(),
                entry,
            };
            match &line.entry.happened {
                Happened::Changed(revision) => {
                    let is_last = |state: &NoteState| Some(state.position) == revision.position;
                    if states.get(revision.address()).is_some_and(is_last) {
                        let state = states.remove(revision.address());
                        line.now = state.map(|state| Now { note: state.note });
                    }
                }
                Happened::Forgotten(texts) => {
                    let known = texts
                        .events
                        .iter()
                        .filter_map(|of| events.get_key_value(of));
                    line.forgotten_events =
                        known.map(|(of, at)| (of.clone(), at.clone())).collect();
                }
                Happened::Event(_) => {}
            }
            to(&line)?;
        }
    }
    Ok(())
}

/// Copies such lines into an empty store.
pub(super) fn read_lines(
    lines: &mut dyn Iterator<Item = Result<Line>>,
    to: &dyn Engine,
) -> Result<i64> {
    let mut head = 0;
    loop {
        let mut batch = Batch {
            feed: Vec::new(),
            end: Cursor::START,
            steps: HashMap::new(),
            states: HashMap::new(),
            events: HashMap::new(),
        };
        for line in (&mut *lines).take(ITEMS) {
            batch.add(line?);
        }
        if batch.feed.is_empty() {
            return Ok(head);
        }
        to.write(Writing::Durable, &mut |tx| batch.write(tx, head))?;
        head += i64::try_from(batch.feed.len()).unwrap_or(i64::MAX);
    }
}

/// An item of the feed with what its copy needs, as a line of JSON has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Line {
    #[serde(flatten)]
    entry: FeedEntry,
    /// The call that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<Step>,
    /// Behind a note's last revision, the note as it is now: it may have been repeated or resolved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    now: Option<Now>,
    /// The events that a forgetting names, as they are now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forgotten_events: Vec<(EventAddress, RecordedEvent)>,
}

/// A note as it is now; none if it is not there any more.
#[derive(Serialize, Deserialize)]
struct Now {
    note: Option<Note>,
}

/// Items of the source's feed, with the other data that copying them needs, all from one state.
struct Batch {
    feed: Vec<FeedEntry>,
    end: Cursor,
    steps: HashMap<Position, Step>,
    /// The notes as they are now in the source.
    states: HashMap<Address, NoteState>,
    /// Forgotten events as they are now in the source.
    events: HashMap<EventAddress, RecordedEvent>,
}

impl Batch {
    fn after(from: &dyn Read, after: Cursor) -> Result<Option<Self>> {
        let limit = ITEMS;
        let feed = answer!(from, store.feed: FeedPage { after, limit });
        let Some(end) = feed.last().map(|entry| entry.at) else {
            return Ok(None);
        };
        let mut ask = Ask::default();
        let mut events = Vec::new();
        for entry in &feed {
            match &entry.happened {
                Happened::Changed(revision) => {
                    let address = revision.address();
                    if !ask.states.contains(address) {
                        ask.states.push(address.clone());
                    }
                }
                Happened::Forgotten(ForgottenTexts { events: of, .. }) => {
                    events.extend(of.iter().cloned());
                }
                Happened::Event(_) => {}
            }
        }
        // An older event shares the position of the change before it, and has no call.
        let alone = feed.iter().filter(|entry| entry.at.ordinal == 0);
        ask.steps = alone.map(|entry| entry.at.position).collect();
        ask.store.events = events
            .iter()
            .map(|event| EventPage {
                session: event.session.clone(),
                before: Some(event.number + 1),
                limit: 1,
            })
            .collect();
        let rows = from.read(&ask)?;
        if let Some(what) = rows.store.damaged.into_iter().next() {
            return Err(Error::DamagedNote { what });
        }
        let states = ask.states.into_iter().zip(rows.states);
        let steps = ask.steps.into_iter().zip(rows.steps);
        let pages = events.into_iter().zip(rows.store.events);
        Ok(Some(Self {
            feed,
            end,
            steps: steps.filter_map(|(at, step)| Some((at, step?))).collect(),
            states: states
                .filter_map(|(address, state)| Some((address, state?)))
                .collect(),
            events: pages
                .filter_map(|(event, mut page)| Some((event, page.pop()?)))
                .collect(),
        }))
    }

    fn add(&mut self, line: Line) {
        let at = line.entry.at.position;
        self.steps.extend(line.call.map(|call| (at, call)));
        self.events.extend(line.forgotten_events);
        if let Happened::Changed(revision) = &line.entry.happened {
            let address = revision.address().clone();
            // Any other revision is not the last one: no item is at that position.
            let (position, note) = match line.now {
                Some(now) => (at, now.note),
                None => (Cursor::START.position, None),
            };
            let revision = revision.number();
            let state = NoteState {
                position,
                revision,
                note,
            };
            self.states.insert(address, state);
        }
        self.feed.push(line.entry);
    }

    fn write(&self, tx: &dyn Transaction, head: i64) -> Result<()> {
        let mut target = Target::read(self, tx, head)?;
        let planned: Vec<PlannedRow<'_>> = self
            .feed
            .iter()
            .flat_map(|entry| target.plan(self, entry))
            .collect();
        let rows: Vec<Row<'_>> = planned.iter().map(PlannedRow::row).collect();
        tx.put(&rows)
    }
}

/// The target as it is while a batch is planned.
struct Target {
    head: i64,
    /// The last revision of notes, and whether the note is there.
    notes: HashMap<Address, (Position, bool)>,
    /// The positions of revisions that were forgotten.
    revisions: HashMap<AddressAt, Position>,
}

impl Target {
    fn read(batch: &Batch, tx: &dyn Transaction, head: i64) -> Result<Self> {
        let mut ask = Ask {
            states: batch.states.keys().cloned().collect(),
            ..Ask::default()
        };
        for entry in &batch.feed {
            match &entry.happened {
                Happened::Forgotten(ForgottenTexts { revisions, .. }) => {
                    ask.revisions.extend_from_slice(revisions);
                }
                Happened::Event(SessionsEvent { recorded, session }) => {
                    if let SessionEvent::Resolved { entry, .. } = &recorded.event {
                        ask.states.push(Address::Session(session.clone(), *entry));
                    }
                }
                Happened::Changed(_) => {}
            }
        }
        let rows = tx.read(&ask)?;
        let notes = ask.states.into_iter().zip(rows.states);
        let revisions = ask.revisions.into_iter().zip(rows.revisions);
        Ok(Self {
            head,
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

    /// The rows of an item, at the next position.
    fn plan<'b>(&mut self, batch: &'b Batch, entry: &'b FeedEntry) -> Vec<PlannedRow<'b>> {
        self.head += 1;
        let position = Position::new(self.head);
        let step = match entry.at.ordinal {
            0 => batch.steps.get(&entry.at.position).copied(),
            _ => None,
        };
        match &entry.happened {
            Happened::Changed(revision) => vec![self.change(batch, revision, position, step)],
            Happened::Event(SessionsEvent { session, recorded }) => {
                let resolved = self.resolved(session, recorded);
                let mut recorded = recorded.clone();
                recorded.position = position;
                let event = PlannedRow::Event {
                    session,
                    recorded,
                    step,
                };
                [event].into_iter().chain(resolved).collect()
            }
            Happened::Forgotten(ForgottenTexts {
                revisions,
                events,
                at,
                by,
            }) => vec![PlannedRow::Forgotten {
                position,
                at: *at,
                by,
                revisions: revisions
                    .iter()
                    .filter_map(|at| Some((at.clone(), *self.revisions.get(at)?)))
                    .collect(),
                events: events
                    .iter()
                    .filter_map(|of| Some((of.session.clone(), batch.events.get(of)?.clone())))
                    .collect(),
                step,
            }],
        }
    }

    fn change<'b>(
        &mut self,
        batch: &'b Batch,
        revision: &'b Revision,
        position: Position,
        step: Option<Step>,
    ) -> PlannedRow<'b> {
        let address = revision.address();
        let state = batch.states.get(address);
        // Only the last revision knows the note as it is now: a repeated entry, one that is resolved. It replaces the
        // note that an earlier one leaves.
        let is_last = state.is_some_and(|state| Some(state.position) == revision.position);
        let note = match (is_last, state) {
            (true, Some(state)) => state.note.as_ref(),
            _ => revision.note(),
        };
        let before = self
            .notes
            .insert(address.clone(), (position, note.is_some()));
        let at = AddressAt::new(address.clone(), revision.number());
        self.revisions.insert(at, position);
        let mut revision = revision.clone();
        revision.position = Some(position);
        PlannedRow::Revision {
            previous: before.map(|(position, _)| position),
            existed: before.is_some_and(|(_, is_there)| is_there),
            revision,
            note,
            step,
        }
    }

    fn resolved<'b>(
        &self,
        session: &'b Name,
        recorded: &'b RecordedEvent,
    ) -> Option<PlannedRow<'b>> {
        let SessionEvent::Resolved { entry, by } = &recorded.event else {
            return None;
        };
        let address = Address::Session(session.clone(), *entry);
        let (_, is_there) = self.notes.get(&address)?;
        is_there.then_some(PlannedRow::Resolved {
            session,
            entry: *entry,
            by: *by,
        })
    }
}

/// A row of the target.
enum PlannedRow<'b> {
    Revision {
        revision: Revision,
        previous: Option<Position>,
        note: Option<&'b Note>,
        existed: bool,
        step: Option<Step>,
    },
    Event {
        session: &'b Name,
        recorded: RecordedEvent,
        step: Option<Step>,
    },
    Resolved {
        session: &'b Name,
        entry: EntryId,
        by: EntryId,
    },
    Forgotten {
        position: Position,
        at: Timestamp,
        by: &'b Name,
        revisions: Vec<(AddressAt, Position)>,
        events: Vec<(Name, RecordedEvent)>,
        step: Option<Step>,
    },
}

impl PlannedRow<'_> {
    fn row(&self) -> Row<'_> {
        match self {
            Self::Revision {
                revision,
                previous,
                note,
                existed,
                step,
            } => Row::Revision(Put {
                revision,
                previous: *previous,
                note: *note,
                existed: *existed,
                is_counted: is_counted(revision.address()),
                step: *step,
            }),
            Self::Event {
                session,
                recorded,
                step,
            } => Row::Event {
                session,
                recorded: recorded.clone(),
                step: *step,
            },
            Self::Resolved { session, entry, by } => Row::Resolved {
                session,
                entry: *entry,
                by: *by,
            },
            Self::Forgotten {
                position,
                at,
                by,
                revisions,
                events,
                step,
            } => Row::Forgotten {
                position: *position,
                at: *at,
                by,
                revisions,
                events,
                step: *step,
            },
        }
    }
}
