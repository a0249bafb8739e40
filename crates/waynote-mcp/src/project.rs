//! The project of a connection: the directories that the program knows, and the roots that its client names.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::caller::{Caller, ConnectedCaller};

/// How long calls wait for a client to name its roots. Later calls go without a project until it does.
const ROOTS_WAIT: Duration = Duration::from_secs(5);

/// The caller of a connection, with its project.
pub(crate) struct Project {
    caller: Caller,
    /// None while the client has been asked for its roots and has not answered. The working directory may be another
    /// project's until then.
    here: watch::Sender<Option<Arc<ConnectedCaller>>>,
    /// True if the client is still to be asked.
    is_to_ask: AtomicBool,
    asking: Mutex<Option<Asking>>,
}

struct Asking {
    task: AbortHandle,
    /// The end of the wait for it.
    until: Instant,
}

impl Project {
    /// `is_known`: whether the client has named its project already.
    pub(crate) fn new(caller: Caller, is_known: bool) -> Self {
        let here = Arc::new(ConnectedCaller::new(caller.clone()));
        Self {
            caller,
            here: watch::Sender::new(Some(here)),
            is_to_ask: AtomicBool::new(!is_known),
            asking: Mutex::default(),
        }
    }

    /// The caller as it is known without asking. None if only the client's roots will tell: it can be asked for them
    /// only once the connection has begun.
    pub(crate) fn at_the_start(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Option<Arc<ConnectedCaller>> {
        let asks = self.is_to_ask.load(Ordering::Relaxed) && offers_roots(context);
        let here = self.here.borrow().clone();
        here.filter(|_| self.caller.names_project() || !asks)
    }

    /// The caller at a call. The first one asks the client for its roots.
    pub(crate) async fn here(&self, context: &RequestContext<RoleServer>) -> Arc<ConnectedCaller> {
        if offers_roots(context) && self.is_to_ask.swap(false, Ordering::Relaxed) {
            self.ask(context.peer.clone());
        }
        let mut here = self.here.subscribe();
        let until = self.asking.lock().as_ref().map(|of| of.until);
        let until = until.unwrap_or_else(Instant::now);
        let _ = tokio::time::timeout_at(until, here.wait_for(Option::is_some)).await;
        let here = self.here.borrow().clone();
        here.unwrap_or_else(|| Arc::new(ConnectedCaller::without_roots(self.caller.clone())))
    }

    /// The client has other roots from now on.
    pub(crate) fn ask_again(&self) {
        self.is_to_ask.store(true, Ordering::Relaxed);
    }

    #[expect(deprecated, reason = "clients of the older protocol have nothing else")]
    fn ask(&self, client: Peer<RoleServer>) {
        self.here.send_replace(None);
        let (here, caller) = (self.here.clone(), self.caller.clone());
        // A task of its own: the answer counts whenever it comes.
        let task = tokio::spawn(async move {
            let listed = client.list_roots().await;
            let roots = listed.map_or_else(|_| Vec::new(), |listed| listed.roots);
            let roots = roots.iter().filter_map(|root| path(&root.uri)).collect();
            here.send_replace(Some(Arc::new(ConnectedCaller::with_roots(caller, roots))));
        });
        let asking = Asking {
            task: task.abort_handle(),
            until: Instant::now() + ROOTS_WAIT,
        };
        if let Some(before) = self.asking.lock().replace(asking) {
            before.task.abort();
        }
    }
}

/// True if the client can list its open directories: only on connections that began with `initialize`.
fn offers_roots(context: &RequestContext<RoleServer>) -> bool {
    let client = context.peer.peer_info();
    client.is_some_and(|client| client.capabilities.roots.is_some())
}

/// The path in the URI of a root.
fn path(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8();
    decoded.ok().map(|path| path.into_owned())
}
