//! The endpoints for liveness, readiness and metrics.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Extension, Json, Router};
use futures_util::future::{join, join_all};
use serde_json::json;
use waynote::{Error, Reader};

use crate::app::App;
use crate::database_health::{DatabaseAway, DatabaseHealth, LOOK};
use crate::problem::{Answer, Problem};
use crate::served_stores::ServedStore;
use crate::visible_stores::VisibleStores;
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

/// Answers whether the server can serve: one store that cannot be read does not take the others from their readers. The
/// answer goes to anybody, so only the log names such a store.
async fn ready(State(app): State<App>) -> Answer<impl IntoResponse> {
    if app.stopper.is_stopped() {
        return Err(not_ready("the server is stopping"));
    }
    let named = app.served_stores.named.iter();
    let named = named.map(|(name, served_store)| answers(&app, name, served_store.clone()));
    let databases = app.served_stores.databases.iter().map(|database| {
        let stores = database.stores.clone();
        answered(&app, &database.label, Some(&database.health), move || {
            stores.names("", 1).map(drop)
        })
    });
    let (mut answers, databases) = join(join_all(named), join_all(databases)).await;
    answers.extend(databases);
    let status = match (answers.contains(&true), answers.contains(&false)) {
        (true, true) => "partly ready",
        (true, false) => "ready",
        (false, _) => return Err(not_ready("no store answers")),
    };
    Ok(Json(json!({ "status": status })))
}

/// Answers whether one store can be read. A store that is not there does not answer either. Stores of databases are not
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
        // With any token, also one that nobody has, it is looked for.
        true => {
            let found = app.served_stores.find(&app, &name, Some("")).await;
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
    let (label, health) = (
        served_store.label(name).to_owned(),
        served_store.health.clone(),
    );
    let version = move || served_store.store.version().map(drop);
    answered(app, &label, health.as_deref(), version).await
}

/// True if a call of a store or of a database has a result in time.
async fn answered(
    app: &App,
    label: &str,
    health: Option<&DatabaseHealth>,
    call: impl FnOnce() -> waynote::Result<()> + Send + 'static,
) -> bool {
    let (of, called) = (app.clone(), label.to_owned());
    let call = move || {
        let began = Instant::now();
        let answer = call();
        of.metrics
            .call(&called, began.elapsed(), answer.as_ref().err());
        answer
    };
    let answer = async {
        match health {
            Some(health) => health.ask(false, call).await,
            None => waiting(call).await,
        }
    };
    let failed = match tokio::time::timeout(LOOK, answer).await {
        Ok(Ok(Ok(_))) => return true,
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
    let presented = sign_in::presented(&app, &headers);
    let seen = match is_local(&app, peer.as_deref()) {
        true => VisibleStores {
            named: served_stores.named.keys().cloned().collect(),
            databases: served_stores.databases.clone(),
        },
        false => VisibleStores::of(&app, presented.clone()).await,
    };
    if seen.is_empty() {
        // It is not known whether the token counts.
        let is_away = served_stores.health().any(|health| !health.is_up());
        return Err(match presented.is_some() && is_away {
            true => Problem::from(Error::from(DatabaseAway)),
            false => Problem::unauthorized(),
        });
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
    let pools = seen.named.iter().filter_map(|name| {
        let database = served_stores.named.get(name)?.database.as_ref()?;
        Some((name.as_str(), database.pool()?))
    });
    let databases = seen.databases.iter();
    let of_databases = databases.map(|of| (of.label.as_str(), of.stores.pool()));
    let pools: BTreeMap<_, _> = pools.chain(of_databases).collect();
    let labels = seen.databases.iter().map(|of| &of.label);
    let labels: Vec<&String> = seen.named.iter().chain(labels).collect();
    app.metrics.stores(&mut text, &labels, &pools);
    let opened = served_stores.all().len() - served_stores.named.len();
    if !seen.databases.is_empty() {
        let help = "Stores of databases that are open.";
        metrics::one(&mut text, "waynote_stores_open", "gauge", help, opened);
    }
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, content_type)], text))
}
