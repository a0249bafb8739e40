//! Reads and writes of the store, on a thread of their own, so that a slow store stops no key.

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// The notes that the block of this directory has.
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
    Change(Change, Stamp),
    Answer(Name, String, Stamp),
    /// Looks for what has changed, at once.
    Refresh,
}

/// A session in the list of scopes.
pub(super) struct Session {
    pub(super) name: Name,
    pub(super) notes: u64,
    pub(super) question: Option<Question>,
}

/// The scopes of the store, and the block of this directory.
pub(super) struct Overview {
    pub(super) places: Vec<ScopeSummary>,
    pub(super) agents: Vec<ScopeSummary>,
    pub(super) sessions: Vec<Session>,
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
    /// What was done, and the note that is gone by it.
    Done(String, Option<Address>),
    Failed(String),
    /// All jobs up to this one are done.
    Idle(u64),
}

/// Makes the receipt of this directory's block.
pub(super) type ReadBlock = Box<dyn Fn(&dyn Store) -> Outcome<Receipt> + Send>;

/// Which notes each of the last sessions of agents was given.
pub(super) type ReadGiven = Box<dyn Fn() -> Vec<BTreeSet<Address>> + Send>;

/// A store with what was read of it.
pub(super) struct Worker<'s> {
    store: &'s dyn Store,
    block: ReadBlock,
    read_given: ReadGiven,
    replies: Sender<Reply>,
    /// What is shown, to be read again when the store has changed.
    shown: Option<(Listing, (usize, usize))>,
    seen: Option<Version>,
    is_away: bool,
    here: Vec<Address>,
    given: Vec<BTreeSet<Address>>,
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
    pub(super) fn new(
        store: &'s dyn Store,
        block: ReadBlock,
        read_given: ReadGiven,
        replies: Sender<Reply>,
    ) -> Self {
        Self {
            store,
            block,
            read_given,
            replies,
            shown: None,
            seen: None,
            is_away: false,
            here: Vec::new(),
            given: Vec::new(),
            latest: Latest::default(),
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
                    Job::Change(change, stamp) => {
                        looks = true;
                        self.tell_done(change_note(self.store, change, &stamp));
                    }
                    Job::Answer(session, text, stamp) => {
                        looks = true;
                        let done = answered(self.store, &session, &text, &stamp);
                        self.tell_done(done.map(|(_, said)| Reply::Done(said, None)));
                    }
                }
            }
            let is_asked = list.is_some();
            self.shown = list.or(self.shown.take());
            let read = match looks || self.seen.is_none() {
                true => self.refresh(is_asked),
                false => self.list(),
            };
            match read {
                Ok(()) => self.is_away = false,
                // Said once, and not every second.
                Err(failure) if is_asked || !self.is_away => {
                    self.is_away = true;
                    self.tell(Err(failure));
                }
                Err(_) => {}
            }
            if let Some(last) = last {
                let _ = self.replies.send(Reply::Idle(last));
            }
        }
    }

    fn tell(&self, reply: Outcome<Reply>) {
        let _ = self.replies.send(match reply {
            Ok(reply) => reply,
            Err(failure) => Reply::Failed(told(&failure)),
        });
    }

    /// The same of a change: its failure stays on the screen when the next read succeeds.
    fn tell_done(&self, done: Outcome<Reply>) {
        self.tell(Ok(
            done.unwrap_or_else(|failure| Reply::Done(told(&failure), None))
        ));
    }

    /// Reads everything again if the store has changed, and the list if it is asked for.
    fn refresh(&mut self, is_asked: bool) -> Outcome {
        let version = self.store.version()?;
        if self.seen == Some(version) && !self.is_away {
            return if is_asked { self.list() } else { Ok(()) };
        }
        self.latest = Latest::default();
        self.given = (self.read_given)();
        let overview = self.overview()?;
        let claims = overview.receipt.claims.iter();
        self.here = claims.map(|claim| claim.address.clone()).collect();
        self.tell(Ok(Reply::Overview(Box::new(overview))));
        self.list()?;
        self.seen = Some(version);
        Ok(())
    }

    fn overview(&self) -> Outcome<Overview> {
        let answers = self.store.read(&Ask {
            summaries: vec![ScopeKind::Place, ScopeKind::Agent],
            ..Ask::default()
        })?;
        let mut summaries = answers.summaries.into_iter();
        Ok(Overview {
            places: summaries.next().unwrap_or_default(),
            agents: summaries.next().unwrap_or_default(),
            sessions: self.sessions()?,
            receipt: (self.block)(self.store)?,
        })
    }

    /// The sessions: those with a question, then the newest.
    fn sessions(&self) -> Outcome<Vec<Session>> {
        let mut all = Vec::new();
        for of in SessionLog::sessions(self.store)? {
            all.push((of.scope.name().parse::<Name>()?, of.notes));
        }
        let names = all.iter().map(|(name, _)| name.clone()).collect();
        let events = last_events(self.store, names)?;
        let mut sessions = Vec::new();
        for (name, notes) in all {
            let events = events.get(&name).map(Vec::as_slice).unwrap_or_default();
            let question = match events {
                [] => None,
                events => question_after(self.store, &name, events)?,
            };
            let last = events.first().map(|last| last.position);
            let session = Session {
                name,
                notes,
                question,
            };
            sessions.push((session.question.is_none(), std::cmp::Reverse(last), session));
        }
        sessions.sort_by_key(|(is_quiet, last, _)| (*is_quiet, *last));
        Ok(sessions.into_iter().map(|(.., session)| session).collect())
    }

    /// Reads what is shown.
    fn list(&mut self) -> Outcome {
        let Some((of, (first, last))) = self.shown.clone() else {
            return Ok(());
        };
        let (skip, limit) = (first * PAGE, (last + 1 - first) * PAGE);
        let (mut is_more, mut about) = (false, None);
        let (notes, total) = match &of {
            Listing::Here => (self.notes(&self.here, skip, limit)?, self.here.len()),
            Listing::Latest => {
                self.latest.read(self.store, skip + limit)?;
                is_more = !self.latest.is_whole;
                let notes = self.notes(&self.latest.notes, skip, limit)?;
                (notes, self.latest.notes.len())
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
        let items = notes.into_iter().map(|(note, found)| Item {
            given: times(&self.given, &note.address),
            note,
            found,
        });
        self.tell(Ok(Reply::Stretch(Box::new(Stretch {
            first: skip,
            items: items.collect(),
            total,
            is_more,
            about,
            sessions: self.given.len(),
            of,
        }))));
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
            let changes = store.journal(self.before, CHANGES)?;
            self.is_whole = changes.len() < CHANGES;
            self.before = changes.last().and_then(|last| last.position);
            reads += 1;
            for change in changes {
                let address = change.address().clone();
                // A note stands at its last change; one that was deleted has none.
                if self.met.insert(address.clone()) && change.note().is_some() {
                    self.notes.push(address);
                }
            }
        }
        Ok(())
    }
}

