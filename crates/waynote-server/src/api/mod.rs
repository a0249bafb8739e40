//! The JSON API of a store: `/s/{store}/api/v1/…`.
//!
//! Each handler has its route and its part of the OpenAPI document in `#[utoipa::path]`. A route that is added to
//! [`routes`] is served and documented.

mod batch;
mod changes;
mod changes_of_notes;
mod completed;
mod context;
mod cursor;
mod document;
mod notes;
mod parts;
mod resource;
mod search;
mod sessions;
mod store;
mod tokens;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response};
use axum::middleware::map_response;
use jiff::Timestamp;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use waynote::wire;

use crate::app::App;
use crate::problem::{Answer, Problem};

/// The routes below `/s/{store}/api/v1`.
pub(crate) fn router() -> Router<App> {
    routes()
        .split_for_parts()
        .0
        .layer(map_response(with_version))
}

/// Adds a header with the version of the API to every answer.
async fn with_version(mut response: Response<Body>) -> Response<Body> {
    let name = HeaderName::from_static(wire::VERSION_HEADER);
    let version = HeaderValue::from(wire::VERSION);
    response.headers_mut().insert(name, version);
    response
}

/// The routes with their documents.
fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(document::Document::openapi())
        .routes(routes!(notes::list))
        .routes(routes!(
            notes::get,
            changes_of_notes::save,
            changes_of_notes::pin,
            changes_of_notes::delete
        ))
        .routes(routes!(notes::history))
        .routes(routes!(changes_of_notes::undo))
        .routes(routes!(changes_of_notes::redo))
        .routes(routes!(changes_of_notes::restore))
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::add))
        .routes(routes!(sessions::events, sessions::record))
        .routes(routes!(store::scopes))
        .routes(routes!(store::journal))
        .routes(routes!(search::search))
        .routes(routes!(context::context))
        .routes(routes!(changes::changes))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(tokens::log))
        .routes(routes!(batch::read))
        .routes(routes!(batch::as_of))
        .routes(routes!(batch::search))
        .routes(routes!(batch::apply))
        .routes(routes!(batch::record))
        .routes(routes!(batch::forget))
        .routes(routes!(batch::context))
        .routes(routes!(batch::beat))
        .routes(routes!(batch::silence))
        .routes(routes!(batch::verify))
        .routes(routes!(document::openapi))
}

/// A time in a request.
fn time(text: &str) -> Answer<Timestamp> {
    text.parse().map_err(|_| {
        let text = waynote::error::safe(text);
        Problem::bad_request(format!("`{text}` is not a time"))
            .hint("write it as 2026-05-17T12:00:00Z")
    })
}
