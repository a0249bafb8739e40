//! An engine in memory, written against the public interface alone: what a stranger's crate would have to do.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use jiff::Timestamp;
use waynote::engine::{
    Ask, Blocks, Done, Engine, IndexState, JournalRow, NoteAt, NoteState, Put, Read, Row, Rows,
    SegmentHead, Step, Transaction, Writing,
};
use waynote::event::{Event, Recorded};
use waynote::forget::Residue;
use waynote::note::State as NoteStates;
use waynote::store::{
    self, Answers, Count, Cursor, FeedEntry, Happened, Recent, SideValue, Version,
};
use waynote::{
    Action, Address, AddressAt, Content, ContentHash, EntryId, Kind, Name, Note, OperationId,
    Position, Report, Result, Revision, Scope, ScopeKind, ScopeSummary, StoreId,
};

/// Rows that last as long as the value.
#[derive(Default)]
pub(super) struct Memory {
    state: Rc<RefCell<State>>,
}

#[derive(Clone)]
struct State {
    scopes: Vec<ScopeRow>,
    journal: BTreeMap<Position, JournalEntry>,
    notes: BTreeMap<Address, (Note, Position)>,
    deleted: BTreeMap<Address, Position>,
    events: BTreeMap<Name, Vec<(Recorded, Option<Step>)>>,
    forgettings: Vec<Forgetting>,
    side: BTreeMap<String, BTreeMap<String, SideValue>>,
    index: IndexState,
    segments: Vec<Segment>,
    last_segment: i64,
    id: StoreId,
}

impl Default for State {
    fn default() -> Self {
        Self {
            scopes: Vec::new(),
            journal: BTreeMap::new(),
            notes: BTreeMap::new(),
            deleted: BTreeMap::new(),
            events: BTreeMap::new(),
            forgettings: Vec::new(),
            side: BTreeMap::new(),
            index: IndexState::default(),
            segments: Vec::new(),
            last_segment: 0,
            id: StoreId::new([7; 16]),
        }
    }
}

#[derive(Clone)]
struct Forgetting {
    position: Position,
    at: Timestamp,
    by: Name,
    revisions: Vec<(AddressAt, Position)>,
}

#[derive(Clone)]
struct ScopeRow {
    scope: Scope,
    counted: u64,
    lease: Option<u64>,
}

#[derive(Clone)]
struct JournalEntry {
    revision: Revision,
    previous: Option<Position>,
    step: Option<Step>,
}

#[derive(Clone)]
struct Segment {
    head: SegmentHead,
    notes: Vec<u8>,
    blocks: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Engine for Memory {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(Handle(Rc::clone(&self.state))))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        work(&Handle(Rc::clone(&self.state)))
    }

    fn write(
        &self,
        _: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let before = self.state.borrow().clone();
        let outcome = work(&Handle(Rc::clone(&self.state)));
        if outcome.is_err() {
            *self.state.borrow_mut() = before;
        }
        outcome
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn scrub(&self) -> Option<Residue> {
        None
    }

    fn name(&self) -> String {
        "memory".into()
    }
}

struct Handle(Rc<RefCell<State>>);

impl State {
    fn scope(&self, scope: &Scope) -> Option<usize> {
        self.scopes.iter().position(|row| row.scope == *scope)
    }

    fn scope_row(&mut self, scope: Scope) -> &mut ScopeRow {
        let index = match self.scope(&scope) {
            Some(index) => index,
            None => {
                self.scopes.push(ScopeRow {
                    scope,
                    counted: 0,
                    lease: None,
                });
                self.scopes.len() - 1
            }
        };
        &mut self.scopes[index]
    }

    fn row(&self, position: Position) -> &JournalEntry {
        &self.journal[&position]
    }

    /// The notes of a scope, by key.
    fn of_scope(&self, scope: &Scope) -> Vec<Note> {
        let notes = self.notes.values().map(|(note, _)| note);
        let mut notes: Vec<Note> = notes
            .filter(|note| note.address.scope() == *scope)
            .cloned()
            .collect();
        notes.sort_by_key(|note| note.address.key());
        notes
    }

