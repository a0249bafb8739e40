//! Asking for one thing. A question that an engine left unanswered counts as one that found nothing.

use super::{Ask, Blocks, Count, End, Head, IndexState, Page, Read, SegmentHead};
use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::error::Result;
use crate::event::Recorded;
use crate::key::{EntryId, Name};
use crate::note::{Kind, Note, Position, Revision};
use crate::scope::{Scope, ScopeKind};
use crate::store::{FileMark, Recent, ScopeSummary};

/// One question each; the errors are those of [`Read::read`].
#[expect(
    clippy::missing_errors_doc,
    reason = "all have the errors of `Read::read`"
)]
impl dyn Read + '_ {
    /// A note as it is now.
    pub fn note(&self, address: &Address) -> Result<Option<Note>> {
        let ask = Ask {
            notes: vec![address.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.notes.pop().flatten())
    }

    /// The last revision of a note, whether it is there or was deleted.
    pub fn end(&self, address: &Address) -> Result<Option<End>> {
        let ask = Ask {
            ends: vec![address.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.ends.pop().flatten())
    }

    /// All notes of these scopes, by key within each.
    pub fn scopes(&self, scopes: &[Scope]) -> Result<Vec<Note>> {
        let ask = Ask {
            scopes: scopes.to_vec(),
            ..Ask::default()
        };
        Ok(self.read(&ask)?.scopes.into_iter().flatten().collect())
    }

    /// All notes of every scope of a kind.
    pub fn kind(&self, kind: ScopeKind) -> Result<Vec<Note>> {
        let ask = Ask {
            kinds: vec![kind],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.kinds.pop().unwrap_or_default())
    }

    /// A page of a scope's notes, latest first.
    pub fn page(&self, of: &Recent, skip: usize, limit: usize) -> Result<Vec<Note>> {
        let ask = Ask {
            pages: vec![Page {
                of: of.clone(),
                skip,
                limit,
            }],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.pages.pop().unwrap_or_default())
    }

    /// A number of notes.
    pub fn count(&self, count: Count) -> Result<u64> {
        let ask = Ask {
            counts: vec![count],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.counts.pop().unwrap_or_default())
    }

    /// The scopes of a kind that have notes.
    pub fn summaries(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        let ask = Ask {
            summaries: vec![kind],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.summaries.pop().unwrap_or_default())
    }

    /// A note's revisions, oldest first.
    pub fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        let ask = Ask {
            histories: vec![address.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.histories.pop().unwrap_or_default())
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

    /// The journal before a position, latest first.
    pub fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>> {
        let ask = Ask {
            journal: vec![(before, limit)],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.journal.pop().unwrap_or_default())
    }

    /// Every revision that has one of these contents.
    pub fn holders(&self, contents: &[Content]) -> Result<Vec<Vec<AddressAt>>> {
        let ask = Ask {
            holders: contents.to_vec(),
            ..Ask::default()
        };
        Ok(self.read(&ask)?.holders)
    }

    /// The types of a session's entries, by word.
    pub fn entry_types(&self, session: &Name) -> Result<Vec<Kind>> {
        let ask = Ask {
            entry_types: vec![session.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.entry_types.pop().unwrap_or_default())
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
        kind: &Kind,
        content: &Content,
    ) -> Result<Option<Note>> {
        let ask = Ask {
            entries_saying: vec![(session.clone(), kind.clone(), content.clone())],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.entries_saying.pop().flatten())
    }

    /// The largest iteration in any revision of a session's entries.
    pub fn last_iteration(&self, session: &Name) -> Result<Option<i64>> {
        let ask = Ask {
            last_iterations: vec![session.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.last_iterations.pop().flatten())
    }

    /// A session's events before a number, latest first.
    pub fn events(
        &self,
        session: &Name,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Recorded>> {
        let ask = Ask {
            events: vec![(session.clone(), before, limit)],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.events.pop().unwrap_or_default())
    }

    /// The event with which the loop began that holds a session.
    pub fn lease(&self, session: &Name) -> Result<Option<Recorded>> {
        let ask = Ask {
            leases: vec![session.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.leases.pop().flatten())
    }

    /// The leases of all sessions.
    pub fn all_leases(&self) -> Result<Vec<(Name, Recorded)>> {
        let ask = Ask {
            all_leases: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.all_leases)
    }

    /// The sessions that have events.
    pub fn event_sessions(&self) -> Result<Vec<Name>> {
        let ask = Ask {
            event_sessions: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.event_sessions)
    }

    /// For each content the files that are known to hold it.
    pub fn marked(&self, contents: &[Content]) -> Result<Vec<Vec<String>>> {
        let ask = Ask {
            marked: contents.to_vec(),
            ..Ask::default()
        };
        Ok(self.read(&ask)?.marked)
    }

    /// What a file is known to hold.
    pub fn marks(&self, file: &str) -> Result<Vec<FileMark>> {
        let ask = Ask {
            marks: vec![file.to_owned()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.marks.pop().unwrap_or_default())
    }

    /// The state of the store.
    pub fn head(&self) -> Result<Head> {
        let ask = Ask {
            head: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.head)
    }

    /// The engine's numbers of those scopes that it has.
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
