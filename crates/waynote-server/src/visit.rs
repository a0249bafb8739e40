//! A request to a store: its name, and the caller's grant.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use waynote::{Address, Author, Name, OperationId, Stamp, Store};
use waynote_access::{Audit, Grant, Narrowed};

use crate::app::App;
use crate::edge::rate::Key;
use crate::problem::{Answer, Problem};
use crate::sign_in;
use crate::stores::Served;
use crate::told::Told;

/// The address of a request's client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The name of a request's token, for the log.
#[derive(Clone, Default)]
pub(crate) struct Caller(pub(crate) Arc<OnceLock<String>>);

/// A request to a store, from a caller who may see the store. Handlers extract it before the body: the body of a caller
/// without access is never read.
#[derive(Clone)]
pub(crate) struct Visit {
    /// The store's name in the path.
    pub(crate) name: String,
    /// The store, narrowed to what the token may see.
    pub(crate) store: Arc<Narrowed<Told>>,
    /// The whole store, for tokens and the audit log.
    pub(crate) served: Arc<dyn Served>,
    /// The audit log: refused requests, and the actions of administrators.
    pub(crate) audit: Arc<Audit<Told>>,
    /// The grant of the token.
    pub(crate) grant: Grant,
    pub(crate) app: App,
}

impl Visit {
    /// Runs `work` with the narrowed store, on a thread that may block.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> waynote::Result<T> + Send + 'static,
    ) -> Answer<T> {
        self.run_narrowed(move |store| work(store)).await
    }

    /// The same for functions that only a narrowed store has.
    pub(crate) async fn run_narrowed<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Narrowed<Told>) -> waynote::Result<T> + Send + 'static,
    ) -> Answer<T> {
        let store = self.store.clone();
        let done = waiting(move || work(&store)).await?;
        done.map_err(|error| Problem::of_store(&error, &self.name))
    }

    /// The stamp of a change that is made now. Its author is the given one, or else the token. Without both it is the
    /// agent of the notebook that is written; elsewhere it is a person.
    pub(crate) fn stamp(
        &self,
        author: Option<Name>,
        written: Option<&Address>,
        operation: Option<OperationId>,
    ) -> Answer<Stamp> {
        let author = match (author, &self.grant.token, written) {
            (Some(author), ..) => author,
            (None, Some(token), _) => format!("token:{token}").parse()?,
            (None, None, Some(Address::Agent(agent, _))) => Author::Agent(agent.as_str()).name()?,
            (None, None, _) => Author::Person.name()?,
        };
        let stamp = Stamp::new(self.app.now(), author);
        Ok(Stamp { operation, ..stamp })
    }
}

/// Runs `work` on a thread that may block.
pub(crate) async fn waiting<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Answer<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Problem::internal())
}

impl FromRequestParts<App> for Visit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let params = params.map_err(|_| Problem::not_found())?;
        let name = params.iter().find(|(name, _)| *name == "store");
        let name = name.map(|(_, store)| store.to_owned()).unwrap_or_default();
        let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
        // Behind a proxy, the address is the proxy's, not the client's.
        let peer = peer.filter(|_| !app.options.behind_proxy);
        let token = sign_in::presented(app, &parts.headers);
        // The one browser of the link is not limited: another site's page could use up the limit of its address.
        let peer = peer.filter(|_| !sign_in::is_by_link(app, token.as_deref()));
        if peer.is_some_and(|peer| app.buckets.is_empty(&Key::refused(peer))) {
            return Err(Problem::too_many(
                "too many requests without a valid token came from this address",
            ));
        }
        let visit = Self::of(app, name, token).await;
        if let (Some(peer), Err(problem)) = (peer, &visit)
            && problem.status == axum::http::StatusCode::UNAUTHORIZED
        {
            app.buckets.take(Key::refused(peer));
        }
        let visit = visit?;
        if let (Some(caller), Some(token)) = (parts.extensions.get::<Caller>(), &visit.grant.token)
        {
            let _ = caller.0.set(token.to_string());
        }
        Ok(visit)
    }
}

impl Visit {
    /// The request to a store with this token.
    pub(crate) async fn of(app: &App, name: String, token: Option<String>) -> Answer<Self> {
        let Some(shelf) = app.shelves.get(&name) else {
            // The same answer as for a store that the token is not for.
            return Err(match app.is_open() {
                true => Problem::no_such_store(),
                false => Problem::unauthorized(),
            });
        };
        let (store, audit) = (shelf.store.clone(), shelf.audit.clone());
        let grant = sign_in::grant(app, &name, token).await?;
        if let Some(token) = &grant.token
            && !app.buckets.take(Key::token(&name, token))
        {
            return Err(Problem::too_many("this token has sent too many requests"));
        }
        Ok(Self {
            name,
            store: Arc::new(Narrowed::new(store.clone(), grant.clone()).watched(audit.clone())),
            served: Arc::new(store),
            audit,
            grant,
            app: app.clone(),
        })
    }
}
