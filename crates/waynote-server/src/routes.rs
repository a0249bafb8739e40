//! All routes.

use axum::Router;
use axum::extract::{DefaultBodyLimit, OriginalUri};
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;

use crate::app::App;
use crate::problem::Problem;
use crate::{api, edge, health, mcp, page};

pub(crate) fn router(app: App) -> Router {
    let body_bytes = match app.options.limits.body_bytes {
        0 => usize::MAX,
        bytes => bytes,
    };
    Router::new()
        .merge(health::router())
        .merge(page::root())
        .merge(page::link::link(&app))
        .nest("/s/{store}", page::router().merge(mcp::router()))
        .nest("/s/{store}/api/v1", api::router())
        .fallback(async |OriginalUri(uri): OriginalUri, headers: HeaderMap| {
            page::not_taken(Problem::not_found(), &uri, &headers)
        })
        .method_not_allowed_fallback(async |OriginalUri(uri): OriginalUri, headers: HeaderMap| {
            page::not_taken(Problem::method_not_allowed(), &uri, &headers)
        })
        .layer(DefaultBodyLimit::max(body_bytes))
        .layer(from_fn_with_state(app.clone(), edge::pass))
        .with_state(app)
}
