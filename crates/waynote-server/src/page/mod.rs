//! What a person sees in the browser: `/s/{store}/…`.

use axum::Router;

use crate::app::App;

/// The routes below `/s/{store}`.
pub(crate) fn router() -> Router<App> {
    Router::new()
}

/// The routes of no store: `/`, and the files of the page.
pub(crate) fn root() -> Router<App> {
    Router::new()
}
