//! Reads the notes for a block: all lists at once, in the order in which their notes get room, and of each as many as
//! usually have room. A block that has room for more reads all lists again, as far as there can be room.

use std::collections::HashSet;

use super::{Request, Section};
use crate::address::Address;
use crate::error::Result;
use crate::key::Name;
use crate::model::lists::{latest_first, seen_before};
use crate::note::{EntryType, Note};
use crate::scope::Scope;
use crate::scope_list::count;
use crate::search::{SearchKind, SearchRequest, among};
use crate::store::{AsOf, Ask, Count, Page, Reader, Recent, Version};

/// The fewest tokens that a note with an address takes, whole or as a line.
const LEAST_OF_NOTE: usize = 8;

/// The fewest tokens that an entry takes.
const LEAST_OF_ENTRY: usize = 6;

/// How many notes of each list are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadLimit {
    /// As many as usually have room.
    Usual,
    /// As many as can have room.
    Full,
}

/// Notes in the order in which they get room.
#[derive(Default)]
pub(super) struct List {
    pub(super) notes: Vec<Note>,
    /// How often each of them was noted.
    pub(super) times: Vec<u64>,
    /// True if more notes, for which there can be room, were not read.
    pub(super) goes_on: bool,
}

impl List {
    /// Notes that were noted once each.
    pub(super) fn once(notes: Vec<Note>) -> Self {
        Self {
            times: vec![1; notes.len()],
            notes,
            goes_on: false,
        }
    }
}

/// The notes of a block.
#[derive(Default)]
pub(super) struct Candidates {
    /// The pinned notes, those of the nearest scope first.
    pub(super) pinned: Vec<Note>,
    /// The own notes of the place and those above it that say something, the nearest first.
    pub(super) places: Vec<Note>,
    /// The other keyed notes, those of the nearest scope first, in each the latest first.
    pub(super) index: Vec<Note>,
    pub(super) index_goes_on: bool,
    /// The session's entries of earlier iterations, by type: the four in their order, then the others by word.
    pub(super) groups: Vec<(EntryType, List)>,
    /// How many notes apply, including those for which there is no room.
    pub(super) total: u64,
    /// Damaged notes, which are not among the others.
    pub(super) damaged: Vec<String>,
    pub(super) version: Version,
}

/// Reads the notes of a block that has so many tokens of room.
pub(super) fn gather(
    store: &dyn Reader,
    request: &Request,
    room: usize,
    reach: ReadLimit,
) -> Result<Candidates> {
    match request.as_of {
        Some(moment) => as_they_were(store, request, moment),
        None => as_they_are(store, request, room, reach),
    }
}

/// True if every note has to be read: without a limit all are shown, and an explanation names all.
fn reads_all(request: &Request) -> bool {
    request.budget.limit().is_none() || request.explain
}

/// The most notes of a list for which there may be room, and one more.
fn most(request: &Request, room: usize, list: &Recent) -> usize {
    // Each that does not fit leaves its room to the next.
    const FEW: usize = 32;
    let notes = (room / LEAST_OF_NOTE + 2).max(FEW);
    match list {
        _ if reads_all(request) => usize::MAX,
        Recent::Entries { .. } => room / LEAST_OF_ENTRY + 2,
        Recent::Keyed { pinned: false, .. } if request.query.is_some() => notes.max(RANKED_ALONE),
        Recent::Keyed { .. } | Recent::ByKey { .. } => notes,
    }
}

/// The scopes with keyed notes, the nearest first: the places', then the agent's notebook.
pub(super) fn notebooks(request: &Request) -> Vec<Scope> {
    let mut scopes = request.lineage.scopes();
    scopes.reverse();
    scopes.push(Scope::Agent(request.agent.clone()));
    scopes
}

/// The entries of a type that the request shows.
fn entries(request: &Request, session: &Name, kind: EntryType) -> Recent {
    Recent::Entries {
        session: session.clone(),
        kind,
        before: request.iteration,
        open: true,
    }
}

/// The session whose entries the request shows.
fn session(request: &Request) -> Option<&Name> {
    let session = request.session.as_ref();
    session.filter(|_| request.wants(Section::Iterations))
}

/// The lists of a request, with the four types of entries.
fn lists(request: &Request) -> Vec<Recent> {
    let mut lists = Vec::new();
    for (section, pinned) in [(Section::Pinned, true), (Section::Index, false)] {
        if request.wants(section) {
            let scopes = notebooks(request).into_iter();
            lists.extend(scopes.map(|scope| Recent::Keyed { scope, pinned }));
        }
    }
    if let Some(session) = session(request) {
        let types = EntryType::ALL.into_iter();
        lists.extend(types.map(|kind| entries(request, session, kind)));
    }
    lists
}