    fn of_session(&self, session: &Name) -> Vec<Note> {
        self.of_scope(&Scope::Session(session.clone()))
    }

    fn end(&self, address: &Address) -> Option<Position> {
        let note = self.notes.get(address).map(|(_, position)| *position);
        note.or_else(|| self.deleted.get(address).copied())
    }

    fn note_state(&self, address: &Address) -> Option<NoteState> {
        let position = self.end(address)?;
        Some(NoteState {
            position,
            revision: self.row(position).revision.number(),
            note: self.notes.get(address).map(|(note, _)| note.clone()),
        })
    }

    fn operation(&self, operation: OperationId) -> Vec<Done> {
        let is_its = |step: &&Step| step.operation == operation;
        let mut done = Vec::new();
        for row in self.journal.values() {
            done.extend(row.step.as_ref().filter(is_its).map(|step| Done {
                step: step.step,
                revision: Some(row.revision.clone()),
            }));
        }
        for (_, step) in self.events.values().flatten() {
            done.extend(step.as_ref().filter(is_its).map(|step| Done {
                step: step.step,
                revision: None,
            }));
        }
        done
    }

    /// Everything that happened after a point.
    fn feed(&self, after: Cursor, limit: usize) -> Vec<FeedEntry> {
        let mut feed = Vec::new();
        let mut add = |position: Position, happened| {
            let at = Cursor::at(position);
            feed.push(FeedEntry { at, happened });
        };
        for (position, row) in &self.journal {
            add(*position, Happened::Changed(row.revision.clone()));
        }
        for (session, events) in &self.events {
            for (recorded, _) in events {
                let happened = Happened::Event {
                    session: session.clone(),
                    recorded: recorded.clone(),
                };
                add(recorded.position, happened);
            }
        }
        for of in &self.forgettings {
            let happened = Happened::Forgotten {
                revisions: of.revisions.iter().map(|(at, _)| at.clone()).collect(),
                at: of.at,
                by: of.by.clone(),
            };
            add(of.position, happened);
        }
        feed.retain(|entry| entry.at > after);
        feed.sort_by_key(|entry| entry.at);
        feed.truncate(limit);
        feed
    }

    fn head(&self) -> Option<Position> {
        let all = self.feed(Cursor::START, usize::MAX);
        all.last().map(|last| last.at.position)
    }

    fn history(&self, address: &Address) -> Vec<Revision> {
        let mut history = Vec::new();
        let mut next = self.end(address);
        while let Some(position) = next {
            let row = self.row(position);
            history.push(row.revision.clone());
            next = row.previous;
        }
        history.reverse();
        history
    }

    fn noted_before(&self, address: &Address, before: i64) -> u64 {
        let history = self.history(address);
        let iterations = history.iter().filter_map(|of| of.note()?.iteration);
        iterations.filter(|iteration| *iteration < before).count() as u64
    }

    fn count(&self, count: &Count) -> u64 {
        let found = match count {
            Count::Counted(scope) => {
                return self
                    .scope(scope)
                    .map_or(0, |index| self.scopes[index].counted);
            }
            Count::Keyed { scope, pinned } => {
                let notes = self.of_scope(scope).into_iter();
                notes
                    .filter(|note| note.pinned == *pinned && note.address.key().is_some())
                    .count()
            }
            Count::Entries {
                session,
                kind,
                before,
                open,
            } => {
                let notes = self.of_session(session).into_iter();
                notes
                    .filter(|note| kind.is_none() || note.kind == *kind)
                    .filter(|note| {
                        before.is_none_or(|before| note.iteration.is_some_and(|of| of < before))
                    })
                    .filter(|note| !open || note.resolved_by.is_none())
                    .count()
            }
        };
        found as u64
    }

    fn entry_types(&self, session: &Name) -> Vec<Kind> {
        let kinds = self.of_session(session).into_iter();
        let mut kinds: Vec<Kind> = kinds.filter_map(|note| note.kind).collect();
        kinds.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        kinds.dedup();
        kinds
    }

