//! The facade: the short way to use a store as an agent at a place, with the system's clock and directories.

use std::sync::Arc;

use jiff::Timestamp;

use crate::author::Author;
use crate::change::NoteBefore;
use crate::content::Content;
use crate::context::{self, Block, Budget, Request};
use crate::error::{Error, Result};
use crate::key::{Key, Name};
use crate::note::{EntryType, Note, Stamp};
use crate::notebook::Notebook;
use crate::place::{Base, Place};
use crate::places::Places;
use crate::search::{Hit, SearchKind, SearchRequest};
use crate::session_log::SessionLog;
use crate::single::SaveOptions;
use crate::store::Store;

#[cfg(feature = "sqlite")]
use crate::sqlite::{Options, SqliteStore};

/// The values that the library does not find out by itself: the time, and the directories that paths are resolved
/// against.
#[derive(Clone)]
pub struct Surroundings {
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    base: Base,
}

impl Surroundings {
    /// Uses this clock, and resolves paths against this working directory and home directory. Both must be absolute.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`] when a directory is not absolute.
    pub fn new(
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
        home: &str,
        directory: &str,
    ) -> Result<Self> {
        Ok(Self {
            clock: Arc::new(clock),
            base: Base::new(home, directory)?,
        })
    }

    /// The surroundings of this process: the system's clock, the working directory and the user's home directory.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`] when the working directory is gone or not UTF-8.
    #[allow(
        clippy::disallowed_methods,
        reason = "the one function that looks around, for programs that say so by calling it"
    )]
    pub fn of_process() -> Result<Self> {
        let directory = std::env::current_dir().unwrap_or_default();
        let directory = directory.to_string_lossy();
        let home = std::env::home_dir();
        let home = home.as_ref().map(|home| home.to_string_lossy());
        let base = Base::of(home.as_deref(), &directory)?;
        Ok(Self {
            clock: Arc::new(Timestamp::now),
            base: base.with_links(waynote_files::real),
        })
    }
}

/// A store with its surroundings: the entry point for a program (see the [crate](crate)). A clone is the same store.
pub struct Waynote<S> {
    store: Arc<S>,
    surroundings: Surroundings,
}

#[cfg(feature = "sqlite")]
impl Waynote<SqliteStore> {
    /// Opens the store in a file, with the surroundings of this process. The first write creates the file.
    ///
    /// # Errors
    /// As [`SqliteStore::open`] and [`Surroundings::of_process`].
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Self> {
        let store = SqliteStore::open(path, &Options::default())?;
        Ok(Self::over(store, Surroundings::of_process()?))
    }
}

impl<S: Store> Waynote<S> {
    /// Uses any store, with these surroundings.
    pub fn over(store: S, surroundings: Surroundings) -> Self {
        Self {
            store: Arc::new(store),
            surroundings,
        }
    }

    /// The store, for everything that this facade does not cover.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// An agent: the owner of a notebook, and the author of what it writes. It starts in the home directory, outside
    /// any session.
    ///
    /// # Errors
    /// [`Error::InvalidName`].
    pub fn agent(&self, name: &str) -> Result<Agent<S>> {
        let now = (self.surroundings.clock)();
        Ok(Agent {
            notes: self.clone(),
            request: Request::new(name.parse()?, Place::home(), now),
            author: Author::Agent(name).name()?,
        })
    }
}

impl<S> Clone for Waynote<S> {
    fn clone(&self) -> Self {
        Self {
            store: self.store.clone(),
            surroundings: self.surroundings.clone(),
        }
    }
}

/// An agent at a place, optionally in a session and an iteration of it. A clone is the same agent.
pub struct Agent<S> {
    notes: Waynote<S>,
    author: Name,
    /// For its blocks: whose notebook they show, at which place, in which session and iteration.
    request: Request,
}

impl<S> Clone for Agent<S> {
    fn clone(&self) -> Self {
        self.with(self.request.clone())
    }
}

impl<S> Agent<S> {
    fn with(&self, request: Request) -> Self {
        Self {
            notes: self.notes.clone(),
            author: self.author.clone(),
            request,
        }
    }
}

impl<S: Store> Agent<S> {
    /// The same agent at a directory: `.`, `~/projects/shop`, an absolute path or one relative to the working
    /// directory.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`].
    pub fn at(&self, path: &str) -> Result<Self> {
        let place = Place::resolve(path, &self.notes.surroundings.base)?;
        let mut request = self.request.clone();
        request.lineage = place.into();
        Ok(self.with(request))
    }

    /// The same agent in a session.
    ///
    /// # Errors
    /// [`Error::InvalidName`].
    pub fn in_session(&self, name: &str) -> Result<Self> {
        let session: Name = name.parse()?;
        Ok(self.with(self.request.clone().session(session)))
    }

    /// The same agent in an iteration of its session (counted from 1). It sees the entries of earlier iterations.
    #[must_use]
    pub fn in_iteration(&self, iteration: i64) -> Self {
        self.with(self.request.clone().iteration(iteration))
    }

    /// Saves a note in the notebook. An existing note gets a new revision. Returns the note and what it was before; that
    /// is none if the note is new.
    ///
    /// # Errors
    /// As [`Notebook::save`], and [`Error::InvalidKey`] and [`Error::NotText`].
    pub fn save(&self, key: &str, text: impl Into<String>) -> Result<(Note, Option<NoteBefore>)> {
        self.save_with(key, text, SaveOptions::default())
    }

