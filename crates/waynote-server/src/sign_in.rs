//! Who asks: the token of a request, and what it grants.

use std::sync::atomic::Ordering;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use jiff::Timestamp;
use waynote::SideData;
use waynote_access::Grant;

use crate::app::Shelf;
use crate::problem::Problem;
use crate::told::Told;

/// The space of side data that has the tokens of a store, each under a key of its own.
const TOKENS: &str = "tokens";

/// The token in a request's header, without the word `Bearer`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim().to_owned())
}

/// Whether a store has tokens, so that it is only for those who have one.
pub(crate) fn has_tokens(store: &Told) -> waynote::Result<bool> {
    Ok(!store.side_values(TOKENS)?.is_empty())
}

/// What the token grants, or what anybody may do with a store that needs none. Blocks.
pub(crate) fn grant(shelf: &Shelf, token: Option<&str>, _now: Timestamp) -> Result<Grant, Problem> {
    if !shelf.needs_token.load(Ordering::Relaxed) {
        if !has_tokens(&shelf.store)? {
            return Ok(Grant::everything());
        }
        shelf.needs_token.store(true, Ordering::Relaxed);
    }
    let _ = token;
    Err(Problem::unauthorized())
}
