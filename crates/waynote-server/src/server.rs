//! The server: its start, its run and its end.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Notify, Semaphore};
use waynote::tend::LastGiven;
use waynote::{Name, Place};
use waynote_mcp::Lineages;

use crate::access::Tokens;
use crate::app::{App, AppState, Beside, Clock, Start, permits};
use crate::edge::rate::Buckets;
use crate::error::StartError;
use crate::log::Log;
use crate::machine::DeadProcesses;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::page::link::Link;
use crate::served_stores::ServedStores;
use crate::stop::Stopper;
use crate::stores::{Stores, is_name};
use crate::tls::{Certificates, Reloader};
use crate::{connection, quiet, routes, tls, watch};

/// A server that does not listen yet.
pub struct Server {
    shared: AppState,
}

impl Server {
    /// A server of these stores.
    pub fn new(stores: &Stores, options: Options, clock: Clock, log: Log) -> Self {
        let feed_begins = Arc::new(Notify::new());
        let served_stores = ServedStores::new(stores, feed_begins.clone(), clock.clone());
        let started = clock().as_microsecond();
        Self {
            shared: AppState {
                served_stores,
                buckets: Buckets::new(&options.limits),
                searches: Arc::new(Semaphore::new(permits(options.limits.searches))),
                options,
                certificates: None,
                clock,
                note_limits: waynote::Limits::default(),
                start: None,
                is_dead: Arc::new(|_| None),
                last_given: None,
                log,
                metrics: Metrics::default(),
                feed_begins,
                stopper: Stopper::new(),
                started,
                requests: AtomicU64::new(0),
            },
        }
    }

    /// The limits of notes that people write on the page. A request of the API states its own.
    pub fn note_limits(mut self, limits: waynote::Limits) -> Self {
        self.shared.note_limits = limits;
        self
    }

    /// Sets the place and the agent that the page opens with, and what says which places' notes apply at a directory of
    /// this machine, with the notes that others have for the place. Without them, it opens with those of the last change,
    /// and a place has the notes of those above it.
    pub fn opens_at(
        mut self,
        place: Place,
        agent: Name,
        lineages: Lineages,
        beside: Beside,
    ) -> Self {
        self.shared.start = Some(Start {
            place,
            agent,
            lineages,
            beside,
        });
        self
    }

    /// Sets the function that tells whether the process of a loop is dead. Without it, a loop that was killed is shown
    /// as running.
    pub fn is_dead(mut self, is_dead: DeadProcesses) -> Self {
        self.shared.is_dead = is_dead;
        self
    }

    /// Sets the function that tells when notes were last given to a session of this machine. Without it, the page does not
    /// list those that no session was given.
    pub fn last_given(mut self, given: Arc<dyn Fn() -> LastGiven + Send + Sync>) -> Self {
        self.shared.last_given = Some(given);
        self
    }

    /// Listens, if that is safe: if others can reach the address, every store needs a token, and the server needs TLS.
    ///
    /// # Errors
    /// [`StartError::NoStore`], [`StartError::InvalidStoreName`], [`StartError::NoTls`], [`StartError::NoTokens`],
    /// [`StartError::LinkNotLocal`], [`StartError::Certificate`], [`StartError::Listen`]; and those of a store that
    /// cannot be read.
    pub fn bind(mut self) -> waynote::Result<BoundServer> {
        let shared = &mut self.shared;
        if shared.served_stores.named.is_empty() && shared.served_stores.database.is_none() {
            return Err(StartError::NoStore.into());
        }
        let mut names = shared.served_stores.named.keys();
        if let Some(name) = names.find(|name| !is_name(name)).cloned() {
            return Err(StartError::InvalidStoreName { name }.into());
        }
        let listen = shared.options.listen;
        let is_reached = !shared.is_loopback_only();
        if is_reached && shared.options.tls.is_none() && !shared.options.behind_proxy {
            return Err(StartError::NoTls { listen }.into());
        }
        if is_reached && shared.options.one_time_link {
            return Err(StartError::LinkNotLocal { listen }.into());
        }
        let has_database = shared.served_stores.database.is_some();
        let database_needs_token = &shared.served_stores.database_needs_token;
        database_needs_token.store(is_reached && has_database, Ordering::Relaxed);
        for (name, served_store) in &shared.served_stores.named {
            let tokens = Tokens::new(&served_store.store);
            if is_reached && tokens.is_empty()? {
                return Err(StartError::NoTokens {
                    store: name.clone(),
                    listen,
                    behind_proxy: shared.options.behind_proxy,
                }
                .into());
            }
            let is_closed = match tokens.is_closed() {
                Ok(is_closed) => is_closed,
                // If only this machine can reach the server, a damaged store may be repaired while it is served.
                Err(_) if !is_reached => continue,
                Err(error) => return Err(error),
            };
            served_store
                .needs_token
                .store(is_reached || is_closed, Ordering::Relaxed);
        }
        let files = shared.options.tls.as_ref();
        shared.certificates = files.map(Certificates::read).transpose()?;
        let failed = |source| StartError::Listen { listen, source };
        let listener = TcpListener::bind(listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if shared.options.one_time_link {
            let mut random = [0; 64];
            getrandom::fill(&mut random)
                .map_err(|error| StartError::System(std::io::Error::other(error.to_string())))?;
            let link = Arc::new(Link::new(address.port(), &random));
            for served_store in shared.served_stores.named.values() {
                served_store.link.get_or_init(|| link.clone());
                served_store.needs_token.store(true, Ordering::Relaxed);
            }
        }
        Ok(BoundServer {
            app: Arc::new(self.shared),
            listener,
            address,
        })
    }
}

/// A server that listens, and does not answer yet.
pub struct BoundServer {
    app: App,
    listener: TcpListener,
    address: SocketAddr,
}

impl BoundServer {
    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the server as a URL, without a path.
    pub fn url(&self) -> String {
        let has_tls = self.app.certificates.is_some();
        let scheme = if has_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The link of [`Options::one_time_link`], until it is opened.
    pub fn link(&self) -> Option<String> {
        let path = self.app.link()?.path()?;
        Some(format!("{}{path}", self.url()))
    }

    /// The handle that reads the certificate again; none without TLS.
    pub fn reloader(&self) -> Option<Reloader> {
        self.app.certificates.clone().map(Reloader)
    }

    /// The handle that stops the server.
    pub fn stopper(&self) -> Stopper {
        self.app.stopper.clone()
    }

    /// Serves until it is told to stop. Then running requests are answered, within the time limit of the options.
    ///
    /// # Errors
    /// [`StartError::System`].
    pub fn run(self) -> Result<(), StartError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .thread_name("waynote-server")
            .max_blocking_threads(self.app.options.limits.threads.max(1))
            .build()
            .map_err(StartError::System)?;
        let Self { app, listener, .. } = self;
        let stop_time = app.options.limits.stop_time;
        let served = runtime.block_on(async {
            let listener =
                tokio::net::TcpListener::from_std(listener).map_err(StartError::System)?;
            tokio::spawn(watch::watch(app.clone()));
            // A database takes care of its own log.
            for served_store in app.served_stores.named.values() {
                tokio::spawn(quiet::checkpoint_when_quiet(served_store.clone()));
            }
            if let Some(certificates) = app.certificates.clone() {
                tokio::spawn(tls::watch(app.clone(), certificates));
            }
            connection::serve(&app, listener, routes::router(app.clone())).await;
            Ok(())
        });
        // A running write is completed, but no client waits for its answer any more.
        runtime.shutdown_timeout(stop_time);
        served
    }
}
