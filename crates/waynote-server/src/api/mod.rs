//! The JSON API of a store: `/s/{store}/api/v1/…`.
//!
//! Each handler has its route and its part of the OpenAPI document in `#[utoipa::path]`; a route is added to [`routes`],
//! and is then served and documented.

mod document;
mod store;

use axum::Router;
use axum::routing::get;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

/// The routes below `/s/{store}/api/v1`.
pub(crate) fn router() -> Router<App> {
    let (router, document) = routes().split_for_parts();
    let document = document::Text::of(&document);
    router.route("/openapi.json", get(async move || document.clone()))
}

/// The routes with their documents.
fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(document::Document::openapi()).routes(routes!(store::scopes))
}
