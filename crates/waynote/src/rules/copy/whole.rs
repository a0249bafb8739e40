//! Reads a store around its damage: what is whole becomes the lines of a copy, and the rest is named.
//!
//! Two passes over one state. The first finds the notes whose history has a gap. Such a note is copied as it is now, as
//! its first revision, if that is whole; the others are copied with their history.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Lost;
use super::replay::{CurrentNote, ITEMS, Line, page};
use crate::address::{Address, AddressAt};
use crate::engine::Read;
use crate::error::{Error, Result};
use crate::event::{RecordedEvent, SessionsEvent};
use crate::key::Name;
use crate::note::{Action, Note, Position, Revision, State};
use crate::scope::ScopeKind;
use crate::store::{Ask, FeedContent, FeedEntry, FeedPage};

/// Passes all that is whole to `each`, in the order of the feed, and returns what is not.
pub(super) fn lines(
    rows: &dyn Read,
    head: i64,
    each: &mut dyn FnMut(Line) -> Result<()>,
) -> Result<Lost> {
    let (mut found, mut lost) = (Scan::default(), BTreeSet::new());
    let reader = Reader { rows, head };
    reader.each(&mut lost, &mut |line, has_row| {
        found.see(&line, has_row);
        Ok(())
    })?;
    let alone = found.alone(rows, &lost)?;
    let broken: BTreeSet<Address> = alone.keys().cloned().collect();
    for (address, note) in alone {
        match note {
            Some(note) => {
                lost.insert(format!("the history of {address}"));
                each(without_history(note))?;
            }
            None => {
                lost.insert(address.to_string());
            }
        }
    }
    let mut events = Events::default();
    let mut histories: HashMap<Address, Vec<Revision>> = HashMap::new();
    reader.each(&mut BTreeSet::new(), &mut |mut line, _| {
        match &mut line.entry.happened {
            FeedContent::Changed(revision) if broken.contains(revision.address()) => return Ok(()),
            FeedContent::Changed(revision) if found.rowless.contains(revision.address()) => {
                let history = histories.entry(revision.address().clone()).or_default();
                history.push(revision.clone());
                let is_last = found.last.get(revision.address()) == Some(&revision.number());
                line.now = is_last.then(|| CurrentNote {
                    note: revision.noted(history),
                });
            }
            FeedContent::Changed(_) => {}
            FeedContent::Event(event) => events.renumber(event),
            FeedContent::Forgotten(texts) => {
                texts.revisions.retain(|at| !broken.contains(&at.address));
                line.forgotten_events
                    .retain_mut(|(of, event)| events.renumbered(&of.session, event));
            }
        }
        // The events tell what is resolved.
        if let Some(CurrentNote { note: Some(note) }) = &mut line.now {
            note.resolved_by = None;
        }
        each(line)
    })?;
    Ok(lost.into_iter().collect())
}

/// A note without its history: a first revision with the times and the author that it has.
fn without_history(mut note: Note) -> Line {
    note.revision = 1;
    note.resolved_by = None;
    let revision = Revision {
        position: None,
        action: Action::Save,
        undoes: None,
        recorded_at: note.updated_at,
        token: None,
        state: State::Present(note.clone()),
    };
    Line {
        entry: FeedEntry {
            at: Position::new(0),
            happened: FeedContent::Changed(revision),
        },
        call: None,
        now: Some(CurrentNote { note: Some(note) }),
        forgotten_events: Vec::new(),
    }
}

/// Reads the feed, and what is damaged in it one item at a time.
struct Reader<'r> {
    rows: &'r dyn Read,
    /// The last position.
    head: i64,
}

