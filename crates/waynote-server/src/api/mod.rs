//! The JSON API of a store: `/s/{store}/api/v1/…`.
//!
//! Each handler has its route and its part of the OpenAPI document in `#[utoipa::path]`. A handler that is added to the
//! list below is served and documented: `docs/openapi.json` is written from it by a test, and served as it is.

mod batch;
mod changes;
mod changes_of_notes;
mod context;
mod cursor;
mod notes;
mod openapi;
mod parts;
mod resource;
mod search;
mod sessions;

pub(crate) use parts::IDEMPOTENCY_KEY;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response};
use axum::middleware::map_response;
use axum::routing::MethodRouter;
use jiff::Timestamp;
use utoipa_axum::PathItemExt;
use waynote::wire;

use crate::app::App;
use crate::problem::{Answer, Problem};

/// Hands all handlers to a macro. Each has its path and its method in its `#[utoipa::path]`.
macro_rules! handlers {
    ($each:ident) => {
        $each!(
            notes::list,
            notes::get,
            changes_of_notes::save,
            changes_of_notes::delete,
            notes::history,
            changes_of_notes::undo,
            sessions::list,
            sessions::add,
            search::search,
            context::context,
            changes::changes,
            batch::read,
            batch::as_of,
            batch::search,
            batch::apply,
            batch::record,
            batch::forget,
            batch::context,
            batch::beat,
            batch::silence,
            batch::verify,
            openapi::openapi,
        )
    };
}

// Below the list, which it takes.
#[cfg(test)]
mod document;

/// The routes below `/s/{store}/api/v1`.
pub(crate) fn router() -> Router<App> {
    let mut router = Router::new();
    // The schemas of the document are not asked for: a server that made them at its start would carry their code.
    macro_rules! serve {
        ($($module:ident::$handler:ident),+ $(,)?) => {$(utoipa_axum::paste! {
            let methods = <$module::[<__path_ $handler>] as utoipa::Path>::methods();
            let served = methods.iter().fold(MethodRouter::new(), |served, method| {
                served.on(method.to_method_filter(), $module::$handler)
            });
            router = router.route(&<$module::[<__path_ $handler>] as utoipa::Path>::path(), served);
        })+};
    }
    handlers!(serve);
    router.layer(map_response(with_version))
}

/// Adds a header with the version of the API to every answer.
async fn with_version(mut response: Response<Body>) -> Response<Body> {
    let name = HeaderName::from_static(wire::VERSION_HEADER);
    let version = HeaderValue::from(wire::VERSION);
    response.headers_mut().insert(name, version);
    response
}

/// A time in a request.
fn time(text: &str) -> Answer<Timestamp> {
    text.parse().map_err(|_| {
        let text = waynote::error::safe(text);
        Problem::bad_request(format!("`{text}` is not a time"))
            .hint("write it as 2026-05-17T12:00:00Z")
    })
}
