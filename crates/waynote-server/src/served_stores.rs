//! The stores that a server serves: those that it was started with, and those of its databases, which are looked up by
//! their names. A store of a database is opened by its first request, and closed when nobody has used it for a while.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use parking_lot::Mutex;
use waynote::{Reader, SqliteStore};
use waynote_access::Audit;

use crate::app::{App, Clock};
use crate::database_health::{DatabaseHealth, is_away};
use crate::notifying_store::NotifyingStore;
use crate::options::Limits;
use crate::page::link::Link;
use crate::page::overview::Overview;
use crate::problem::{Answer, Problem};
use crate::sign_in::{self, UsedToday};
use crate::stores::{Catalog, Database, InDatabase, ServableStore, Stores, is_name};
use crate::visit::waiting;
use crate::watch::{Watcher, WriteNotifier};

/// A store with the server's data about it.
pub(crate) struct ServedStore {
    pub(crate) store: NotifyingStore,
    /// The store for pages and searches, whose reads a standby may answer.
    pub(crate) reading: NotifyingStore,
    /// The audit log: refused requests, and the actions of administrators.
    pub(crate) audit: Arc<Audit<NotifyingStore>>,
    /// True if a request needs a token. It is never reset until the server ends.
    pub(crate) needs_token: AtomicBool,
    /// The store itself, if it is a file of this machine.
    pub(crate) file: Option<Arc<SqliteStore>>,
    pub(crate) database: Option<Arc<dyn Database>>,
    /// The database that it was found in, if it was not named at the start.
    pub(crate) found_in: Option<Arc<ServedDatabase>>,
    /// Whether its database answers; none for a file.
    pub(crate) health: Option<Arc<DatabaseHealth>>,
    pub(crate) used: UsedToday,
    /// The one-time link, if the server has one.
    pub(crate) link: OnceLock<Arc<Link>>,
    /// The page's cache of the store.
    pub(crate) overview: Overview,
}

impl ServedStore {
    /// The store in metrics. Those of a database have one label, however many they are.
    pub(crate) fn label<'l>(&'l self, name: &'l str) -> &'l str {
        let database = self.found_in.as_ref();
        database.map_or(name, |database| database.label.as_str())
    }

    /// The store whose admin tokens count here too.
    pub(crate) fn admin(&self) -> Option<Arc<dyn ServableStore>> {
        self.found_in.as_ref()?.stores.admin()
    }

    /// The result of a call that decides whether a caller is let in, as [`DatabaseHealth::ask`].
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        is_known: bool,
        call: impl FnOnce() -> waynote::Result<T> + Send + 'static,
    ) -> Answer<waynote::Result<T>> {
        match &self.health {
            Some(health) => health.ask(is_known, call).await,
            None => waiting(call).await,
        }
    }
}

/// A database whose stores are served by their names.
pub(crate) struct ServedDatabase {
    pub(crate) label: String,
    pub(crate) stores: Arc<dyn Catalog>,
    /// The tokens of its administrators.
    pub(crate) used: UsedToday,
    /// True if every request needs a token. It is never reset until the server ends.
    pub(crate) needs_token: AtomicBool,
    pub(crate) health: Arc<DatabaseHealth>,
}

/// The stores that a server serves.
pub(crate) struct ServedStores {
    /// Those that it was started with.
    pub(crate) named: BTreeMap<String, Arc<ServedStore>>,
    pub(crate) databases: Vec<Arc<ServedDatabase>>,
    /// Those of the databases that are in use.
    open: Mutex<HashMap<String, Opened>>,
    /// The names that were last found in two databases. While one of the two is away, neither is served.
    twice: Mutex<HashSet<String>>,
    limits: Limits,
    watcher: Arc<Watcher>,
    clock: Clock,
    /// Differs in every process.
    process: u64,
}

/// A store of a database that is in use.
struct Opened {
    served_store: Arc<ServedStore>,
    used: Instant,
    /// When it was last looked for in all databases.
    looked: Instant,
}

/// After so long it is looked for again: another database may have got a store of that name.
const LOOKED: Duration = Duration::from_secs(60);

