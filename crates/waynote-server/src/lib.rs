//! The HTTP server: a JSON API, an MCP endpoint, a change feed and a page for the browser, over one or several stores.
//!
//! [`Server::new`] takes the stores, the options, a clock and the log. [`Server::bind`] listens, and
//! [`BoundServer::run`] serves until its [`Stopper`] is told to stop. The server prints nothing, reads no environment
//! and asks no clock of its own.

mod access;
mod api;
mod app;
mod connection;
mod edge;
mod error;
mod health;
mod log;
mod machine;
mod mcp;
mod metrics;
mod notifying_store;
mod options;
mod page;
mod problem;
mod quiet;
mod routes;
mod served_stores;
mod server;
mod sign_in;
mod stop;
mod stores;
mod tls;
mod visit;
mod watch;

pub use access::{NewToken, Rights, Token, TokenError, TokenInfo, Tokens};
pub use app::{Beside, Clock};
pub use error::StartError;
pub use log::Log;
pub use machine::DeadProcesses;
pub use options::{Limits, Options, TlsFiles};
pub use page::page_at;
pub use server::{BoundServer, Server};
pub use stop::Stopper;
pub use stores::{Database, ServableStore, Stores, is_name};
pub use tls::Reloader;
