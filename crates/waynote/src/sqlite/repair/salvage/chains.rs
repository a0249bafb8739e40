//! Chooses what to keep of each note: its whole history if that is whole, else the note as it is now.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::address::AddressAt;
use crate::engine::{NoteState, Step};
use crate::event::{EventAddress, RecordedEvent, SessionsEvent};
use crate::key::Name;
use crate::note::{Action, Note, Position, Revision, State};
use crate::rules::copy::replay::{CurrentNote, Line};
use crate::scope::Scope;
use crate::sqlite::rows::read::name_of_key;
use crate::store::{Cursor, FeedContent, FeedEntry, SideValue};

use super::SalvageLoss;
use super::around::{Link, NoteKey, ReadableRows};

/// What is copied into the new store.
#[derive(Default)]
pub(super) struct SalvagePlan {
    pub(super) lines: Vec<Line>,
    /// The calls that wrote rows.
    steps: HashMap<Position, Step>,
    pub(super) side: BTreeMap<(String, String), SideValue>,
    pub(super) lost: Vec<SalvageLoss>,
}

impl SalvagePlan {
    pub(super) fn of(mut found: ReadableRows) -> Self {
        let mut kept = Self {
            side: std::mem::take(&mut found.side),
            steps: std::mem::take(&mut found.steps),
            ..Self::default()
        };
        let chains = found.chains.keys().chain(found.notes.keys());
        let keys: BTreeSet<NoteKey> = chains.chain(&found.damaged).cloned().collect();
        let mut nameless: BTreeMap<i64, u64> = BTreeMap::new();
        for key in keys {
            match found.scopes.get(&key.0).cloned() {
                Some(scope) => {
                    let chain = found.chains.remove(&key).unwrap_or_default();
                    kept.note(&mut found, &scope, &key, chain);
                }
                None => *nameless.entry(key.0).or_default() += 1,
            }
        }
        for (id, notes) in nameless {
            let what = format!("scope number {id}");
            let why = format!(
                "its name is damaged: {} lost",
                crate::text::plural(notes, "note")
            );
            kept.lost.push(SalvageLoss::new(what, why));
        }
        if found.has_gaps {
            let why = "parts of it cannot be read; notes that lay there alone are not named";
            kept.lost.push(SalvageLoss::new("the journal", why));
        }
        let damaged = found.damaged_events.into_iter();
        kept.lost
            .extend(damaged.map(|what| SalvageLoss::new(what, "damaged")));
        kept.others(found.others);
        kept.lines.sort_by_key(|line| line.entry.at);
        kept
    }

    /// Decides on one note, of which these rows of the journal are whole.
    fn note(
        &mut self,
        found: &mut ReadableRows,
        scope: &Scope,
        key: &NoteKey,
        mut chain: Vec<Link>,
    ) {
        chain.sort_by_key(|(_, revision)| revision.number());
        let is_chain = is_chain(&chain);
        let history: Vec<Revision> = chain.into_iter().map(|(_, revision)| revision).collect();
        let end = history.last();
        let is_gone = end.is_some_and(|end| end.note().is_none());
        let is_damaged = found.damaged.contains(key);
        let mut lost = |why: String| {
            self.lost
                .push(SalvageLoss::new(name_of_key(scope, &key.1), why));
        };
        match found.notes.remove(key) {
            Some(Some(state))
                if is_chain && end.and_then(|end| end.position) == Some(state.position) =>
            {
                self.keep(history, state.note);
            }
            Some(Some(state)) => {
                lost(
                    "its history is damaged; the note as it is now is saved as its first revision"
                        .into(),
                );
                self.keep_alone(state, &history);
            }
            None if is_chain && is_gone && !is_damaged => self.keep_rebuilt(history),
            // The row of the current note is lost or damaged: the note is rebuilt from the journal.
            current if is_chain && !is_gone && !is_damaged => {
                if found.has_gaps {
                    let revision = history.len();
                    lost(format!(
                        "saved up to revision {revision}; later revisions may be lost"
                    ));
                } else if current.is_none() && found.deleted.contains(key) {
                    lost(
                        "it was deleted, but the record of that is damaged: it is there again"
                            .into(),
                    );
                }
                self.keep_rebuilt(history);
            }
            _ => {
                let last = history
                    .iter()
                    .rev()
                    .find(|revision| revision.note().is_some());
                lost(match last {
                    Some(last) => {
                        let number = last.number();
                        format!("damaged; the last undamaged revision is {number}")
                    }
                    None => "damaged".to_owned(),
                });
            }
        }
    }

