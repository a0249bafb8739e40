//! The rows of one call, by table.

use std::collections::BTreeMap;

use waynote::engine::{Put, Step};
use waynote::event::{RecordedEvent, SessionEvent};
use waynote::note::State;
use waynote::{Citation, Content, EntryId, EntryType, Error, Name, Note, Position, Result, Scope};

use crate::cells::{Cell, Row, arrays};
use crate::read::plan::{scope_hash, stored_key};
use crate::row::kind_key;
use crate::trip::{Statement, Value, big};

use super::sql::{CONTENTS, COUNTS, EVENTS, GONE, JOURNAL, LEASES, NOTES, RESOLVED, SCOPES};
use Cell::{Big, Bytes, Flag, Text};

/// The place of `resolved_by` in the row of a note.
const RESOLVED_BY: usize = 12;

/// A note as it is after its revision of this number, at this position.
fn current(place: &(Vec<u8>, String), note: &Note, revision: u64, position: i64) -> Row {
    let kind = note.kind.as_ref().map(word);
    vec![
        Bytes(Some(place.0.clone())),
        Text(Some(place.1.clone())),
        Big(Some(position)),
        Big(Some(signed(revision))),
        Bytes(Some(note.content.hash().0.to_vec())),
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

/// The rows of one call.
#[derive(Default)]
pub(super) struct Batch {
    mark: i64,
    scopes: BTreeMap<Vec<u8>, Scope>,
    contents: BTreeMap<Vec<u8>, Content>,
    journal: Vec<Row>,
    /// By scope and key; none: there is no such note any more.
    notes: BTreeMap<(Vec<u8>, String), Option<Row>>,
    /// How many notes more a scope has.
    counts: BTreeMap<Vec<u8>, i64>,
    leases: BTreeMap<Vec<u8>, Option<i64>>,
    pub(super) events: Vec<Row>,
    resolved: Vec<(Vec<u8>, String, EntryId)>,
    /// Statements that forget.
    pub(super) others: Vec<(&'static str, Vec<Value>)>,
    positions: Vec<i64>,
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

    /// The positions, in their order.
    pub(super) fn positions(&self) -> Vec<i64> {
        let mut all = self.positions.clone();
        all.sort_unstable();
        all
    }

    pub(super) fn takes(&mut self, position: Position) -> i64 {
        self.positions.push(position.number());
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
        let forgotten = match &revision.state {
            State::Forgotten {
                forgotten_at: at,
                forgotten_by: by,
                ..
            } => Some((at.as_microsecond(), by.as_str().to_owned())),
            _ => None,
        };
        let (forgotten_at, forgotten_by) = forgotten.unzip();
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
        let current = put.note.map(|note| {
            self.content(&note.content);
            current(&place, note, revision.number(), position)
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
            Some(Some(current)) => current[RESOLVED_BY] = Text(Some(by.to_string())),
            Some(None) => {}
            None => self.resolved.push((scope, key, by)),
        }
    }

    /// The statements, in an order in which each finds the rows that it refers to.
    pub(super) fn statements(self, store: i64) -> Vec<Statement> {
        let mut all = Vec::new();
        let mut add = |sql: &'static str, mut values: Vec<Value>| {
            values.insert(0, big(store));
            all.push(Statement::typed(sql, values));
        };
        let bytes = |value| Bytes(Some(value));
        let text = |value: &str| Text(Some(value.to_owned()));
        let mark = || vec![big(self.mark)];
        let (mut gone, mut there) = (Vec::new(), Vec::new());
        for ((scope, key), current) in self.notes {
            match current {
                Some(current) => there.push(current),
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
        for (sql, rows, more) in [
            (SCOPES, scopes.collect(), vec![]),
            (CONTENTS, contents.collect(), vec![]),
            (JOURNAL, self.journal, mark()),
            (GONE, gone, vec![]),
            (NOTES, there, vec![]),
            (RESOLVED, resolved.collect(), vec![]),
            (COUNTS, counts.collect(), vec![]),
            (LEASES, leases.collect(), vec![]),
            (EVENTS, self.events, mark()),
        ] {
            if !rows.is_empty() {
                let mut values = arrays(rows);
                values.extend(more);
                add(sql, values);
            }
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
