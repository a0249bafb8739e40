//! The stores that a server serves: those that it was started with, and those of its database, which are looked up by
//! their names. A store of the database is opened by its first request.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;
use waynote::SqliteStore;

use crate::app::Clock;
use crate::notifying_store::NotifyingStore;
use crate::page::link::Link;
use crate::page::seen::LastSeen;
use crate::problem::{Answer, Problem};
use crate::sign_in::UsedToday;
use crate::stores::{Database, ServableStore, Stores, is_name};
use crate::visit::waiting;
use crate::watch::WriteNotifier;

/// A store with the server's data about it.
pub(crate) struct ServedStore {
    pub(crate) store: NotifyingStore,
    /// True if a request needs a token. It is never reset until the server ends.
    pub(crate) needs_token: AtomicBool,
    /// The store itself, if it is a file of this machine.
    pub(crate) file: Option<Arc<SqliteStore>>,
    /// The label of the database that it was found in; none if it was named at the start.
    pub(crate) found_in: Option<String>,
    pub(crate) used: UsedToday,
    /// The one-time link, if the server has one.
    pub(crate) link: OnceLock<Arc<Link>>,
    /// What the page saw last of a store with many scopes.
    pub(crate) seen: LastSeen,
}

impl ServedStore {
    /// The store in metrics. Those of a database have one label, however many they are.
    pub(crate) fn label<'l>(&'l self, name: &'l str) -> &'l str {
        self.found_in.as_deref().unwrap_or(name)
    }
}

/// The stores that a server serves.
pub(crate) struct ServedStores {
    /// Those that it was started with.
    pub(crate) named: BTreeMap<String, Arc<ServedStore>>,
    /// The database whose stores are served by their names.
    pub(crate) database: Option<Arc<dyn Database>>,
    /// True if every request to a store of the database needs a token, because others can reach the server.
    pub(crate) database_needs_token: AtomicBool,
    /// Those of the database that were asked for.
    open: Mutex<HashMap<String, Arc<ServedStore>>>,
    feed_begins: Arc<Notify>,
    clock: Clock,
}

impl ServedStores {
    pub(crate) fn new(stores: &Stores, feed_begins: Arc<Notify>, clock: Clock) -> Self {
        let mut served_stores = Self {
            named: BTreeMap::new(),
            database: stores.database.clone(),
            database_needs_token: AtomicBool::new(false),
            open: Mutex::default(),
            feed_begins,
            clock,
        };
        for (name, named) in &stores.by_name {
            let mut served_store = served_stores.served_store(named.store.clone());
            served_store.file = named.file.clone();
            served_stores
                .named
                .insert(name.clone(), Arc::new(served_store));
        }
        served_stores
    }

    fn served_store(&self, store: Arc<dyn ServableStore>) -> ServedStore {
        let watched = Arc::new(WriteNotifier::new(self.feed_begins.clone()));
        let clock = self.clock.clone();
        let store = NotifyingStore::new(store, watched, clock.clone());
        ServedStore {
            store,
            needs_token: AtomicBool::new(false),
            file: None,
            found_in: None,
            used: UsedToday::default(),
            link: OnceLock::new(),
            seen: LastSeen::default(),
        }
    }

    /// All that are open now.
    pub(crate) fn all(&self) -> Vec<Arc<ServedStore>> {
        let open = self.open.lock();
        let all = self.named.values().chain(open.values());
        all.cloned().collect()
    }

    /// True if no store needs a token.
    pub(crate) fn is_open(&self) -> bool {
        let needs = |needs: &AtomicBool| needs.load(Ordering::Relaxed);
        let all = self.all();
        !needs(&self.database_needs_token) && !all.iter().any(|of| needs(&of.needs_token))
    }

    /// The store of this name. One of the database is looked up, unless it is open. A caller without a token starts no
    /// search if it would not be let in anyway.
    pub(crate) async fn find(
        &self,
        name: &str,
        has_token: bool,
    ) -> Answer<Option<Arc<ServedStore>>> {
        if let Some(served_store) = self.named.get(name) {
            return Ok(Some(served_store.clone()));
        }
        if let Some(served_store) = self.open.lock().get(name) {
            return Ok(Some(served_store.clone()));
        }
        let needs_token = self.database_needs_token.load(Ordering::Relaxed);
        let Some(database) = self.database.clone() else {
            return Ok(None);
        };
        if !is_name(name) || needs_token && !has_token {
            return Ok(None);
        }
        let (label, asked) = (database.label(), name.to_owned());
        let found = waiting(move || database.open(&asked)).await?;
        let found = found.map_err(|error| Problem::of_store(&error, name))?;
        let opened = found.map(|store| {
            let served_store = Arc::new(ServedStore {
                found_in: Some(label),
                needs_token: AtomicBool::new(needs_token),
                ..self.served_store(store)
            });
            let mut open = self.open.lock();
            // Another request may have opened it meanwhile.
            open.entry(name.to_owned()).or_insert(served_store).clone()
        });
        Ok(opened)
    }

    /// Closes a store of the database that was dropped, or made anew.
    pub(crate) fn forget(&self, name: &str) {
        if let Some(gone) = self.open.lock().remove(name) {
            // Its feeds see that it is gone.
            gone.store.watched().tell();
        }
    }
}
