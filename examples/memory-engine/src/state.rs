//! Answering from the rows.

use std::collections::{BTreeMap, BTreeSet};

use waynote::engine::{Ask, Blocks, NoteAt, NoteState, Rows};
use waynote::event::{RecordedEvent, SessionEvent, SessionsEvent};
use waynote::store::{
    self, Answers, Count, Done, FeedContent, FeedEntry, Recent, SideValue, Version,
};
use waynote::{
    Address, AddressAt, Content, EntryId, EntryType, Name, Note, OperationId, Position, Revision,
    Scope, ScopeKind, ScopeSummary, StoreId,
};

use crate::{Segment, State};

impl State {
    pub(crate) fn scope(&self, scope: &Scope) -> Option<usize> {
        self.scopes.iter().position(|(of, _)| of == scope)
    }

    pub(crate) fn revision(&self, position: Position) -> Option<&Revision> {
        match self.log.get(&position) {
            Some((FeedContent::Changed(revision), _)) => Some(revision),
            _ => None,
        }
    }

    fn journal(&self) -> impl DoubleEndedIterator<Item = &Revision> {
        self.log
            .values()
            .filter_map(|(happened, _)| match happened {
                FeedContent::Changed(revision) => Some(revision),
                _ => None,
            })
    }

    fn events(&self) -> impl DoubleEndedIterator<Item = &SessionsEvent> {
        self.log
            .values()
            .filter_map(|(happened, _)| match happened {
                FeedContent::Event(event) => Some(event),
                _ => None,
            })
    }

    fn events_of(&self, session: &Name) -> impl DoubleEndedIterator<Item = &RecordedEvent> {
        let events = self.events().filter(move |of| of.session == *session);
        events.map(|of| &of.recorded)
    }

    /// The notes of a scope, by key.
    pub(crate) fn of_scope(&self, scope: &Scope) -> Vec<Note> {
        let notes = self.notes.values();
        let notes = notes.filter(|note| note.address.scope() == *scope);
        let mut notes: Vec<Note> = notes.cloned().collect();
        notes.sort_by_key(|note| note.address.key());
        notes
    }

    fn of_session(&self, session: &Name) -> Vec<Note> {
        self.of_scope(&Scope::Session(session.clone()))
    }

    fn note_state(&self, address: &Address) -> Option<NoteState> {
        let position = *self.revisions.get(address)?.last()?;
        Some(NoteState {
            position,
            revision: self.revision(position)?.number(),
            note: self.notes.get(address).cloned(),
        })
    }

    fn entry(&self, position: Position) -> FeedEntry {
        FeedEntry {
            at: position,
            happened: self.log[&position].0.clone(),
        }
    }

    /// The rows that a call wrote.
    fn operation(&self, operation: OperationId) -> Vec<Done> {
        let all = self.log.iter();
        all.filter_map(|(position, (_, step))| {
            let step = step.filter(|step| step.operation == operation)?.step;
            let entry = self.entry(*position);
            Some(Done { step, entry })
        })
        .collect()
    }

    pub(crate) fn history(&self, address: &Address) -> Vec<Revision> {
        let positions = self.revisions.get(address).into_iter().flatten();
        let revisions = positions.filter_map(|position| self.revision(*position));
        revisions.cloned().collect()
    }

    fn noted_before(&self, address: &Address, before: i64) -> u64 {
        let history = self.history(address);
        let iterations = history.iter().filter_map(|of| of.note()?.iteration);
        iterations.filter(|iteration| *iteration < before).count() as u64
    }

