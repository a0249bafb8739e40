//! The outermost layer of every request: the check of its origin, its deadline, its line in the log and its metrics.

use std::time::Instant;

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::Response;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::Next;
use axum::response::IntoResponse;

use waynote::Name;
use waynote::wire::{HOLDER_HEADER, PROBLEM, SHARED_HEADER};

use crate::app::App;
use crate::edge::origin;
use crate::log::RequestLine;
use crate::problem::{Cause, Problem};
use crate::visit::Caller;

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Checks a request, passes it to its handler, and adds everything that is the same for all answers.
pub(crate) async fn pass(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let began = Instant::now();
    let id = app.request_id();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let caller = Caller::default();
    request.extensions_mut().insert(caller.clone());

    let response = match origin::check(&app, &request) {
        Err(problem) => problem.into_response(),
        Ok(()) => {
            let answer = tokio::time::timeout(app.options.limits.handler_time, next.run(request));
            match answer.await {
                Ok(response) => as_problem(response),
                Err(_) => Problem::timed_out().into_response(),
            }
        }
    };
    let mut response = with_headers(response, &id, app.options.tls.is_some());
    let caller = caller.0.get();
    if let Some(holder) = caller.and_then(|caller| caller.holder.as_ref())
        && let Ok(holder) = HeaderValue::from_bytes(holder.as_str().as_bytes())
    {
        response.headers_mut().insert(HOLDER_HEADER, holder);
    }
    if caller.is_some_and(|caller| caller.is_shared) {
        let shared = HeaderValue::from_static("true");
        response.headers_mut().insert(SHARED_HEADER, shared);
    }
    let route = route.as_ref().map_or("unknown", MatchedPath::as_str);
    let took = began.elapsed();
    let status = response.status().as_u16();
    app.metrics.request(route, status, took);
    if let Some(Cause(cause)) = response.extensions().get() {
        app.log_event("store_failed", format!("{id}: {cause}"));
    }
    app.log.line(&RequestLine {
        time: app.now().to_string(),
        id: &id,
        method: method.as_str(),
        route,
        status,
        ms: (took.as_secs_f64() * 1e6).round() / 1e3,
        bytes: response.body().size_hint().exact(),
        store: caller.map(|caller| caller.store.as_str()),
        token: caller
            .and_then(|caller| caller.token.as_ref())
            .map(Name::as_str),
    });
    response
}

/// Gives an error answer the form of all errors, unless it has one already.
fn as_problem(response: Response<Body>) -> Response<Body> {
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let is_told = content_type.is_some_and(|of| {
        of.starts_with(PROBLEM) || of.starts_with("text/html") || of.starts_with("application/json")
    });
    if is_told {
        return response;
    }
    let mut told = Problem::of_status(status).into_response();
    // Headers such as `Allow`.
    for (name, value) in response.headers() {
        if !told.headers().contains_key(name) && name != "content-length" {
            told.headers_mut().append(name, value.clone());
        }
    }
    told
}

fn with_headers(mut response: Response<Body>, id: &str, has_tls: bool) -> Response<Body> {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Pages of other sites get nothing, not even as a picture.
    headers.insert(
        CROSS_ORIGIN_RESOURCE_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    if has_tls {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(STRICT_TRANSPORT_SECURITY, year);
    }
    // Notes must not be cached on the way.
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}
