//! The rows of one call, by table.

use std::collections::{BTreeMap, BTreeSet};

use waynote::engine::{Put, Step};
use waynote::event::{RecordedEvent, SessionEvent};
use waynote::note::State;
use waynote::{Citation, Content, EntryId, EntryType, Error, Name, Note, Position, Result, Scope};

use crate::engine::Opened;
use crate::read::plan::{scope_hash, stored_key};
use crate::trip::{Statement, Value, big, many_bytes, maybe_bigs, texts};

use super::sql::{
    CHANGED, CONTENT, CONTENTS, COUNT, COUNTS, EVENTS, GONE, JOURNAL, LEASES, NOTE, NOTES,
    RESOLVED, REVISION, SCOPES, Shape, events, journal, notes,
};

/// A row of the journal.
pub(super) struct Journal {
    pub(super) scope: Vec<u8>,
    pub(super) key: String,
    pub(super) position: i64,
    pub(super) previous: Option<i64>,
    pub(super) revision: i64,
    pub(super) action: &'static str,
    pub(super) undoes: Option<i64>,
    pub(super) content: Option<Vec<u8>>,
    pub(super) kind: Option<String>,
    pub(super) iteration: Option<i64>,
    pub(super) pinned: bool,
    pub(super) author: String,
    pub(super) token: Option<String>,
    pub(super) recorded_at: i64,
    pub(super) created_at: i64,
    pub(super) updated_at: i64,
    pub(super) operation: Option<Vec<u8>>,
    pub(super) step: Option<i64>,
    /// Only in a copy: a revision that is written for the first time has its text.
    pub(super) forgotten_at: Option<i64>,
    pub(super) forgotten_by: Option<String>,
    pub(super) cites: Option<String>,
}

/// A note as it is afterwards.
pub(super) struct Current {
    /// True if the note existed before.
    pub(super) existed: bool,
    pub(super) note: Note,
    pub(super) position: i64,
    pub(super) content: Vec<u8>,
    pub(super) resolved_by: Option<String>,
}

/// An event.
pub(super) struct Event {
    pub(super) position: i64,
    pub(super) scope: Option<Vec<u8>>,
    pub(super) number: Option<i64>,
    pub(super) author: String,
    pub(super) recorded_at: i64,
    pub(super) event: String,
    pub(super) operation: Option<Vec<u8>>,
    pub(super) step: Option<i64>,
}