    /// Adds an item of the feed with the call that wrote it.
    fn line(
        &mut self,
        entry: FeedEntry,
        now: Option<CurrentNote>,
        forgotten_events: Vec<(EventAddress, RecordedEvent)>,
    ) {
        let call = match entry.at.ordinal {
            0 => self.steps.get(&entry.at.position).copied(),
            _ => None,
        };
        self.lines.push(Line {
            entry,
            call,
            now,
            forgotten_events,
        });
    }

    /// Keeps a history that comes to this note. The events tell if it is resolved.
    fn keep(&mut self, history: Vec<Revision>, mut note: Option<Note>) {
        if let Some(note) = &mut note {
            note.resolved_by = None;
        }
        let last = history.len();
        for (number, revision) in (1..).zip(history) {
            if let Some(position) = revision.position {
                let entry = FeedEntry {
                    at: Cursor::at(position),
                    happened: FeedContent::Changed(revision),
                };
                let now = (number == last).then(|| CurrentNote { note: note.take() });
                self.line(entry, now, Vec::new());
            }
        }
    }

    /// Keeps a history with the note that it comes to.
    fn keep_rebuilt(&mut self, history: Vec<Revision>) {
        let note = history.last().and_then(|end| end.noted(&history));
        self.keep(history, note);
    }

    /// Keeps a note without its history: a first revision that says when the note was written, and by whom.
    fn keep_alone(&mut self, state: NoteState, history: &[Revision]) {
        let Some(mut note) = state.note else { return };
        note.revision = 1;
        note.resolved_by = None;
        let mut history = history.iter();
        let own = history.find(|revision| revision.position == Some(state.position));
        let revision = Revision {
            position: Some(state.position),
            action: Action::Save,
            undoes: None,
            recorded_at: own.map_or(note.updated_at, |own| own.recorded_at),
            token: own.and_then(|own| own.token.clone()),
            state: State::Present(note.clone()),
        };
        self.steps.remove(&state.position);
        self.keep(vec![revision], Some(note));
    }

    /// Keeps events and forgettings. If events are missing, the others are numbered anew. A forgetting names only
    /// revisions that are kept as they were: a note without its history has other numbers.
    fn others(&mut self, others: Vec<FeedEntry>) {
        let forgotten: HashSet<AddressAt> = self
            .lines
            .iter()
            .filter_map(|line| match &line.entry.happened {
                FeedContent::Changed(revision) => Some(revision),
                _ => None,
            })
            .filter(|revision| matches!(revision.state, State::Forgotten { .. }))
            .map(|revision| AddressAt::new(revision.address().clone(), revision.number()))
            .collect();
        let mut numbers: HashMap<Name, u64> = HashMap::new();
        let mut events: HashMap<EventAddress, RecordedEvent> = HashMap::new();
        for mut entry in others {
            let mut forgotten_events = Vec::new();
            match &mut entry.happened {
                FeedContent::Event(SessionsEvent { session, recorded }) => {
                    let had = recorded.address(session);
                    let number = numbers.entry(session.clone()).or_default();
                    *number += 1;
                    recorded.number = *number;
                    events.insert(had, recorded.clone());
                }
                FeedContent::Forgotten(texts) => {
                    texts.revisions.retain(|at| forgotten.contains(at));
                    let named = texts.events.iter();
                    let known = named.filter_map(|of| Some((of.clone(), events.get(of)?.clone())));
                    forgotten_events = known.collect();
                }
                FeedContent::Changed(_) => {}
            }
            self.line(entry, None, forgotten_events);
        }
    }
}

/// True if these rows are a note's revisions 1, 2, 3 …, each after the one before it.
fn is_chain(links: &[Link]) -> bool {
    let mut before = None;
    for (number, (previous, revision)) in (1..).zip(links) {
        if revision.number() != number || *previous != before {
            return false;
        }
        before = revision.position.map(Position::number);
    }
    !links.is_empty()
}
