//! Writing.

use waynote::engine::{IndexChange, Put, Row, Transaction};
use waynote::event::SessionsEvent;
use waynote::note::State as NoteStates;
use waynote::store::{FeedContent, ForgottenTexts, SideValue};
use waynote::{Address, Content, ContentHash, Result, Scope, StoreId};

use crate::{Handle, Segment, State};

impl State {
    fn put_revision(&mut self, put: &Put<'_>) {
        let position = put.revision.position.unwrap();
        let address = put.revision.address();
        let happened = FeedContent::Changed(put.revision.clone());
        self.log.insert(position, (happened, put.step));
        let positions = self.revisions.entry(address.clone()).or_default();
        positions.push(position);
        let (_, counted) = self.scope_of(address.scope());
        if put.is_counted {
            *counted = *counted + u64::from(put.note.is_some()) - u64::from(put.existed);
        }
        match put.note {
            Some(note) => self.notes.insert(address.clone(), note.clone()),
            None => self.notes.remove(address),
        };
    }

    fn scope_of(&mut self, scope: Scope) -> &mut (Scope, u64) {
        let index = self.scope(&scope).unwrap_or_else(|| {
            self.scopes.push((scope, 0));
            self.scopes.len() - 1
        });
        &mut self.scopes[index]
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
                } => {
                    state.scope_of(Scope::Session((*session).clone()));
                    let happened = FeedContent::Event(SessionsEvent {
                        session: (*session).clone(),
                        recorded: recorded.clone(),
                    });
                    state.log.insert(recorded.position, (happened, *step));
                }
                Row::Resolved { session, entry, by } => {
                    let address = Address::Session((*session).clone(), *entry);
                    if let Some(note) = state.notes.get_mut(&address) {
                        note.resolved_by = Some(*by);
                    }
                }
                Row::Forgotten {
                    position,
                    at: at_time,
                    by,
                    revisions,
                    events,
                    step,
                } => {
                    for (_, at) in revisions {
                        if let Some((FeedContent::Changed(of), _)) = state.log.get_mut(at) {
                            of.state = NoteStates::Forgotten {
                                address: of.address().clone(),
                                revision: of.number(),
                                author: of.author().clone(),
                                forgotten_at: *at_time,
                                forgotten_by: (*by).clone(),
                            };
                        }
                    }
                    for (_, erased) in events {
                        let known = state.log.get_mut(&erased.position);
                        if let Some((FeedContent::Event(known), _)) = known {
                            known.recorded.event = erased.event.clone();
                        }
                    }
                    let happened = FeedContent::Forgotten(ForgottenTexts {
                        revisions: revisions.iter().map(|(of, _)| of.clone()).collect(),
                        events: events.iter().map(|(of, event)| event.address(of)).collect(),
                        at: *at_time,
                        by: (*by).clone(),
                    });
                    state.log.insert(*position, (happened, *step));
                }
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
        for value in values {
            known.insert(value.key.clone(), value.clone());
        }
        known.retain(|key, _| !removed.contains(key));
        Ok(())
    }

    fn renew_id(&self) -> Result<StoreId> {
        let mut state = self.0.borrow_mut();
        state.id[0] += 1;
        Ok(StoreId::new(state.id))
    }

    fn put_index(&self, changes: &[IndexChange<'_>]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        for change in changes {
            match change {
                IndexChange::Cleared => state.segments.clear(),
                IndexChange::Removed(ids) => state.segments.retain(|of| !ids.contains(&of.head.id)),
                IndexChange::Segment {
                    head,
                    notes,
                    blocks,
                } => {
                    state.last_segment += 1;
                    let id = state.last_segment;
                    let mut head = (*head).clone();
                    head.id = id;
                    let blocks = blocks.iter().map(|(term, of)| (term.to_vec(), of.to_vec()));
                    state.segments.push(Segment {
                        head,
                        notes: notes.to_vec(),
                        blocks: blocks.collect(),
                    });
                    state.segments.sort_by_key(|segment| segment.head.first);
                }
                IndexChange::Dead(head) => {
                    let segments = state.segments.iter_mut();
                    for of in segments.filter(|of| of.head.id == head.id) {
                        of.head = (*head).clone();
                    }
                }
                IndexChange::State(index) => state.index = *index,
            }
        }
        Ok(())
    }
}