impl Reader<'_> {
    /// `each` also gets whether the row of the note as it is now can be read.
    fn each(
        &self,
        lost: &mut BTreeSet<String>,
        each: &mut dyn FnMut(Line, bool) -> Result<()>,
    ) -> Result<()> {
        let (mut after, mut most) = (Position::new(0), ITEMS);
        loop {
            match page(self.rows, Some(after), most) {
                Ok(lines) => {
                    let Some(last) = lines.last() else {
                        return Ok(());
                    };
                    after = last.entry.at;
                    most = (2 * most).min(ITEMS);
                    lines.into_iter().try_for_each(|line| each(line, true))?;
                }
                Err(Error::DamagedNote { .. }) if most > 1 => most /= 2,
                Err(Error::DamagedNote { what }) => {
                    match self.one(after)? {
                        Some(line) => {
                            after = line.entry.at;
                            each(line, false)?;
                        }
                        None => {
                            lost.insert(what);
                            after = Position::new(after.number() + 1);
                        }
                    }
                    if after.number() > self.head {
                        return Ok(());
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The item after a point, of which only what comes with it is damaged: the row of the note as it is now, or an event
    /// that was forgotten.
    fn one(&self, after: Position) -> Result<Option<Line>> {
        let ask = Ask {
            feed: vec![FeedPage {
                after: Some(after),
                limit: 1,
            }],
            ..Ask::default()
        };
        let entry = match self.rows.ask(ask) {
            Ok(mut answers) => answers.feed.pop().unwrap_or_default().pop(),
            Err(Error::DamagedNote { .. }) => None,
            Err(error) => return Err(error),
        };
        let Some(entry) = entry else { return Ok(None) };
        Ok(Some(Line {
            entry,
            call: None,
            now: None,
            forgotten_events: Vec::new(),
        }))
    }
}

/// What the first pass finds.
#[derive(Default)]
struct Scan {
    /// The last revision of each note.
    last: HashMap<Address, u64>,
    /// The notes of which a revision is missing.
    gaps: BTreeSet<Address>,
    /// The notes whose row, as they are now, cannot be read.
    rowless: BTreeSet<Address>,
}

impl Scan {
    fn see(&mut self, line: &Line, has_row: bool) {
        let FeedContent::Changed(revision) = &line.entry.happened else {
            return;
        };
        let address = revision.address();
        if !has_row {
            self.rowless.insert(address.clone());
        }
        let last = self.last.entry(address.clone()).or_default();
        if revision.number() != *last + 1 {
            self.gaps.insert(address.clone());
        }
        *last = revision.number();
    }

    /// The notes whose history is not whole, as they are now; none for one that is lost. `lost` names what is damaged.
    fn alone(
        &self,
        rows: &dyn Read,
        lost: &BTreeSet<String>,
    ) -> Result<BTreeMap<Address, Option<Note>>> {
        let named = lost.iter().filter_map(|what| {
            let at: AddressAt = what.parse().ok()?;
            Some(at.address)
        });
        let broken = named.chain(self.gaps.iter().cloned());
        let mut alone: BTreeMap<Address, Option<Note>> = BTreeMap::new();
        for address in broken {
            let note = rows.note(&address).ok().flatten();
            alone.insert(address, note);
        }
        let ask = Ask {
            kinds: ScopeKind::ALL.to_vec(),
            ..Ask::default()
        };
        // Those of which the journal has nothing at all.
        for note in rows.ask(ask)?.kinds.into_iter().flatten() {
            if !self.last.contains_key(&note.address) {
                alone.insert(note.address.clone(), Some(note));
            }
        }
        Ok(alone)
    }
}

/// The numbers that events get: 1, 2, 3 … of their session.
#[derive(Default)]
struct Events(HashMap<Name, BTreeMap<u64, u64>>);

impl Events {
    fn renumber(&mut self, SessionsEvent { session, recorded }: &mut SessionsEvent) {
        let numbers = self.0.entry(session.clone()).or_default();
        let number = numbers.len() as u64 + 1;
        numbers.insert(recorded.number, number);
        recorded.number = number;
    }

    /// False for an event that is lost.
    fn renumbered(&self, session: &Name, event: &mut RecordedEvent) -> bool {
        let number = self.0.get(session).and_then(|of| of.get(&event.number));
        number.inspect(|number| event.number = **number).is_some()
    }
}