/// The numbers of the notes of these lists: one of each, then one of all entries, as one type is not counted as fast.
fn counts(request: &Request, lists: &[Recent]) -> Vec<Count> {
    let is_keyed = |list: &&Recent| !matches!(list, Recent::Entries { .. });
    let of_lists = lists.iter().filter(is_keyed).map(count);
    let of_entries = session(request).map(|session| Count::Entries {
        session: session.clone(),
        kind: None,
        before: request.iteration,
        open: true,
    });
    of_lists.chain(of_entries).collect()
}

/// The number of notes of a list that is read. Entries, and an index beside them, usually have room for few.
fn limit(request: &Request, room: usize, list: &Recent, reach: ReadLimit) -> usize {
    let most = most(request, room, list);
    let is_shared = match list {
        Recent::Entries { .. } => true,
        Recent::Keyed { pinned: false, .. } => {
            request.query.is_none() && session(request).is_some()
        }
        Recent::Keyed { .. } | Recent::ByKey { .. } => false,
    };
    match is_shared && reach == ReadLimit::Usual && !reads_all(request) {
        true => most.min((room / 64).max(8)),
        false => most,
    }
}

/// Reads the notes that apply now.
fn as_they_are(
    store: &dyn Reader,
    request: &Request,
    room: usize,
    reach: ReadLimit,
) -> Result<Candidates> {
    let page = |of: &Recent| Page {
        of: of.clone(),
        skip: 0,
        limit: limit(request, room, of, reach),
    };
    let mut lists = lists(request);
    let places = request.lineage.places().iter().rev().cloned();
    let mut answers = store.read(&Ask {
        notes: match request.wants(Section::Places) {
            true => places.map(Address::Place).collect(),
            false => Vec::new(),
        },
        pages: lists.iter().map(page).collect(),
        counts: match reads_all(request) {
            true => Vec::new(),
            false => counts(request, &lists),
        },
        entry_types: session(request).into_iter().cloned().collect(),
        version: true,
        ..Ask::default()
    })?;
    // Types of other programs are few, and known only now.
    let others = others(answers.entry_types.into_iter().flatten());
    if let Some(session) = session(request).filter(|_| !others.is_empty()) {
        let others = others.into_iter();
        let others: Vec<Recent> = others.map(|kind| entries(request, session, kind)).collect();
        let read = store.read(&Ask {
            pages: others.iter().map(page).collect(),
            ..Ask::default()
        })?;
        lists.extend(others);
        answers.pages.extend(read.pages);
        answers.pages_noted.extend(read.pages_noted);
        answers.damaged.extend(read.damaged);
        // Both reads report the faults of the store as a whole.
        answers.damaged.sort();
        answers.damaged.dedup();
    }
    let own = answers.notes.into_iter().flatten();
    let mut gathered = Candidates {
        places: own.filter(|note| !note.content.is_blank()).collect(),
        version: answers.version,
        damaged: answers.damaged,
        ..Candidates::default()
    };
    gathered.total = gathered.places.len() as u64;
    let mut counts = answers.counts.into_iter();
    let (mut of_entries, mut has_all_entries) = (0, true);
    let pages = answers.pages.into_iter().zip(answers.pages_noted);
    for (list, (notes, noted)) in lists.into_iter().zip(pages) {
        let limit = limit(request, room, &list, reach);
        let is_all = notes.len() + gathered.damaged.len() < limit;
        let goes_on = !is_all && limit < most(request, room, &list);
        if let Recent::Entries { kind, .. } = list {
            of_entries += notes.len() as u64;
            has_all_entries &= is_all;
            // How often each was noted, unless the reading counts that.
            let seen = || notes.iter().map(|note| note.seen().unwrap_or(1)).collect();
            let times = if noted.is_empty() { seen() } else { noted };
            let entries = List {
                notes,
                times,
                goes_on,
            };
            gathered.groups.push((kind, entries));
            continue;
        }
        let counted = counts.next().unwrap_or_default();
        gathered.total += match is_all {
            true => notes.len() as u64,
            false => counted,
        };
        match list {
            Recent::Keyed { pinned: true, .. } => gathered.pinned.extend(notes),
            // Those of a farther scope come after all of a nearer one.
            _ if gathered.index_goes_on => {}
            _ => {
                gathered.index.extend(notes);
                gathered.index_goes_on = goes_on;
            }
        }
    }
    gathered.total += match has_all_entries {
        true => of_entries,
        false => counts.next().unwrap_or_default(),
    };
    by_relevance(store, request, &mut gathered.index)?;
    Ok(gathered)
}

