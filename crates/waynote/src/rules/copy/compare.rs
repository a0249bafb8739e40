//! Compares a copy with its source: every row, every note as it is now, every block.

use std::fmt::Display;

use super::replay::{Line, page};
use super::{CopyError, CopyPhase, CopyProgress, blocks};
use crate::engine::{Ask, Engine, Read};
use crate::error::Result;
use crate::event::SessionsEvent;
use crate::note::Position;
use crate::rules::EngineStore;
use crate::scope::{Scope, ScopeKind};
use crate::store::{Cursor, FeedContent, Store, answers};

/// The most differences that are listed.
const DIFFERENCES: usize = 20;

/// The numbers of compared items, and the differences.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    pub(super) notes: u64,
    pub(super) revisions: u64,
    pub(super) events: u64,
    pub(super) forgettings: u64,
    pub(super) side_values: u64,
    pub(super) blocks: u64,
    differences: Vec<String>,
}

impl Comparison {
    pub(super) fn differs(&mut self, what: impl Display) {
        if self.differences.len() < DIFFERENCES {
            self.differences.push(what.to_string());
        }
    }
}

/// Compares one state of the source with the copy.
///
/// # Errors
/// [`CopyError::Differs`], and as [`Read::read`].
pub(super) fn compare(
    from: &dyn Engine,
    rows: &dyn Read,
    to: &dyn Engine,
    watch: &mut dyn FnMut(CopyProgress) -> Result<()>,
) -> Result<Comparison> {
    let mut compared = Comparison::default();
    // The engine's own check of its rows, and that of the search index.
    let report = EngineStore::new(to).verify()?;
    compared.differences = report.problems;
    to.snapshot(&mut |copy| {
        let sides = Sides { rows, copy };
        let total = u64::try_from(rows.version()?.head()).unwrap_or_default();
        sides.feeds(&mut compared, &mut |done| {
            watch(CopyProgress {
                phase: CopyPhase::Comparing,
                done,
                total,
            })
        })?;
        let scopes = sides.scopes(&mut compared)?;
        sides.leases(&mut compared)?;
        sides.side_data(&mut compared)?;
        blocks::compare((from, rows), (to, copy), &scopes, &mut compared, watch)
    })?;
    match compared.differences.is_empty() {
        true => Ok(compared),
        false => Err(CopyError::Differs {
            store: to.name(),
            differences: compared.differences,
        }
        .into()),
    }
}

/// The rows of the source, and those of the copy.
struct Sides<'r> {
    rows: &'r dyn Read,
    copy: &'r dyn Read,
}

impl Sides<'_> {
    fn feeds(
        &self,
        compared: &mut Comparison,
        watch: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let (mut after, mut copy_after) = (Cursor::START, Cursor::START);
        loop {
            let ours = page(self.rows, after)?;
            let theirs = page(self.copy, copy_after)?;
            if ours.len() != theirs.len() {
                let only = ours.len().abs_diff(theirs.len());
                compared.differs(format_args!("{only} changes are on one side only"));
                return Ok(());
            }
            let (Some(last), Some(copy_last)) = (ours.last(), theirs.last()) else {
                return Ok(());
            };
            (after, copy_after) = (last.entry.at, copy_last.entry.at);
            for (mut one, mut other) in ours.into_iter().zip(theirs) {
                compared.count(&one);
                other.entry.at = one.entry.at;
                without_position(&mut one);
                without_position(&mut other);
                if one.call != other.call {
                    compared.differs(format_args!("{} is of another call", named(&one)));
                } else if one != other {
                    compared.differs(format_args!("{} is another", named(&one)));
                }
            }
            watch(u64::try_from(after.position.number()).unwrap_or_default())?;
        }
    }

    /// Compares the lists of scopes. Returns those that have notes.
    fn scopes(&self, compared: &mut Comparison) -> Result<Vec<Scope>> {
        let mut all = Vec::new();
        for kind in ScopeKind::ALL {
            let scopes = self.rows.summaries(kind)?;
            if scopes != self.copy.summaries(kind)? {
                compared.differs(format_args!("the list of {} scopes", kind.as_str()));
            }
            all.extend(scopes.into_iter().map(|of| of.scope));
        }
        Ok(all)
    }

    fn leases(&self, compared: &mut Comparison) -> Result<()> {
        if leases(self.rows)? != leases(self.copy)? {
            compared.differs("which loops hold their sessions");
        }
        Ok(())
    }

    fn side_data(&self, compared: &mut Comparison) -> Result<()> {
        let ours = self.rows.spaces()?;
        if ours != self.copy.spaces()? {
            compared.differs("the spaces of side data");
        }
        for space in &ours {
            let values = self.rows.side(space)?;
            compared.side_values += values.len() as u64;
            if values != self.copy.side(space)? {
                compared.differs(format_args!("the side data of {space}"));
            }
        }
        Ok(())
    }
}

impl Comparison {
    fn count(&mut self, line: &Line) {
        match line.entry.happened {
            FeedContent::Changed(_) => self.revisions += 1,
            FeedContent::Event(_) => self.events += 1,
            FeedContent::Forgotten(_) => self.forgettings += 1,
        }
        let now = line.now.as_ref().and_then(|now| now.note.as_ref());
        self.notes += u64::from(now.is_some());
    }
}

/// Takes positions inside of an item away, which may be others in the copy.
fn without_position(line: &mut Line) {
    match &mut line.entry.happened {
        FeedContent::Changed(revision) => revision.position = None,
        FeedContent::Event(event) => event.recorded.position = Position::new(0),
        FeedContent::Forgotten(_) => {}
    }
    for (_, event) in &mut line.forgotten_events {
        event.position = Position::new(0);
    }
}

fn named(line: &Line) -> String {
    match &line.entry.happened {
        FeedContent::Changed(revision) => format!("{}@{}", revision.address(), revision.number()),
        FeedContent::Event(SessionsEvent { session, recorded }) => {
            recorded.address(session).to_string()
        }
        FeedContent::Forgotten(_) => format!("the forgetting at position {}", line.entry.at),
    }
}

fn leases(rows: &dyn Read) -> Result<Vec<SessionsEvent>> {
    let mut leases = answers!(rows, store.all_leases: true);
    for lease in &mut leases {
        lease.recorded.position = Position::new(0);
    }
    Ok(leases)
}
