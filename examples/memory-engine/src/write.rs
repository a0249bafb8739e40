//! Writing.

use waynote::engine::{IndexChange, Put, Row, SegmentHead, Step, Transaction};
use waynote::event::{RecordedEvent, SessionEvent};
use waynote::note::State as NoteStates;
use waynote::store::SideValue;
use waynote::{Address, Content, ContentHash, Name, Result, Scope, StoreId};

use crate::{Forgetting, Handle, JournalEntry, Segment, State};

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

    fn put_event(&mut self, session: &Name, recorded: &RecordedEvent, step: Option<Step>) {
        let scope = self.scope_row(Scope::Session(session.clone()));
        match recorded.event {
            SessionEvent::LoopStarted { .. } => scope.lease = Some(recorded.number),
            SessionEvent::LoopEnded { .. } => scope.lease = None,
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
        for (session, forgotten) in &forgetting.events {
            let events = self.events.get_mut(session).unwrap().iter_mut();
            let mut of_number = events.filter(|(known, _)| known.number == forgotten.number);
            of_number.next().unwrap().0.event = forgotten.event.clone();
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
                    events,
                    step,
                } => state.forget(Forgetting {
                    position: *position,
                    at: *at,
                    by: (*by).clone(),
                    revisions: revisions.to_vec(),
                    events: events.to_vec(),
                    step: *step,
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
                    let blocks = blocks.iter();
                    state.segments.push(Segment {
                        head: SegmentHead {
                            id,
                            ..(*head).clone()
                        },
                        notes: notes.to_vec(),
                        blocks: blocks
                            .map(|(term, of)| (term.to_vec(), of.to_vec()))
                            .collect(),
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