    fn last_entry(&self, session: &Name) -> Option<EntryId> {
        let all = self.notes.keys().chain(self.deleted.keys());
        all.filter_map(|address| match address {
            Address::Session(of, id) if of == session => Some(*id),
            _ => None,
        })
        .max()
    }

    fn last_iteration(&self, session: &Name) -> Option<i64> {
        let entries = self.of_session(session);
        let histories = entries.iter().map(|note| self.history(&note.address));
        histories
            .flatten()
            .filter_map(|revision| revision.note()?.iteration)
            .max()
    }

    fn holders(&self, content: &Content) -> Vec<AddressAt> {
        let rows = self.journal.values().map(|row| &row.revision);
        rows.filter(|revision| revision.note().is_some_and(|note| note.content == *content))
            .map(|revision| AddressAt {
                address: revision.address().clone(),
                revision: Some(revision.number()),
            })
            .collect()
    }

    fn blocks(&self, wanted: &Blocks) -> Vec<(Vec<u8>, Vec<u8>)> {
        let (Blocks::All { segment: id }
        | Blocks::Holding { segment: id, .. }
        | Blocks::WithPrefix { segment: id, .. }) = wanted;
        let segment = self.segments.iter().find(|of| of.head.id == *id);
        let Some(Segment { blocks, .. }) = segment else {
            return Vec::new();
        };
        let holding = |term: &Vec<u8>| blocks.range(..=term.clone()).next_back();
        let found: BTreeMap<&Vec<u8>, &Vec<u8>> = match wanted {
            Blocks::All { .. } => blocks.iter().collect(),
            Blocks::Holding { terms, .. } => terms.iter().filter_map(holding).collect(),
            Blocks::WithPrefix { prefix, .. } => {
                let with_prefix = blocks.iter().filter(|(first, _)| first.starts_with(prefix));
                holding(prefix).into_iter().chain(with_prefix).collect()
            }
        };
        let owned = |(first, block): (&Vec<u8>, &Vec<u8>)| (first.clone(), block.clone());
        found.into_iter().map(owned).collect()
    }

    fn lease(&self, row: &ScopeRow) -> Option<Recorded> {
        let Scope::Session(session) = &row.scope else {
            return None;
        };
        let events = self.events.get(session)?;
        let held = events
            .iter()
            .find(|(event, _)| Some(event.number) == row.lease);
        held.map(|(event, _)| event.clone())
    }

