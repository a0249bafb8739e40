//! The document of the API.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "store",
    security(()),
    responses((status = 200, description = "The document, as OpenAPI 3.1", body = serde_json::Value))
)]
pub(super) async fn openapi() -> impl IntoResponse {
    let text = include_str!("../../openapi.json").trim_end();
    ([(CONTENT_TYPE, "application/json")], text)
}
