//! The facade: the short way to use a store as an agent at a place, with the system's clock and directories.

use std::sync::Arc;

use jiff::Timestamp;

use crate::author::Author;
use crate::change::Expect;
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
        let base = match std::env::home_dir() {
            Some(home) => {
                let home = home.to_string_lossy();
                let base = Base::new(&home, &directory)?;
                match crate::file::real(&home) {
                    Some(real) => base.with_real_home(&real)?,
                    None => base,
                }
            }
            None => Base::without_home(&directory)?,
        };
        Ok(Self {
            clock: Arc::new(Timestamp::now),
            base,
        })
    }
}

/// A store with its surroundings: the entry point for a program.
///
/// ```
/// use waynote::{EntryType, Waynote};
///
/// # fn main() -> waynote::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("notes.db");
/// let notes = Waynote::open(&path)?;
/// let agent = notes.agent("builder")?.place("~/projects/shop")?.session("nightly")?;
///
/// agent.save("deploy", "run `make ship`, never `cargo publish`")?; // by key
/// agent.write_place("the API allows 100 requests a minute")?; // by directory
/// agent.iteration(1).add(EntryType::Stuck, "the linker runs out of memory")?; // by iteration
///
/// let block = agent.iteration(2).block(2000)?;
/// assert!(block.text.contains("make ship") && block.text.contains("100 requests"));
/// # Ok(())
/// # }
/// ```
pub struct Waynote<S> {
    store: S,
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
            store,
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
    pub fn agent(&self, name: &str) -> Result<Agent<'_>> {
        Ok(Agent {
            store: &self.store,
            surroundings: &self.surroundings,
            name: name.parse()?,
            author: Author::Agent(name).name()?,
            place: Place::home(),
            session: None,
            iteration: None,
        })
    }

    /// The notes of all agents, places and sessions that match a query, best match first.
    ///
    /// # Errors
    /// As [`Reader::search`](crate::Reader::search).
    pub fn search(&self, query: &str) -> Result<Vec<Hit>> {
        self.store.search(&SearchRequest::new(query))
    }
}

/// An agent at a place, optionally in a session and an iteration of it.
#[derive(Clone)]
pub struct Agent<'w> {
    store: &'w dyn Store,
    surroundings: &'w Surroundings,
    name: Name,
    author: Name,
    place: Place,
    session: Option<Name>,
    iteration: Option<i64>,
}

impl Agent<'_> {
    /// The same agent at a directory: `.`, `~/projects/shop`, an absolute path or one relative to the working
    /// directory.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`].
    pub fn place(&self, path: &str) -> Result<Self> {
        let place = Place::resolve(path, &self.surroundings.base)?;
        Ok(Self {
            place,
            ..self.clone()
        })
    }

    /// The same agent in a session.
    ///
    /// # Errors
    /// [`Error::InvalidName`].
    pub fn session(&self, name: &str) -> Result<Self> {
        Ok(Self {
            session: Some(name.parse()?),
            ..self.clone()
        })
    }

    /// The same agent in an iteration of its session (counted from 1). It sees the entries of earlier iterations.
    pub fn iteration(&self, iteration: i64) -> Self {
        Self {
            iteration: Some(iteration),
            ..self.clone()
        }
    }

    /// Saves a note in the notebook. An existing note gets a new revision.
    ///
    /// # Errors
    /// As [`Notebook::save`], and [`Error::InvalidKey`] and [`Error::NotText`].
    pub fn save(&self, key: &str, text: impl Into<String>) -> Result<Note> {
        self.save_with(key, text, SaveOptions::default())
    }

    /// Saves a note that does not exist yet.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the note exists; the others as [`Agent::save`].
    pub fn create(&self, key: &str, text: impl Into<String>) -> Result<Note> {
        self.save_with(
            key,
            text,
            SaveOptions::default().expect(Expect::Revision(0)),
        )
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
    ) -> Result<Note> {
        let (key, content) = (key.parse()?, Content::text(text)?);
        let (note, _) = self
            .notebook()
            .save(&key, content, options, &self.stamp())?;
        Ok(note)
    }

    /// Pins a note of the notebook, so that every block shows it whole, or unpins it.
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

    /// Deletes a note of the notebook and returns whether it existed. Its history is kept.
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
        Places::new(&self.store).write(&self.place, content, &self.stamp())
    }

    /// The notes of the agent's directory and of the directories above it, outermost first.
    ///
    /// # Errors
    /// As [`Places::read_all`].
    pub fn place_notes(&self) -> Result<Vec<Note>> {
        Places::new(&self.store).read_all(&self.place)
    }

    /// Adds an entry to the session's log, in the agent's iteration.
    ///
    /// # Errors
    /// [`Error::Empty`] outside any session; the others as [`SessionLog::add`], and [`Error::NotText`].
    pub fn add(&self, entry_type: EntryType, text: impl Into<String>) -> Result<Note> {
        let content = Content::text(text)?;
        self.log()?
            .add(entry_type, self.iteration, content, &self.stamp())
    }

    /// The entries of the session's log that the agent sees: those of earlier iterations, or all of them if it is in no
    /// iteration.
    ///
    /// # Errors
    /// [`Error::Empty`] outside any session; the others as [`SessionLog::before`].
    pub fn entries(&self) -> Result<Vec<Note>> {
        match self.iteration {
            Some(iteration) => self.log()?.before(iteration),
            None => self.log()?.list(None),
        }
    }

    /// The agent's own notes that match a query, best match first.
    ///
    /// # Errors
    /// As [`Reader::search`](crate::Reader::search).
    pub fn search(&self, query: &str) -> Result<Vec<Hit>> {
        let own = crate::Scope::Agent(self.name.clone());
        let request = SearchRequest::new(query);
        self.store
            .search(&request.kinds(vec![SearchKind::Key]).scopes(vec![own]))
    }

    /// The prompt block for the agent at its place, with at most this many tokens.
    ///
    /// # Errors
    /// As [`context::render`].
    pub fn block(&self, budget: impl Into<Budget>) -> Result<Block> {
        context::render(&self.store, &self.request().budget(budget.into()))
    }

    /// The prompt block of a request that was changed: another style, the reader's tools, what the notes are about.
    ///
    /// # Errors
    /// As [`context::render`].
    pub fn block_of(&self, request: &Request) -> Result<Block> {
        context::render(&self.store, request)
    }

    /// The request for [`Agent::block`], in the default budget.
    pub fn request(&self) -> Request {
        Request::new(
            self.name.clone(),
            self.place.clone(),
            (self.surroundings.clock)(),
        )
        .session(self.session.clone())
        .iteration(self.iteration)
    }

    /// The stamp (author and time) for a change that the agent makes now.
    pub fn stamp(&self) -> Stamp {
        Stamp::new((self.surroundings.clock)(), self.author.clone())
    }

    fn notebook(&self) -> Notebook<'_> {
        Notebook::of_agent(&self.store, self.name.clone())
    }

    fn log(&self) -> Result<SessionLog<'_>> {
        let session = self.session.clone();
        let session = session.ok_or(Error::Empty {
            what: "session".into(),
        })?;
        Ok(SessionLog::new(&self.store, session))
    }
}
