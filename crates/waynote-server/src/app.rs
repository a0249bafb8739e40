//! What all requests share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use jiff::Timestamp;
use waynote::{Limits, Name, Place};
use waynote_access::Audit;

use crate::edge::rate::Buckets;
use crate::log::{EventLine, Log};
use crate::machine::DeadProcesses;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::page::link::Link;
use crate::page::overview::Overview;
use crate::sign_in::UsedToday;
use crate::stop::Stopper;
use crate::told::Told;
use crate::watch::Watcher;
use crate::writer::Writer;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A store with what the server knows about it.
pub(crate) struct Shelf {
    pub(crate) store: Told,
    /// What writes the changes that many requests bring at once.
    pub(crate) writer: Arc<Writer>,
    /// What was refused, and what was done by those who look after the store.
    pub(crate) audit: Arc<Audit<Told>>,
    /// Whether a request needs a token. Once it does, it does until the server ends.
    pub(crate) needs_token: AtomicBool,
    /// Whether it is a file of this machine.
    pub(crate) is_file: bool,
    pub(crate) used: UsedToday,
    /// The way in of the one browser that the server is for, if it is for one.
    pub(crate) link: Option<Arc<Link>>,
    /// What the page keeps of it.
    pub(crate) overview: Overview,
}

/// Where whoever looks at the page started the server: Now opens there.
pub(crate) struct Start {
    pub(crate) place: Place,
    pub(crate) agent: Name,
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) shelves: BTreeMap<String, Shelf>,
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    /// The limits of notes that people write on the page.
    pub(crate) note_limits: Limits,
    /// Where the page opens, if the server was started by whoever looks at it.
    pub(crate) start: Option<Start>,
    pub(crate) is_dead: DeadProcesses,
    pub(crate) log: Log,
    pub(crate) metrics: Metrics,
    pub(crate) buckets: Buckets,
    pub(crate) watcher: Arc<Watcher>,
    pub(crate) stopper: Stopper,
    /// The time at which the server started, for ids of requests.
    pub(crate) started: i64,
    pub(crate) requests: AtomicU64,
}

/// What all requests share; every handler can have it as its `State`.
pub(crate) type App = Arc<Shared>;

impl Shared {
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// An id for a request, for the log and for whoever asked.
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

    /// Whether nobody needs a token.
    pub(crate) fn is_open(&self) -> bool {
        let mut shelves = self.shelves.values();
        shelves.all(|shelf| !shelf.needs_token.load(Ordering::Relaxed))
    }

    /// The way in of the one browser that the server is for, if it is for one.
    pub(crate) fn link(&self) -> Option<&Link> {
        self.shelves
            .values()
            .find_map(|shelf| shelf.link.as_deref())
    }

    /// Whether every request is checked for where it comes from: on a loopback address, where no token may be needed.
    pub(crate) fn is_loopback_only(&self) -> bool {
        self.options.listen.ip().is_loopback() && !self.options.behind_proxy
    }
}
