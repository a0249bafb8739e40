//! Methods that ask one question each. A question without an answer counts as one that found nothing.

use super::{Ask, Blocks, IndexState, JournalRow, NoteState, Read, SegmentHead, Step};
use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::error::Result;
use crate::event::RecordedEvent;
use crate::id::OperationId;
use crate::key::{EntryId, Name};
use crate::model::allowance::Allowance;
use crate::note::{EntryType, Note, Position, Revision};
use crate::scope::{Scope, ScopeKind};
use crate::store::{self, Count, Done, ScopeSummary, SideValue, Version};

/// One question each, with the errors of [`Read::read`].
#[expect(
    clippy::missing_errors_doc,
    reason = "all have the errors of `Read::read`"
)]
impl dyn Read + '_ {
    /// Questions of callers of the store.
    pub fn ask(&self, store: store::Ask) -> Result<store::Answers> {
        let ask = Ask {
            store,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.store)
    }

    /// A note as it is now.
    pub fn note(&self, address: &Address) -> Result<Option<Note>> {
        let ask = store::Ask {
            notes: vec![address.clone()],
            ..store::Ask::default()
        };
        Ok(self.ask(ask)?.notes.pop().flatten())
    }

    /// A note's last revision, and the note as it is now.
    pub fn state(&self, address: &Address) -> Result<Option<NoteState>> {
        let ask = Ask {
            states: vec![address.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.states.pop().flatten())
    }

    /// A number of notes.
    pub fn count(&self, count: Count) -> Result<u64> {
        let ask = store::Ask {
            counts: vec![count],
            ..store::Ask::default()
        };
        Ok(self.ask(ask)?.counts.pop().unwrap_or_default())
    }

    /// The scopes of a kind that have notes.
    pub fn summaries(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        let ask = store::Ask {
            summaries: vec![kind],
            ..store::Ask::default()
        };
        Ok(self.ask(ask)?.summaries.pop().unwrap_or_default())
    }

    /// A note's revisions, oldest first.
    pub fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        let ask = store::Ask {
            histories: vec![address.clone()],
            ..store::Ask::default()
        };
        Ok(self.ask(ask)?.histories.pop().unwrap_or_default())
    }

    /// One revision of a note.
    pub fn revision(&self, address: &Address, number: u64) -> Result<Option<Revision>> {
        let ask = Ask {
            revisions: vec![AddressAt {
                address: address.clone(),
                revision: Some(number),
            }],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.revisions.pop().flatten())
    }

    /// The revisions of every note that a scope ever had.
    pub fn scope_histories(&self, scope: &Scope) -> Result<Vec<Vec<Revision>>> {
        let ask = Ask {
            scope_histories: vec![scope.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.scope_histories.pop().unwrap_or_default())
    }

    /// The revisions at these positions.
    pub fn positions(&self, positions: &[i64]) -> Result<Vec<Option<Revision>>> {
        let ask = Ask {
            positions: positions.iter().copied().map(Position::new).collect(),
            ..Ask::default()
        };
        Ok(self.read(&ask)?.positions)
    }

    /// Every revision with one of these contents.
    pub fn holders(&self, contents: &[Content]) -> Result<Vec<Vec<AddressAt>>> {
        let ask = Ask {
            holders: contents.to_vec(),
            ..Ask::default()
        };
        Ok(self.read(&ask)?.holders)
    }

    /// The entries of a session that are resolved.
    pub fn resolved(&self, session: &Name) -> Result<Vec<Note>> {
        let ask = Ask {
            resolved: vec![session.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.resolved.pop().unwrap_or_default())
    }

    /// The largest id that an entry of a session ever had.
    pub fn last_entry(&self, session: &Name) -> Result<Option<EntryId>> {
        let ask = Ask {
            last_entries: vec![session.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.last_entries.pop().flatten())
    }

    /// The first entry of a session that is of a type and has a content.
    pub fn entry_saying(
        &self,
        session: &Name,
        kind: &EntryType,
        content: &Content,
    ) -> Result<Option<NoteState>> {
        let ask = Ask {
            entries_saying: vec![(session.clone(), kind.clone(), content.clone())],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.entries_saying.pop().flatten())
    }

    /// The event with which a loop took the session that it holds.
    pub fn lease(&self, session: &Name) -> Result<Option<RecordedEvent>> {
        let ask = store::Ask {
            leases: vec![session.clone()],
            ..store::Ask::default()
        };
        Ok(self.ask(ask)?.leases.pop().flatten())
    }

    /// The revisions and events that a call wrote, by step.
    pub fn operation(&self, operation: OperationId) -> Result<Vec<Done>> {
        let mut ask = Ask::default();
        ask.store.operations = vec![operation];
        Ok(self.read(&ask)?.store.operations.pop().unwrap_or_default())
    }

    /// For each content, the spaces of side data that have a value about it.
    pub fn about(&self, contents: &[Content]) -> Result<Vec<Vec<String>>> {
        let ask = Ask {
            about: contents.to_vec(),
            ..Ask::default()
        };
        Ok(self.read(&ask)?.about)
    }

    /// The spaces of side data that have a value, by name.
    pub fn spaces(&self) -> Result<Vec<String>> {
        let ask = Ask {
            spaces: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.spaces)
    }

    /// The calls that wrote the rows at these positions.
    pub fn steps(
        &self,
        positions: impl IntoIterator<Item = Position>,
    ) -> Result<Vec<Option<Step>>> {
        let ask = Ask {
            steps: positions.into_iter().collect(),
            ..Ask::default()
        };
        Ok(self.read(&ask)?.steps)
    }

    /// The values of a space of side data.
    pub fn side(&self, space: &str) -> Result<Vec<SideValue>> {
        let ask = Ask {
            side: vec![space.to_owned()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.side.pop().unwrap_or_default())
    }

    /// The version of the store.
    pub fn version(&self) -> Result<Version> {
        let ask = store::Ask {
            version: true,
            ..store::Ask::default()
        };
        Ok(self.ask(ask)?.version)
    }

    /// The engine's ids of these scopes, as far as it has them.
    pub fn scope_numbers(&self, scopes: &[Scope]) -> Result<Vec<u32>> {
        let ask = Ask {
            scope_numbers: scopes.to_vec(),
            ..Ask::default()
        };
        Ok(self
            .read(&ask)?
            .scope_numbers
            .into_iter()
            .flatten()
            .collect())
    }

    /// The state of the search index.
    pub fn index(&self) -> Result<IndexState> {
        let ask = Ask {
            index: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.index)
    }

    /// The state of the search index, and its segments in their order.
    pub fn segments(&self) -> Result<(IndexState, Vec<SegmentHead>)> {
        let ask = Ask {
            index: true,
            segments: true,
            ..Ask::default()
        };
        let rows = self.read(&ask)?;
        Ok((rows.index, rows.segments))
    }

    /// Passes the journal's rows after a position to `each`, in order, at most `limit`.
    pub fn each_row(
        &self,
        after: i64,
        limit: usize,
        each: &mut dyn FnMut(&JournalRow),
    ) -> Result<()> {
        /// How many rows one round trip reads: texts can be long.
        const AT_ONCE: usize = 1024;
        let (mut after, mut left) = (after, limit);
        loop {
            let asked = left.min(AT_ONCE);
            let ask = Ask {
                journal_rows: (asked > 0).then_some((after, asked)),
                ..Ask::default()
            };
            Allowance::check()?;
            let rows = self.read(&ask)?.journal_rows;
            rows.iter().for_each(&mut *each);
            match rows.last() {
                Some(last) if rows.len() == asked => after = last.position,
                _ => return Ok(()),
            }
            left -= asked;
        }
    }

    /// The list of notes of a segment.
    pub fn segment_notes(&self, segment: i64) -> Result<Vec<u8>> {
        let ask = Ask {
            segment_notes: vec![segment],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.segment_notes.pop().unwrap_or_default())
    }

    /// Blocks of a segment, each with its first term.
    pub fn blocks(&self, blocks: Blocks) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let ask = Ask {
            blocks: vec![blocks],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.blocks.pop().unwrap_or_default())
    }
}
