//! Reads and writes of the store, on a thread of their own, so that a slow store stops no key.

use std::cmp::Reverse;
use std::collections::HashSet;

use waynote::context::Receipt;
use waynote::session_state::Question;
use waynote::session_status::{last_events, question_after};
use waynote::store::Ask;
use waynote::{
    Address, Change, Name, Note, Position, Scope, ScopeFilter, ScopeKind, ScopeList, ScopeSummary,
    SearchRequest, SessionLog, Stamp, Store, Version,
};

use crate::commands::answer::answered;
use crate::commands::log;
use crate::commands::looping::started;
use crate::error::{Failure, Outcome};
use crate::session_view;

/// How many notes are read at once.
pub(super) const PAGE: usize = 60;

/// The most notes that a search finds.
const HITS: usize = 200;

/// How many changes of the journal are read at once, and how often for one page.
const CHANGES: usize = 120;
const READS: usize = 8;

/// What is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Listing {
    /// The notes that the block of this directory has.
    #[default]
    Here,
    /// All notes, last changed first.
    Latest,
    Scope(Scope),
    /// The notes that a query finds.
    Found(String),
}

/// A change that a person makes here.
pub(super) enum Write {
    Change(Change),
    Answer(Name, String),
}

/// A row of the scopes: a heading, or a list of notes.
#[derive(Default)]
pub(super) struct Row {
    pub(super) of: Option<Listing>,
    pub(super) name: String,
    /// How many notes are known to be in the list.
    pub(super) notes: u64,
    /// The question of a session that waits for its answer.
    pub(super) asks: Option<(Name, Question)>,
}

impl Row {
    pub(super) fn of(list: Listing, name: &str, notes: u64) -> Self {
        Self {
            of: Some(list),
            name: name.to_owned(),
            notes,
            asks: None,
        }
    }

    fn scope(of: ScopeSummary) -> Self {
        let name = of.scope.name().to_owned();
        Self::of(Listing::Scope(of.scope), &name, of.notes)
    }
}

/// The scopes of the store, and the block of this directory.
pub(super) struct Overview {
    pub(super) rows: Vec<Row>,
    pub(super) receipt: Receipt,
}

/// A note in the list.
pub(super) struct Item {
    pub(super) note: Note,
    /// The line that a search found.
    pub(super) found: Option<String>,
}

/// A part of a list.
pub(super) struct Stretch {
    pub(super) of: Listing,
    /// The index of the first of these notes in the list.
    pub(super) first: usize,
    pub(super) items: Vec<Item>,
    /// How many notes the list has, and whether there may be more.
    pub(super) total: usize,
    pub(super) is_more: bool,
    /// The state of the session that is listed, in words.
    pub(super) about: Option<String>,
}

/// Makes the receipt of this directory's block.
pub(super) type Receive = Box<dyn Fn(&dyn Store) -> Outcome<Receipt>>;

/// A store with what was read of it.
pub(super) struct Reading<'s> {
    store: &'s dyn Store,
    receive: Receive,
    seen: Option<Version>,
    here: Vec<Address>,
    latest: Latest,
}

/// The notes that changed last, as far as the journal was read.
#[derive(Default)]
struct Latest {
    met: HashSet<Address>,
    notes: Vec<Address>,
    before: Option<Position>,
    is_whole: bool,
}

impl<'s> Reading<'s> {
    pub(super) fn new(store: &'s dyn Store, receive: Receive) -> Self {
        Self {
            store,
            receive,
            seen: None,
            here: Vec::new(),
            latest: Latest::default(),
        }
    }

    /// Reads the scopes and the block again if the store has changed.
    pub(super) fn overview(&mut self) -> Outcome<Option<Overview>> {
        let version = self.store.version()?;
        if self.seen == Some(version) {
            return Ok(None);
        }
        self.latest = Latest::default();
        let receipt = (self.receive)(self.store)?;
        let claims = receipt.claims.iter();
        self.here = claims.map(|claim| claim.address.clone()).collect();
        let rows = self.rows()?;
        self.seen = Some(version);
        Ok(Some(Overview { rows, receipt }))
    }

    fn rows(&self) -> Outcome<Vec<Row>> {
        let answers = self.store.read(&Ask {
            summaries: vec![ScopeKind::Place, ScopeKind::Agent],
            ..Ask::default()
        })?;
        let scopes = |of: Vec<ScopeSummary>| of.into_iter().map(Row::scope).collect();
        let mut parts: Vec<Vec<Row>> = answers.summaries.into_iter().map(scopes).collect();
        parts.push(self.sessions()?);
        let mut rows = vec![
            Row::of(Listing::Here, "here", self.here.len() as u64),
            Row::of(Listing::Latest, "latest changes", 0),
        ];
        let parts = ["places", "notebooks", "sessions"].into_iter().zip(parts);
        for (title, part) in parts.filter(|(_, part)| !part.is_empty()) {
            rows.push(Row {
                name: title.to_owned(),
                ..Row::default()
            });
            rows.extend(part);
        }
        Ok(rows)
    }

