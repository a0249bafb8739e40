//! Methods that ask one question each. A question without an answer counts as one that found nothing.

use super::{Ask, Blocks, IndexState, JournalRow, NoteState, Read, SegmentHead};
use jiff::Timestamp;

use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::error::Result;
use crate::event::RecordedEvent;
use crate::id::OperationId;
use crate::key::{EntryId, Name};
use crate::model::allowance::Allowance;
use crate::note::{EntryType, Note, Position, Revision};
use crate::scope::ScopeKind;
use crate::store::{self, Count, Done, ScopeSummary, SideValue, Version, answer, answers};

/// One question each, with the errors of [`Read::read`].
#[expect(
    clippy::missing_errors_doc,
    reason = "all have the errors of `Read::read`"
)]
impl dyn Read + '_ {
    /// Questions of callers of the store.
    pub fn ask(&self, store: store::Ask) -> Result<store::Answers> {
        Ok(answers!(self, store: store))
    }

    /// A note as it is now.
    pub fn note(&self, address: &Address) -> Result<Option<Note>> {
        Ok(answer!(self, store.notes: address.clone()))
    }

    /// A note's last revision, and the note as it is now.
    pub fn state(&self, address: &Address) -> Result<Option<NoteState>> {
        Ok(answer!(self, states: address.clone()))
    }

    /// A number of notes.
    pub fn count(&self, count: Count) -> Result<u64> {
        Ok(answer!(self, store.counts: count))
    }

    /// The scopes of a kind that have notes.
    pub fn summaries(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        Ok(answer!(self, store.summaries: kind))
    }

    /// A note's revisions, oldest first.
    pub fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        Ok(answer!(self, store.histories: address.clone()))
    }

    /// One revision of a note.
    pub fn revision(&self, address: &Address, number: u64) -> Result<Option<Revision>> {
        Ok(answer!(self, revisions: AddressAt::new(address.clone(), number)))
    }

    /// Revisions of notes; none for one that does not exist.
    pub fn revisions(&self, revisions: Vec<AddressAt>) -> Result<Vec<Option<Revision>>> {
        Ok(answers!(self, revisions: revisions))
    }

    /// The revisions at these positions.
    pub fn positions(&self, positions: &[i64]) -> Result<Vec<Option<Revision>>> {
        Ok(answers!(self, positions: positions.iter().copied().map(Position::new).collect()))
    }

    /// The time of the database.
    pub fn clock(&self) -> Result<Option<Timestamp>> {
        Ok(answers!(self, clock: true))
    }

    /// Every revision with one of these contents.
    pub fn holders(&self, contents: &[Content]) -> Result<Vec<Vec<AddressAt>>> {
        Ok(answers!(self, holders: contents.to_vec()))
    }

    /// The largest id that an entry of a session ever had.
    pub fn last_entry(&self, session: &Name) -> Result<Option<EntryId>> {
        Ok(answer!(self, last_entries: session.clone()))
    }

    /// The first entry of a session that is of a type and has a content.
    pub fn entry_saying(
        &self,
        session: &Name,
        kind: &EntryType,
        content: &Content,
    ) -> Result<Option<NoteState>> {
        Ok(answer!(self, entries_saying: (session.clone(), kind.clone(), content.clone())))
    }

    /// The event with which a loop took the session that it holds.
    pub fn lease(&self, session: &Name) -> Result<Option<RecordedEvent>> {
        Ok(answer!(self, store.leases: session.clone()))
    }

    /// The revisions and events that a call wrote, by step.
    pub fn operation(&self, operation: OperationId) -> Result<Vec<Done>> {
        Ok(answer!(self, store.operations: operation))
    }

    /// The spaces of side data that have a value, by name.
    pub fn spaces(&self) -> Result<Vec<String>> {
        Ok(answers!(self, spaces: true))
    }

    /// The values of a space of side data.
    pub fn side(&self, space: &str) -> Result<Vec<SideValue>> {
        Ok(answer!(self, side: space.to_owned()))
    }

    /// The version of the store.
    pub fn version(&self) -> Result<Version> {
        Ok(answers!(self, store.version: true))
    }

    /// The state of the search index.
    pub fn index(&self) -> Result<IndexState> {
        Ok(answers!(self, index: true))
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
            Allowance::check()?;
            let rows = answers!(self, journal_rows: (asked > 0).then_some((after, asked)));
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
        Ok(answer!(self, segment_notes: segment))
    }

    /// Blocks of a segment, each with its first term.
    pub fn blocks(&self, blocks: Blocks) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        Ok(answer!(self, blocks: blocks))
    }
}