    fn answers(&self, ask: &store::Ask) -> Answers {
        let kind_of = |kind: ScopeKind| {
            let mut scopes: Vec<Scope> = self.scopes.iter().map(|row| row.scope.clone()).collect();
            scopes.retain(|scope| scope.kind() == kind);
            scopes.sort_by(|one, other| one.name().cmp(other.name()));
            scopes
        };
        Answers {
            notes: each(&ask.notes, |address| {
                self.notes.get(address).map(|(note, _)| note.clone())
            }),
            scopes: each(&ask.scopes, |scope| self.of_scope(scope)),
            kinds: each(&ask.kinds, |kind| {
                let scopes = kind_of(*kind);
                scopes.iter().flat_map(|of| self.of_scope(of)).collect()
            }),
            pages: each(&ask.pages, |page| {
                let notes = page.of.pick(self.of_scope(&page.of.scope()));
                notes.into_iter().skip(page.skip).take(page.limit).collect()
            }),
            pages_noted: each(&ask.pages, |page| {
                let Recent::Entries {
                    before: Some(before),
                    ..
                } = page.of
                else {
                    return Vec::new();
                };
                let notes = page.of.pick(self.of_scope(&page.of.scope()));
                let notes = notes.iter().skip(page.skip).take(page.limit);
                notes
                    .map(|note| self.noted_before(&note.address, before))
                    .collect()
            }),
            counts: each(&ask.counts, |count| self.count(count)),
            summaries: each(&ask.summaries, |kind| {
                let scopes = kind_of(*kind).into_iter();
                scopes
                    .filter(|scope| !self.of_scope(scope).is_empty())
                    .map(|scope| ScopeSummary {
                        notes: self.count(&Count::Counted(scope.clone())),
                        scope,
                    })
                    .collect()
            }),
            histories: each(&ask.histories, |address| self.history(address)),
            noted_before: each(&ask.noted_before, |(address, before)| {
                self.noted_before(address, *before)
            }),
            journal: each(&ask.journal, |(before, limit)| {
                let rows = self.journal.values().rev().map(|row| row.revision.clone());
                rows.filter(|revision| before.is_none_or(|before| revision.position < Some(before)))
                    .take(*limit)
                    .collect()
            }),
            entry_types: each(&ask.entry_types, |session| self.entry_types(session)),
            last_iterations: each(&ask.last_iterations, |session| self.last_iteration(session)),
            events: each(&ask.events, |(session, before, limit)| {
                let events = self.events.get(session).into_iter().flatten().rev();
                let events = events.map(|(event, _)| event);
                events
                    .filter(|event| before.is_none_or(|before| event.number < before))
                    .take(*limit)
                    .cloned()
                    .collect()
            }),
            leases: each(&ask.leases, |session| {
                let index = self.scope(&Scope::Session(session.clone()))?;
                self.lease(&self.scopes[index])
            }),
            all_leases: match ask.all_leases {
                true => {
                    let sessions = kind_of(ScopeKind::Session).into_iter();
                    sessions
                        .filter_map(|scope| {
                            let index = self.scope(&scope)?;
                            let name = scope.name().parse().ok()?;
                            Some((name, self.lease(&self.scopes[index])?))
                        })
                        .collect()
                }
                false => Vec::new(),
            },
            event_sessions: match ask.event_sessions {
                true => self.events.keys().cloned().collect(),
                false => Vec::new(),
            },
            feed: each(&ask.feed, |(after, limit)| self.feed(*after, *limit)),
            store_id: Some(self.id),
            version: Version {
                position: self.head(),
                ..Version::default()
            },
        }
    }

