//! The stores of a server, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use waynote::cites::{CheckedStore, Checkouts};
use waynote::{SideData, SqliteStore, Store};

/// A store that can be served: shared by threads, with side data for tokens.
pub trait ServableStore: Store + SideData + Send + Sync {}

impl<S: Store + SideData + Send + Sync> ServableStore for S {}

/// The stores of a server, by the name in their path: `/s/NAME`.
#[derive(Clone, Default)]
pub struct Stores {
    pub(crate) by_name: BTreeMap<String, NamedStore>,
    pub(crate) database: Option<Arc<dyn Database>>,
}

/// A store that has a name.
#[derive(Clone)]
pub(crate) struct NamedStore {
    pub(crate) store: Arc<dyn ServableStore>,
    /// The store itself, if it is a file of this machine.
    pub(crate) file: Option<Arc<SqliteStore>>,
}

/// A database, whose stores are served by their names: also those that are made or dropped while the server runs.
pub trait Database: Send + Sync {
    /// The database in metrics and in the log.
    fn label(&self) -> String;

    /// The store of this name as it is now; none if there is none.
    ///
    /// # Errors
    /// If the database cannot be asked.
    fn open(&self, name: &str) -> waynote::Result<Option<Arc<dyn ServableStore>>>;

    /// Asks the database something short.
    ///
    /// # Errors
    /// If it cannot be asked.
    fn ping(&self) -> waynote::Result<()>;
}

impl Stores {
    /// Adds a store under a name. It replaces a store of the same name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, store: Arc<dyn ServableStore>) -> Self {
        let named = NamedStore { store, file: None };
        self.by_name.insert(name.into(), named);
        self
    }

    /// Adds a store in a file of this machine, like [`Stores::with`]. Tokens are looked up in it without switching to a
    /// thread that may block, so a small read must never take long.
    #[must_use]
    pub fn with_file(mut self, name: impl Into<String>, store: Arc<SqliteStore>) -> Self {
        let (file, store) = (Some(store.clone()), store);
        self.by_name.insert(name.into(), NamedStore { store, file });
        self
    }

    /// Adds every store of a database under its own name. A store that was added under that name comes first.
    #[must_use]
    pub fn with_database(mut self, database: Arc<dyn Database>) -> Self {
        self.database = Some(database);
        self
    }

    /// The same stores, whose notes say whether what they cite of this machine's code has changed.
    #[must_use]
    pub fn checked(mut self, checkouts: &Arc<dyn Checkouts>) -> Self {
        for named in self.by_name.values_mut() {
            let store = Arc::clone(&named.store);
            named.store = Arc::new(CheckedStore::new(store, Arc::clone(checkouts)));
        }
        self
    }

    /// The store of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn ServableStore>> {
        self.by_name.get(name).map(|named| &named.store)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<dyn ServableStore>)> {
        self.by_name
            .iter()
            .map(|(name, named)| (name.as_str(), &named.store))
    }
}

/// True if a store can have this name in a path. Others of a database are not served.
pub fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.bytes().all(is_part)
}
