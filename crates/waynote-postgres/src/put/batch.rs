//! The rows of one call, by table.

use std::collections::{BTreeMap, BTreeSet};

use waynote::engine::{Put, Step};
use waynote::event::{RecordedEvent, SessionEvent};
use waynote::{Content, EntryId, EntryType, Error, Name, Note, Position, Result, Scope};

use crate::engine::Postgres;
use crate::read::{scope_hash, stored_key};
use crate::trip::{
    Statement, Value, big, bigs, flags, many_bytes, maybe_bigs, maybe_many_bytes, maybe_texts,
    texts,
};

use super::kind_key;

/// A row of the journal.
pub(super) struct Journal {
    scope: Vec<u8>,
    key: String,
    position: i64,
    previous: Option<i64>,
    revision: i64,
    action: &'static str,
    undoes: Option<i64>,
    content: Option<Vec<u8>>,
    kind: Option<String>,
    iteration: Option<i64>,
    pinned: bool,
    author: String,
    token: Option<String>,
    recorded_at: i64,
    created_at: i64,
    updated_at: i64,
    operation: Option<Vec<u8>>,
    step: Option<i64>,
}

/// A note as it is afterwards.
struct Current {
    note: Note,
    position: i64,
    content: Vec<u8>,
    resolved_by: Option<String>,
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
    /// Statements about what is forgotten.
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
    serde_json::to_string(event).map_err(|error| Error::Engine {
        path: "event".into(),
        source: error.to_string().into(),
    })
}

impl Batch {
    pub(super) fn new(mark: i64) -> Self {
        Self {
            mark,
            scopes: BTreeMap::new(),
            contents: BTreeMap::new(),
            journal: Vec::new(),
            notes: BTreeMap::new(),
            counts: BTreeMap::new(),
            leases: BTreeMap::new(),
            events: Vec::new(),
            resolved: Vec::new(),
            others: Vec::new(),
            positions: BTreeSet::new(),
            put: 0,
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

    /// Whether each position is used once, and none between them is missing.
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
        });
        if put.is_counted {
            let change = i64::from(put.note.is_some()) - i64::from(put.existed);
            *self.counts.entry(scope.clone()).or_default() += change;
        }
        let current = put.note.map(|note| Current {
            position,
            content: self.content(&note.content),
            resolved_by: note.resolved_by.map(|by| by.to_string()),
            note: Note {
                revision: revision.number(),
                ..note.clone()
            },
        });
        self.notes.insert((scope, key), current);
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

