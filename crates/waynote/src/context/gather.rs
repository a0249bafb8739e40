//! Reads the notes for a block: all sections at once, latest first, and only as many as a block can show.

use std::collections::{BTreeSet, HashSet};

use super::{Request, Section};
use crate::address::Address;
use crate::error::Result;
use crate::key::Name;
use crate::note::{EntryType, Note};
use crate::scope::Scope;
use crate::search::{SearchKind, SearchRequest, among};
use crate::session_log::seen_before;
use crate::store::{AsOf, Ask, Count, Damage, Page, Reader, Recent, Version};

/// The most notes of each kind that are read at first.
const PAGE: usize = 32;

/// How many those are for so much room: what a list mostly shows.
fn first_page(room: usize) -> usize {
    (room / 48).clamp(PAGE / 4, PAGE)
}

/// Notes of one kind, latest first.
#[derive(Default)]
pub(super) struct Pool {
    /// Where the others are read; none when all are here.
    rest: Option<Recent>,
    notes: Vec<Note>,
    /// How often each of them was noted.
    times: Vec<u64>,
    /// How many there are besides, which cannot be shown.
    beyond: u64,
}

impl Pool {
    /// Nothing yet of what a reading names.
    fn of(recent: Recent) -> Self {
        Self {
            rest: Some(recent),
            ..Self::default()
        }
    }

    /// All there are, none of them an entry that was repeated.
    pub(super) fn whole(notes: Vec<Note>) -> Self {
        Self {
            times: vec![1; notes.len()],
            notes,
            ..Self::default()
        }
    }

    /// Takes back what was read.
    fn clear(&mut self) {
        self.notes.clear();
        self.times.clear();
    }

    /// Adds a page of so many notes at most.
    fn push(&mut self, page: Vec<Note>, noted: Vec<u64>, limit: usize) {
        if page.len() < limit {
            self.rest = None;
        }
        self.times.extend(match noted.is_empty() {
            true => page.iter().map(|note| note.seen().unwrap_or(1)).collect(),
            false => noted,
        });
        self.notes.extend(page);
    }

    /// Whether all are here.
    pub(super) fn is_read(&self) -> bool {
        self.rest.is_none()
    }

    /// A note that was read.
    pub(super) fn get(&self, place: usize) -> Option<&Note> {
        self.notes.get(place)
    }

    /// How often a note that was read was noted.
    pub(super) fn times(&self, place: usize) -> u64 {
        self.times.get(place).copied().unwrap_or(1)
    }

    /// How many were read, or cannot be shown.
    pub(super) fn known(&self) -> u64 {
        self.notes.len() as u64 + self.beyond
    }

    /// Those that were read.
    pub(super) fn into_notes(self) -> Vec<Note> {
        self.notes
    }
}

/// Where more notes are read, and how many there are.
pub(super) struct Source<'s> {
    store: &'s dyn Reader,
    /// Whether whatever is read is read to its end.
    reads_all: bool,
    counted: Vec<(Count, u64)>,
    /// What is damaged, and so not among the notes.
    damaged: BTreeSet<String>,
}

