//! The OpenAPI document of the API.

use std::sync::OnceLock;

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::Value;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Written, PathItem};
use utoipa::{Modify, OpenApi};

use super::completed;

/// What the document says of the whole API.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "waynote",
        description = "Durable notes that language-model agents, and the people who run them, leave for later runs: one store of them.",
        license(name = "MIT OR Apache-2.0")
    ),
    servers((
        url = "/s/{store}/api/v1",
        variables(("store" = (default = "default", description = "The name of the store")))
    )),
    security((), ("token" = [])),
    modifiers(&Token)
)]
pub(crate) struct Document;

/// How a request signs in, where the store has tokens.
struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut Written) {
        let components = document.components.get_or_insert_default();
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("token", scheme);
    }
}

/// The document of all routes.
fn document() -> Value {
    let mut document = super::routes().split_for_parts().1;
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(id(method, path));
        }
    }
    // Nothing in it fails to be written as JSON.
    let mut document = serde_json::to_value(document).unwrap_or_default();
    completed::complete(&mut document);
    document
}

/// The methods of a path.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let all = [
        ("get", &mut item.get),
        ("put", &mut item.put),
        ("post", &mut item.post),
        ("patch", &mut item.patch),
        ("delete", &mut item.delete),
    ];
    all.into_iter()
        .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// A name that no other operation has: `get_notes_address_history`.
fn id(method: &str, path: &str) -> String {
    let words = path.split(|char: char| !char.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    [method]
        .into_iter()
        .chain(words)
        .collect::<Vec<_>>()
        .join("_")
}

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "store",
    security(()),
    responses((status = 200, description = "The document, as OpenAPI 3.1", body = Value))
)]
pub(crate) async fn openapi() -> impl IntoResponse {
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    let text = TEXT.get_or_init(|| {
        let text = serde_json::to_string_pretty(&document());
        text.unwrap_or_default().into()
    });
    ([(CONTENT_TYPE, "application/json")], text.clone())
}
