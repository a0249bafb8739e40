//! The endpoints for liveness, readiness and metrics.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Extension, Json, Router};
use serde_json::json;
use waynote::Reader;

use crate::app::App;
use crate::problem::{Answer, Problem};
use crate::sign_in;
use crate::visit::{Peer, Visit, waiting};

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

async fn alive() -> impl IntoResponse {
    Json(json!({ "status": "alive" }))
}

/// Answers whether every store can be read. The answer goes to anybody, so only the log names a store that cannot.
async fn ready(State(app): State<App>) -> Answer<impl IntoResponse> {
    if app.stopper.is_stopped() {
        return Err(not_ready("the server is stopping"));
    }
    let asked = app.clone();
    let failed = waiting(move || {
        let mut stores = asked.shelves.iter();
        stores.find_map(|(name, shelf)| {
            let error = shelf.store.version().err()?;
            Some(format!("store {name}: {error}"))
        })
    });
    match failed.await? {
        None => Ok(Json(json!({ "status": "ready" }))),
        Some(detail) => {
            app.log_event("not_ready", detail);
            Err(not_ready("a store does not answer"))
        }
    }
}

fn not_ready(detail: &str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", detail)
        .hint("the server's log says more")
}

/// The metrics, for a program on this machine or with a token of any store.
async fn metrics(
    State(app): State<App>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
) -> Answer<impl IntoResponse> {
    let is_local = peer.is_some_and(|Extension(Peer(address))| address.is_loopback());
    if !is_local || app.options.behind_proxy {
        let token = sign_in::presented(&app, &headers);
        let mut is_known = false;
        for name in app.shelves.keys() {
            is_known |= Visit::of(&app, name.clone(), token.clone()).await.is_ok();
        }
        if !is_known {
            return Err(Problem::unauthorized());
        }
    }
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    let certificates = app.certificates.as_ref();
    let expires = certificates.and_then(|certificates| certificates.expires());
    Ok(([(CONTENT_TYPE, content_type)], app.metrics.text(expires)))
}
