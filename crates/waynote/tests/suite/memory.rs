//! An engine in memory, written against the public interface alone: what a stranger's crate would have to do.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use jiff::Timestamp;
use waynote::engine::{
    Ask, Blocks, End, Engine, IndexState, JournalRow, Put, Read, Rows, SegmentHead, Transaction,
    Writing,
};
use waynote::event::{Event, Recorded};
use waynote::forget::Residue;
use waynote::note::State as NoteState;
use waynote::store::{self, Answers, Count, FileMark, Version};
use waynote::{
    Action, Address, AddressAt, Content, ContentHash, EntryId, Kind, Name, Note, Position, Report,
    Result, Revision, Scope, ScopeKind, ScopeSummary,
};

/// Rows that last as long as the value.
#[derive(Default)]
pub(super) struct Memory {
    state: Rc<RefCell<State>>,
}

#[derive(Clone, Default)]
struct State {
    scopes: Vec<ScopeRow>,
    journal: Vec<JournalEntry>,
    notes: BTreeMap<Address, (Note, Position)>,
    deleted: BTreeMap<Address, Position>,
    events: BTreeMap<Name, Vec<Recorded>>,
    marks: BTreeMap<String, BTreeMap<String, ContentHash>>,
    index: IndexState,
    segments: Vec<Segment>,
    last_segment: i64,
    writes: u64,
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
            let writes = self.state.borrow().writes + 1;
            *self.state.borrow_mut() = State { writes, ..before };
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
        &self.journal[usize::try_from(position.number() - 1).unwrap()]
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
        let rows = self.journal.iter().map(|row| &row.revision);
        rows.filter(|revision| revision.note().is_some_and(|note| note.content == *content))
            .map(|revision| AddressAt {
                address: revision.address().clone(),
                revision: Some(revision.number()),
            })
            .collect()
    }

    fn blocks(&self, wanted: &Blocks) -> Vec<(Vec<u8>, Vec<u8>)> {
        let (id, term) = match wanted {
            Blocks::All { segment } => (segment, None),
            Blocks::Holding { segment, term } => (segment, Some(term)),
            Blocks::WithPrefix { segment, prefix } => (segment, Some(prefix)),
        };
        let segment = self.segments.iter().find(|of| of.head.id == *id);
        let Some(Segment { blocks, .. }) = segment else {
            return Vec::new();
        };
        let owned = |(first, block): (&Vec<u8>, &Vec<u8>)| (first.clone(), block.clone());
        let Some(term) = term else {
            return blocks.iter().map(owned).collect();
        };
        let holding = blocks.range(..=term.clone()).next_back().map(owned);
        let mut found: Vec<_> = holding.into_iter().collect();
        if matches!(wanted, Blocks::WithPrefix { .. }) {
            let with_prefix = blocks.iter().filter(|(first, _)| *first > term);
            found.extend(
                with_prefix
                    .filter(|(first, _)| first.starts_with(term))
                    .map(owned),
            );
        }
        found
    }

    fn lease(&self, row: &ScopeRow) -> Option<Recorded> {
        let Scope::Session(session) = &row.scope else {
            return None;
        };
        let events = self.events.get(session)?;
        let held = events.iter().find(|event| Some(event.number) == row.lease);
        held.cloned()
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
            journal: each(&ask.journal, |(before, limit)| {
                let rows = self.journal.iter().rev().map(|row| row.revision.clone());
                rows.filter(|revision| before.is_none_or(|before| revision.position < Some(before)))
                    .take(*limit)
                    .collect()
            }),
            entry_types: each(&ask.entry_types, |session| self.entry_types(session)),
            last_iterations: each(&ask.last_iterations, |session| self.last_iteration(session)),
            events: each(&ask.events, |(session, before, limit)| {
                let events = self.events.get(session).into_iter().flatten().rev();
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
            version: Version {
                position: self.journal.last().and_then(|row| row.revision.position),
                changes: self.writes,
                written_at: None,
            },
        }
    }

    fn rows(&self, ask: &Ask) -> Rows {
        Rows {
            store: self.answers(&ask.store),
            ends: each(&ask.ends, |address| {
                let position = self.end(address)?;
                let revision = self.row(position).revision.number();
                Some(End { position, revision })
            }),
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
                let index = usize::try_from(position.number() - 1).ok()?;
                self.journal.get(index).map(|row| row.revision.clone())
            }),
            holders: each(&ask.holders, |content| self.holders(content)),
            resolved: each(&ask.resolved, |session| {
                let mut entries = self.of_session(session);
                entries.retain(|note| note.resolved_by.is_some());
                entries
            }),
            last_entries: each(&ask.last_entries, |session| self.last_entry(session)),
            entries_saying: each(&ask.entries_saying, |(session, kind, content)| {
                self.of_session(session)
                    .into_iter()
                    .find(|note| note.kind.as_ref() == Some(kind) && note.content == *content)
            }),
            marked: each(&ask.marked, |content| {
                let files = self.marks.iter();
                files
                    .filter(|(_, marks)| marks.values().any(|hash| *hash == content.hash()))
                    .map(|(file, _)| file.clone())
                    .collect()
            }),
            marks: each(&ask.marks, |file| {
                let marks = self.marks.get(file).into_iter().flatten();
                marks
                    .map(|(key, hash)| (key.clone(), *hash))
                    .collect::<Vec<FileMark>>()
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
        let state = self.0.borrow();
        let rows = state.journal.iter().filter(|row| {
            row.revision
                .position
                .is_some_and(|position| position.number() > after)
        });
        for JournalEntry { revision, previous } in rows.take(limit) {
            let address = revision.address();
            let (scope, key) = (address.scope(), address.key().unwrap_or_default());
            let content = |revision: &Revision| revision.note().map(|note| note.content.clone());
            let before = previous.map(|previous| content(&state.row(previous).revision));
            let note = revision.note();
            let micros =
                |time: Option<Timestamp>| time.unwrap_or(revision.recorded_at).as_microsecond();
            let entry_before = || {
                let mut entries = state.of_scope(&scope).into_iter();
                let last = entries.rfind(|note| note.address.key() < Some(key.clone()))?;
                let first = state.history(&last.address).first()?.position?;
                Some((first.number(), last.created_at.as_microsecond()))
            };
            let is_repeat = revision.action == Action::Repeat;
            let is_entry = scope.kind() == ScopeKind::Session && note.is_some() && !is_repeat;
            let row = JournalRow {
                position: revision.position.unwrap().number(),
                previous: previous.map(Position::number),
                kind: scope.kind(),
                name: scope.name(),
                scope: state.scope(&scope).unwrap() as i64,
                key: &key,
                revision: revision.number(),
                is_repeat,
                now: state
                    .notes
                    .get(address)
                    .map(|(_, last)| Some(*last) == revision.position),
                has_new_content: before.flatten() != content(revision),
                content: note.map(|note| note.content.as_bytes()),
                created_at: micros(note.map(|note| note.created_at)),
                updated_at: micros(note.map(|note| note.updated_at)),
                entry_before: is_entry.then(entry_before).flatten(),
            };
            if !each(&row) {
                break;
            }
        }
        Ok(())
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        let state = self.0.borrow();
        report.notes = state.notes.len() as u64;
        report.revisions = state.journal.len() as u64;
        let notes = state.journal.iter().filter_map(|row| row.revision.note());
        let contents: HashSet<&Content> = notes.map(|note| &note.content).collect();
        report.contents = contents.len() as u64;
        Ok(true)
    }
}

impl Transaction for Handle {
    fn put(&self, put: &Put<'_>) -> Result<Position> {
        let mut state = self.0.borrow_mut();
        state.writes += 1;
        let position = Position::new(state.journal.len() as i64 + 1);
        let address = put.revision.address().clone();
        state.journal.push(JournalEntry {
            revision: Revision {
                position: Some(position),
                ..put.revision.clone()
            },
            previous: put.previous,
        });
        let scope = state.scope_row(address.scope());
        if put.is_counted {
            scope.counted = scope.counted + u64::from(put.note.is_some()) - u64::from(put.existed);
        }
        match put.note {
            Some(note) => {
                state.deleted.remove(&address);
                state.notes.insert(address, (note.clone(), position));
            }
            None => {
                state.notes.remove(&address);
                state.deleted.insert(address, position);
            }
        }
        Ok(position)
    }

    fn put_event(
        &self,
        session: &Name,
        event: &Event,
        author: &Name,
        recorded_at: Timestamp,
    ) -> Result<()> {
        let mut state = self.0.borrow_mut();
        state.writes += 1;
        let after = state.journal.last().and_then(|row| row.revision.position);
        let events = state.events.entry(session.clone()).or_default();
        let number = events.len() as u64 + 1;
        events.push(Recorded {
            number,
            after,
            author: author.clone(),
            recorded_at,
            event: event.clone(),
        });
        let scope = state.scope_row(Scope::Session(session.clone()));
        match event {
            Event::LoopStarted { .. } => scope.lease = Some(number),
            Event::LoopEnded { .. } => scope.lease = None,
            _ => {}
        }
        Ok(())
    }

    fn resolve(&self, session: &Name, entry: EntryId, by: EntryId) -> Result<()> {
        let mut state = self.0.borrow_mut();
        let address = Address::Session(session.clone(), entry);
        if let Some((note, _)) = state.notes.get_mut(&address) {
            note.resolved_by = Some(by);
        }
        Ok(())
    }

    fn erase(&self, positions: &[Position], at: Timestamp, by: &Name) -> Result<()> {
        let mut state = self.0.borrow_mut();
        for position in positions {
            let index = usize::try_from(position.number() - 1).unwrap();
            let revision = &mut state.journal[index].revision;
            revision.state = NoteState::Forgotten {
                address: revision.address().clone(),
                revision: revision.number(),
                author: revision.author().clone(),
                forgotten_at: at,
                forgotten_by: by.clone(),
            };
        }
        state.writes += 1;
        Ok(())
    }

    fn remove_contents(&self, contents: &[Content]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        let hashes: Vec<ContentHash> = contents.iter().map(|content| content.hash()).collect();
        for marks in state.marks.values_mut() {
            marks.retain(|_, hash| !hashes.contains(hash));
        }
        Ok(())
    }

    fn mark(&self, file: &str, marks: &[(String, Option<ContentHash>)]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        let known = state.marks.entry(file.to_owned()).or_default();
        for (key, hash) in marks {
            match hash {
                Some(hash) => known.insert(key.clone(), *hash),
                None => known.remove(key),
            };
        }
        Ok(())
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