impl Source<'_> {
    /// Reads so many more notes of each pool, and these numbers, all at once.
    pub(super) fn read(&mut self, pools: Vec<(&mut Pool, usize)>, counts: &[Count]) -> Result<()> {
        let mut ask = Ask::default();
        let mut read = Vec::new();
        for (pool, more) in pools {
            if let Some(of) = pool.rest.clone() {
                let limit = if self.reads_all { usize::MAX } else { more };
                let skip = pool.notes.len();
                ask.pages.push(Page { of, skip, limit });
                read.push((pool, limit));
            }
        }
        let is_new = |count: &&Count| self.counted.iter().all(|(known, _)| known != *count);
        ask.counts = counts.iter().filter(is_new).cloned().collect();
        if ask.questions() == 0 {
            return Ok(());
        }
        let mut answers = self.store.read(&ask)?;
        if misses_notes(&answers.damaged) {
            // Pages no longer follow one another: each is read to its end, from the first note on.
            for (page, (pool, limit)) in ask.pages.iter_mut().zip(&mut read) {
                (page.skip, page.limit) = (0, usize::MAX);
                *limit = usize::MAX;
                pool.clear();
            }
            answers = self.store.read(&ask)?;
        }
        self.damaged.extend(answers.damaged);
        let pages = answers.pages.into_iter().zip(answers.pages_noted);
        for ((pool, limit), (page, noted)) in read.into_iter().zip(pages) {
            pool.push(page, noted, limit);
        }
        self.counted
            .extend(ask.counts.into_iter().zip(answers.counts));
        Ok(())
    }

    /// What is damaged, and so not among the notes that were read.
    pub(super) fn damaged(&self) -> Vec<String> {
        self.damaged.iter().cloned().collect()
    }

    /// These numbers together.
    pub(super) fn sum(&mut self, counts: &[Count]) -> Result<u64> {
        self.read(Vec::new(), counts)?;
        let known = self.counted.iter();
        let wanted = known.filter(|(known, _)| counts.contains(known));
        Ok(wanted.map(|(_, number)| number).sum())
    }
}

/// What applies.
pub(super) struct Gathered<'s> {
    /// The agent's pinned notes.
    pub(super) pinned: Pool,
    /// The notes of the place and those above it that say something, outermost first.
    pub(super) places: Vec<Note>,
    /// The agent's other notes.
    pub(super) index: Pool,
    /// The session's entries of earlier iterations, by type: the four in their order, then the others by word.
    pub(super) groups: Vec<(EntryType, Pool)>,
    pub(super) source: Source<'s>,
    pub(super) version: Version,
}

/// What a block of this request is made of, in so many tokens of room.
pub(super) fn gather<'s>(
    store: &'s dyn Reader,
    request: &Request,
    room: usize,
) -> Result<Gathered<'s>> {
    let source = Source {
        store,
        // Without a limit all are shown, and an explanation names all.
        reads_all: request.budget.limit().is_none() || request.explain,
        counted: Vec::new(),
        damaged: BTreeSet::new(),
    };
    let mut gathered = match request.as_of {
        Some(moment) => as_they_were(source, request, moment)?,
        None => as_they_are(source, request, room)?,
    };
    gathered.places.retain(|note| !note.content.is_blank());
    Ok(gathered)
}

/// The keyed notes of the agent, as the index or as what is pinned.
fn keyed(request: &Request, pinned: bool) -> Recent {
    Recent::Keyed {
        scope: Scope::Agent(request.agent.clone()),
        pinned,
    }
}

/// How many of these there are.
pub(super) fn number(request: &Request, pinned: bool) -> Count {
    Count::Keyed {
        scope: Scope::Agent(request.agent.clone()),
        pinned,
    }
}

/// The most keyed notes that are pinned at once and looked at; more cannot be shown.
const fn most_pinned(room: usize) -> usize {
    // No note takes fewer tokens, with its heading and its address.
    room / 8 + 1
}

/// So many notes or some more, in steps: a note more or less seldom changes what is looked at.
fn in_steps(notes: usize) -> usize {
    notes.checked_next_power_of_two().unwrap_or(notes).max(PAGE)
}

