//! The MCP endpoint of a store: `/s/{store}/mcp`.

use axum::Router;

use crate::app::App;

pub(crate) fn router() -> Router<App> {
    Router::new()
}