    fn count(&self, count: &Count) -> u64 {
        let found = match count {
            Count::Counted(scope) => {
                return self.scope(scope).map_or(0, |index| self.scopes[index].1);
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

    fn entry_types(&self, session: &Name) -> Vec<EntryType> {
        let kinds = self.of_session(session).into_iter();
        let mut kinds: Vec<EntryType> = kinds.filter_map(|note| note.kind).collect();
        kinds.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        kinds.dedup();
        kinds
    }

    fn last_entry(&self, session: &Name) -> Option<EntryId> {
        let entries = self.revisions.keys().filter_map(|address| match address {
            Address::Session(of, id) if of == session => Some(*id),
            _ => None,
        });
        entries.max()
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
        let holds = |of: &&Revision| of.note().is_some_and(|note| note.content == *content);
        let holders = self.journal().filter(holds);
        holders
            .map(|of| AddressAt::new(of.address().clone(), Some(of.number())))
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

    /// The event that gave a loop the session.
    fn lease(&self, session: &Name) -> Option<RecordedEvent> {
        let mut events = self.events_of(session).rev();
        let last = events.find(|of| {
            matches!(
                of.event,
                SessionEvent::LoopStarted { .. } | SessionEvent::LoopEnded { .. }
            )
        })?;
        let is_held = matches!(last.event, SessionEvent::LoopStarted { .. });
        is_held.then(|| last.clone())
    }

    fn scopes_of(&self, kind: ScopeKind) -> Vec<Scope> {
        let scopes = self.scopes.iter().map(|(scope, _)| scope.clone());
        let mut scopes: Vec<Scope> = scopes.filter(|scope| scope.kind() == kind).collect();
        scopes.sort_by(|one, other| one.name().cmp(other.name()));
        scopes
    }

    fn page(&self, page: &store::Page) -> Vec<Note> {
        let notes = page.of.pick(self.of_scope(&page.of.scope()));
        notes.into_iter().skip(page.skip).take(page.limit).collect()
    }

    fn answers(&self, ask: &store::Ask) -> Answers {
        let sessions: BTreeSet<Name> = self.events().map(|of| of.session.clone()).collect();
        Answers {
            notes: each(&ask.notes, |address| self.notes.get(address).cloned()),
            scopes: each(&ask.scopes, |scope| self.of_scope(scope)),
            kinds: each(&ask.kinds, |kind| {
                let scopes = self.scopes_of(*kind);
                scopes.iter().flat_map(|of| self.of_scope(of)).collect()
            }),
            pages: each(&ask.pages, |page| self.page(page)),
            pages_noted: each(&ask.pages, |page| match page.of {
                Recent::Entries {
                    before: Some(before),
                    ..
                } => each(&self.page(page), |note| {
                    self.noted_before(&note.address, before)
                }),
                _ => Vec::new(),
            }),
            counts: each(&ask.counts, |count| self.count(count)),
            summaries: each(&ask.summaries, |kind| {
                let mut scopes = self.scopes_of(*kind);
                scopes.retain(|scope| !self.of_scope(scope).is_empty());
                each(&scopes, |scope| ScopeSummary {
                    notes: self.of_scope(scope).len() as u64,
                    scope: scope.clone(),
                })
            }),
            histories: each(&ask.histories, |address| self.history(address)),
            noted_before: each(&ask.noted_before, |of| {
                self.noted_before(&of.address, of.iteration)
            }),
            journal: each(&ask.journal, |of| {
                let is_before = |revision: &&Revision| {
                    of.before
                        .is_none_or(|before| revision.position < Some(before))
                };
                let rows = self.journal().rev().filter(is_before);
                rows.take(of.limit).cloned().collect()
            }),
            entry_types: each(&ask.entry_types, |session| self.entry_types(session)),
            last_iterations: each(&ask.last_iterations, |session| self.last_iteration(session)),
            events: each(&ask.events, |of| {
                let events = self.events_of(&of.session).rev();
                events
                    .filter(|event| of.before.is_none_or(|before| event.number < before))
                    .take(of.limit)
                    .cloned()
                    .collect()
            }),
            leases: each(&ask.leases, |session| self.lease(session)),
            all_leases: sessions
                .iter()
                .filter(|_| ask.all_leases)
                .filter_map(|session| {
                    Some(SessionsEvent {
                        session: session.clone(),
                        recorded: self.lease(session)?,
                    })
                })
                .collect(),
            event_sessions: match ask.event_sessions {
                true => sessions.into_iter().collect(),
                false => Vec::new(),
            },
            feed: each(&ask.feed, |of| {
                let positions = self.log.keys();
                positions
                    .filter(|position| Some(**position) > of.after)
                    .take(of.limit)
                    .map(|position| self.entry(*position))
                    .collect()
            }),
            operations: each(&ask.operations, |operation| self.operation(*operation)),
            steps: each(&ask.steps, |position| self.log.get(position)?.1),
            store_id: Some(StoreId::new(self.id)),
            version: Version {
                position: self.log.keys().next_back().copied(),
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
                let all = self.revisions.keys();
                let mut all: Vec<_> = all.filter(|of| of.scope() == *scope).collect();
                all.sort_by_key(|address| address.key());
                each(&all, |of| self.history(of))
            }),
            positions: each(&ask.positions, |position| self.revision(*position).cloned()),
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
                true => self.spaces(&|_| true),
                false => Vec::new(),
            },
            about: each(&ask.about, |content| {
                self.spaces(&|value| value.about == Some(content.hash()))
            }),
            side: each(&ask.side, |space| {
                let values = self.side.get(space).into_iter().flatten();
                values.map(|(_, value)| value.clone()).collect()
            }),
            notes_at: each(&ask.notes_at, |position| {
                let revision = self.revision(*position)?;
                Some(NoteAt {
                    note: self.notes.get(revision.address())?.clone(),
                    last: *self.revisions[revision.address()].last()?,
                    revision: revision.number(),
                })
            }),
            forgotten_after: ask.forgotten_after.is_some_and(|after| {
                let mut later = self.log.iter().filter(|(of, _)| of.number() > after);
                later.any(|(_, (of, _))| matches!(of, FeedContent::Forgotten(_)))
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

    /// The spaces of side data that have such a value.
    fn spaces(&self, has: &dyn Fn(&SideValue) -> bool) -> Vec<String> {
        let spaces = self.side.iter();
        let spaces = spaces.filter(|(_, values)| values.values().any(has));
        spaces.map(|(space, _)| space.clone()).collect()
    }
}

fn each<Q, A>(questions: &[Q], answer: impl FnMut(&Q) -> A) -> Vec<A> {
    questions.iter().map(answer).collect()
}
