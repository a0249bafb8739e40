//! Durable notes that language-model agents, and the people who run them, leave for later runs.
//!
//! A **note** lives in a **scope** under a **key**. Every change to it is a **revision** in an append-only journal.
//!
//! - A [`Place`] is a directory; its notes apply everywhere below it ([`Places`]).
//! - An agent has a [`Notebook`] of keyed notes, with pins and quotas.
//! - A session has a [`SessionLog`]: typed entries by iteration, append-only. A run sees only the entries of earlier
//!   iterations.
//! - [`Reader::search`] finds notes by their text.
//! - [`context::render`] makes the text for a prompt from the notes that apply.
//! - Only [`Store::forget`] destroys anything: it leaves no byte of a text.
//! - Callers use a [`Store`]. [`SqliteStore`] is the embedded one; [`engine`] says what another database has to
//!   provide.
//!
//! It runs on Unix systems (Linux, macOS, BSD).
//!
//! # The short way
//!
//! [`Waynote`] is a store with the system's clock and directories; an [`Agent`] reads and writes at a place and in a
//! session.
//!
//! ```
//! use waynote::{EntryType, Waynote};
//!
//! # fn main() -> waynote::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("notes.db");
//! let notes = Waynote::open(&path)?;
//! let agent = notes.agent("builder")?.at("~/projects/shop")?.in_session("nightly")?;
//!
//! agent.save("deploy", "run `make ship`, never `cargo publish`")?; // by key
//! agent.write_place("the API allows 100 requests a minute")?; // by directory
//! agent.in_iteration(1).add(EntryType::Stuck, "the linker runs out of memory")?; // by iteration
//!
//! let block = agent.in_iteration(2).block(2000)?; // at most 2,000 tokens for the prompt
//! assert!(block.text.contains("make ship") && block.text.contains("100 requests"));
//! # Ok(())
//! # }
//! ```
//!
//! # Below the facade
//!
//! The library never prints, and does not read the environment or the clock: callers pass in the home directory, the
//! time and the author. The one exception is [`Surroundings::of_process`], which [`Waynote::open`] calls.
//!
//! ## In a file of its own
//!
//! ```
//! use waynote::{Content, Notebook, Options, SaveOptions, SqliteStore, Stamp};
//!
//! # fn main() -> waynote::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let (path, now) = (folder.path().join("notes.db"), jiff::Timestamp::UNIX_EPOCH);
//! let store = SqliteStore::open(&path, &Options::default())?;
//! let notes = Notebook::of_agent(&store, "builder".parse()?);
//! let stamp = Stamp::new(now, "agent:builder".parse()?);
//! notes.save(&"deploy".parse()?, Content::text("run `make ship`")?, SaveOptions::default(), &stamp)?;
//! assert_eq!(notes.get(&"deploy".parse()?)?.preview, "run `make ship`");
//! # Ok(())
//! # }
//! ```
//!
//! A file that does not exist reads as an empty store, and the first write creates it. If the file is deleted while the
//! store is open, or another store takes its place, calls fail with [`Error::StoreLost`] and nothing is written. If the
//! store is behind what was acknowledged, writes fail with [`Error::LostWrites`]. A program that has to start whatever
//! state the file is in uses [`SqliteStore::at`]: each call then returns the error until the file is fixed.
//!
//! ## Shared by threads
//!
//! Threads can share a [`SqliteStore`] without a lock around it. Readers never wait; writers wait for each other, also
//! across processes.
//!
//! ```
//! use waynote::{Content, EntryType, Options, SessionLog, SqliteStore, Stamp};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let (path, now) = (folder.path().join("notes.db"), jiff::Timestamp::UNIX_EPOCH);
//! let store = SqliteStore::open(&path, &Options::default())?;
//! let log = SessionLog::new(&store, "nightly".parse()?);
//! std::thread::scope(|scope| {
//!     let workers = ["parser", "printer", "tests"].map(|part| {
//!         let store = &store;
//!         scope.spawn(move || -> waynote::Result<()> {
//!             let log = SessionLog::new(store, "nightly".parse()?);
//!             let stamp = Stamp::new(now, format!("agent:{part}").parse()?);
//!             log.add(EntryType::Learning, Some(1), Content::text(format!("the {part} is done"))?, &stamp)?;
//!             Ok(())
//!         })
//!     });
//!     workers.into_iter().try_for_each(|worker| worker.join().unwrap())
//! })?;
//! assert_eq!(log.before(2)?.len(), 3);
//! # Ok(())
//! # }
//! ```
//!
//! ## Beside an application's own tables
//!
//! [`Attachment::prepare`] creates the tables, once per database. [`Attachment::on`] gives a store on a connection or a
//! transaction. A note is as durable as the transaction: a rollback removes it.
//!
//! ```
//! use waynote::{Attachment, Content, EntryType, SessionLog, Stamp};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let now = jiff::Timestamp::UNIX_EPOCH;
//! let mut db = rusqlite::Connection::open_in_memory()?;
//! db.execute_batch("CREATE TABLE messages (text TEXT)")?;
//! let notes = Attachment::prepare(&db)?;
//! let stamp = Stamp::new(now, "agent:builder".parse()?);
//!
//! let transaction = db.transaction()?;
//! transaction.execute("INSERT INTO messages VALUES ('429 Too Many Requests')", [])?;
//! let store = notes.on(&transaction);
//! let log = SessionLog::new(&store, "nightly".parse()?);
//! log.add(EntryType::Stuck, Some(3), Content::text("the API allows 100 requests a minute")?, &stamp)?;
//! transaction.commit()?; // the message and the note, or neither
//!
//! let store = notes.on(&db);
//! assert_eq!(SessionLog::new(&store, "nightly".parse()?).before(4)?.len(), 1);
//! # Ok(())
//! # }
//! ```

