//! The store that the settings name, kept in sync with a file if they name one.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use waynote::cites::{CheckedStore, Checkouts};
use waynote::engine::Engine;
use waynote::store::{Damage, NotesBeside, StoreBeside};
use waynote::{
    Checkout, Lineage, LocalStore, Options, Reader, Rollback, SecretPolicy, SqliteStore, Store,
    pass_on,
};
use waynote_formats::SyncedStore;
use waynote_remote::RemoteStore;

use waynote_system::checkouts::GitCheckouts;

use crate::beside;
use crate::database::{self, DatabaseStore};
use crate::error::{Outcome, say, warn, warn_of_damage, warn_of_secrets};
use crate::settings::Settings;
use crate::team::KeptNotes;
use crate::{clock, home, remote};

/// An open store.
pub(crate) struct OpenStore {
    /// The code that notes cite is looked up on this machine.
    store: CheckedStore<StoreBeside<Kind>>,
    settings: Settings,
    /// The notes of others that are laid over, by checkout, those of the last one first.
    beside: Mutex<Vec<BesideCheckout>>,
    json: bool,
    /// Credentials that are allowed, and so not reported.
    allowed: SecretPolicy,
    /// Notices that were already shown: a server would show the same one at every call.
    said: Mutex<HashSet<String>>,
}

/// A directory's checkouts, and the notes that others have for them.
type BesideCheckout = (Vec<Checkout>, Vec<Arc<dyn NotesBeside>>);

enum Kind {
    Plain(Box<SqliteStore>),
    Synced(Box<SyncedStore<SqliteStore>>),
    Remote(Box<RemoteStore>),
    Database(Box<DatabaseStore>),
}

impl Kind {
    fn any(&self) -> &(dyn Store + Send + Sync) {
        match self {
            Self::Plain(store) => &**store,
            Self::Synced(store) => &**store,
            Self::Remote(store) => &**store,
            Self::Database(store) => &**store,
        }
    }
}

impl Reader for Kind {
    pass_on! {
        self => self.any();
        read select_at search search_over take_damage rendered history_before one_state holder is_shared
    }
}

impl Store for Kind {
    pass_on! {
        self => self.any(); apply record forget would_forget verify heartbeat silence silences checkpoint
    }
}

/// When and how long a store is waited for.
#[derive(Clone, Copy)]
pub(crate) enum Wait {
    Now,
    /// For a server, which starts even if the store has a problem: each call reports it until it is fixed.
    AtTheFirstCall,
    /// For a hook, which has so much time for all that it does.
    Within(Duration),
}

impl OpenStore {
    /// The store. One that does not exist is empty, and the first write creates it.
    pub(crate) fn of(settings: &Settings, json: bool, wait: Wait) -> Outcome<Self> {
        let longest = match wait {
            Wait::Within(longest) => Some(longest),
            _ => None,
        };
        let kind = if let Some(url) = settings.remote() {
            Kind::Remote(Box::new(remote::open(settings, url, longest, longest)?))
        } else if let Some(url) = settings.database() {
            Kind::Database(Box::new(database::open(settings, url, longest)?))
        } else {
            let (path, options) = (&settings.store.value, options(settings));
            let store = match wait {
                Wait::AtTheFirstCall => SqliteStore::at(path, &options),
                _ => SqliteStore::open(path, &options)?,
            };
            match &settings.notes_file.value {
                None => Kind::Plain(Box::new(store)),
                Some(file) => Kind::Synced(Box::new(synced(store, file)?)),
            }
        };
        // A hook has to answer: what there is no time for is not labelled.
        let longest = longest.map_or(Duration::from_secs(2), |longest| longest / 2);
        let checkouts = checkouts(settings, longest);
        Ok(Self {
            store: CheckedStore::new(StoreBeside::new(kind), checkouts),
            settings: settings.clone(),
            beside: Mutex::default(),
            json,
            allowed: settings.secret_policy(),
            said: Mutex::default(),
        })
    }

    /// Does something with the store, then reports problems of the synced file.
    pub(crate) fn work<T>(&self, work: impl FnOnce(&dyn Store) -> Outcome<T>) -> Outcome<T> {
        let outcome = work(self.store());
        self.say_notices();
        outcome
    }

    pub(crate) fn store(&self) -> &(dyn Store + Send + Sync) {
        &self.store
    }

    fn kind(&self) -> &Kind {
        self.store.inner().inner()
    }

