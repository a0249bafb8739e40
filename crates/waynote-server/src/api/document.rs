//! Writes the OpenAPI document of the API, which the server embeds.

mod completed;

use std::path::Path;

use serde_json::Value;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Written, PathItem};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;

use super::*;

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
struct Document;

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
    let mut router = OpenApiRouter::<App>::with_openapi(Document::openapi());
    macro_rules! describe {
        ($($handler:path),+ $(,)?) => {$(
            router = router.routes(utoipa_axum::routes!($handler));
        )+};
    }
    handlers!(describe);
    let mut document = router.split_for_parts().1;
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(id(method, path));
        }
    }
    let mut document = serde_json::to_value(document).unwrap();
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

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "tests may look at the environment"
)]
fn the_document_in_the_docs_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let written = format!("{:#}\n", document());
    if std::env::var("WAYNOTE_UPDATE_DOCS").is_ok() {
        std::fs::write(&path, &written).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).is_ok_and(|text| text == written),
        "docs/openapi.json is out of date: run `WAYNOTE_UPDATE_DOCS=1 cargo test -p waynote-server the_document`"
    );
}