fn times(given: &[BTreeSet<Address>], address: &Address) -> usize {
    given.iter().filter(|of| of.contains(address)).count()
}

/// Makes a change, and says what can be done about it.
fn change_note(store: &dyn Store, change: Change, stamp: &Stamp) -> Outcome<Reply> {
    let (did, then) = match &change {
        Change::Pin { pinned: true, .. } => ("pinned", "p unpins it"),
        Change::Pin { .. } => ("unpinned", "p pins it"),
        Change::Delete { .. } => ("deleted", "u brings it back"),
        Change::Undo { .. } => ("undid the last change of", "r brings it back"),
        _ => ("redid the last change of", "u takes it back"),
    };
    let applied = store.apply(&[change], stamp)?.into_iter().next();
    let Some(applied) = applied else {
        return Ok(Reply::Done("nothing was changed".into(), None));
    };
    let (shown, is_delete) = (applied.address.masked(), did == "deleted");
    Ok(match &applied.note {
        Some(note) => {
            let said = format!("{did} {shown} (now revision {}); {then}", note.revision);
            Reply::Done(said, None)
        }
        None if is_delete => Reply::Done(format!("{did} {shown}; {then}"), Some(applied.address)),
        None => {
            let said = format!("{did} {shown}: it no longer exists; {then}");
            Reply::Done(said, Some(applied.address))
        }
    })
}

/// A failure in words, with what to do next.
pub(super) fn told(failure: &Failure) -> String {
    format!("{}\n{}", failure.what(), failure.hint())
}
