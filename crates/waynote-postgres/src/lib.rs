//! An engine that keeps the rows of [`waynote`] in PostgreSQL.
//!
//! One database holds many stores. Their tables are in one schema, `waynote` unless the URL names another; every primary
//! key and every index begins with the store. [`stores`] lists, makes and drops stores; [`open`] opens one:
//!
//! ```no_run
//! use waynote_postgres::{Options, open, stores};
//!
//! # fn main() -> waynote::Result<()> {
//! let options = Options::of_url("postgres://me@db1,db2/notes?store=team")?;
//! stores::create(options.clone())?;
//! let store = open(options)?;
//! # Ok(())
//! # }
//! ```
//!
//! # What it relies on
//!
//! - **No session state.** Statements are typed, time limits are `SET LOCAL`, tables are named with their schema, and
//!   the lock under which tables are made is a transaction's. So a pooler in transaction mode may stand between.
//! - **One order.** A write locks the store's row by a statement of its own before it reads, so that positions are in the
//!   order of commits. Different stores never wait for each other.
//! - **None twice.** If the connection is lost during a commit, the rows tell whether it was carried out, before anything
//!   is tried again. No cancel is ever sent, and a wait for a standby that somebody else cancelled is not taken for an
//!   acknowledgement. `synchronous_commit = off` is refused.
//! - **Bounded time.** Each wait has a limit (see [`Options`]), and its end is a [`PostgresError`].
//!
//! The crate reads neither the environment nor the clock of the day: a password, a password file and time limits are
//! handed in.

mod cells;
mod connect;
mod engine;
mod error;
mod head;
mod options;
mod passwords;
mod put;
mod read;
mod row;
mod rows;
mod schema;
mod server;
mod session;
pub mod stores;
mod tls;
mod transaction;
mod trip;
mod verify;

use std::sync::Arc;

use waynote::EngineStore;

pub use engine::Postgres;
pub use error::{Fault, PostgresError, is_away};
pub use options::{Options, is_url};
pub use stores::Database;

/// Opens a store, and looks whether it is there.
///
/// # Errors
/// [`Fault::NoStore`] when there is no such store: [`stores::create`] makes it;
/// [`Fault::Away`], [`Fault::Refused`], [`Fault::NotTrusted`],
/// [`waynote::Error::OtherVersion`], [`waynote::Error::Engine`].
pub fn open(options: Options) -> Result<EngineStore<Postgres>, waynote::Error> {
    let store = at(options)?;
    store.engine().look()?;
    Ok(store)
}

/// The store of these options, which is connected to at the first call: for a program that has to start while the
/// server is away. Until a fault of the server or the store is mended, each call returns it as its error.
///
/// # Errors
/// [`Fault::BadUrl`] without the name of a store; and those of the certificates that the options name.
pub fn at(options: Options) -> Result<EngineStore<Postgres>, waynote::Error> {
    let which = stores::identity(&options)?;
    let server = Arc::new(server::Server::new(&options)?);
    Ok(EngineStore::new(Postgres::new(server, options, which)))
}
