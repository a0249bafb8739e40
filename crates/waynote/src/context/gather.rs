//! The notes that a block could hold: read latest first, and no further than a block can show.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use super::{Request, Section};
use crate::address::Address;
use crate::error::Result;
use crate::note::{Kind, Note};
use crate::scope::Scope;
use crate::search::{SearchKind, SearchRequest, among};
use crate::store::{Filter, Moment, Reader, Recent};

/// Notes read at first.
const PAGE: usize = 32;

/// Notes of one kind, latest first, read as they are asked for.
pub(super) struct Pool<'s> {
    /// Where the others come from; none when all are here.
    source: Option<(&'s dyn Reader, Recent)>,
    notes: RefCell<Vec<Note>>,
    /// Whether the last of them was read.
    is_read: Cell<bool>,
    /// How many are read at once, at least.
    page: usize,
    /// How many there are besides, which cannot be shown.
    beyond: u64,
}

impl<'s> Pool<'s> {
    fn of(store: &'s dyn Reader, recent: Recent, page: usize) -> Self {
        Self {
            source: Some((store, recent)),
            notes: RefCell::default(),
            is_read: Cell::new(false),
            page,
            beyond: 0,
        }
    }

    pub(super) fn whole(notes: Vec<Note>) -> Self {
        Self {
            source: None,
            notes: RefCell::new(notes),
            is_read: Cell::new(true),
            page: 0,
            beyond: 0,
        }
    }

    /// Whether there are so many, which are then read.
    pub(super) fn has(&self, count: usize) -> Result<bool> {
        let Some((store, recent)) = &self.source else {
            return Ok(self.notes.borrow().len() >= count);
        };
        let mut notes = self.notes.borrow_mut();
        while notes.len() < count && !self.is_read.get() {
            // As much again as there is: finding where a page begins costs as much as reading what lies before it.
            let wanted = match count {
                usize::MAX => count,
                _ => self.page.max(notes.len()),
            };
            let page = store.recent(recent, notes.len(), wanted)?;
            self.is_read.set(page.len() < wanted);
            notes.extend(page);
        }
        Ok(notes.len() >= count)
    }

    /// How many there are, when that is known: not of the entries of one type as long as there are more of them.
    pub(super) fn total(&self) -> Result<Option<u64>> {
        let read = self.notes.borrow().len();
        match &self.source {
            Some((store, recent)) if !self.is_read.get() => match recent {
                Recent::Keyed { scope, pinned } => store.count_keyed(scope, *pinned).map(Some),
                Recent::Entries { .. } => Ok(None),
            },
            _ => Ok(Some(read as u64 + self.beyond)),
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
    pub(super) store: &'s dyn Reader,
}

/// What a block of this request is made of.
pub(super) fn gather<'s>(store: &'s dyn Reader, request: &Request) -> Result<Gathered<'s>> {
    let wanted = |section| request.only.is_none_or(|only| only == section);
    let scope = Scope::Agent(request.agent.clone());
    let keyed = |section, pinned| {
        let recent = Recent::Keyed {
            scope: scope.clone(),
            pinned,
        };
        pool(store, request, wanted(section).then_some(recent))
    };
    let places = match wanted(Section::Places) {
        true => all_of(store, request, request.chain())?,
        false => Vec::new(),
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
            open: true,
        });
        groups.push((kind, pool(store, request, recent)?));
    }
    Ok(Gathered {
        pinned: keyed(Section::Pinned, true)?,
        places: places
            .into_iter()
            .filter(|note| !note.content.is_blank())
            .collect(),
        index: match &request.query {
            Some(query) if wanted(Section::Index) => {
                by_relevance(store, request, query, keyed(Section::Index, false)?)?
            }
            _ => keyed(Section::Index, false)?,
        },
        groups,
        store,
    })
}

/// The notes that a reading names; none of no reading.
fn pool<'s>(store: &'s dyn Reader, request: &Request, recent: Option<Recent>) -> Result<Pool<'s>> {
    Ok(match (recent, request.as_of) {
        (None, _) => Pool::whole(Vec::new()),
        (Some(recent), None) => {
            // Without a cap all are shown.
            let page = request.budget.cap().map_or(usize::MAX, |_| PAGE);
            Pool::of(store, recent, page)
        }
        (Some(recent), Some(moment)) => {
            Pool::whole(recent.pick(store.select_at(&[recent.scope()], moment)?))
        }
    })
}

/// Notebooks of no more notes are searched by themselves.
const RANKED_ALONE: usize = 1024;

/// The notes of the index, those that match a query first, the best of them at the front; the others by recency.
fn by_relevance<'s>(
    store: &'s dyn Reader,
    request: &Request,
    query: &str,
    recent: Pool<'s>,
) -> Result<Pool<'s>> {
    // No line takes fewer tokens; more of them cannot be shown.
    let most = match request.budget.cap() {
        Some(cap) if !request.explain => cap / 8 + 1,
        _ => usize::MAX,
    };
    recent.has(if request.as_of.is_some() {
        usize::MAX
    } else {
        most.max(RANKED_ALONE)
    })?;
    let total = recent.total()?.unwrap_or(0);
    let rest = recent.into_notes();
    let search = SearchRequest {
        kinds: vec![SearchKind::Key],
        scopes: vec![Scope::Agent(request.agent.clone())],
        limit: most,
        ..SearchRequest::new(query)
    };
    // How rare a word is counts among the notes of the notebook alone, so that another agent's notes change nothing; a
    // large notebook is found by the index of the store.
    let hits = if request.as_of.is_some() || total <= RANKED_ALONE as u64 {
        among(&rest, &search)?
    } else {
        store.search(&search)?
    };
    let found = hits.into_iter().map(|hit| hit.note);
    let mut notes: Vec<Note> = found.filter(|note| !note.pinned).collect();
    let shown: HashSet<Address> = notes.iter().map(|note| note.address.clone()).collect();
    notes.extend(
        rest.into_iter()
            .filter(|note| !shown.contains(&note.address)),
    );
    Ok(Pool {
        beyond: total.saturating_sub(notes.len() as u64),
        ..Pool::whole(notes)
    })
}

/// The types to show, in their order.
fn kinds(store: &dyn Reader, request: &Request, session: &crate::key::Name) -> Result<Vec<Kind>> {
    let there = match request.as_of {
        None => store.kinds(session)?,
        Some(moment) => entries_at(store, session, moment)?
            .into_iter()
            .filter_map(|note| note.kind)
            .collect(),
    };
    Ok(Kind::in_order(there))
}

fn entries_at(store: &dyn Reader, session: &crate::key::Name, moment: Moment) -> Result<Vec<Note>> {
    store.select_at(&[Scope::Session(session.clone())], moment)
}

/// Every note of these scopes, as it is or as it was.
pub(super) fn all_of(
    store: &dyn Reader,
    request: &Request,
    scopes: Vec<Scope>,
) -> Result<Vec<Note>> {
    match request.as_of {
        Some(moment) => store.select_at(&scopes, moment),
        None => store.select(&Filter::Scopes(scopes)),
    }
}