impl ServedStores {
    pub(crate) fn new(
        stores: &Stores,
        limits: &Limits,
        watcher: Arc<Watcher>,
        clock: Clock,
        process: u64,
    ) -> Self {
        let mut served_stores = Self {
            named: BTreeMap::new(),
            databases: Vec::new(),
            open: Mutex::default(),
            twice: Mutex::default(),
            limits: limits.clone(),
            watcher,
            clock,
            process,
        };
        for (name, named) in &stores.by_name {
            let mut served_store =
                served_stores.served_store(named.store.clone(), named.database.clone());
            served_store.file = named.file.clone();
            served_store.health = named.database.as_ref().map(|_| {
                let store = named.store.clone();
                DatabaseHealth::new(name.clone(), move || store.version().map(drop))
            });
            served_stores
                .named
                .insert(name.clone(), Arc::new(served_store));
        }
        for stores in &stores.catalogs {
            let label = stores.label().replace(['"', '\\', '\n'], "_");
            let same = served_stores.databases.iter();
            let same = same.filter(|other| other.stores.label() == stores.label());
            let label = match same.count() {
                0 => label,
                number => format!("{label} ({})", number + 1),
            };
            let probed = stores.clone();
            let probe = move || probed.names("", 1).map(drop);
            served_stores.databases.push(Arc::new(ServedDatabase {
                health: DatabaseHealth::new(label.clone(), probe),
                label,
                stores: stores.clone(),
                used: UsedToday::default(),
                needs_token: AtomicBool::new(false),
            }));
        }
        served_stores
    }

    fn served_store(
        &self,
        store: Arc<dyn ServableStore>,
        database: Option<Arc<dyn Database>>,
    ) -> ServedStore {
        let watched = Arc::new(WriteNotifier::new(self.watcher.clone()));
        let clock = self.clock.clone();
        let reading = database.as_ref().and_then(|database| database.reading());
        let notifying = |store| NotifyingStore::new(store, watched.clone(), clock.clone());
        let store = notifying(store);
        ServedStore {
            reading: reading.map_or_else(|| store.clone(), notifying),
            audit: Arc::new(Audit::new(store.clone(), self.process, move || clock())),
            store,
            needs_token: AtomicBool::new(false),
            file: None,
            database,
            found_in: None,
            health: None,
            used: UsedToday::default(),
            link: OnceLock::new(),
            overview: Overview::default(),
        }
    }

    fn found(&self, database: &Arc<ServedDatabase>, (store, of): InDatabase) -> ServedStore {
        ServedStore {
            found_in: Some(database.clone()),
            health: Some(database.health.clone()),
            needs_token: AtomicBool::new(database.needs_token.load(Ordering::Relaxed)),
            ..self.served_store(store, Some(of))
        }
    }

    /// All that are open now.
    pub(crate) fn all(&self) -> Vec<Arc<ServedStore>> {
        let named = self.named.values().cloned();
        let open = self.open.lock();
        named
            .chain(open.values().map(|opened| opened.served_store.clone()))
            .collect()
    }

    /// The databases of all stores.
    pub(crate) fn health(&self) -> impl Iterator<Item = &Arc<DatabaseHealth>> {
        let named = self.named.values();
        let named = named.filter_map(|served_store| served_store.health.as_ref());
        named.chain(self.databases.iter().map(|database| &database.health))
    }

    /// True if a database of which any store may be asked for is away.
    pub(crate) fn is_one_away(&self) -> bool {
        self.databases
            .iter()
            .any(|database| !database.health.is_up())
    }

    /// The database of a store that is in use, if the token counted there lately.
    pub(crate) fn known(&self, name: &str, token: Option<&str>) -> Option<Arc<DatabaseHealth>> {
        let health = match self.named.get(name) {
            Some(served_store) => served_store.health.clone(),
            None => self.open.lock().get(name)?.served_store.health.clone(),
        };
        health.filter(|health| health.knows(name, token))
    }

    /// True if no store needs a token.
    pub(crate) fn is_open(&self) -> bool {
        let needs = |needs: &AtomicBool| needs.load(Ordering::Relaxed);
        !self.databases.iter().any(|of| needs(&of.needs_token))
            && !self
                .all()
                .iter()
                .any(|served_store| needs(&served_store.needs_token))
    }

    /// The store of this name, for the caller with this token. One of a database is looked up, unless it is in use. A
    /// caller without a token starts no search if it would not be let in anyway.
    pub(crate) async fn find(
        &self,
        app: &App,
        name: &str,
        token: Option<&str>,
    ) -> Answer<Option<Arc<ServedStore>>> {
        if let Some(served_store) = self.named.get(name) {
            return Ok(Some(served_store.clone()));
        }
        let known = match self.open.lock().get_mut(name) {
            None => None,
            Some(opened) => {
                opened.used = Instant::now();
                if opened.looked.elapsed() < LOOKED {
                    return Ok(Some(opened.served_store.clone()));
                }
                Some(opened.served_store.clone())
            }
        };
        let needs = |of: &Arc<ServedDatabase>| of.needs_token.load(Ordering::Relaxed);
        if self.databases.is_empty()
            || !is_name(name)
            || token.is_none() && self.databases.iter().all(needs)
        {
            return Ok(known);
        }
        self.look(app, name, token, known).await
    }

