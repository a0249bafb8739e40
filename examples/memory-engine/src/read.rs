//! Reading.

use waynote::engine::{Ask, JournalRow, Read, Rows};
use waynote::jiff::Timestamp;
use waynote::{Action, Position, Report, Result, Revision, ScopeKind};

use std::ops::Bound::{Excluded, Unbounded};

use crate::{Handle, State};

impl Read for Handle {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        Ok(self.0.borrow().rows(ask))
    }

    fn verify(&self, _: &mut Report) -> Result<bool> {
        Ok(true)
    }
}

impl State {
    /// The rows of the journal after a position.
    pub(crate) fn journal_rows(&self, after: i64, limit: usize) -> Vec<JournalRow> {
        let rows = self.log.range((Excluded(Position::new(after)), Unbounded));
        let rows = rows.filter_map(|(position, _)| self.revision(*position));
        let row = |revision: &Revision| {
            let address = revision.address();
            let (scope, key) = (address.scope(), address.key().unwrap_or_default());
            let content = |revision: &Revision| revision.note().map(|note| note.content.clone());
            let positions = &self.revisions[address];
            let mut earlier = positions.iter().filter(|of| Some(**of) < revision.position);
            let previous = earlier.next_back().copied();
            let before = previous.and_then(|previous| self.revision(previous));
            let before = before.map(content);
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
            JournalRow {
                position: revision.position.unwrap().number(),
                previous: previous.map(Position::number),
                kind: scope.kind(),
                name: scope.name().into(),
                scope: self.scope(&scope).unwrap() as i64,
                key: key.clone(),
                revision: revision.number(),
                is_repeat,
                now: self
                    .notes
                    .get(address)
                    .map(|_| positions.last().copied() == revision.position),
                has_new_content: before.flatten() != content(revision),
                content: note.map(|note| note.content.as_bytes().into()),
                created_at: micros(note.map(|note| note.created_at)),
                updated_at: micros(note.map(|note| note.updated_at)),
                entry_before: is_entry.then(entry_before).flatten(),
            }
        };
        rows.take(limit).map(row).collect()
    }
}
