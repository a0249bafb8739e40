//! Compares a copy with its source: every row, every note as it is now, every block.

use std::fmt::Display;

use super::{CopyError, CopyPhase, CopyProgress, blocks};
use crate::engine::{Ask, Engine, Read, Step};
use crate::error::Result;
use crate::event::SessionsEvent;
use crate::note::Position;
use crate::rules::EngineStore;
use crate::scope::{Scope, ScopeKind};
use crate::store::{Cursor, FeedEntry, FeedPage, Happened, Store, answer, answers};

/// How many items of the feed are compared at once.
const ITEMS: usize = 512;

/// How many scopes are compared at once.
const SCOPES: usize = 32;

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
        let scopes = sides.notes(&mut compared)?;
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
            for ((one, step), (other, copy_step)) in ours.iter().zip(&theirs) {
                compared.count(one);
                if without_position(one) != without_position(other) {
                    compared.differs(format_args!("{} is another", named(one)));
                } else if step != copy_step {
                    compared.differs(format_args!("{} is of another call", named(one)));
                }
            }
            if ours.len() != theirs.len() {
                let longer = ours.len().max(theirs.len());
                let shorter = ours.len().min(theirs.len());
                compared.differs(format_args!(
                    "{} changes are on one side only",
                    longer - shorter
                ));
                return Ok(());
            }
            let (Some((last, _)), Some((copy_last, _))) = (ours.last(), theirs.last()) else {
                return Ok(());
            };
            (after, copy_after) = (last.at, copy_last.at);
            watch(u64::try_from(after.position.number()).unwrap_or_default())?;
        }
    }

    /// Compares the notes as they are now. Returns the scopes that have notes.
    fn notes(&self, compared: &mut Comparison) -> Result<Vec<Scope>> {
        let mut all = Vec::new();
        for kind in ScopeKind::ALL {
            let scopes = self.rows.summaries(kind)?;
            if scopes != self.copy.summaries(kind)? {
                compared.differs(format_args!("the list of {} scopes", kind.as_str()));
            }
            let scopes: Vec<Scope> = scopes.into_iter().map(|of| of.scope).collect();
            for some in scopes.chunks(SCOPES) {
                let ours = answers!(self.rows, store.scopes: some.to_vec());
                let theirs = answers!(self.copy, store.scopes: some.to_vec());
                for (scope, (ours, theirs)) in some.iter().zip(ours.iter().zip(&theirs)) {
                    compared.notes += ours.len() as u64;
                    if ours == theirs {
                        continue;
                    }
                    let other = ours.iter().find(|note| !theirs.contains(note));
                    match other {
                        Some(note) => compared.differs(&note.address),
                        None => compared.differs(scope),
                    }
                }
            }
            all.extend(scopes);
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
    fn count(&mut self, entry: &FeedEntry) {
        match entry.happened {
            Happened::Changed(_) => self.revisions += 1,
            Happened::Event(_) => self.events += 1,
            Happened::Forgotten(_) => self.forgettings += 1,
        }
    }
}

/// A page of the feed, each item with the call that wrote it.
fn page(rows: &dyn Read, after: Cursor) -> Result<Vec<(FeedEntry, Option<Step>)>> {
    let limit = ITEMS;
    let feed = answer!(rows, store.feed: FeedPage { after, limit });
    let steps = rows.steps(feed.iter().map(|entry| entry.at.position))?;
    let alone = |entry: &FeedEntry| entry.at.ordinal == 0;
    let with_step = |(entry, step): (FeedEntry, Option<Step>)| {
        let step = step.filter(|_| alone(&entry));
        (entry, step)
    };
    Ok(feed.into_iter().zip(steps).map(with_step).collect())
}

/// The item without its position, which may be another one in the copy.
fn without_position(entry: &FeedEntry) -> Happened {
    let mut happened = entry.happened.clone();
    match &mut happened {
        Happened::Changed(revision) => revision.position = None,
        Happened::Event(SessionsEvent { recorded, .. }) => recorded.position = Position::new(0),
        Happened::Forgotten(_) => {}
    }
    happened
}

fn named(entry: &FeedEntry) -> String {
    match &entry.happened {
        Happened::Changed(revision) => format!("{}@{}", revision.address(), revision.number()),
        Happened::Event(SessionsEvent { session, recorded }) => {
            recorded.address(session).to_string()
        }
        Happened::Forgotten(_) => format!("the forgetting at position {}", entry.at),
    }
}

fn leases(rows: &dyn Read) -> Result<Vec<SessionsEvent>> {
    let mut leases = answers!(rows, store.all_leases: true);
    for lease in &mut leases {
        lease.recorded.position = Position::new(0);
    }
    Ok(leases)
}