    /// The sessions: those with a question, then the newest.
    fn sessions(&self) -> Outcome<Vec<Row>> {
        let mut all = Vec::new();
        for of in SessionLog::sessions(self.store)? {
            all.push((of.scope.name().parse::<Name>()?, of));
        }
        let names = all.iter().map(|(name, _)| name.clone()).collect();
        let events = last_events(self.store, names)?;
        let mut sessions = Vec::new();
        for (name, of) in all {
            let events = events.get(&name).map(Vec::as_slice).unwrap_or_default();
            let question = match events {
                [] => None,
                events => question_after(self.store, &name, events)?,
            };
            let last = events.first().map(|last| last.position);
            let mut row = Row::scope(of);
            row.asks = question.map(|question| (name, question));
            sessions.push((row.asks.is_none(), Reverse(last), row));
        }
        sessions.sort_by_key(|(is_quiet, last, _)| (*is_quiet, *last));
        Ok(sessions.into_iter().map(|(.., row)| row).collect())
    }

    /// Reads a part of a list: these pages, the last one included.
    pub(super) fn list(&mut self, of: Listing, (first, last): (usize, usize)) -> Outcome<Stretch> {
        let (skip, limit) = (first * PAGE, (last + 1 - first) * PAGE);
        let (mut is_more, mut about) = (false, None);
        let (items, total) = match &of {
            Listing::Here => (self.items(&self.here, skip, limit)?, self.here.len()),
            Listing::Latest => {
                self.latest.read(self.store, skip + limit)?;
                is_more = !self.latest.is_whole;
                let notes = &self.latest.notes;
                (self.items(notes, skip, limit)?, notes.len())
            }
            Listing::Scope(scope) => {
                let list = ScopeList::of(self.store, scope, &ScopeFilter::All)?;
                if let Scope::Session(session) = scope {
                    about = Some(self.about(session)?);
                }
                let notes = list.page(self.store, skip as u64, limit as u64)?;
                let total = usize::try_from(list.total()).unwrap_or(usize::MAX);
                (notes.into_iter().map(Item::from).collect(), total)
            }
            Listing::Found(query) => {
                let request = SearchRequest::new(query.as_str()).limit(HITS);
                let hits = self.store.search(&request)?;
                let total = hits.len();
                is_more = total == HITS;
                let hits = hits.into_iter().skip(skip).take(limit);
                let items = hits.map(|hit| Item {
                    note: hit.note,
                    found: Some(hit.snippet.text),
                });
                (items.collect(), total)
            }
        };
        Ok(Stretch {
            first: skip,
            items,
            total,
            is_more,
            about,
            of,
        })
    }

    /// Some notes of a list of addresses.
    fn items(&self, all: &[Address], skip: usize, limit: usize) -> Outcome<Vec<Item>> {
        let part = all.iter().skip(skip).take(limit).cloned().collect();
        let there = self.store.get_all(part)?.into_iter().flatten();
        Ok(there.map(Item::from).collect())
    }

    fn about(&self, session: &Name) -> Outcome<String> {
        let status = log::status(self.store, session)?;
        let again = started::next(self.store, session)?;
        let about = session_view::status(&status, session, again.as_deref());
        Ok(about.trim().to_owned())
    }
    /// Makes a change. Returns what can be done about it in words, and the note that was changed.
    pub(super) fn write(&self, write: Write, stamp: &Stamp) -> Outcome<(String, Option<Address>)> {
        let change = match write {
            Write::Change(change) => change,
            Write::Answer(session, text) => {
                let (_, said) = answered(self.store, &session, &text, stamp)?;
                return Ok((said, None));
            }
        };
        let (did, then) = match &change {
            Change::Pin { pinned: true, .. } => ("pinned", "p unpins it"),
            Change::Pin { .. } => ("unpinned", "p pins it"),
            Change::Delete { .. } => ("deleted", "u brings it back"),
            Change::Undo { .. } => ("undid the last change of", "r brings it back"),
            _ => ("redid the last change of", "u takes it back"),
        };
        let Some(applied) = self.store.apply(&[change], stamp)?.pop() else {
            return Ok(("nothing was changed".into(), None));
        };
        let now = match &applied.note {
            Some(note) => format!(" (now revision {})", note.revision),
            None if did == "deleted" => String::new(),
            None => ": it no longer exists".into(),
        };
        let said = format!("{did} {}{now}; {then}", applied.address.masked());
        Ok((said, Some(applied.address)))
    }
}

impl From<Note> for Item {
    fn from(note: Note) -> Self {
        Self { note, found: None }
    }
}

impl Latest {
    /// Reads the journal until so many notes are known.
    fn read(&mut self, store: &dyn Store, wanted: usize) -> Outcome {
        let mut reads = 0;
        while self.notes.len() < wanted && !self.is_whole && reads < READS {
            let latest = waynote::Listing::default().latest(&store, self.before, CHANGES)?;
            (self.before, self.is_whole) = (latest.next, latest.next.is_none());
            reads += 1;
            let addresses = latest.notes.into_iter().map(|note| note.address);
            // A note that is changed meanwhile would come again.
            self.notes
                .extend(addresses.filter(|of| self.met.insert(of.clone())));
        }
        Ok(())
    }
}

/// A failure in words, with what to do next.
pub(super) fn told(failure: &Failure) -> String {
    format!("{}\n{}", failure.what(), failure.hint())
}
