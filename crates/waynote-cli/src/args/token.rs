//! The arguments of `waynote token`.

use clap::{ArgGroup, Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token, and print it this once
    ///
    /// It opens one store to its holder. What a person writes with it has the holder as its author; what an agent of the
    /// holder writes has the agent.
    Create(CreateArgs),
    /// List the tokens: who may do what, until when, and when each was used last
    List,
    /// Revoke a token, effective immediately
    ///
    /// A server asks for a token even when the last one is revoked. `waynote token clear` ends that.
    Revoke {
        /// Its name
        name: String,
    },
    /// Remove all tokens, and let everybody on this machine use the store over a server without one
    ///
    /// A server that is running still asks for a token until it is started again.
    Clear {
        /// Do not ask first
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
#[command(group = ArgGroup::new("rights").required(true).args(["read", "write", "admin"]))]
pub(crate) struct CreateArgs {
    /// Its name, which no other token has
    pub(crate) name: String,
    /// Whose it is: the author of what is written with it [default: NAME]
    #[arg(long, value_name = "NAME")]
    pub(crate) holder: Option<String>,
    /// An agent holds it, not a person: it answers no questions
    #[arg(long)]
    pub(crate) for_agent: bool,
    /// It may read and search
    #[arg(long)]
    pub(crate) read: bool,
    /// It may also write
    #[arg(long)]
    pub(crate) write: bool,
    /// It may also forget and verify, and bring in notes of other authors
    #[arg(long)]
    pub(crate) admin: bool,
    /// When it expires: after a time (30d, 12h, 1y), or a date, which is its last day, or a time (RFC 3339)
    #[arg(long, value_name = "TIME|DATE")]
    pub(crate) expires: Option<String>,
}
