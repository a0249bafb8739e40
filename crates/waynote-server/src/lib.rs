//! The HTTP server: a JSON API, an MCP endpoint, a change feed and a page for the browser, over one or several stores.

mod stores;

pub use stores::{Served, Stores};