/// Reads all notes that applied at an earlier moment.
fn as_they_were(store: &dyn Reader, request: &Request, moment: AsOf) -> Result<Candidates> {
    let scopes = notebooks(request);
    let of_session = session(request).cloned().map(Scope::Session);
    let read = scopes
        .iter()
        .filter(|_| request.only != Some(Section::Iterations));
    let lists = [read.cloned().collect(), of_session.into_iter().collect()];
    let All {
        notes: [mut notes, entries],
        version,
        damaged,
    } = all_of(store, request, lists)?;
    latest_first(&mut notes);
    notes.sort_by_cached_key(|note| nearness(&scopes, note));
    let mut part = |section, is_of: fn(&Note) -> bool| {
        let part = notes.extract_if(.., |note| is_of(note));
        part.filter(|_| request.wants(section)).collect()
    };
    let mut places: Vec<Note> = part(Section::Places, |note| note.address.key().is_none());
    places.retain(|note| !note.content.is_blank());
    let mut gathered = Candidates {
        pinned: part(Section::Pinned, |note| note.pinned),
        index: part(Section::Index, |_| true),
        groups: match session(request) {
            Some(session) => groups_then(store, request, session, entries, moment)?,
            None => Vec::new(),
        },
        index_goes_on: false,
        places,
        total: 0,
        damaged,
        version,
    };
    let keyed = [&gathered.pinned, &gathered.places, &gathered.index];
    let entries = gathered.groups.iter().map(|(_, list)| list.notes.len());
    let total: usize = keyed.into_iter().map(Vec::len).chain(entries).sum();
    gathered.total = total as u64;
    by_relevance(store, request, &mut gathered.index)?;
    Ok(gathered)
}

/// How near the scope of a note is: 0 for the nearest.
pub(super) fn nearness(scopes: &[Scope], note: &Note) -> Option<usize> {
    let scope = note.address.scope();
    scopes.iter().position(|of| *of == scope)
}

/// The entries that there were then, by type.
fn groups_then(
    store: &dyn Reader,
    request: &Request,
    session: &Name,
    mut notes: Vec<Note>,
    moment: AsOf,
) -> Result<Vec<(EntryType, List)>> {
    let types = notes.iter().filter_map(|note| note.kind.clone());
    let others = others(types);
    let mut groups = Vec::new();
    for kind in EntryType::ALL.into_iter().chain(others) {
        let of_type = notes.extract_if(.., |note| note.kind.as_ref() == Some(&kind));
        let of_type = entries(request, session, kind.clone()).pick(of_type.collect());
        groups.push((kind, List::once(of_type)));
    }
    // The history of an entry tells how often it had been noted by then.
    let is_repeated = |note: &Note| note.seen().is_some_and(|seen| seen > 1);
    let entries = groups.iter().flat_map(|(_, list)| &list.notes);
    let repeated = entries.filter(|note| is_repeated(note));
    let ask = Ask {
        histories: repeated.map(|note| note.address.clone()).collect(),
        ..Ask::default()
    };
    if ask.questions() == 0 {
        return Ok(groups);
    }
    let mut histories = store.read(&ask)?.histories.into_iter();
    for (_, list) in &mut groups {
        for (note, times) in list.notes.iter().zip(&mut list.times) {
            if is_repeated(note) {
                let history = histories.next().unwrap_or_default();
                *times = seen_before(moment.until(&history), request.iteration);
            }
        }
    }
    Ok(groups)
}

/// Fewer notes are searched by themselves.
const RANKED_ALONE: usize = 1025;

/// Puts the notes that match the request's query first, the best of them at the front; the others follow by recency.
fn by_relevance(store: &dyn Reader, request: &Request, index: &mut Vec<Note>) -> Result<()> {
    let Some(query) = &request.query else {
        return Ok(());
    };
    if !request.wants(Section::Index) {
        return Ok(());
    }
    let search = SearchRequest {
        kinds: vec![SearchKind::Key],
        scopes: notebooks(request),
        limit: match request.budget.limit() {
            Some(limit) if !request.explain => limit / LEAST_OF_NOTE + 2,
            _ => usize::MAX,
        },
        ..SearchRequest::new(query).context(true)
    };
    // How rare a word is counts among these notes alone, so that notes elsewhere change nothing; many are found by the
    // index of the store.
    let hits = if request.as_of.is_some() || index.len() < RANKED_ALONE {
        among(index, &search)?
    } else {
        store.search(&search)?
    };
    let found = hits.into_iter().map(|hit| hit.note);
    let mut notes: Vec<Note> = found.filter(|note| !note.pinned).collect();
    let found: HashSet<Address> = notes.iter().map(|note| note.address.clone()).collect();
    index.retain(|note| !found.contains(&note.address));
    notes.append(index);
    *index = notes;
    Ok(())
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
    /// Notes that were left out because they are damaged.
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
