//! The state that all requests share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use tokio::sync::{Notify, Semaphore};
use waynote::store::NotesBeside;
use waynote::tend::LastGiven;
use waynote::{Limits, Name, Place};
use waynote_mcp::Lineages;

use crate::edge::rate::Buckets;
use crate::log::{EventLine, Log};
use crate::machine::DeadProcesses;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::page::link::Link;
use crate::served_stores::ServedStores;
use crate::stop::Stopper;
use crate::tls::Certificates;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Lists the notes of others, the list that counts first (see [`waynote::store::StoreBeside`]).
pub type Beside = Arc<dyn Fn() -> Vec<Arc<dyn NotesBeside>> + Send + Sync>;

/// The place and the agent that the server was started with. The view Now opens there.
pub(crate) struct Start {
    pub(crate) place: Place,
    pub(crate) agent: Name,
    /// The lineages of directories of this machine.
    pub(crate) lineages: Lineages,
    /// The notes that others have for the place.
    pub(crate) beside: Beside,
}

/// The state that all requests share.
pub(crate) struct AppState {
    pub(crate) served_stores: ServedStores,
    pub(crate) options: Options,
    /// The certificate; none: no TLS.
    pub(crate) certificates: Option<Arc<Certificates>>,
    pub(crate) clock: Clock,
    /// The limits of notes that people write on the page.
    pub(crate) note_limits: Limits,
    /// The place and the agent that the page opens with, if the server was started by its reader.
    pub(crate) start: Option<Start>,
    pub(crate) is_dead: DeadProcesses,
    /// When notes were last given to a session of this machine, if the server was started by its user.
    pub(crate) last_given: Option<Arc<dyn Fn() -> LastGiven + Send + Sync>>,
    pub(crate) log: Log,
    pub(crate) metrics: Metrics,
    pub(crate) buckets: Buckets,
    pub(crate) searches: Arc<Semaphore>,
    /// Wakes the task that polls the stores, when a feed begins.
    pub(crate) feed_begins: Arc<Notify>,
    pub(crate) stopper: Stopper,
    /// The time at which the server started, for ids of requests.
    pub(crate) started: i64,
    pub(crate) requests: AtomicU64,
}

/// The shared state as the `State` of a handler.
pub(crate) type App = Arc<AppState>;

impl AppState {
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// An id for a request, for the log and the client.
    pub(crate) fn request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:x}-{number:x}", self.started)
    }

    pub(crate) fn log_event(&self, event: &str, detail: impl Into<Option<String>>) {
        self.log.line(&EventLine {
            time: self.now().to_string(),
            event,
            detail: detail.into(),
        });
    }

    /// True if no store needs a token.
    pub(crate) fn is_open(&self) -> bool {
        self.served_stores.is_open()
    }

    /// The one-time link, if the server has one.
    pub(crate) fn link(&self) -> Option<&Link> {
        let mut served_stores = self.served_stores.named.values();
        served_stores.find_map(|served_store| served_store.link.get().map(|link| &**link))
    }

    /// True if only programs on this machine can connect. Then a store may need no token, so the origin of every
    /// request is checked.
    pub(crate) fn is_loopback_only(&self) -> bool {
        self.options.listen.ip().is_loopback() && !self.options.behind_proxy
    }
}

/// So many permits; 0: no limit.
pub(crate) fn permits(most: usize) -> usize {
    match most {
        0 => Semaphore::MAX_PERMITS,
        most => most.min(Semaphore::MAX_PERMITS),
    }
}
