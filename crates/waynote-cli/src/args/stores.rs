//! The arguments of `waynote stores`.

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum StoresCommand {
    /// List the stores of a database
    List {
        /// The database: postgres://USER@HOST/DATABASE
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
    },
    /// Make a store, and the tables if the database has none yet
    Create {
        /// The store: postgres://USER@HOST/DATABASE?store=NAME
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
        /// Make it a store of several people, for good: it takes no notes on paths of one machine
        #[arg(long)]
        shared: bool,
    },
    /// Give a store that was restored to an earlier state a new id, so that no client takes it for the one that it knew
    ///
    /// Feeds end with `reset`, and running sessions get their block once more.
    Renew {
        /// The store: postgres://USER@HOST/DATABASE?store=NAME
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
    },
    /// Remove a store with everything in it; nothing but a backup brings it back
    ///
    /// It asks first. Without a terminal, it needs --yes.
    Drop {
        /// The store: postgres://USER@HOST/DATABASE?store=NAME
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
        /// Do not ask (for scripts)
        #[arg(long)]
        yes: bool,
    },
}