    /// Lays the notes that others have for a directory over the store. Those of other repositories stay, behind them. In
    /// another checkout of the same one a branch may have other notes by the same names: those go.
    ///
    /// The team's notes are these, else those that are kept.
    pub(crate) fn beside(&self, lineage: &Lineage, of_team: Option<Vec<KeptNotes>>) {
        let lists = beside::lists(&self.settings, lineage, of_team);
        let mut beside = self.beside.lock();
        let here = lineage.checkouts();
        let is_second = |of: &Checkout| {
            let is_one = |here: &Checkout| here.name == of.name && here.root != of.root;
            here.iter().any(is_one)
        };
        beside.retain(|(checkouts, _)| checkouts != here && !checkouts.iter().any(is_second));
        if !lists.is_empty() {
            beside.insert(0, (here.to_vec(), lists));
        }
        let all = beside.iter().flat_map(|(_, lists)| lists.iter().cloned());
        self.store.inner().lay_over(all.collect());
    }

    /// The same after the team's store was asked for what is new. A line says what is not as it should be.
    pub(crate) fn beside_asked(&self, lineage: &Lineage, within: Duration) {
        let (of_team, line) = self.settings.ask_team(lineage)(within);
        line.iter()
            .for_each(|line| say(&format!("warning: {line}")));
        self.beside(lineage, Some(of_team));
    }

    /// The store without notes of others.
    pub(crate) fn own(&self) -> &dyn Store {
        self.kind().any()
    }

    /// The store, for commands that only work on the store's own machine.
    pub(crate) fn local(&self) -> Outcome<&dyn LocalStore> {
        match self.kind() {
            Kind::Plain(store) => Ok(&**store),
            Kind::Synced(store) => Ok(&**store),
            Kind::Database(store) => Ok(&**store),
            Kind::Remote(store) => Err(remote::not_here(store.url().as_str())),
        }
    }

    /// The store itself, without the file that it is kept in sync with.
    pub(crate) fn sqlite(&self) -> Outcome<&SqliteStore> {
        match self.kind() {
            Kind::Plain(store) => Ok(&**store),
            Kind::Synced(store) => Ok(store.store()),
            Kind::Database(store) => Err(remote::not_here(&store.engine().name())),
            Kind::Remote(store) => Err(remote::not_here(store.url().as_str())),
        }
    }

    /// True if several machines may use the store: it is in a database or on a server.
    pub(crate) fn is_of_several_machines(&self) -> bool {
        matches!(self.kind(), Kind::Database(_) | Kind::Remote(_))
    }

    /// The acknowledged writes that a store on this machine has lost. A server and a database check their own.
    pub(crate) fn rollback(&self) -> Outcome<Option<Rollback>> {
        match self.kind() {
            Kind::Remote(_) | Kind::Database(_) => Ok(None),
            Kind::Plain(_) | Kind::Synced(_) => Ok(self.sqlite()?.rollback()?),
        }
    }

    /// Reports problems of the synced file on standard error, each one once, and the journaled notes from it that hold
    /// a credential.
    pub(crate) fn say_notices(&self) {
        if let Kind::Synced(store) = self.kind() {
            let mut said = self.said.lock();
            for notice in store.notices() {
                if said.insert(notice.to_string()) {
                    warn(&notice, self.json);
                }
            }
            warn_of_secrets(&store.flagged(), &self.allowed, self.json);
        }
        self.say_damage(&self.store().take_damage());
    }

    /// Reports damage that was left out on standard error, each item once.
    pub(crate) fn say_damage(&self, damage: &Damage) {
        if !damage.is_none() {
            let mut said = self.said.lock();
            warn_of_damage(damage, &mut said, self.json);
        }
    }
}

/// A store that is kept in sync with a file.
pub(crate) fn synced(store: SqliteStore, file: &Path) -> Outcome<SyncedStore<SqliteStore>> {
    let now = || clock::now().unwrap_or_default();
    Ok(SyncedStore::new(store, file, home::base_of_home()?, now)?)
}

pub(crate) fn options(settings: &Settings) -> Options {
    Options::default()
        .wait(settings.lock_wait.value)
        .attach(settings.attach)
}

/// The report comes at the end of a command.
impl Drop for OpenStore {
    fn drop(&mut self) {
        self.say_notices();
    }
}

/// The repositories of this machine. The checks of one reading take so long at most.
pub(crate) fn checkouts(settings: &Settings, limit: Duration) -> Arc<dyn Checkouts> {
    let checkouts = GitCheckouts::new(home::environment(), clock::of_files, limit);
    Arc::new(checkouts.named(settings.naming()))
}
