//! The endpoints for liveness, readiness and metrics.

use std::time::{Duration, Instant};

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Extension, Json, Router};
use futures_util::future::join_all;
use serde_json::json;
use waynote::Reader;

use crate::app::App;
use crate::problem::{Answer, Problem};
use crate::visit::{Peer, Visit, waiting};
use crate::{metrics, sign_in};

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/readyz/{store}", get(ready_store))
        .route("/metrics", get(figures))
}

async fn alive() -> impl IntoResponse {
    Json(json!({ "status": "alive" }))
}

/// How long a store may take to answer. A database that is away takes longer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// Answers whether the server can serve: one store that cannot be read does not take the others from their readers. The
/// answer goes to anybody, so only the log names such a store.
async fn ready(State(app): State<App>) -> Answer<impl IntoResponse> {
    if app.stopper.is_stopped() {
        return Err(not_ready("the server is stopping"));
    }
    let answers = app.shelves.keys().map(|name| answers(&app, name));
    let answers = join_all(answers).await;
    let status = match (answers.contains(&true), answers.contains(&false)) {
        (true, true) => "partly ready",
        (true, false) => "ready",
        (false, _) => return Err(not_ready("no store answers")),
    };
    Ok(Json(json!({ "status": status })))
}

/// Answers whether one store can be read. A store that is not there does not answer either.
async fn ready_store(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Answer<impl IntoResponse> {
    if app.stopper.is_stopped() {
        return Err(not_ready("the server is stopping"));
    }
    match answers(&app, &name).await {
        true => Ok(Json(json!({ "status": "ready" }))),
        false => Err(not_ready("the store does not answer")),
    }
}

/// True if a store can be read.
async fn answers(app: &App, name: &str) -> bool {
    let Some(shelf) = app.shelves.get(name) else {
        return false;
    };
    let (store, of, called) = (shelf.store.clone(), app.clone(), name.to_owned());
    let version = waiting(move || {
        let began = Instant::now();
        let version = store.version();
        of.metrics
            .call(&called, began.elapsed(), version.as_ref().err());
        version
    });
    let failed = match tokio::time::timeout(ANSWERS_WITHIN, version).await {
        Ok(Ok(Ok(_))) => return true,
        Ok(Ok(Err(error))) => error.to_string(),
        Ok(Err(problem)) => problem.detail().to_owned(),
        Err(_) => "no answer in time".to_owned(),
    };
    app.log_event("not_ready", format!("store {name}: {failed}"));
    false
}

fn not_ready(detail: &str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", detail)
        .hint("the server's log says more")
}

/// The metrics, for a program on this machine or with a token of any store.
async fn figures(
    State(app): State<App>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
) -> Answer<impl IntoResponse> {
    let is_local = peer.is_some_and(|Extension(Peer(address))| address.is_loopback());
    let mut stores: Vec<&String> = app.shelves.keys().collect();
    if !is_local || app.options.behind_proxy {
        let token = sign_in::presented(&app, &headers);
        let mut known = Vec::new();
        for name in stores {
            if Visit::of(&app, name.clone(), token.clone()).await.is_ok() {
                known.push(name);
            }
        }
        if known.is_empty() {
            return Err(Problem::unauthorized());
        }
        stores = known;
    }
    let mut text = app.metrics.text();
    let certificates = app.certificates.as_ref();
    if let Some(expires) = certificates.and_then(|certificates| certificates.expires()) {
        metrics::one(
            &mut text,
            "waynote_certificate_expires_timestamp_seconds",
            "gauge",
            "When the certificate expires.",
            expires.as_second(),
        );
    }
    let pools = stores.iter().filter_map(|name| {
        let database = app.shelves.get(*name)?.database.as_ref()?;
        Some((name.as_str(), database.pool()?))
    });
    app.metrics.stores(&mut text, &stores, &pools.collect());
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, content_type)], text))
}