    /// The statements, in an order in which each finds what it refers to.
    pub(super) fn statements(self, store: i64) -> Vec<Statement> {
        let mut all = Vec::new();
        let mut add = |sql: &'static str, values: Vec<Value>| {
            let mut with_store = vec![big(store)];
            with_store.extend(values);
            all.push(Statement::typed(sql, with_store));
        };
        if !self.scopes.is_empty() {
            let (hashes, scopes): (Vec<Vec<u8>>, Vec<Scope>) = self.scopes.into_iter().unzip();
            let kinds = scopes.iter().map(|scope| scope.kind().as_str().to_owned());
            let names = scopes.iter().map(|scope| scope.name().to_owned());
            let (kinds, names) = (
                texts(kinds.collect::<Vec<_>>()),
                texts(names.collect::<Vec<_>>()),
            );
            add(SCOPES, vec![many_bytes(hashes), kinds, names]);
        }
        if !self.contents.is_empty() {
            let (hashes, contents): (Vec<Vec<u8>>, Vec<Content>) =
                self.contents.into_iter().unzip();
            let bodies = contents.iter().map(|content| content.as_bytes().to_vec());
            let bodies = many_bytes(bodies.collect::<Vec<_>>());
            add(CONTENTS, vec![many_bytes(hashes), bodies]);
        }
        if !self.journal.is_empty() {
            add(JOURNAL, journal(self.journal, self.mark));
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
            add(NOTES, notes(there));
        }
        if !self.resolved.is_empty() {
            let scopes = self.resolved.iter().map(|(scope, ..)| scope.clone());
            let keys = self.resolved.iter().map(|(_, key, _)| key.clone());
            let bys = self.resolved.iter().map(|(.., by)| by.clone());
            add(
                RESOLVED,
                vec![
                    many_bytes(scopes.collect::<Vec<_>>()),
                    texts(keys.collect::<Vec<_>>()),
                    texts(bys.collect::<Vec<_>>()),
                ],
            );
        }
        let counts: Vec<(Vec<u8>, i64)> = self
            .counts
            .into_iter()
            .filter(|(_, change)| *change != 0)
            .collect();
        if !counts.is_empty() {
            let (scopes, changes): (Vec<Vec<u8>>, Vec<i64>) = counts.into_iter().unzip();
            add(COUNTS, vec![many_bytes(scopes), bigs(changes)]);
        }
        if !self.leases.is_empty() {
            let (scopes, leases): (Vec<Vec<u8>>, Vec<Option<i64>>) =
                self.leases.into_iter().unzip();
            add(LEASES, vec![many_bytes(scopes), maybe_bigs(leases)]);
        }
        if !self.events.is_empty() {
            add(EVENTS, events(self.events, self.mark));
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

/// New scopes count on from the last one.
const SCOPES: &str = "INSERT INTO waynote.scope (store, scope, hash, kind, name)
     SELECT $1, h.last_scope + (row_number() OVER (ORDER BY u.hash))::integer, u.hash, u.kind, u.name
     FROM unnest($2, $3, $4) u (hash, kind, name)
     CROSS JOIN LATERAL (
         SELECT greatest(h.last_scope, (SELECT max(s.scope) FROM waynote.scope s WHERE s.store = $1)) AS last_scope
         FROM waynote.store h WHERE h.store = $1
     ) h
     WHERE NOT EXISTS (SELECT FROM waynote.scope s WHERE s.store = $1 AND s.hash = u.hash)";

const CONTENTS: &str = "INSERT INTO waynote.content (store, hash, body)
     SELECT $1, u.hash, u.body FROM unnest($2, $3) u (hash, body)
     ON CONFLICT (store, hash) DO NOTHING";

const JOURNAL: &str = "INSERT INTO waynote.journal (store, scope, key, position, previous, revision, action, undoes,
            content, kind, iteration, pinned, author, token, recorded_at, created_at, updated_at, operation, step, mark)
     SELECT $1, s.scope, u.key, u.position, u.previous, u.revision, u.action, u.undoes, u.content, u.kind,
            u.iteration, u.pinned, u.author, u.token, u.recorded_at, u.created_at, u.updated_at, u.operation,
            u.step, $20
     FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
          u (scope, key, position, previous, revision, action, undoes, content, kind, iteration, pinned, author,
             token, recorded_at, created_at, updated_at, operation, step)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope";

fn journal(rows: Vec<Journal>, mark: i64) -> Vec<Value> {
    macro_rules! column {
        ($of:ident, $name:ident) => {
            $of(rows.iter().map(|row| row.$name.clone()).collect::<Vec<_>>())
        };
    }
    vec![
        column!(many_bytes, scope),
        column!(texts, key),
        column!(bigs, position),
        column!(maybe_bigs, previous),
        column!(bigs, revision),
        texts(
            rows.iter()
                .map(|row| row.action.to_owned())
                .collect::<Vec<_>>(),
        ),
        column!(maybe_bigs, undoes),
        column!(maybe_many_bytes, content),
        column!(maybe_texts, kind),
        column!(maybe_bigs, iteration),
        column!(flags, pinned),
        column!(texts, author),
        column!(maybe_texts, token),
        column!(bigs, recorded_at),
        column!(bigs, created_at),
        column!(bigs, updated_at),
        column!(maybe_many_bytes, operation),
        column!(maybe_bigs, step),
        big(mark),
    ]
}

const GONE: &str = "DELETE FROM waynote.note n USING unnest($2, $3) u (scope, key), waynote.scope s
     WHERE s.store = $1 AND s.hash = u.scope AND n.store = $1 AND n.scope = s.scope AND n.key = u.key";

const NOTES: &str = "INSERT INTO waynote.note (store, scope, key, position, revision, content, kind, kind_key, iteration,
            pinned, author, created_at, updated_at, resolved_by)
     SELECT $1, s.scope, u.key, u.position, u.revision, u.content, u.kind, u.kind_key, u.iteration, u.pinned,
            u.author, u.created_at, u.updated_at, u.resolved_by
     FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
          u (scope, key, position, revision, content, kind, kind_key, iteration, pinned, author, created_at,
             updated_at, resolved_by)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     ON CONFLICT (store, scope, key) DO UPDATE SET position = excluded.position, revision = excluded.revision,
         content = excluded.content, kind = excluded.kind, kind_key = excluded.kind_key,
         iteration = excluded.iteration, pinned = excluded.pinned, author = excluded.author,
         created_at = excluded.created_at, updated_at = excluded.updated_at, resolved_by = excluded.resolved_by";

