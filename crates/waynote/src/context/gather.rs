//! The notes that a block could hold: read latest first, and no further than a block can show.

use std::cell::RefCell;

use super::{Request, Section};
use crate::error::Result;
use crate::note::{Kind, Note};
use crate::scope::Scope;
use crate::store::{Filter, Moment, Recent, Store};

/// Notes read at a time.
const PAGE: usize = 32;

/// Notes of one kind, latest first, read as they are asked for.
pub(super) struct Pool<'s> {
    /// Where the others come from; none when all are here.
    source: Option<(&'s dyn Store, Recent)>,
    notes: RefCell<Vec<Note>>,
}

impl<'s> Pool<'s> {
    fn of(store: &'s dyn Store, recent: Recent) -> Self {
        Self {
            source: Some((store, recent)),
            notes: RefCell::default(),
        }
    }

    pub(super) fn whole(notes: Vec<Note>) -> Self {
        Self {
            source: None,
            notes: RefCell::new(notes),
        }
    }

    /// Whether there are so many, which are then read.
    pub(super) fn has(&self, count: usize) -> Result<bool> {
        let Some((store, recent)) = &self.source else {
            return Ok(self.notes.borrow().len() >= count);
        };
        let mut notes = self.notes.borrow_mut();
        // A page that is not full was the last.
        while notes.len() < count && notes.len().is_multiple_of(PAGE) {
            let page = store.recent(recent, notes.len(), PAGE)?;
            if page.is_empty() {
                break;
            }
            notes.extend(page);
        }
        Ok(notes.len() >= count)
    }

    /// How many there are.
    pub(super) fn total(&self) -> Result<u64> {
        let read = self.notes.borrow().len();
        match &self.source {
            Some((store, recent)) if read.is_multiple_of(PAGE) => store.count_recent(recent),
            _ => Ok(read as u64),
        }
    }

    /// Reads all.
    pub(super) fn read_all(&self) -> Result<()> {
        self.has(usize::MAX).map(|_| ())
    }

    /// Those that were read.
    pub(super) fn into_notes(self) -> Vec<Note> {
        self.notes.into_inner()
    }

    /// Does something with a note that was read.
    pub(super) fn with<T>(&self, place: usize, work: impl FnOnce(&Note) -> T) -> T {
        work(&self.notes.borrow()[place])
    }
}

/// What applies.
pub(super) struct Gathered<'s> {
    /// The agent's pinned notes.
    pub(super) pinned: Pool<'s>,
    /// The notes of the place and those above it that say something, outermost first.
    pub(super) places: Vec<Note>,
    /// The agent's other notes.
    pub(super) index: Pool<'s>,
    /// The session's entries of earlier iterations, by type: the four in their order, then the others by word.
    pub(super) groups: Vec<(Kind, Pool<'s>)>,
}

/// What a block of this request is made of.
pub(super) fn gather<'s>(store: &'s dyn Store, request: &Request) -> Result<Gathered<'s>> {
    let wanted = |section| request.only.is_none_or(|only| only == section);
    let scope = Scope::Agent(request.agent.clone());
    let keyed = |section, pinned| {
        let recent = Recent::Keyed {
            scope: scope.clone(),
            pinned,
        };
        pool(store, request, wanted(section).then_some(recent))
    };
    let places = match request.as_of {
        _ if !wanted(Section::Places) => Vec::new(),
        Some(moment) => store.select_at(&request.chain(), moment)?,
        None => store.select(&Filter::Scopes(request.chain()))?,
    };
    let session = request
        .session
        .as_ref()
        .filter(|_| wanted(Section::Iterations));
    let mut groups = Vec::new();
    for kind in session.map_or(Ok(Vec::new()), |session| kinds(store, request, session))? {
        let recent = session.map(|session| Recent::Entries {
            session: session.clone(),
            kind: kind.clone(),
            before: request.iteration,
        });
        groups.push((kind, pool(store, request, recent)?));
    }
    Ok(Gathered {
        pinned: keyed(Section::Pinned, true)?,
        places: places
            .into_iter()
            .filter(|note| !note.content.is_blank())
            .collect(),
        index: keyed(Section::Index, false)?,
        groups,
    })
}

/// The notes that a reading names; none of no reading.
fn pool<'s>(store: &'s dyn Store, request: &Request, recent: Option<Recent>) -> Result<Pool<'s>> {
    Ok(match (recent, request.as_of) {
        (None, _) => Pool::whole(Vec::new()),
        (Some(recent), None) => Pool::of(store, recent),
        (Some(recent), Some(moment)) => {
            Pool::whole(recent.pick(store.select_at(&[recent.scope()], moment)?))
        }
    })
}

/// The four types in their order, then the others by word.
fn kinds(store: &dyn Store, request: &Request, session: &crate::key::Name) -> Result<Vec<Kind>> {
    let mut there = match request.as_of {
        None => store.kinds(session)?,
        Some(moment) => entries_at(store, session, moment)?
            .into_iter()
            .filter_map(|note| note.kind)
            .collect(),
    };
    there.retain(|kind| matches!(kind, Kind::Other(_)));
    there.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    there.dedup();
    Ok(Kind::ALL.into_iter().chain(there).collect())
}

fn entries_at(store: &dyn Store, session: &crate::key::Name, moment: Moment) -> Result<Vec<Note>> {
    store.select_at(&[Scope::Session(session.clone())], moment)
}

/// Every note of a scope, as it is or as it was, for style faithful.
pub(super) fn all_of(
    store: &dyn Store,
    request: &Request,
    scopes: Vec<Scope>,
) -> Result<Vec<Note>> {
    match request.as_of {
        Some(moment) => store.select_at(&scopes, moment),
        None => store.select(&Filter::Scopes(scopes)),
    }
}
