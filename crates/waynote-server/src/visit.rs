//! A request to a store: its name, and the caller's grant.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use waynote::{Address, Allowance, Author, Error, Limits, Name, OperationId, Reader, Stamp, Store};

use crate::access::{Grant, GrantedStore};
use crate::api::IDEMPOTENCY_KEY;
use crate::app::App;
use crate::edge::rate::Key;
use crate::notifying_store::NotifyingStore;
use crate::problem::{Answer, Problem};
use crate::served_stores::ServedStore;
use crate::sign_in;

/// The address of a request's client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The address of a request's client, if it is known: behind a proxy, the last one that the proxy names.
pub(crate) fn client(app: &App, peer: Option<&Peer>, headers: &HeaderMap) -> Option<IpAddr> {
    if !app.options.behind_proxy {
        return peer.map(|peer| peer.0);
    }
    let forwarded = headers.get_all(FORWARDED_FOR).iter().next_back()?;
    let last = forwarded.to_str().ok()?.rsplit(',').next()?.trim();
    let with_port = || Some(last.parse::<SocketAddr>().ok()?.ip());
    last.parse().ok().or_else(with_port)
}

/// The addresses from which a request came to each proxy.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The caller of a request that was let in, for the log and the answer.
#[derive(Clone, Default)]
pub(crate) struct Caller(pub(crate) Arc<OnceLock<KnownCaller>>);

pub(crate) struct KnownCaller {
    pub(crate) store: String,
    /// The name of the token.
    pub(crate) token: Option<Name>,
    /// The author that is recorded in place of `person`.
    pub(crate) holder: Option<Name>,
    /// True if the store is one of several people.
    pub(crate) is_shared: bool,
}

/// A request to a store, from a caller who may see the store. Handlers extract it before the body: the body of a caller
/// without access is never read.
#[derive(Clone)]
pub(crate) struct Visit {
    /// The store's name in the path.
    pub(crate) name: String,
    /// The store with the server's data about it.
    pub(crate) served_store: Arc<ServedStore>,
    /// The store, as the token allows.
    pub(crate) store: Arc<GrantedStore<NotifyingStore>>,
    /// The grant of the token.
    pub(crate) grant: Grant,
    /// The request's `Idempotency-Key`.
    pub(crate) idempotency_key: Option<HeaderValue>,
    pub(crate) app: App,
}

impl Visit {
    /// The request to a store with this token.
    pub(crate) async fn of(app: &App, name: String, token: Option<String>) -> Answer<Self> {
        let (served_store, grant) = Self::let_in(app, &name, token).await?;
        if let Some(token) = grant.name()
            && !app.buckets.take(Key::token(&name, token))
        {
            return Err(Problem::too_many("this token has sent too many requests"));
        }
        Ok(Self {
            name,
            store: Arc::new(GrantedStore::new(served_store.store.clone(), grant.clone())),
            served_store,
            grant,
            idempotency_key: None,
            app: app.clone(),
        })
    }

    /// The store of that name, and what the token grants there.
    async fn let_in(
        app: &App,
        name: &str,
        token: Option<String>,
    ) -> Answer<(Arc<ServedStore>, Grant)> {
        let mut is_again = false;
        loop {
            let found = app.served_stores.find(name, token.is_some()).await?;
            let Some(served_store) = found else {
                // Others get the same answer as for a store that the token is not for.
                return Err(match app.is_open() {
                    true => Problem::no_such_store(),
                    false => Problem::unauthorized(),
                });
            };
            match sign_in::grant(app, name, &served_store, token.clone()).await {
                // It was dropped, or made anew, since it was found.
                Err(problem)
                    if problem.is_of_lost_store()
                        && served_store.found_in.is_some()
                        && !is_again =>
                {
                    app.served_stores.forget(name);
                    is_again = true;
                }
                grant => return Ok((served_store, grant?)),
            }
        }
    }