fn notes(rows: Vec<(Vec<u8>, String, Current)>) -> Vec<Value> {
    let of = || rows.iter().map(|(.., current)| current);
    let notes = || of().map(|current| &current.note);
    let kind = |note: &Note| note.kind.as_ref().map(|kind| kind.as_str().to_owned());
    let kind_of = |note: &Note| note.kind.as_ref().map(|kind| kind_key(kind.as_str()));
    vec![
        many_bytes(
            rows.iter()
                .map(|(scope, ..)| scope.clone())
                .collect::<Vec<_>>(),
        ),
        texts(
            rows.iter()
                .map(|(_, key, _)| key.clone())
                .collect::<Vec<_>>(),
        ),
        bigs(of().map(|current| current.position).collect::<Vec<_>>()),
        bigs(
            notes()
                .map(|note| signed(note.revision))
                .collect::<Vec<_>>(),
        ),
        many_bytes(
            of().map(|current| current.content.clone())
                .collect::<Vec<_>>(),
        ),
        maybe_texts(notes().map(kind).collect::<Vec<_>>()),
        maybe_texts(notes().map(kind_of).collect::<Vec<_>>()),
        maybe_bigs(notes().map(|note| note.iteration).collect::<Vec<_>>()),
        flags(notes().map(|note| note.pinned).collect::<Vec<_>>()),
        texts(
            notes()
                .map(|note| note.author.as_str().to_owned())
                .collect::<Vec<_>>(),
        ),
        bigs(
            notes()
                .map(|note| note.created_at.as_microsecond())
                .collect::<Vec<_>>(),
        ),
        bigs(
            notes()
                .map(|note| note.updated_at.as_microsecond())
                .collect::<Vec<_>>(),
        ),
        maybe_texts(
            of().map(|current| current.resolved_by.clone())
                .collect::<Vec<_>>(),
        ),
    ]
}

const RESOLVED: &str = "UPDATE waynote.note n SET resolved_by = u.by
     FROM unnest($2, $3, $4) u (scope, key, by), waynote.scope s
     WHERE s.store = $1 AND s.hash = u.scope AND n.store = $1 AND n.scope = s.scope AND n.key = u.key";

const COUNTS: &str =
    "UPDATE waynote.scope s SET notes = s.notes + u.change FROM unnest($2, $3) u (scope, change)
     WHERE s.store = $1 AND s.hash = u.scope";

const LEASES: &str =
    "UPDATE waynote.scope s SET lease = u.lease FROM unnest($2, $3) u (scope, lease)
     WHERE s.store = $1 AND s.hash = u.scope";

const EVENTS: &str = "INSERT INTO waynote.event (store, position, scope, number, author, recorded_at, event, operation,
            step, mark)
     SELECT $1, u.position, s.scope, u.number, u.author, u.recorded_at, u.event, u.operation, u.step, $10
     FROM unnest($2, $3, $4, $5, $6, $7, $8, $9)
          u (position, scope, number, author, recorded_at, event, operation, step)
     LEFT JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope";

fn events(rows: Vec<Event>, mark: i64) -> Vec<Value> {
    vec![
        bigs(rows.iter().map(|row| row.position).collect::<Vec<_>>()),
        maybe_many_bytes(rows.iter().map(|row| row.scope.clone()).collect::<Vec<_>>()),
        maybe_bigs(rows.iter().map(|row| row.number).collect::<Vec<_>>()),
        texts(
            rows.iter()
                .map(|row| row.author.clone())
                .collect::<Vec<_>>(),
        ),
        bigs(rows.iter().map(|row| row.recorded_at).collect::<Vec<_>>()),
        texts(rows.iter().map(|row| row.event.clone()).collect::<Vec<_>>()),
        maybe_many_bytes(
            rows.iter()
                .map(|row| row.operation.clone())
                .collect::<Vec<_>>(),
        ),
        maybe_bigs(rows.iter().map(|row| row.step).collect::<Vec<_>>()),
        big(mark),
    ]
}
