//! The rows of one call, by table.

use std::collections::{BTreeMap, BTreeSet};

use waynote::engine::{Put, Step};
use waynote::event::{RecordedEvent, SessionEvent};
use waynote::note::State;
use waynote::{Citation, Content, EntryId, EntryType, Error, Name, Note, Position, Result, Scope};

use crate::cells::{Cell, Row, arrays, scalars};
use crate::engine::Postgres;
use crate::read::plan::{scope_hash, stored_key};
use crate::row::kind_key;
use crate::trip::{Statement, Value, big};

use super::sql::{
    CHANGED, CONTENT, CONTENTS, COUNT, COUNTS, EVENTS, GONE, JOURNAL, LEASES, NOTE, NOTES,
    RESOLVED, REVISION, SCOPES,
};
use Cell::{Big, Bytes, Flag, Text};

/// A note as it is afterwards.
struct ResultingNote {
    /// True if the note existed before.
    existed: bool,
    note: Note,
    position: i64,
    content: Vec<u8>,
}

impl ResultingNote {
    fn row(self, scope: Vec<u8>, key: String) -> Row {
        let note = self.note;
        let kind = note.kind.as_ref().map(word);
        vec![
            Bytes(Some(scope)),
            Text(Some(key)),
            Big(Some(self.position)),
            Big(Some(signed(note.revision))),
            Bytes(Some(self.content)),
            Text(kind.clone()),
            Text(kind.as_deref().map(kind_key)),
            Big(note.iteration),
            Flag(note.pinned),
            Text(Some(note.author.as_str().to_owned())),
            Big(Some(note.created_at.as_microsecond())),
            Big(Some(note.updated_at.as_microsecond())),
            Text(note.resolved_by.map(|by| by.to_string())),
            Text(Citation::to_column(&note.cites)),
        ]
    }
}

/// The rows of one call.
#[derive(Default)]
pub(super) struct Batch {
    mark: i64,
    scopes: BTreeMap<Vec<u8>, Scope>,
    contents: BTreeMap<Vec<u8>, Content>,
    journal: Vec<Row>,
    /// By scope and key; none: there is no such note any more.
    notes: BTreeMap<(Vec<u8>, String), Option<ResultingNote>>,
    /// How many notes more a scope has.
    counts: BTreeMap<Vec<u8>, i64>,
    leases: BTreeMap<Vec<u8>, Option<i64>>,
    pub(super) events: Vec<Row>,
    resolved: Vec<(Vec<u8>, String, EntryId)>,
    /// Statements that forget.
    pub(super) others: Vec<(&'static str, Vec<Value>)>,
    positions: BTreeSet<i64>,
    put: usize,
}

pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The call that wrote a row, and the number of the step.
pub(super) fn operation(step: Option<Step>) -> [Cell; 2] {
    [
        Bytes(step.map(|step| step.operation.bytes().to_vec())),
        Big(step.map(|step| i64::from(step.step))),
    ]
}

/// An event as it is stored.
pub(super) fn json(event: &SessionEvent) -> Result<String> {
    serde_json::to_string(event).map_err(|error| Error::engine("event", error.to_string()))
}

impl Batch {
    pub(super) fn new(mark: i64) -> Self {
        Self {
            mark,
            ..Self::default()
        }
    }

    /// Leaves out the scopes that have rows; the hashes of the others.
    pub(super) fn new_scopes(&mut self, engine: &Postgres) -> Vec<Vec<u8>> {
        self.scopes.retain(|hash, _| !engine.has_scope(hash));
        self.scopes.keys().cloned().collect()
    }

    /// The first position and the last.
    pub(super) fn positions(&self) -> Option<(i64, i64)> {
        Some((*self.positions.first()?, *self.positions.last()?))
    }

    /// True if each position is used once, and none between the first and the last is missing.
    pub(super) fn is_without_gap(&self) -> bool {
        let count = self.positions.len();
        let spans = self.positions().map_or(0, |(first, last)| last - first + 1);
        count == self.put && i64::try_from(count) == Ok(spans)
    }

    pub(super) fn takes(&mut self, position: Position) -> i64 {
        self.positions.insert(position.number());
        self.put += 1;
        position.number()
    }

    fn scope(&mut self, scope: Scope) -> Vec<u8> {
        let hash = scope_hash(&scope);
        self.scopes.entry(hash.clone()).or_insert(scope);
        hash
    }

    pub(super) fn revision(&mut self, put: &Put<'_>) {
        let revision = put.revision;
        let address = revision.address();
        let scope = self.scope(address.scope());
        let key = stored_key(address);
        let position = self.takes(revision.position.unwrap_or(Position::new(0)));
        let note = revision.note();
        let content = note.map(|note| self.content(&note.content));
        let recorded_at = revision.recorded_at.as_microsecond();
        let [operation, step] = operation(put.step);
        let (forgotten_at, forgotten_by) = match &revision.state {
            State::Forgotten {
                forgotten_at,
                forgotten_by,
                ..
            } => (
                Some(forgotten_at.as_microsecond()),
                Some(forgotten_by.as_str().to_owned()),
            ),
            _ => (None, None),
        };
        let token = revision.token.as_ref();
        self.journal.push(vec![
            Bytes(Some(scope.clone())),
            Text(Some(key.clone())),
            Big(Some(position)),
            Big(put.previous.map(Position::number)),
            Big(Some(signed(revision.number()))),
            Text(Some(revision.action.as_str().to_owned())),
            Big(revision.undoes.map(signed)),
            Bytes(content),
            Text(note.and_then(|note| note.kind.as_ref()).map(word)),
            Big(note.and_then(|note| note.iteration)),
            Flag(note.is_some_and(|note| note.pinned)),
            Text(Some(revision.author().as_str().to_owned())),
            Text(token.map(|token| token.as_str().to_owned())),
            Big(Some(recorded_at)),
            Big(Some(note.map_or(recorded_at, |note| {
                note.created_at.as_microsecond()
            }))),
            Big(Some(note.map_or(recorded_at, |note| {
                note.updated_at.as_microsecond()
            }))),
            operation,
            step,
            // Only in a copy: a revision that is written for the first time has its text.
            Big(forgotten_at),
            Text(forgotten_by),
            Text(note.and_then(|note| Citation::to_column(&note.cites))),
        ]);
        if put.is_counted {
            let change = i64::from(put.note.is_some()) - i64::from(put.existed);
            *self.counts.entry(scope.clone()).or_default() += change;
        }
        let place = (scope, key);
        // Of several changes of a note in one call, the first one tells if the note existed.
        let existed = match self.notes.get(&place) {
            Some(before) => before.as_ref().is_some_and(|before| before.existed),
            None => put.existed,
        };
        let current = put.note.map(|note| ResultingNote {
            existed,
            position,
            content: self.content(&note.content),
            note: Note {
                revision: revision.number(),
                ..note.clone()
            },
        });
        // The note has its `resolved_by` itself.
        self.resolved
            .retain(|(scope, key, _)| (scope, key) != (&place.0, &place.1));
        self.notes.insert(place, current);
    }