/// The rows of one call.
#[derive(Default)]
pub(super) struct Batch {
    mark: i64,
    scopes: BTreeMap<Vec<u8>, Scope>,
    contents: BTreeMap<Vec<u8>, Content>,
    journal: Vec<Journal>,
    /// By scope and key; none: there is no such note any more.
    notes: BTreeMap<(Vec<u8>, String), Option<Current>>,
    /// How many notes more a scope has.
    counts: BTreeMap<Vec<u8>, i64>,
    leases: BTreeMap<Vec<u8>, Option<i64>>,
    pub(super) events: Vec<Event>,
    resolved: Vec<(Vec<u8>, String, String)>,
    /// Statements that forget.
    pub(super) others: Vec<(&'static str, Vec<Value>)>,
    positions: BTreeSet<i64>,
    put: usize,
}

pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn operation(step: Option<Step>) -> (Option<Vec<u8>>, Option<i64>) {
    (
        step.map(|step| step.operation.bytes().to_vec()),
        step.map(|step| i64::from(step.step)),
    )
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
    pub(super) fn new_scopes(&mut self, engine: &Opened) -> Vec<Vec<u8>> {
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
        let (operation, step) = operation(put.step);
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
        self.journal.push(Journal {
            scope: scope.clone(),
            key: key.clone(),
            position,
            previous: put.previous.map(Position::number),
            revision: signed(revision.number()),
            action: revision.action.as_str(),
            undoes: revision.undoes.map(signed),
            content,
            kind: note.and_then(|note| note.kind.as_ref()).map(word),
            iteration: note.and_then(|note| note.iteration),
            pinned: note.is_some_and(|note| note.pinned),
            author: revision.author().as_str().to_owned(),
            token: revision
                .token
                .as_ref()
                .map(|token| token.as_str().to_owned()),
            recorded_at,
            created_at: note.map_or(recorded_at, |note| note.created_at.as_microsecond()),
            updated_at: note.map_or(recorded_at, |note| note.updated_at.as_microsecond()),
            operation,
            step,
            forgotten_at,
            forgotten_by,
            cites: note.and_then(|note| Citation::to_column(&note.cites)),
        });
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
        let current = put.note.map(|note| Current {
            existed,
            position,
            content: self.content(&note.content),
            resolved_by: note.resolved_by.map(|by| by.to_string()),
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
        let (operation, step) = operation(step);
        let position = self.takes(recorded.position);
        self.events.push(Event {
            position,
            scope: Some(scope),
            number: Some(number),
            author: recorded.author.as_str().to_owned(),
            recorded_at: recorded.recorded_at.as_microsecond(),
            event: json(&recorded.event)?,
            operation,
            step,
        });
        Ok(())
    }

    pub(super) fn resolved(&mut self, session: &Name, entry: EntryId, by: EntryId) {
        let scope = self.scope(Scope::Session(session.clone()));
        let (key, by) = (entry.to_string(), by.to_string());
        match self.notes.get_mut(&(scope.clone(), key.clone())) {
            Some(Some(current)) => current.resolved_by = Some(by),
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
        if !self.scopes.is_empty() {
            let (hashes, scopes): (Vec<Vec<u8>>, Vec<Scope>) = self.scopes.into_iter().unzip();
            let kinds = scopes.iter().map(|scope| scope.kind().as_str());
            let names = scopes.iter().map(|scope| scope.name());
            add(SCOPES, vec![many_bytes(hashes), texts(kinds), texts(names)]);
        }
        if !self.contents.is_empty() {
            let (hashes, contents): (Vec<Vec<u8>>, Vec<Content>) =
                self.contents.into_iter().unzip();
            let bodies = contents.iter().map(Content::as_bytes);
            let shape = Shape::of(hashes.len());
            let values = vec![shape.bytes(hashes), shape.bytes(bodies)];
            add(shape.sql(CONTENT, CONTENTS), values);
        }
        if !self.journal.is_empty() {
            let shape = Shape::of(self.journal.len());
            let values = journal(&self.journal, self.mark, shape);
            add(shape.sql(REVISION, JOURNAL), values);
        }
        let (mut gone, mut there) = (Vec::new(), Vec::new());
        for ((scope, key), current) in self.notes {
            match current {
                Some(current) => there.push((scope, key, current)),
                None => gone.push((scope, key)),
            }
        }
        if !gone.is_empty() {
            let (scopes, keys): (Vec<Vec<u8>>, Vec<String>) = gone.into_iter().unzip();
            add(GONE, vec![many_bytes(scopes), texts(keys)]);
        }
        if !there.is_empty() {
            let shape = Shape::of(there.len());
            let one = match there.first() {
                Some((.., current)) if current.existed => CHANGED,
                _ => NOTE,
            };
            add(shape.sql(one, NOTES), notes(&there, shape));
        }
        if !self.resolved.is_empty() {
            let scopes = self.resolved.iter().map(|(scope, ..)| scope.clone());
            let keys = self.resolved.iter().map(|(_, key, _)| key.clone());
            let bys = self.resolved.iter().map(|(.., by)| by.clone());
            add(RESOLVED, vec![many_bytes(scopes), texts(keys), texts(bys)]);
        }
        let counts: Vec<(Vec<u8>, i64)> = self
            .counts
            .into_iter()
            .filter(|(_, change)| *change != 0)
            .collect();
        if !counts.is_empty() {
            let (scopes, changes): (Vec<Vec<u8>>, Vec<i64>) = counts.into_iter().unzip();
            let shape = Shape::of(changes.len());
            let values = vec![shape.bytes(scopes), shape.bigs(changes)];
            add(shape.sql(COUNT, COUNTS), values);
        }
        if !self.leases.is_empty() {
            let (scopes, leases): (Vec<Vec<u8>>, Vec<Option<i64>>) =
                self.leases.into_iter().unzip();
            add(LEASES, vec![many_bytes(scopes), maybe_bigs(leases)]);
        }
        if !self.events.is_empty() {
            add(EVENTS, events(&self.events, self.mark));
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
