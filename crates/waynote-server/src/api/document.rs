//! The OpenAPI document of the API.

use axum::body::Body;
use axum::http::Response;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Written;

/// What the document says of the whole API.
#[derive(OpenApi)]
#[openapi(info(
    title = "waynote",
    description = "Durable notes that language-model agents, and the people who run them, leave for later runs: one store of them.",
    license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
))]
pub(crate) struct Document;

/// The document as it is served.
#[derive(Clone)]
pub(crate) struct Text(axum::body::Bytes);

impl Text {
    pub(crate) fn of(document: &Written) -> Self {
        // Nothing in it fails to be written as JSON.
        Self(document.to_pretty_json().unwrap_or_default().into())
    }
}

impl IntoResponse for Text {
    fn into_response(self) -> Response<Body> {
        ([(CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}
