//! Reads and writes of the store, on a thread of their own, so that a slow store stops no key.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

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

/// How often the store is asked whether something has changed.
const POLL: Duration = Duration::from_secs(1);

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

/// Something to do with the store.
pub(super) enum Job {
    /// Lists notes: these pages, the last one included.
    List(Listing, (usize, usize)),
    Write(Write, Box<Stamp>),
    /// Looks for what has changed, at once.
    Refresh,
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
    /// How many of the last sessions of agents were given it.
    pub(super) given: usize,
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
    /// How many sessions of agents are known.
    pub(super) sessions: usize,
}

pub(super) enum Reply {
    Overview(Box<Overview>),
    Stretch(Box<Stretch>),
    /// What was done, and the note that was changed by it.
    Done(String, Option<Address>),
    Failed(String),
    /// All jobs up to this one are done.
    Idle(u64),
}

/// Makes the receipt of this directory's block, and tells which notes each of the last sessions of agents was given.
pub(super) type ReadUses = Box<dyn Fn(&dyn Store) -> Outcome<(Receipt, Given)> + Send>;

pub(super) type Given = Vec<BTreeSet<Address>>;

/// A store with what was read of it.
pub(super) struct Worker<'s> {
    store: &'s dyn Store,
    read_uses: ReadUses,
    replies: Sender<Reply>,
    known: Known,
}

#[derive(Default)]
struct Known {
    /// The list that is shown, to be read again when the store has changed.
    shown: Option<(Listing, (usize, usize))>,
    seen: Option<Version>,
    is_away: bool,
    here: Vec<Address>,
    given: Given,
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

impl<'s> Worker<'s> {
    pub(super) fn new(store: &'s dyn Store, read_uses: ReadUses, replies: Sender<Reply>) -> Self {
        Self {
            store,
            read_uses,
            replies,
            known: Known::default(),
        }
    }