    fn each_row(&self, after: i64, limit: usize, each: &mut dyn FnMut(&JournalRow<'_>) -> bool) {
        let rows = self.journal.values().filter(|row| {
            row.revision
                .position
                .is_some_and(|position| position.number() > after)
        });
        for JournalEntry {
            revision, previous, ..
        } in rows.take(limit)
        {
            let address = revision.address();
            let (scope, key) = (address.scope(), address.key().unwrap_or_default());
            let content = |revision: &Revision| revision.note().map(|note| note.content.clone());
            let before = previous.map(|previous| content(&self.row(previous).revision));
            let note = revision.note();
            let micros =
                |time: Option<Timestamp>| time.unwrap_or(revision.recorded_at).as_microsecond();
            let entry_before = || {
                let mut entries = self.of_scope(&scope).into_iter();
                let last = entries.rfind(|note| note.address.key() < Some(key.clone()))?;
                let first = self.history(&last.address).first()?.position?;
                Some((first.number(), last.created_at.as_microsecond()))
            };
            let is_repeat = revision.action == Action::Repeat;
            let is_entry = scope.kind() == ScopeKind::Session && note.is_some() && !is_repeat;
            let row = JournalRow {
                position: revision.position.unwrap().number(),
                previous: previous.map(Position::number),
                kind: scope.kind(),
                name: scope.name().into(),
                scope: self.scope(&scope).unwrap() as i64,
                key: key.as_str().into(),
                revision: revision.number(),
                is_repeat,
                now: self
                    .notes
                    .get(address)
                    .map(|(_, last)| Some(*last) == revision.position),
                has_new_content: before.flatten() != content(revision),
                content: note.map(|note| note.content.as_bytes().into()),
                created_at: micros(note.map(|note| note.created_at)),
                updated_at: micros(note.map(|note| note.updated_at)),
                entry_before: is_entry.then(entry_before).flatten(),
            };
            if !each(&row) {
                break;
            }
        }
    }

    fn rows(&self, ask: &Ask) -> Rows {
        Rows {
            store: self.answers(&ask.store),
            states: each(&ask.states, |address| self.note_state(address)),
            revisions: each(&ask.revisions, |at| {
                let mut history = self.history(&at.address).into_iter();
                history.find(|revision| Some(revision.number()) == at.revision)
            }),
            scope_histories: each(&ask.scope_histories, |scope| {
                let all = self.notes.keys().chain(self.deleted.keys());
                let mut all: Vec<&Address> =
                    all.filter(|address| address.scope() == *scope).collect();
                all.sort_by_key(|address| address.key());
                all.into_iter().map(|of| self.history(of)).collect()
            }),
            positions: each(&ask.positions, |position| {
                self.journal.get(position).map(|row| row.revision.clone())
            }),
            notes_at: each(&ask.notes_at, |position| {
                let revision = &self.journal.get(position)?.revision;
                let (note, last) = self.notes.get(revision.address())?;
                Some(NoteAt {
                    note: note.clone(),
                    last: *last,
                    revision: revision.number(),
                })
            }),
            holders: each(&ask.holders, |content| self.holders(content)),
            resolved: each(&ask.resolved, |session| {
                let mut entries = self.of_session(session);
                entries.retain(|note| note.resolved_by.is_some());
                entries
            }),
            last_entries: each(&ask.last_entries, |session| self.last_entry(session)),
            entries_saying: each(&ask.entries_saying, |(session, kind, content)| {
                let mut entries = self.of_session(session).into_iter();
                let says =
                    |note: &Note| note.kind.as_ref() == Some(kind) && note.content == *content;
                self.note_state(&entries.find(says)?.address)
            }),
            operations: each(&ask.operations, |operation| self.operation(*operation)),
            about: each(&ask.about, |content| {
                let is_about = |value: &SideValue| value.about == Some(content.hash());
                let spaces = self.side.iter();
                spaces
                    .filter(|(_, values)| values.values().any(is_about))
                    .map(|(space, _)| space.clone())
                    .collect()
            }),
            side: each(&ask.side, |space| {
                let values = self.side.get(space).into_iter().flatten();
                values.map(|(_, value)| value.clone()).collect()
            }),
            scope_numbers: each(&ask.scope_numbers, |scope| {
                self.scope(scope)
                    .and_then(|index| u32::try_from(index).ok())
            }),
            index: self.index,
            segments: self.segments.iter().map(|of| of.head.clone()).collect(),
            segment_notes: each(&ask.segment_notes, |id| {
                let segment = self.segments.iter().find(|of| of.head.id == *id);
                segment.map(|of| of.notes.clone()).unwrap_or_default()
            }),
            blocks: each(&ask.blocks, |blocks| self.blocks(blocks)),
            journal_rows: match ask.journal_rows {
                Some((after, limit)) => {
                    let mut rows = Vec::new();
                    self.each_row(after, limit, &mut |row| {
                        rows.push(row.clone().into_owned());
                        true
                    });
                    rows
                }
                None => Vec::new(),
            },
        }
    }
}

fn each<Q, A>(questions: &[Q], answer: impl FnMut(&Q) -> A) -> Vec<A> {
    questions.iter().map(answer).collect()
}

impl Read for Handle {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        Ok(self.0.borrow().rows(ask))
    }

    fn each_row(
        &self,
        after: i64,
        limit: usize,
        each: &mut dyn FnMut(&JournalRow<'_>) -> bool,
    ) -> Result<()> {
        self.0.borrow().each_row(after, limit, each);
        Ok(())
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        let state = self.0.borrow();
        report.notes = state.notes.len() as u64;
        report.revisions = state.journal.len() as u64;
        let notes = state.journal.values().filter_map(|row| row.revision.note());
        let contents: HashSet<&Content> = notes.map(|note| &note.content).collect();
        report.contents = contents.len() as u64;
        Ok(true)
    }
}

impl State {
    fn put_revision(&mut self, put: &Put<'_>) {
        let position = put.revision.position.unwrap();
        let address = put.revision.address().clone();
        self.journal.insert(
            position,
            JournalEntry {
                revision: put.revision.clone(),
                previous: put.previous,
                step: put.step,
            },
        );
        let scope = self.scope_row(address.scope());
        if put.is_counted {
            scope.counted = scope.counted + u64::from(put.note.is_some()) - u64::from(put.existed);
        }
        match put.note {
            Some(note) => {
                self.deleted.remove(&address);
                self.notes.insert(address, (note.clone(), position));
            }
            None => {
                self.notes.remove(&address);
                self.deleted.insert(address, position);
            }
        }
    }