#[cfg(not(unix))]
compile_error!(
    "waynote needs Unix (Linux, macOS, BSD): its locks between processes are those of Unix"
);

#[macro_use]
mod setters;

mod block;
pub mod cites;
pub mod context;
pub mod engine;
mod facade;
mod model;
mod rules;
pub mod search;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod store;
#[cfg(feature = "sqlite")]
mod system;
mod tokens;
mod views;
pub mod wire;
#[cfg(test)]
mod work;

pub use model::{
    address, author, change, content, error, event, forget, id, key, limits, note, place, scope,
};
pub use rules::{copy, heartbeat, person, session_state, stall};
pub use views::{
    found, listing, loops, moved, named, notebook, places, scope_list, session_log, session_status,
    single, stands, tend,
};
pub use waynote_secrets as secrets;
pub use waynote_text::{json, text, visible};

pub use jiff;
#[cfg(feature = "sqlite")]
pub use rusqlite;

pub use address::{Address, AddressAt};
pub use author::Author;
pub use change::{Applied, Change, Expect, NoteBefore, Origin};
pub use content::{Content, ContentHash};
pub use error::{CustomError, Error, ErrorClass, LoopError, Result, UndoError};
pub use facade::{Agent, Surroundings, Waynote};
pub use forget::{Forget, ForgetTarget, Forgotten};
pub use found::Found;
pub use id::{OperationId, StoreId};
pub use key::{EntryId, Key, Name};
pub use limits::Limits;
pub use listing::Listing;
pub use loops::Loop;
pub use model::allowance::Allowance;
pub use model::as_of::AsOf;
pub use model::citation::Citation;
pub use model::lineage::{Checkout, GitFolder, Lineage};
pub use model::report::Report;
pub use model::secret_policy::{FlaggedNote, SecretPolicy};
pub use model::writer::{Ancestor, Writer};
pub use note::{
    Action, EntryType, Note, NoteAsOf, OtherType, Position, Replaces, Revision, Source, Stamp,
    State,
};
pub use notebook::Notebook;
pub use place::{Base, Place};
pub use places::Places;
pub use rules::EngineStore;
pub use rules::undo::{UndoReport, UndoScope, redo_last, undo_last};
pub use scope::{Scope, ScopeKind};
pub use scope_list::{ScopeFilter, ScopeList};
pub use search::Indexing;
pub use search::{Hit, SearchKind, SearchRequest, Snippet};
pub use session_log::SessionLog;
pub use session_status::{SessionState, SessionStatus};
pub use single::SaveOptions;
#[cfg(feature = "sqlite")]
pub use sqlite::{AttachedStore, Attachment, Options, Rollback, Sqlite, SqliteStore};
pub use store::{
    Filter, LocalStore, Reader, ReaderExt, Recent, ScopeSummary, SideData, Store, Version,
};
