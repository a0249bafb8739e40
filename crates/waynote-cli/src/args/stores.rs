//! The arguments of `waynote stores`.

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum StoresCommand {
    /// List the stores of a database
    List {
        /// The database: postgres://USER@HOST/DATABASE
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
        /// Estimate the bytes of each store, indexes included: it reads every row
        #[arg(long)]
        size: bool,
    },
    /// Make a store, and the tables if the database has none yet
    Create {
        /// The store: postgres://USER@HOST/DATABASE?store=NAME
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
    },
    /// Bring the tables of a database up to date for this version of waynote, by their owner
    ///
    /// Nothing else does it: other commands use older tables as they are, and say when they cannot.
    Migrate {
        /// The database: postgres://USER@HOST/DATABASE
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
    },
    /// Give a store that was restored to an earlier state a new id, so that nobody takes it for the one that they knew
    ///
    /// Feeds end with `reset`, and running sessions get their block once more.
    Renew {
        /// The store: postgres://USER@HOST/DATABASE?store=NAME
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
    },
    /// Give a store another name
    ///
    /// Its notes, id, positions and tokens stay, and the old name is free at once. Programs that have it open are told
    /// that it was dropped or has another name: start them again with the new name. Every row of the store is written
    /// anew, so it takes as long as a copy.
    Rename {
        /// The store: postgres://USER@HOST/DATABASE?store=NAME
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
        /// Its new name
        #[arg(value_name = "NEW_NAME")]
        name: waynote::Name,
    },
    /// Print the SQL that gives a role of a database its rights to the stores, for the owner of the tables to run
    Grants {
        /// The role
        role: String,
        /// Its rights: owner (brings the tables up to date), app (reads and writes), read-only
        #[arg(long = "for", value_name = "ACCESS", default_value = "app", value_parser = ["owner", "app", "read-only"])]
        access: String,
        /// The schema with the tables, as `schema=NAME` of an address names it
        #[arg(long, value_name = "NAME", default_value = "waynote")]
        schema: String,
    },
    /// Free the room of deleted and forgotten rows: VACUUM, by the database's administrator
    ///
    /// Without --full, others go on reading and writing, and the bytes of what was forgotten stay in the files until
    /// something is written over them. With --full, no byte of it is left in the files of the tables. It needs the owner
    /// of the tables or a superuser, and says what it could not do and what keeps dead rows.
    Vacuum {
        /// The database: postgres://USER@HOST/DATABASE
        #[arg(value_name = "POSTGRES_URL")]
        url: String,
        /// Write each table anew (VACUUM FULL): all stores of the database wait for it, and it needs as much room again
        #[arg(long)]
        full: bool,
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