    /// Like [`Visit::run`], for a search or a prompt block: few are made at one time.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> waynote::Result<T> + Send + 'static,
    ) -> Answer<T> {
        // Held by the work: it may run on after its request.
        let seat = self.app.searches.clone().acquire_owned().await;
        self.run(move |store| {
            let _seat = seat;
            work(store)
        })
        .await
    }

    /// Runs `work` with the store, on a thread that may block.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> waynote::Result<T> + Send + 'static,
    ) -> Answer<T> {
        let (store, app) = (self.store.clone(), self.app.clone());
        let label = self.served_store.label(&self.name).to_owned();
        let done = waiting(move || {
            let _working = app.metrics.working.one();
            let began = Instant::now();
            let done = work(&*store);
            app.metrics
                .call(&label, began.elapsed(), done.as_ref().err());
            done
        });
        let done = done.await?;
        done.map_err(|error| {
            let key = self.idempotency_key.as_ref();
            let error = match (error, key.and_then(|key| key.to_str().ok())) {
                // The store knows the key by the id that was made of it.
                (Error::IdUsed { .. }, Some(key)) => Error::IdUsed { id: key.to_owned() },
                (error, _) => error,
            };
            Problem::of_store(&error, &self.name)
        })
    }

    /// The stamp of a change that is made now. Its author is the given one, or else the token. Without both it is the
    /// agent of the notebook that is written; elsewhere it is a person.
    pub(crate) fn stamp(
        &self,
        author: Option<Name>,
        written: Option<&Address>,
        operation: Option<OperationId>,
    ) -> Answer<Stamp> {
        let author = match (author, self.grant.own_author(), written) {
            (Some(author), ..) => author,
            (None, Some(own), _) => own,
            (None, None, Some(Address::Agent(agent, _))) => Author::Agent(agent.as_str()).name()?,
            (None, None, _) => Author::Person.name()?,
        };
        let stamp = Stamp::new(self.app.now(), author);
        Ok(Stamp { operation, ..stamp })
    }
}

/// Runs `work` on a thread that may block, as long as somebody waits for it: reading ends then, and what has not begun
/// does not begin. A write that has begun is carried out.
pub(crate) async fn waiting<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Answer<T> {
    let allowance = Allowance::of(Limits::ANSWER_BYTES);
    let _waits = Waits(allowance.clone());
    let done = tokio::task::spawn_blocking(move || match allowance.is_ended() {
        true => None,
        false => Some(allowance.during(work)),
    });
    done.await.ok().flatten().ok_or_else(Problem::internal)
}

/// Ends the work for a request when nobody waits any more: its time is over, or its client is gone.
pub(crate) struct Waits(pub(crate) Allowance);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl FromRequestParts<App> for Visit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let params = params.map_err(|_| Problem::not_found())?;
        let name = params.iter().find(|(name, _)| *name == "store");
        let name = name.map(|(_, store)| store.to_owned()).unwrap_or_default();
        let peer = client(app, parts.extensions.get(), &parts.headers);
        let token = sign_in::presented(app, &parts.headers);
        let mut visit = match Self::of(app, name, token).await {
            // Whoever has a valid token is not limited by what others of the same address do.
            Err(problem)
                if problem.status == StatusCode::UNAUTHORIZED
                    && peer.is_some_and(|peer| !app.buckets.take(Key::refused(peer))) =>
            {
                return Err(Problem::too_many(
                    "too many requests without a valid token came from this address",
                ));
            }
            visit => visit?,
        };
        visit.idempotency_key = parts.headers.get(IDEMPOTENCY_KEY).cloned();
        if let Some(caller) = parts.extensions.get::<Caller>() {
            let _ = caller.0.set(KnownCaller {
                store: visit.name.clone(),
                token: visit.grant.name().cloned(),
                holder: visit.grant.own_author(),
                is_shared: visit.grant.token.is_some() && visit.store.is_shared().unwrap_or(false),
            });
        }
        Ok(visit)
    }
}

/// The stores that a token is for, of those that were named at the start. Without a token, those of a server that needs
/// none.
pub(crate) async fn visible_stores(app: &App, token: Option<String>) -> Vec<String> {
    let mut seen = Vec::new();
    for name in app.served_stores.named.keys() {
        let is_seen = app.is_open()
            || token.is_some() && Visit::of(app, name.clone(), token.clone()).await.is_ok();
        if is_seen {
            seen.push(name.clone());
        }
    }
    seen
}
