//! Answering from the rows.

use std::collections::BTreeMap;

use waynote::engine::{Ask, Blocks, NoteAt, NoteState, Rows, Step};
use waynote::event::{RecordedEvent, SessionsEvent};
use waynote::store::{
    self, Answers, Count, Cursor, Done, FeedContent, FeedEntry, ForgottenTexts, Recent, SideValue,
    Version,
};
use waynote::{
    Address, AddressAt, Content, EntryId, EntryType, Name, Note, OperationId, Position, Revision,
    Scope, ScopeKind, ScopeSummary,
};

use crate::{JournalEntry, ScopeRow, Segment, State};

impl State {
    pub(crate) fn scope(&self, scope: &Scope) -> Option<usize> {
        self.scopes.iter().position(|row| row.scope == *scope)
    }

    pub(crate) fn scope_row(&mut self, scope: Scope) -> &mut ScopeRow {
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

    pub(crate) fn row(&self, position: Position) -> &JournalEntry {
        &self.journal[&position]
    }

    /// The notes of a scope, by key.
    pub(crate) fn of_scope(&self, scope: &Scope) -> Vec<Note> {
        let notes = self.notes.values().map(|(note, _)| note);
        let mut notes: Vec<Note> = notes
            .filter(|note| note.address.scope() == *scope)
            .cloned()
            .collect();
        notes.sort_by_key(|note| note.address.key());
        notes
    }

    pub(crate) fn of_session(&self, session: &Name) -> Vec<Note> {
        self.of_scope(&Scope::Session(session.clone()))
    }

    pub(crate) fn end(&self, address: &Address) -> Option<Position> {
        let note = self.notes.get(address).map(|(_, position)| *position);
        note.or_else(|| self.deleted.get(address).copied())
    }

    pub(crate) fn note_state(&self, address: &Address) -> Option<NoteState> {
        let position = self.end(address)?;
        Some(NoteState {
            position,
            revision: self.row(position).revision.number(),
            note: self.notes.get(address).map(|(note, _)| note.clone()),
        })
    }

    /// Everything that happened, with the call that did it.
    fn happened(&self) -> Vec<(FeedEntry, Option<Step>)> {
        let mut all = Vec::new();
        let mut add = |position: Position, step: Option<Step>, happened| {
            let at = Cursor::at(position);
            all.push((FeedEntry { at, happened }, step));
        };
        for (position, row) in &self.journal {
            add(
                *position,
                row.step,
                FeedContent::Changed(row.revision.clone()),
            );
        }
        for (session, events) in &self.events {
            for (recorded, step) in events {
                let happened = FeedContent::Event(SessionsEvent {
                    session: session.clone(),
                    recorded: recorded.clone(),
                });
                add(recorded.position, *step, happened);
            }
        }
        for of in &self.forgettings {
            let happened = FeedContent::Forgotten(ForgottenTexts {
                revisions: of.revisions.iter().map(|(at, _)| at.clone()).collect(),
                events: of
                    .events
                    .iter()
                    .map(|(session, recorded)| recorded.address(session))
                    .collect(),
                at: of.at,
                by: of.by.clone(),
            });
            add(of.position, of.step, happened);
        }
        all.sort_by_key(|(entry, _)| entry.at);
        all
    }

    /// The rows that a call wrote.
    fn operation(&self, operation: OperationId) -> Vec<Done> {
        let all = self.happened().into_iter();
        all.filter_map(|(entry, step)| {
            let step = step.filter(|step| step.operation == operation)?.step;
            Some(Done { step, entry })
        })
        .collect()
    }

    /// The call that wrote the row at a position.
    pub(crate) fn step(&self, position: Position) -> Option<Step> {
        let mut all = self.happened().into_iter();
        all.find(|(entry, _)| entry.at.position == position)?.1
    }

    /// Everything that happened after a point.
    pub(crate) fn feed(&self, after: Cursor, limit: usize) -> Vec<FeedEntry> {
        let all = self.happened().into_iter().map(|(entry, _)| entry);
        all.filter(|entry| entry.at > after).take(limit).collect()
    }

    pub(crate) fn head(&self) -> Option<Position> {
        let all = self.feed(Cursor::START, usize::MAX);
        all.last().map(|last| last.at.position)
    }

    pub(crate) fn history(&self, address: &Address) -> Vec<Revision> {
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

    pub(crate) fn count(&self, count: &Count) -> u64 {
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

    pub(crate) fn entry_types(&self, session: &Name) -> Vec<EntryType> {
        let kinds = self.of_session(session).into_iter();
        let mut kinds: Vec<EntryType> = kinds.filter_map(|note| note.kind).collect();
        kinds.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        kinds.dedup();
        kinds
    }

    pub(crate) fn last_entry(&self, session: &Name) -> Option<EntryId> {
        let all = self.notes.keys().chain(self.deleted.keys());
        all.filter_map(|address| match address {
            Address::Session(of, id) if of == session => Some(*id),
            _ => None,
        })
        .max()
    }

    pub(crate) fn last_iteration(&self, session: &Name) -> Option<i64> {
        let entries = self.of_session(session);
        let histories = entries.iter().map(|note| self.history(&note.address));
        histories
            .flatten()
            .filter_map(|revision| revision.note()?.iteration)
            .max()
    }

    pub(crate) fn holders(&self, content: &Content) -> Vec<AddressAt> {
        let rows = self.journal.values().map(|row| &row.revision);
        rows.filter(|revision| revision.note().is_some_and(|note| note.content == *content))
            .map(|revision| AddressAt {
                address: revision.address().clone(),
                revision: Some(revision.number()),
            })
            .collect()
    }

    pub(crate) fn blocks(&self, wanted: &Blocks) -> Vec<(Vec<u8>, Vec<u8>)> {
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

    pub(crate) fn lease(&self, row: &ScopeRow) -> Option<RecordedEvent> {
        let Scope::Session(session) = &row.scope else {
            return None;
        };
        let events = self.events.get(session)?;
        let held = events
            .iter()
            .find(|(event, _)| Some(event.number) == row.lease);
        held.map(|(event, _)| event.clone())
    }

    pub(crate) fn answers(&self, ask: &store::Ask) -> Answers {
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
            noted_before: each(&ask.noted_before, |of| {
                self.noted_before(&of.address, of.iteration)
            }),
            journal: each(&ask.journal, |of| {
                let rows = self.journal.values().rev().map(|row| row.revision.clone());
                rows.filter(|revision| {
                    of.before
                        .is_none_or(|before| revision.position < Some(before))
                })
                .take(of.limit)
                .collect()
            }),
            entry_types: each(&ask.entry_types, |session| self.entry_types(session)),
            last_iterations: each(&ask.last_iterations, |session| self.last_iteration(session)),
            events: each(&ask.events, |of| {
                let events = self.events.get(&of.session).into_iter().flatten().rev();
                let events = events.map(|(event, _)| event);
                events
                    .filter(|event| of.before.is_none_or(|before| event.number < before))
                    .take(of.limit)
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
                            Some(SessionsEvent {
                                session: scope.name().parse().ok()?,
                                recorded: self.lease(&self.scopes[index])?,
                            })
                        })
                        .collect()
                }
                false => Vec::new(),
            },
            event_sessions: match ask.event_sessions {
                true => self.events.keys().cloned().collect(),
                false => Vec::new(),
            },
            feed: each(&ask.feed, |of| self.feed(of.after, of.limit)),
            operations: each(&ask.operations, |operation| self.operation(*operation)),
            steps: each(&ask.steps, |position| self.step(*position)),
            store_id: Some(self.id),
            version: Version {
                position: self.head(),
                ..Version::default()
            },
            damaged: Vec::new(),
        }
    }

    pub(crate) fn rows(&self, ask: &Ask) -> Rows {
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
            spaces: match ask.spaces {
                true => {
                    let spaces = self.side.iter();
                    let spaces = spaces.filter(|(_, values)| !values.is_empty());
                    spaces.map(|(space, _)| space.clone()).collect()
                }
                false => Vec::new(),
            },
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
            notes_at: each(&ask.notes_at, |position| {
                let revision = &self.journal.get(position)?.revision;
                let (note, last) = self.notes.get(revision.address())?;
                Some(NoteAt {
                    note: note.clone(),
                    last: *last,
                    revision: revision.number(),
                })
            }),
            forgotten_after: ask.forgotten_after.is_some_and(|after| {
                let mut forgettings = self.forgettings.iter();
                forgettings.any(|of| of.position.number() > after)
            }),
            journal_rows: match ask.journal_rows {
                Some((after, limit)) => self.journal_rows(after, limit),
                None => Vec::new(),
            },
            clock: None,
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
