//! Runs an agent in iterations that learn from each other by the notes of [`waynote`].
//!
//! Each iteration is a new process of the agent with an empty context. Its prompt holds the notes of earlier iterations
//! within a budget of tokens, the task, and how to leave notes. The loop stops when the work is done, when a person is
//! needed, and when going on brings nothing new.
//!
//! A [`Plan`] says what is to be done, a [`Host`] is what the loop needs of the program that runs it (the clock, an
//! [`Observer`], the [`Signals`] that end it), and a [`LoopRunner`] does it over any [`waynote::Store`]. A [`Stop`]
//! says why it ended, a [`Summary`] what came of it. The crate knows no arguments and no terminal, prints nothing and
//! reads no environment.
//!
//! # A loop of your own
//!
//! The agent here is a line of shell. It leaves no notes itself; a real one calls the tools of `waynote mcp` or the
//! command `waynote log add`, which find store, session and iteration in the agent's environment.
//!
//! ```
//! use jiff::Timestamp;
//! use waynote::context::Request;
//! use waynote::{Base, Options, Place, SqliteStore};
//! use waynote_loop::{AgentCommand, Host, LoopRunner, Plan, Stop};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().canonicalize()?;
//! # let clock = || Timestamp::UNIX_EPOCH;
//! let store_file = folder.join("notes.db");
//! let store = SqliteStore::open(&store_file, &Options::default())?;
//!
//! // `{prompt}` would put the prompt into an argument; without it, it is on standard input.
//! let agent = AgentCommand::new(&["sh", "-c", "grep -q 'Iteration: #2' && echo ALL DONE; true"])?;
//! let notes = Request::new("builder".parse()?, Place::home(), clock());
//! let mut plan = Plan::new("nightly".parse()?, agent, &folder, "agent:builder".parse()?, notes);
//! plan.store_file = Some(store_file);
//! plan.iterations = Some(5);
//! plan.prompt.until = Some("ALL DONE".into());
//! plan.check()?;
//!
//! let mut runner = LoopRunner::begin(&plan, &store, Host::new(&clock), None)?;
//! let stop = runner.run();
//! let summary = runner.end(stop)?;
//! assert_eq!(summary.stop, Stop::Until("ALL DONE".into()));
//! assert_eq!(summary.iterations.len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! A program that ends with its loop gives it `Signals::listen()`, so that Ctrl-C ends the agent in order, a [`Guard`], so
//! that the agent does not outlive a `kill -9`, and sets [`Host::owns_children`].
//!
//! # Where things are
//!
//! - `runner`: one iteration after another; `attempts`: the agent is tried again when it fails.
//! - `prompt`: the template and the files that fill it. A new placeholder goes into `prompt/template.rs`.
//! - `supervise`: the agent's process group, its streams, signals, the guard.
//! - `tree`: whether the work tree changed; `stall`: the evidence in words. What a stall is, the library decides:
//!   [`waynote::stall::StallRule`].
//! - `notify`: tells a command of the user how a loop ended.
//! - `stop`: why a loop stops. A new reason goes there, and into [`waynote::event::EndReason`].
//! - [`identity`]: which process runs a loop, and whether it still does.

mod attempts;
mod backoff;
mod environment;
mod error;
mod host;
pub mod identity;
mod logs;
mod notify;
mod observer;
mod plan;
mod prompt;
mod runner;
mod stall;
mod stop;
mod summary;
mod supervise;
mod tree;

pub use backoff::Backoff;
pub use error::{Error, Result};
pub use host::Host;
pub use logs::Logs;
pub use notify::{NOTIFY_LIMIT, notify};
pub use observer::{Attempt, Notice, Observer, Stream};
pub use plan::Plan;
pub use prompt::{PromptParts, SourceFile, Template};
pub use runner::LoopRunner;
pub use stop::{Stop, signal_name};
pub use summary::{RunRemainder, Summary};
pub use supervise::command::AgentCommand;
pub use supervise::guard::{Guard, keep_guard};
pub use supervise::signals::Signals;
pub use tree::FileId;
