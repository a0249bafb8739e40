//! Stores in PostgreSQL: their addresses, and what works in this build.

#[cfg(feature = "postgres")]
mod reached;
#[cfg(not(feature = "postgres"))]
#[path = "database/left_out.rs"]
mod reached;

#[cfg(all(feature = "server", feature = "postgres"))]
mod served;

use std::path::PathBuf;

use crate::home;
use crate::settings::Settings;

#[cfg(feature = "postgres")]
pub(crate) use reached::options;
#[cfg(all(feature = "server", not(feature = "postgres")))]
pub(crate) use reached::served;
pub(crate) use reached::{DatabaseStore, check, made, named, open, source, try_write};
#[cfg(all(feature = "server", feature = "postgres"))]
pub(crate) use served::served;

/// True for the address of a store in a database.
pub(crate) fn is_url(text: &str) -> bool {
    text.starts_with("postgres://") || text.starts_with("postgresql://")
}

impl Settings {
    /// The address of the store, if it is in a database.
    pub(crate) fn database(&self) -> Option<&str> {
        self.store.value.to_str().filter(|text| is_url(text))
    }
}

/// The password file in the home directory.
pub(crate) fn own_password_file() -> Option<PathBuf> {
    Some(PathBuf::from(home::if_any().ok()??).join(".pgpass"))
}