    /// Does jobs until nobody has any.
    pub(super) fn run(mut self, jobs: &Receiver<(u64, Job)>) {
        loop {
            let first = match jobs.recv_timeout(POLL) {
                Ok(job) => Some(job),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let (mut last, mut list, mut looks) = (None, None, first.is_none());
            for (number, job) in first.into_iter().chain(jobs.try_iter()) {
                last = Some(number);
                match job {
                    // While one list is read, others may be asked for: the last one is still wanted.
                    Job::List(of, pages) => list = Some((of, pages)),
                    Job::Refresh => looks = true,
                    Job::Write(write, stamp) => {
                        looks = true;
                        let done = write.made(self.store, &stamp);
                        // A failure stays on the screen when the next read succeeds.
                        self.tell(done.unwrap_or_else(|why| Reply::Done(told(&why), None)));
                    }
                }
            }
            let is_asked = list.is_some();
            self.known.shown = list.or(self.known.shown.take());
            let read = match looks || self.known.seen.is_none() {
                true => self.refresh(is_asked),
                false => self.list(),
            };
            match read {
                Ok(()) => self.known.is_away = false,
                // Said once, and not every second.
                Err(failure) if is_asked || !self.known.is_away => {
                    self.known.is_away = true;
                    self.tell(Reply::Failed(told(&failure)));
                }
                Err(_) => {}
            }
            if let Some(last) = last {
                self.tell(Reply::Idle(last));
            }
        }
    }

    fn tell(&self, reply: Reply) {
        // Nobody listens at the end.
        let _ = self.replies.send(reply);
    }

    /// Reads everything again if the store has changed, and the list if it is asked for.
    fn refresh(&mut self, is_asked: bool) -> Outcome {
        let version = self.store.version()?;
        if self.known.seen == Some(version) && !self.known.is_away {
            return if is_asked { self.list() } else { Ok(()) };
        }
        self.known.latest = Latest::default();
        let (receipt, given) = (self.read_uses)(self.store)?;
        let claims = receipt.claims.iter();
        self.known.here = claims.map(|claim| claim.address.clone()).collect();
        self.known.given = given;
        let rows = self.rows()?;
        self.tell(Reply::Overview(Box::new(Overview { rows, receipt })));
        self.list()?;
        self.known.seen = Some(version);
        Ok(())
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
            Row::of(Listing::Here, "here", self.known.here.len() as u64),
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

    /// Reads what is shown.
    fn list(&mut self) -> Outcome {
        let Some((of, (first, last))) = self.known.shown.clone() else {
            return Ok(());
        };
        let (skip, limit) = (first * PAGE, (last + 1 - first) * PAGE);
        let (mut is_more, mut about) = (false, None);
        let (notes, total) = match &of {
            Listing::Here => (
                self.notes(&self.known.here, skip, limit)?,
                self.known.here.len(),
            ),
            Listing::Latest => {
                self.known.latest.read(self.store, skip + limit)?;
                is_more = !self.known.latest.is_whole;
                let notes = self.notes(&self.known.latest.notes, skip, limit)?;
                (notes, self.known.latest.notes.len())
            }
            Listing::Scope(scope) => {
                let list = ScopeList::of(self.store, scope, &ScopeFilter::All)?;
                if let Scope::Session(session) = scope {
                    about = Some(self.about(session)?);
                }
                let notes = list.page(self.store, skip as u64, limit as u64)?;
                let total = usize::try_from(list.total()).unwrap_or(usize::MAX);
                (notes.into_iter().map(|note| (note, None)).collect(), total)
            }
            Listing::Found(query) => {
                let request = SearchRequest::new(query.as_str()).limit(HITS);
                let hits = self.store.search(&request)?;
                let total = hits.len();
                is_more = total == HITS;
                let hits = hits.into_iter().skip(skip).take(limit);
                let hits = hits.map(|hit| (hit.note, Some(hit.snippet.text)));
                (hits.collect::<Vec<_>>(), total)
            }
        };
        let sessions = self.known.given.iter();
        let items = notes.into_iter().map(|(note, found)| Item {
            given: sessions
                .clone()
                .filter(|of| of.contains(&note.address))
                .count(),
            note,
            found,
        });
        self.tell(Reply::Stretch(Box::new(Stretch {
            first: skip,
            items: items.collect(),
            total,
            is_more,
            about,
            sessions: self.known.given.len(),
            of,
        })));
        Ok(())
    }

    /// Some notes of a list of addresses.
    fn notes(
        &self,
        all: &[Address],
        skip: usize,
        limit: usize,
    ) -> Outcome<Vec<(Note, Option<String>)>> {
        let wanted: Vec<Address> = all.iter().skip(skip).take(limit).cloned().collect();
        let notes = self.store.read(&Ask {
            notes: wanted,
            ..Ask::default()
        })?;
        let there = notes.notes.into_iter().flatten();
        Ok(there.map(|note| (note, None)).collect())
    }

    fn about(&self, session: &Name) -> Outcome<String> {
        let status = log::status(self.store, session)?;
        let again = started::next(self.store, session)?;
        let about = session_view::status(&status, session, again.as_deref());
        Ok(about.trim().to_owned())
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

impl Write {
    /// Makes the change, and says what can be done about it.
    fn made(self, store: &dyn Store, stamp: &Stamp) -> Outcome<Reply> {
        let change = match self {
            Self::Change(change) => change,
            Self::Answer(session, text) => {
                let (_, said) = answered(store, &session, &text, stamp)?;
                return Ok(Reply::Done(said, None));
            }
        };
        let (did, then) = match &change {
            Change::Pin { pinned: true, .. } => ("pinned", "p unpins it"),
            Change::Pin { .. } => ("unpinned", "p pins it"),
            Change::Delete { .. } => ("deleted", "u brings it back"),
            Change::Undo { .. } => ("undid the last change of", "r brings it back"),
            _ => ("redid the last change of", "u takes it back"),
        };
        let Some(applied) = store.apply(&[change], stamp)?.pop() else {
            return Ok(Reply::Done("nothing was changed".into(), None));
        };
        let now = match &applied.note {
            Some(note) => format!(" (now revision {})", note.revision),
            None if did == "deleted" => String::new(),
            None => ": it no longer exists".into(),
        };
        let said = format!("{did} {}{now}; {then}", applied.address.masked());
        Ok(Reply::Done(said, Some(applied.address)))
    }
}

/// A failure in words, with what to do next.
pub(super) fn told(failure: &Failure) -> String {
    format!("{}\n{}", failure.what(), failure.hint())
}