/// What applies now: the first page of everything, in one reading.
fn as_they_are<'s>(mut source: Source<'s>, request: &Request, room: usize) -> Result<Gathered<'s>> {
    let mut ask = Ask {
        version: true,
        ..Ask::default()
    };
    let limit = |notes: usize| if source.reads_all { usize::MAX } else { notes };
    let page = |of, notes| Page {
        of,
        skip: 0,
        limit: limit(notes),
    };
    if request.wants(Section::Places) {
        ask.scopes = request.chain();
    }
    let mut first = Vec::new();
    if request.wants(Section::Pinned) {
        first.push(Section::Pinned);
        ask.pages
            .push(page(keyed(request, true), in_steps(most_pinned(room))));
    }
    if request.wants(Section::Index) {
        first.push(Section::Index);
        let notes = match request.query {
            Some(_) => in_steps(most_found(request).max(RANKED_ALONE)),
            None => first_page(room),
        };
        ask.pages.push(page(keyed(request, false), notes));
        if request.query.is_some() {
            ask.counts.push(number(request, false));
        }
    }
    let session = request.session.as_ref();
    let session = session.filter(|_| request.wants(Section::Iterations));
    let entries = |session: &Name, kind: &EntryType| Recent::Entries {
        session: session.clone(),
        kind: kind.clone(),
        before: request.iteration,
        open: true,
    };
    if let Some(session) = session {
        ask.entry_types.push(session.clone());
        let of_type = |kind| page(entries(session, &kind), first_page(room));
        ask.pages.extend(EntryType::ALL.map(of_type));
    }
    let mut answers = source.store.read(&ask)?;
    if misses_notes(&answers.damaged) {
        // The pages of what is left do not follow one another.
        source.reads_all = true;
        ask.pages
            .iter_mut()
            .for_each(|page| page.limit = usize::MAX);
        answers = source.store.read(&ask)?;
    }
    source.damaged.extend(std::mem::take(&mut answers.damaged));
    let pages = answers.pages.into_iter().zip(answers.pages_noted);
    let mut pools = ask.pages.into_iter().zip(pages).map(|(asked, page)| {
        let mut pool = Pool::of(asked.of);
        pool.push(page.0, page.1, asked.limit);
        pool
    });
    let (mut pinned, mut index) = (Pool::default(), Pool::default());
    for section in first {
        let pool = pools.next().unwrap_or_default();
        match section {
            Section::Pinned => pinned = pool,
            _ => index = pool,
        }
    }
    let mut groups: Vec<(EntryType, Pool)> = Vec::new();
    if let Some(session) = session {
        groups.extend(EntryType::ALL.into_iter().zip(pools));
        let others = others(answers.entry_types.into_iter().flatten());
        groups.extend(others.into_iter().map(|kind| {
            let pool = Pool::of(entries(session, &kind));
            (kind, pool)
        }));
    }
    if let Some(query) = request
        .query
        .as_ref()
        .filter(|_| request.wants(Section::Index))
    {
        let total = answers.counts.first().copied().unwrap_or_default();
        index = by_relevance(source.store, request, query, index.into_notes(), total)?;
    }
    Ok(Gathered {
        pinned,
        places: answers.scopes.into_iter().flatten().collect(),
        index,
        groups,
        source,
        version: answers.version,
    })
}

/// Whether notes are missing in an answer, so that its pages do not follow one another.
fn misses_notes(damaged: &[String]) -> bool {
    damaged.iter().any(|damage| !Damage::is_of_store(damage))
}

/// What applied then, all of it.
fn as_they_were<'s>(
    mut source: Source<'s>,
    request: &Request,
    moment: AsOf,
) -> Result<Gathered<'s>> {
    let scopes = request.scopes(request.chain());
    let All {
        notes,
        version,
        damaged,
    } = all_of(source.store, request, scopes)?;
    source.damaged.extend(damaged);
    let [agent, places, entries] = notes;
    let of_agent = |section, pinned| match request.wants(section) {
        true => keyed(request, pinned).pick(agent.clone()),
        false => Vec::new(),
    };
    let index = of_agent(Section::Index, false);
    let index = match &request.query {
        Some(query) if request.wants(Section::Index) => {
            let total = index.len() as u64;
            by_relevance(source.store, request, query, index, total)?
        }
        _ => Pool::whole(index),
    };
    Ok(Gathered {
        pinned: Pool::whole(of_agent(Section::Pinned, true)),
        index,
        groups: match &request.session {
            Some(session) if request.wants(Section::Iterations) => {
                groups_then(&source, request, session, entries, moment)?
            }
            _ => Vec::new(),
        },
        places,
        source,
        version,
    })
}

