//! Who asks: the token of a request, and what it grants.

use std::sync::atomic::Ordering;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use jiff::Timestamp;
use waynote_access::{Grant, Line, Refusal, Tokens, Watch};

use crate::app::{Shared, Shelf};
use crate::page::signed;
use crate::problem::Problem;
use crate::told::Told;

/// The token that a request comes with: in its header, without the word `Bearer`; or the cookie of a browser that is
/// signed in, or that opened the link.
pub(crate) fn presented(app: &Shared, headers: &HeaderMap) -> Option<String> {
    if let Some(cookie) = app.link().and_then(|link| link.presented(headers)) {
        return Some(cookie);
    }
    let Some(value) = headers.get(AUTHORIZATION) else {
        return signed::presented(headers);
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim().to_owned())
}

/// Whether a store is only for those who have a token.
pub(crate) fn is_closed(store: &Told) -> waynote::Result<bool> {
    Tokens::new(store).is_closed()
}

/// Whether it is the cookie of the browser that opened the link.
pub(crate) fn is_by_link(app: &Shared, token: Option<&str>) -> bool {
    let link = app.link();
    link.is_some_and(|link| token.is_some_and(|token| link.is_known(token)))
}

/// Whether somebody could have a token.
pub(crate) fn has_tokens(store: &Told) -> waynote::Result<bool> {
    Ok(!Tokens::new(store).is_empty()?)
}

/// What the token grants, or what anybody may do with a store that needs none. Blocks.
pub(crate) fn grant(shelf: &Shelf, token: Option<&str>, now: Timestamp) -> Result<Grant, Problem> {
    if !shelf.needs_token.load(Ordering::Relaxed) {
        if !is_closed(&shelf.store)? {
            return Ok(Grant::everything());
        }
        shelf.needs_token.store(true, Ordering::Relaxed);
    }
    let refused = |call, token, detail: String| {
        shelf.audit.saw(Line {
            call,
            token,
            refused: true,
            detail,
        });
        Problem::unauthorized()
    };
    let Some(token) = token else {
        let detail = "the request has no token";
        return Err(refused("no token", None, detail.into()));
    };
    if shelf.link.as_ref().is_some_and(|link| link.is_known(token)) {
        return Ok(Grant::everything());
    }
    if let Some(number) = signed::number(token) {
        let grant = signed::grant(&shelf.store, number, now)?;
        let detail = "nobody is signed in with this cookie";
        return grant.ok_or_else(|| refused("sign in", None, detail.into()));
    }
    match Tokens::new(&shelf.store).check(token, now)? {
        Ok(checked) => Ok(checked.grant),
        Err(refusal) => {
            let token = match &refusal {
                Refusal::Expired { name } => Some(name.clone()),
                _ => None,
            };
            Err(refused("sign in", token, refusal.words()))
        }
    }
}
