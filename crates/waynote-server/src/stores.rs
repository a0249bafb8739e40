//! The stores of a server, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use waynote::cites::{CheckedStore, Checkouts};
use waynote::{SideData, SqliteStore, Store, Version};

/// A store that can be served: shared by threads, with side data for tokens and the audit log.
pub trait ServableStore: Store + SideData + Send + Sync {}

impl<S: Store + SideData + Send + Sync> ServableStore for S {}

/// The stores of a server, by the name in their path: `/s/NAME`.
#[derive(Clone, Default)]
pub struct Stores {
    pub(crate) by_name: BTreeMap<String, NamedStore>,
    pub(crate) catalogs: Vec<Arc<dyn Catalog>>,
}

/// A store that has a name.
#[derive(Clone)]
pub(crate) struct NamedStore {
    pub(crate) store: Arc<dyn ServableStore>,
    /// The store itself, if it is a file of this machine.
    pub(crate) file: Option<Arc<SqliteStore>>,
    /// Its database, if it is in one.
    pub(crate) database: Option<Arc<dyn Database>>,
}

/// The database of a store, as the server asks it.
pub trait Database: Send + Sync {
    /// The state of the connections; none before the first one.
    fn pool(&self) -> Option<PoolState>;

    /// The version of the store, which may be a moment old: it is asked for often, with those of the other stores.
    ///
    /// # Errors
    /// As [`Reader::version`](waynote::Reader::version).
    fn polled(&self) -> waynote::Result<Version>;

    /// The store with reads that a standby may answer, for pages and searches; none: it has no standby for them.
    fn reading(&self) -> Option<Arc<dyn ServableStore>>;
}

/// A database, whose stores are served by their names: also those that are made or dropped while the server runs.
pub trait Catalog: Send + Sync {
    /// The database in metrics and in the log.
    fn label(&self) -> String;

    /// The store of this name as it is now; none if there is none.
    ///
    /// # Errors
    /// If the database cannot be asked.
    fn open(&self, name: &str) -> waynote::Result<Option<InDatabase>>;

    /// The names of its stores in the order of their bytes, from the one after this on.
    ///
    /// # Errors
    /// If the database cannot be asked.
    fn names(&self, after: &str, most: usize) -> waynote::Result<Vec<String>>;

    /// The store whose admin tokens count for every store of the database, as it is now; none: each has its own tokens
    /// only. It is asked for again and again, and connects to nothing.
    fn admin(&self) -> Option<Arc<dyn ServableStore>>;

    /// The state of the connections.
    fn pool(&self) -> PoolState;
}

/// A store in a database.
pub type InDatabase = (Arc<dyn ServableStore>, Arc<dyn Database>);

/// The connections to a database: how many there are, how many there may be, how many nobody uses now, and how many
/// calls wait for one.
pub type PoolState = [usize; 4];

impl Stores {
    /// Adds a store under a name. It replaces a store of the same name.
    pub fn with(self, name: impl Into<String>, store: Arc<dyn ServableStore>) -> Self {
        self.add(name.into(), store, None, None)
    }

    /// Adds a store in a database, like [`Stores::with`]. The metrics have the state of its connections.
    pub fn with_database(
        self,
        name: impl Into<String>,
        store: Arc<dyn ServableStore>,
        database: Arc<dyn Database>,
    ) -> Self {
        self.add(name.into(), store, None, Some(database))
    }

    /// Adds a store in a file of this machine, like [`Stores::with`]. Tokens are looked up in it without switching to a
    /// thread that may block, so a small read must never take long.
    pub fn with_file(self, name: impl Into<String>, store: Arc<SqliteStore>) -> Self {
        self.add(name.into(), store.clone(), Some(store), None)
    }

    /// Adds every store of a database under its own name. A store that was added under that name comes first.
    #[must_use]
    pub fn with_catalog(mut self, catalog: Arc<dyn Catalog>) -> Self {
        self.catalogs.push(catalog);
        self
    }

    fn add(
        mut self,
        name: String,
        store: Arc<dyn ServableStore>,
        file: Option<Arc<SqliteStore>>,
        database: Option<Arc<dyn Database>>,
    ) -> Self {
        let named = NamedStore {
            store,
            file,
            database,
        };
        self.by_name.insert(name, named);
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

    /// The databases whose stores are served by their names, as the metrics call them.
    pub fn catalogs(&self) -> impl Iterator<Item = String> {
        self.catalogs.iter().map(|catalog| catalog.label())
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
