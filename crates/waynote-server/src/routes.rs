//! All routes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
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
        .fallback(async || Problem::not_found())
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
        .layer(DefaultBodyLimit::max(body_bytes))
        .layer(from_fn_with_state(app.clone(), edge::pass))
        .with_state(app)
}