/// The entries that there were then, by type.
fn groups_then(
    source: &Source<'_>,
    request: &Request,
    session: &Name,
    mut entries: Vec<Note>,
    moment: AsOf,
) -> Result<Vec<(EntryType, Pool)>> {
    let types = entries.iter().filter_map(|note| note.kind.clone());
    let others = others(types);
    let mut groups = Vec::new();
    for kind in EntryType::ALL.into_iter().chain(others) {
        let of_type = entries.extract_if(.., |note| note.kind.as_ref() == Some(&kind));
        let recent = Recent::Entries {
            session: session.clone(),
            kind: kind.clone(),
            before: request.iteration,
            open: true,
        };
        let pool = Pool::whole(recent.pick(of_type.collect()));
        groups.push((kind, pool));
    }
    // How often an entry had been noted by then, its history tells.
    let is_repeated = |note: &Note| note.seen().is_some_and(|seen| seen > 1);
    let pools = groups.iter().flat_map(|(_, pool)| &pool.notes);
    let repeated = pools.filter(|note| is_repeated(note));
    let ask = Ask {
        histories: repeated.map(|note| note.address.clone()).collect(),
        ..Ask::default()
    };
    if ask.questions() == 0 {
        return Ok(groups);
    }
    let mut histories = source.store.read(&ask)?.histories.into_iter();
    for (_, pool) in &mut groups {
        for (note, times) in pool.notes.iter().zip(&mut pool.times) {
            if is_repeated(note) {
                let history = histories.next().unwrap_or_default();
                *times = seen_before(moment.until(&history), request.iteration);
            }
        }
    }
    Ok(groups)
}

/// Notebooks of no more notes are searched by themselves.
const RANKED_ALONE: usize = 1024;

/// The most notes that match a query and are looked at.
fn most_found(request: &Request) -> usize {
    // No line takes fewer tokens; more of them cannot be shown.
    match request.budget.limit() {
        Some(limit) if !request.explain => limit / 8 + 1,
        _ => usize::MAX,
    }
}

/// The notes of the index, those that match a query first, the best of them at the front; the others by recency. There
/// are `total` of them in all.
fn by_relevance(
    store: &dyn Reader,
    request: &Request,
    query: &str,
    rest: Vec<Note>,
    total: u64,
) -> Result<Pool> {
    let search = SearchRequest {
        kinds: vec![SearchKind::Key],
        scopes: vec![Scope::Agent(request.agent.clone())],
        limit: most_found(request),
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

/// The types of other programs among these, by word.
fn others(types: impl Iterator<Item = EntryType>) -> Vec<EntryType> {
    let mut others = EntryType::in_order(types);
    others.retain(|kind| matches!(kind, EntryType::Other(_)));
    others
}

/// Every note of some lists of scopes.
pub(super) struct All<const N: usize> {
    pub(super) notes: [Vec<Note>; N],
    pub(super) version: Version,
    /// What is damaged, and so not among them.
    pub(super) damaged: Vec<String>,
}

/// Every note of some lists of scopes, as it is or as it was, and the version of the store.
pub(super) fn all_of<const N: usize>(
    store: &dyn Reader,
    request: &Request,
    lists: [Vec<Scope>; N],
) -> Result<All<N>> {
    let mut ask = Ask {
        version: true,
        ..Ask::default()
    };
    let scopes: Vec<Scope> = lists.iter().flatten().cloned().collect();
    let Some(moment) = request.as_of else {
        ask.scopes = scopes;
        let answers = store.read(&ask)?;
        let mut of_scopes = answers.scopes.into_iter();
        let notes = lists.map(|list| of_scopes.by_ref().take(list.len()).flatten().collect());
        return Ok(All {
            notes,
            version: answers.version,
            damaged: answers.damaged,
        });
    };
    let mut notes = match scopes.is_empty() {
        true => Vec::new(),
        false => store.select_at(&scopes, moment)?,
    };
    let of_list = |list: Vec<Scope>| {
        let is_of = |note: &mut Note| list.contains(&note.address.scope());
        notes.extract_if(.., is_of).collect()
    };
    Ok(All {
        notes: lists.map(of_list),
        version: store.read(&ask)?.version,
        // A reading of the past has no answer that names them.
        damaged: store.take_damage().notes,
    })
}