    /// Saves a note with options: other limits, pinned, or only if a certain revision is current.
    ///
    /// # Errors
    /// As [`Agent::save`].
    pub fn save_with(
        &self,
        key: &str,
        text: impl Into<String>,
        options: SaveOptions,
    ) -> Result<(Note, Option<NoteBefore>)> {
        let (key, content) = (key.parse()?, Content::text(text)?);
        self.notebook().save(&key, content, options, &self.stamp())
    }

    /// Pins a note of the notebook, or unpins it. Every block shows a pinned note whole.
    ///
    /// # Errors
    /// As [`Notebook::set_pinned`], and [`Error::InvalidKey`].
    pub fn pin(&self, key: &str, pinned: bool) -> Result<Note> {
        self.notebook()
            .set_pinned(&key.parse()?, pinned, &self.stamp())
    }

    /// A note of the notebook.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such note; the others as [`Notebook::get`], and [`Error::InvalidKey`].
    pub fn get(&self, key: &str) -> Result<Note> {
        self.notebook().get(&key.parse::<Key>()?)
    }

    /// The notes of the notebook.
    ///
    /// # Errors
    /// As [`Notebook::list`].
    pub fn list(&self) -> Result<Vec<Note>> {
        self.notebook().list()
    }

    /// Deletes a note of the notebook and returns whether it existed. Its history stays.
    ///
    /// # Errors
    /// As [`Notebook::delete`].
    pub fn delete(&self, key: &str) -> Result<bool> {
        self.notebook().delete(key, &self.stamp())
    }

    /// Writes the note of the agent's directory. It applies everywhere below.
    ///
    /// # Errors
    /// As [`Places::write`], and [`Error::NotText`].
    pub fn write_place(&self, text: impl Into<String>) -> Result<Note> {
        let content = Content::text(text)?;
        Places::new(&*self.notes.store).write(self.request.lineage.place(), content, &self.stamp())
    }

    /// Adds an entry to the session's log, in the agent's iteration. An entry that the log has already is returned:
    /// [`Note::seen`] says how often it was noted.
    ///
    /// # Errors
    /// [`Error::Incomplete`] outside any session; the others as [`SessionLog::add`], and [`Error::NotText`].
    pub fn add(&self, entry_type: EntryType, text: impl Into<String>) -> Result<Note> {
        let (iteration, content) = (self.request.iteration, Content::text(text)?);
        self.log()?
            .add(entry_type, iteration, content, &self.stamp())
    }

    /// Adds an entry that says how a `stuck` entry of the session was solved. That entry leaves the prompts.
    ///
    /// # Errors
    /// As [`Agent::add`]; [`Error::NoSuchStuck`] when `stuck` names no open one by its id, a part of it or a part of its
    /// text.
    pub fn resolve(
        &self,
        stuck: &str,
        entry_type: EntryType,
        text: impl Into<String>,
    ) -> Result<Note> {
        let (log, iteration) = (self.log()?, self.request.iteration);
        let (content, stuck) = (Content::text(text)?, log.stuck(stuck)?);
        log.add_resolving(entry_type, iteration, content, Some(stuck), &self.stamp())
    }

    /// The entries of the session's log that the agent sees: those of earlier iterations, or all of them if it is in no
    /// iteration.
    ///
    /// # Errors
    /// [`Error::Incomplete`] outside any session; the others as [`SessionLog::before`].
    pub fn entries(&self) -> Result<Vec<Note>> {
        match self.request.iteration {
            Some(iteration) => self.log()?.before(iteration),
            None => self.log()?.list(None),
        }
    }

    /// The agent's own notes that match a query, best match first.
    ///
    /// # Errors
    /// As [`Reader::search`](crate::Reader::search).
    pub fn search(&self, query: &str) -> Result<Vec<Hit>> {
        let own = crate::Scope::Agent(self.request.agent.clone());
        let request = SearchRequest::new(query);
        let request = request.kinds(vec![SearchKind::Key]).scopes(vec![own]);
        self.notes.store.search(&request)
    }

    /// The prompt block for the agent at its place, with at most this many tokens ([`Budget::NONE`]: no limit).
    ///
    /// # Errors
    /// [`Error::Incomplete`] for a budget of 0 tokens; the others as [`context::render`].
    pub fn block<B>(&self, budget: B) -> Result<Block>
    where
        B: TryInto<Budget>,
        Error: From<B::Error>,
    {
        self.block_of(&self.request().budget(budget.try_into()?))
    }

    /// The prompt block of a request that was changed: another style, the reader's tools, what the notes are about.
    ///
    /// # Errors
    /// As [`context::render`].
    pub fn block_of(&self, request: &Request) -> Result<Block> {
        context::render(&*self.notes.store, request)
    }

    /// The request for [`Agent::block`], in the default budget.
    pub fn request(&self) -> Request {
        let now = (self.notes.surroundings.clock)();
        self.request.clone().now(now)
    }

    /// The stamp (author and time) for a change that the agent makes now.
    pub fn stamp(&self) -> Stamp {
        Stamp::new((self.notes.surroundings.clock)(), self.author.clone())
    }

    fn notebook(&self) -> Notebook<'_> {
        Notebook::of_agent(&*self.notes.store, self.request.agent.clone())
    }

    fn log(&self) -> Result<SessionLog<'_>> {
        let session = self.request.session.clone();
        let session = session.ok_or_else(|| Error::Incomplete {
            needs: "a session".into(),
            advice: "name it first with `Agent::in_session`".into(),
        })?;
        Ok(SessionLog::new(&*self.notes.store, session))
    }
}
