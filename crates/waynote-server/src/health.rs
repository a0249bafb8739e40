//! The endpoints for liveness, readiness and metrics.

use std::time::{Duration, Instant};

use axum::extract::State;
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
use crate::sign_in;
use crate::visit::{Peer, visible_stores, waiting};

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(figures))
}

async fn alive() -> impl IntoResponse {
    Json(json!({ "status": "alive" }))
}

/// Answers whether the server can serve: one store that cannot be read does not take the others from their readers. The
/// answer goes to anybody, so only the log names such a store.
async fn ready(State(app): State<App>) -> Answer<impl IntoResponse> {
    if app.stopper.is_stopped() {
        return Err(not_ready("the server is stopping"));
    }
    let named = app.served_stores.named.iter();
    let named = named.map(|(name, served_store)| {
        let store = served_store.store.clone();
        answered(&app, name, move || store.version().map(drop))
    });
    let mut answers = join_all(named).await;
    if let Some(database) = app.served_stores.database.clone() {
        answers.push(answered(&app, &database.label(), move || database.ping()).await);
    }
    let status = match (answers.contains(&true), answers.contains(&false)) {
        (true, true) => "partly ready",
        (true, false) => "ready",
        (false, _) => return Err(not_ready("no store answers")),
    };
    Ok(Json(json!({ "status": status })))
}

/// How long a store or the database has to answer.
const LOOK: Duration = Duration::from_secs(3);

/// True if a call of a store or of the database has a result in time.
async fn answered(
    app: &App,
    label: &str,
    call: impl FnOnce() -> waynote::Result<()> + Send + 'static,
) -> bool {
    let (of, called) = (app.clone(), label.to_owned());
    let answer = waiting(move || {
        let began = Instant::now();
        let answer = call();
        of.metrics
            .call(&called, began.elapsed(), answer.as_ref().err());
        answer
    });
    let failed = match tokio::time::timeout(LOOK, answer).await {
        Ok(Ok(Ok(()))) => return true,
        Ok(Ok(Err(error))) => error.to_string(),
        Ok(Err(problem)) => problem.detail().to_owned(),
        Err(_) => "no answer in time".to_owned(),
    };
    app.log_event("not_ready", format!("store {label}: {failed}"));
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
    let served_stores = &app.served_stores;
    let is_local = peer.is_some_and(|Extension(Peer(address))| address.is_loopback());
    let seen = match is_local && !app.options.behind_proxy {
        true => {
            let database = served_stores.database.as_ref().map(|of| of.label());
            let named = served_stores.named.keys().cloned();
            named.chain(database).collect()
        }
        false => visible_stores(&app, sign_in::presented(&app, &headers)).await,
    };
    if seen.is_empty() {
        return Err(Problem::unauthorized());
    }
    let text = app.metrics.text(&seen);
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, content_type)], text))
}