    fn put_event(&mut self, session: &Name, recorded: &Recorded, step: Option<Step>) {
        let scope = self.scope_row(Scope::Session(session.clone()));
        match recorded.event {
            Event::LoopStarted { .. } => scope.lease = Some(recorded.number),
            Event::LoopEnded { .. } => scope.lease = None,
            _ => {}
        }
        let events = self.events.entry(session.clone()).or_default();
        events.push((recorded.clone(), step));
    }

    fn forget(&mut self, forgetting: Forgetting) {
        for (_, position) in &forgetting.revisions {
            let revision = &mut self.journal.get_mut(position).unwrap().revision;
            revision.state = NoteStates::Forgotten {
                address: revision.address().clone(),
                revision: revision.number(),
                author: revision.author().clone(),
                forgotten_at: forgetting.at,
                forgotten_by: forgetting.by.clone(),
            };
        }
        self.forgettings.push(forgetting);
    }
}

impl Transaction for Handle {
    fn put(&self, rows: &[Row<'_>]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        for row in rows {
            match row {
                Row::Revision(put) => state.put_revision(put),
                Row::Event {
                    session,
                    recorded,
                    step,
                } => state.put_event(session, recorded, *step),
                Row::Resolved { session, entry, by } => {
                    let address = Address::Session((*session).clone(), *entry);
                    if let Some((note, _)) = state.notes.get_mut(&address) {
                        note.resolved_by = Some(*by);
                    }
                }
                Row::Forgotten {
                    position,
                    at,
                    by,
                    revisions,
                } => state.forget(Forgetting {
                    position: *position,
                    at: *at,
                    by: (*by).clone(),
                    revisions: revisions.to_vec(),
                }),
            }
        }
        Ok(())
    }

    fn remove_contents(&self, contents: &[Content]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        let hashes: Vec<ContentHash> = contents.iter().map(|content| content.hash()).collect();
        for values in state.side.values_mut() {
            values.retain(|_, value| value.about.is_none_or(|about| !hashes.contains(&about)));
        }
        Ok(())
    }

    fn put_side(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        let known = state.side.entry(space.to_owned()).or_default();
        known.extend(
            values
                .iter()
                .map(|value| (value.key.clone(), value.clone())),
        );
        known.retain(|key, _| !removed.contains(key));
        Ok(())
    }

    fn renew_id(&self) -> Result<StoreId> {
        let mut state = self.0.borrow_mut();
        let mut bytes = *state.id.bytes();
        bytes[0] += 1;
        state.id = StoreId::new(bytes);
        Ok(state.id)
    }

    fn put_segment(
        &self,
        head: &SegmentHead,
        notes: &[u8],
        blocks: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<()> {
        let mut state = self.0.borrow_mut();
        state.last_segment += 1;
        let id = state.last_segment;
        state.segments.push(Segment {
            head: SegmentHead { id, ..head.clone() },
            notes: notes.to_vec(),
            blocks: blocks.iter().cloned().collect(),
        });
        state.segments.sort_by_key(|segment| segment.head.first);
        Ok(())
    }

    fn put_dead(&self, segment: i64, dead: u32, bits: &[u8]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        let segments = state.segments.iter_mut();
        for of in segments.filter(|of| of.head.id == segment) {
            of.head.dead = dead;
            of.head.dead_bits = bits.to_vec();
        }
        Ok(())
    }

    fn remove_segments(&self, ids: &[i64]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        state.segments.retain(|of| !ids.contains(&of.head.id));
        Ok(())
    }

    fn put_index(&self, index: IndexState) -> Result<()> {
        self.0.borrow_mut().index = index;
        Ok(())
    }
}