    /// Looks for a store in all databases.
    async fn look(
        &self,
        app: &App,
        name: &str,
        token: Option<&str>,
        known: Option<Arc<ServedStore>>,
    ) -> Answer<Option<Arc<ServedStore>>> {
        let asked = join_all(self.databases.iter().map(async |database| {
            let (stores, name) = (database.stores.clone(), name.to_owned());
            let found = database.health.ask(false, move || stores.open(&name));
            (database, found.await)
        }));
        let (mut found, mut failed) = (Vec::new(), None);
        for (database, answer) in asked.await {
            match answer? {
                Ok(Some(store)) => found.push((database, store)),
                Ok(None) => {}
                Err(error) => {
                    if !is_away(&error) {
                        app.log_event("not_asked", format!("{}: {error}", database.label));
                    }
                    failed = Some(error);
                }
            }
        }
        match &failed {
            Some(error) if self.twice.lock().contains(name) => {
                return Err(Problem::of_store(error, name));
            }
            None if found.len() < 2 => drop(self.twice.lock().remove(name)),
            _ => {}
        }
        let Some((database, store)) = found.pop() else {
            return match (failed, known) {
                // Its own error says more.
                (Some(_), Some(known)) => Ok(Some(known)),
                (Some(error), None) => Err(Problem::of_store(&error, name)),
                (None, _) => {
                    self.forget(name);
                    Ok(None)
                }
            };
        };
        if !found.is_empty() {
            self.twice.lock().insert(name.to_owned());
            self.forget(name);
            found.push((database, store));
            let served_stores = found.into_iter().map(|(of, store)| self.found(of, store));
            return Err(twice(app, name, token, served_stores.collect()).await);
        }
        let is_of_it = |served_store: &Arc<ServedStore>| {
            let of = served_store.found_in.as_ref();
            of.is_some_and(|of| Arc::ptr_eq(of, database))
        };
        let mut open = self.open.lock();
        let now = Instant::now();
        if open.len() >= self.limits.open_stores && !open.contains_key(name) {
            let unused = open.iter().filter(|(_, opened)| !opened.is_watched());
            let oldest = unused.min_by_key(|(_, opened)| opened.used);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                open.remove(&oldest);
            }
        }
        let is_kept = open
            .get(name)
            .is_some_and(|opened| is_of_it(&opened.served_store));
        if !is_kept {
            let served_store = Arc::new(self.found(database, store));
            let opened = Opened {
                served_store,
                used: now,
                looked: now,
            };
            open.insert(name.to_owned(), opened);
        }
        Ok(open.get_mut(name).map(|opened| {
            opened.looked = now;
            opened.served_store.clone()
        }))
    }

    /// Closes a store of a database that is not there any more.
    pub(crate) fn forget(&self, name: &str) {
        if let Some(gone) = self.open.lock().remove(name) {
            // Its feeds see that it is gone.
            gone.served_store.store.watched().tell();
        }
    }

    /// Closes the stores of databases that nobody has used for a while, and returns them.
    pub(crate) fn close_idle(&self) -> Vec<Arc<ServedStore>> {
        let mut open = self.open.lock();
        let idle = open.extract_if(|_, opened| {
            !opened.is_watched() && opened.used.elapsed() > self.limits.store_idle
        });
        idle.map(|(_, opened)| opened.served_store).collect()
    }
}

impl Opened {
    fn is_watched(&self) -> bool {
        self.served_store.store.watched().is_watched()
    }
}

/// The answer to a caller whose store is in two databases. Only a caller whom one of them would let in learns of it.
async fn twice(
    app: &App,
    name: &str,
    token: Option<&str>,
    served_stores: Vec<ServedStore>,
) -> Problem {
    let labels: Vec<_> = served_stores
        .iter()
        .map(|served_store| served_store.label(name))
        .collect();
    let labels = labels.join(" and ");
    app.log_event("store_twice", format!("store {name} is in {labels}"));
    for served_store in served_stores {
        let token = token.map(str::to_owned);
        let found = sign_in::grant(app, name, &Arc::new(served_store), token).await;
        if found.is_ok() {
            return Problem::store_twice(name);
        }
    }
    Problem::unauthorized()
}
