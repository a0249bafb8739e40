//! The endpoints for liveness, readiness and metrics.

use std::sync::Arc;
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
use crate::served_stores::ServedStore;
use crate::sign_in;
use crate::visit::{Peer, Visit, visible_stores, waiting};

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

/// Answers whether the server can serve: one store that cannot be read does not take the others from their readers. The
/// answer goes to anybody, so only the log names such a store.
async fn ready(State(app): State<App>) -> Answer<impl IntoResponse> {
    if app.stopper.is_stopped() {
        return Err(not_ready("the server is stopping"));
    }
    let named = app.served_stores.named.iter();
    let named = named.map(|(name, served_store)| answers(&app, name, served_store.clone()));
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

/// Answers whether one store can be read. A store that is not there does not answer either. Stores of the database are not
/// looked up for strangers, who could find out their names.
async fn ready_store(
    State(app): State<App>,
    Path(name): Path<String>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
) -> Answer<impl IntoResponse> {
    if app.stopper.is_stopped() {
        return Err(not_ready("the server is stopping"));
    }
    let is_named = app.served_stores.named.contains_key(&name);
    let found = match is_named || is_local(&app, peer.as_deref()) {
        true => {
            let found = app.served_stores.find(&name, true).await;
            found.ok().flatten()
        }
        false => {
            let token = sign_in::presented(&app, &headers);
            Some(Visit::of(&app, name.clone(), token).await?.served_store)
        }
    };
    let answers = match found {
        Some(served_store) => answers(&app, &name, served_store).await,
        None => false,
    };
    match answers {
        true => Ok(Json(json!({ "status": "ready" }))),
        false => Err(not_ready("the store does not answer")),
    }
}

/// True if a store can be read.
async fn answers(app: &App, name: &str, served_store: Arc<ServedStore>) -> bool {
    let label = served_store.label(name).to_owned();
    answered(app, &label, move || served_store.store.version().map(drop)).await
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

/// True if the caller is a program of this machine.
fn is_local(app: &App, peer: Option<&Peer>) -> bool {
    peer.is_some_and(|Peer(address)| address.is_loopback()) && !app.options.behind_proxy
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
    let mut seen: Vec<String> = match is_local(&app, peer.as_deref()) {
        true => served_stores.named.keys().cloned().collect(),
        false => visible_stores(&app, sign_in::presented(&app, &headers)).await,
    };
    if is_local(&app, peer.as_deref()) {
        seen.extend(served_stores.database.as_ref().map(|of| of.label()));
    } else if seen.is_empty() {
        return Err(Problem::unauthorized());
    }
    let mut text = app.metrics.text();
    app.metrics.stores(&mut text, &seen);
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, content_type)], text))
}