    fn content(&mut self, content: &Content) -> Vec<u8> {
        let hash = content.hash().0.to_vec();
        self.contents
            .entry(hash.clone())
            .or_insert_with(|| content.clone());
        hash
    }

    pub(super) fn event(
        &mut self,
        session: &Name,
        recorded: &RecordedEvent,
        step: Option<Step>,
    ) -> Result<()> {
        let scope = self.scope(Scope::Session(session.clone()));
        let number = signed(recorded.number);
        match recorded.event {
            SessionEvent::LoopStarted { .. } => {
                self.leases.insert(scope.clone(), Some(number));
            }
            SessionEvent::LoopEnded { .. } => {
                self.leases.insert(scope.clone(), None);
            }
            _ => {}
        }
        let [operation, step] = operation(step);
        let position = self.takes(recorded.position);
        self.events.push(vec![
            Big(Some(position)),
            Bytes(Some(scope)),
            Big(Some(number)),
            Text(Some(recorded.author.as_str().to_owned())),
            Big(Some(recorded.recorded_at.as_microsecond())),
            Text(Some(json(&recorded.event)?)),
            operation,
            step,
        ]);
        Ok(())
    }

    pub(super) fn resolved(&mut self, session: &Name, entry: EntryId, by: EntryId) {
        let scope = self.scope(Scope::Session(session.clone()));
        let key = entry.to_string();
        match self.notes.get_mut(&(scope.clone(), key.clone())) {
            Some(Some(current)) => current.note.resolved_by = Some(by),
            Some(None) => {}
            None => self.resolved.push((scope, key, by)),
        }
    }

    /// The statements, in an order in which each finds the rows that it refers to.
    pub(super) fn statements(self, store: i64) -> Vec<Statement> {
        let mut all = Vec::new();
        let mut add = |sql: &'static str, values: Vec<Value>| {
            let mut with_store = vec![big(store)];
            with_store.extend(values);
            all.push(Statement::typed(sql, with_store));
        };
        let bytes = |value| Bytes(Some(value));
        let text = |value: &str| Text(Some(value.to_owned()));
        let mark = || vec![big(self.mark)];
        let (mut gone, mut there, mut is_changed) = (Vec::new(), Vec::new(), false);
        for ((scope, key), current) in self.notes {
            match current {
                Some(current) => {
                    is_changed = current.existed;
                    there.push(current.row(scope, key));
                }
                None => gone.push(vec![bytes(scope), Text(Some(key))]),
            }
        }
        let scopes = self.scopes.into_iter().map(|(hash, scope)| {
            vec![bytes(hash), text(scope.kind().as_str()), text(scope.name())]
        });
        let contents = self.contents.into_iter();
        let contents =
            contents.map(|(hash, content)| vec![bytes(hash), bytes(content.as_bytes().to_vec())]);
        let resolved = self.resolved.into_iter();
        let resolved = resolved.map(|(scope, key, by)| {
            vec![bytes(scope), Text(Some(key)), Text(Some(by.to_string()))]
        });
        let counts = self.counts.into_iter().filter(|(_, change)| *change != 0);
        let counts = counts.map(|(scope, change)| vec![bytes(scope), Big(Some(change))]);
        let leases = self.leases.into_iter();
        let leases = leases.map(|(scope, lease)| vec![bytes(scope), Big(lease)]);
        // A single row has a statement of its own where the server plans that in a fraction of the time.
        let note = if is_changed { CHANGED } else { NOTE };
        for (one, many, rows, more) in [
            (None, SCOPES, scopes.collect(), vec![]),
            (Some(CONTENT), CONTENTS, contents.collect(), vec![]),
            (Some(REVISION), JOURNAL, self.journal, mark()),
            (None, GONE, gone, vec![]),
            (Some(note), NOTES, there, vec![]),
            (None, RESOLVED, resolved.collect(), vec![]),
            (Some(COUNT), COUNTS, counts.collect(), vec![]),
            (None, LEASES, leases.collect(), vec![]),
            (None, EVENTS, self.events, mark()),
        ] {
            let (sql, mut values) = match (one, rows.len()) {
                (_, 0) => continue,
                (Some(one), 1) => (one, scalars(rows)),
                _ => (many, arrays(rows)),
            };
            values.extend(more);
            add(sql, values);
        }
        for (sql, values) in self.others {
            add(sql, values);
        }
        all
    }
}

fn word(kind: &EntryType) -> String {
    kind.as_str().to_owned()
}
