//! The arguments of `waynote token`.

use std::ffi::OsString;

use clap::{ArgGroup, Args, Subcommand};

// Not deferred: `create` has its own `--agent`, which must be there before the global one is handed down.
#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token, and print it this once
    ///
    /// Without --agent, --place and --session, it sees the whole store. With some of them, it sees their notes and
    /// events and nothing else. Give each as often as needed.
    Create(CreateArgs),
    /// List the tokens: who may do what, until when, and when each was used last
    List,
    /// Revoke a token: it counts no more from now on
    ///
    /// A server asks for a token even when the last one is revoked. `waynote token clear` ends that.
    Revoke {
        /// Its name
        name: String,
    },
    /// Remove all tokens, and let everybody on this machine use the store over a server without one
    ///
    /// A server that is running goes on asking for a token until it is started again.
    Clear {
        /// Do not ask first
        #[arg(long)]
        yes: bool,
    },
    /// List refused calls and what was administered, latest first
    ///
    /// Refusals of one kind within a minute are one line.
    Audit {
        /// Print at most this many lines
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        /// Only lines before this one (its `key` in the JSON)
        #[arg(long, value_name = "KEY")]
        before: Option<String>,
    },
}

#[derive(Args)]
#[command(group = ArgGroup::new("rights").required(true).args(["read", "write", "admin"]))]
pub(crate) struct CreateArgs {
    /// Its name, which no other token has. What it writes says so
    pub(crate) name: String,
    /// It sees this agent's notebook, and writes in the agent's name
    #[arg(long, value_name = "NAME", help_heading = "Options")]
    pub(crate) agent: Vec<String>,
    /// It sees the notes of this directory and of everything below it
    #[arg(long, value_name = "PATH")]
    pub(crate) place: Vec<OsString>,
    /// It sees this session's log and events
    #[arg(long, value_name = "NAME", help_heading = "Options")]
    pub(crate) session: Vec<String>,
    /// It may read and search
    #[arg(long)]
    pub(crate) read: bool,
    /// It may also write
    #[arg(long)]
    pub(crate) write: bool,
    /// It may also forget, verify and look after tokens. It sees the whole store
    #[arg(long)]
    pub(crate) admin: bool,
    /// When it expires: after a time (30d, 12h, 1y), or a date, which is its last day, or a time (RFC 3339)
    #[arg(long, value_name = "TIME|DATE")]
    pub(crate) expires: Option<String>,
}
