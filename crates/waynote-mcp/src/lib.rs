//! The notes of [`waynote`] for agents that speak the Model Context Protocol.
//!
//! [`serve`] speaks it over standard input and output, in both of its eras: with `initialize` (2024-11-05 to
//! 2025-11-25) and stateless (2026-07-28). This crate has only the names, arguments and replies of the tools in each
//! [`Set`]; the library does the work. Calls run one at a time, in the order in which they arrive.
//!
//! [`answer`] (feature `http`) does the same for one HTTP request: the stateless form of the streamable HTTP transport.
//!
//! Like the library, this crate does not read the environment or the clock: [`Options`] and [`Host`] provide both.
//!
//! ```
//! use std::sync::Arc;
//!
//! use jiff::Timestamp;
//! use waynote::context::{Budget, ShownNote, Style};
//! use waynote::{Limits, Store, SqliteStore};
//! use waynote_mcp::{Caller, Delivery, Host, Options, Refusal, Set};
//!
//! struct Program {
//!     store: SqliteStore,
//! }
//!
//! impl Host for Program {
//!     fn store(&self) -> &(dyn Store + Send + Sync) {
//!         &self.store
//!     }
//!
//!     fn now(&self) -> Timestamp {
//!         Timestamp::now()
//!     }
//!
//!     fn may_write(&self) -> Result<(), Refusal> {
//!         Ok(())
//!     }
//! }
//!
//! /// The program puts the block into the prompt itself, so no reply has to carry it.
//! struct InPrompt;
//!
//! impl Delivery for InPrompt {
//!     fn is_owed(&self) -> bool {
//!         false
//!     }
//!
//!     fn take(&self, _: Vec<ShownNote>) -> bool {
//!         false
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("notes.db");
//! # let (input, output) = (std::io::empty(), std::io::sink());
//! let caller = Caller {
//!     agent: "builder".parse()?,
//!     session: None,
//!     iteration: None,
//!     is_in_loop: false,
//!     author: "agent:builder".parse()?,
//!     limits: Limits::default(),
//!     style: Style::Stable,
//!     budget: Budget::default(),
//!     home: None,
//!     directories: vec!["/srv/shop".into()],
//!     lineages: Some(Arc::new(|place| place.clone().into())),
//! };
//! let options = Options {
//!     caller,
//!     tools: vec![Set::Default],
//!     has_project: true,
//!     delivery: Some(Arc::new(InPrompt)),
//! };
//! // Nothing looks at the file before the first call.
//! let store = SqliteStore::at(&path, &waynote::Options::default());
//! waynote_mcp::serve(input, output, options, Arc::new(Program { store }))?;
//! # Ok(())
//! # }
//! ```

mod arguments;
mod call;
mod caller;
mod delivery;
mod hints;
mod host;
#[cfg(feature = "http")]
mod http;
mod message;
mod notes;
mod parameter;
mod project;
mod reply;
mod resources;
mod server;
mod stdio;
mod tool;
mod tools;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::runtime::Handle;

pub use caller::{Caller, Lineages, reader_tools};
pub use delivery::Delivery;
pub use host::Host;
#[cfg(feature = "http")]
pub use http::answer;
pub use message::MESSAGE_BYTES;
pub use reply::Refusal;
pub use server::Options;
pub use tools::Set;

/// The room for messages between the filter and rmcp, in bytes.
const PIPE_BYTES: usize = 64 * 1024;

/// Serves one client until its input ends and all its requests are answered.
///
/// # Errors
/// The [`std::io::Error`] when no thread can be started or the client cannot be written to.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    options: Options,
    host: Arc<dyn Host>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        // Calls are done one at a time: a second thread would only take up memory.
        .max_blocking_threads(1)
        .build()?;
    let store = Arc::clone(&host);
    // A call that still runs afterwards, because its client has cancelled it, is awaited when the runtime is dropped.
    let served = runtime.block_on(async {
        let server = server::Server::new(options, host);
        let turns = server.turns.clone();
        let checkpoints = tokio::spawn(server.checkpoints());
        let (messages, filtered) = tokio::io::duplex(PIPE_BYTES);
        let output = stdio::Output::new(output);
        let (runtime, room, answers) = (Handle::current(), Arc::clone(&turns.room), output.clone());
        std::thread::Builder::new()
            .name("waynote-input".into())
            .spawn(move || stdio::filter(input, answers, filtered, &runtime, &room))?;
        let served = match server.serve((messages, output)).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // The client left before its first request.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error.to_string())),
        };
        turns.all_done().await;
        checkpoints.abort();
        served
    });
    drop(runtime);
    if store.may_write().is_ok() {
        let _ = store.store().checkpoint();
    }
    served
}
