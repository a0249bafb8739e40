//! Who asks: the token of a request, and what it grants.

use std::sync::atomic::Ordering;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use jiff::Timestamp;
use waynote_access::{Grant, Line, Refusal, Tokens, Watch};

use crate::app::Shelf;
use crate::page::signed;
use crate::problem::Problem;
use crate::told::Told;

/// The token that a request comes with: in its header, without the word `Bearer`; or the cookie of a browser that is
/// signed in.
pub(crate) fn presented(headers: &HeaderMap) -> Option<String> {
    let Some(value) = headers.get(AUTHORIZATION) else {
        return signed::presented(headers);
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim().to_owned())
}

/// Whether a store has tokens, so that it is only for those who have one.
pub(crate) fn has_tokens(store: &Told) -> waynote::Result<bool> {
    Ok(!Tokens::new(store).is_empty()?)
}

/// What the token grants, or what anybody may do with a store that needs none. Blocks.
pub(crate) fn grant(shelf: &Shelf, token: Option<&str>, now: Timestamp) -> Result<Grant, Problem> {
    if !shelf.needs_token.load(Ordering::Relaxed) {
        if !has_tokens(&shelf.store)? {
            return Ok(Grant::everything());
        }
        shelf.needs_token.store(true, Ordering::Relaxed);
    }
    let Some(token) = token else {
        return Err(Problem::unauthorized());
    };
    if let Some(number) = signed::number(token) {
        let grant = signed::grant(&shelf.store, number, now)?;
        return grant.ok_or_else(Problem::unauthorized);
    }
    match Tokens::new(&shelf.store).check(token, now)? {
        Ok(checked) => Ok(checked.grant),
        Err(refusal) => {
            let token = match &refusal {
                Refusal::Expired { name } => Some(name.clone()),
                _ => None,
            };
            shelf.audit.saw(Line {
                call: "sign in",
                token,
                refused: true,
                detail: refusal.words(),
            });
            Err(Problem::unauthorized())
        }
    }
}
