//! Who asks: the token of a request, and what it grants.

use std::sync::atomic::Ordering;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE as COOKIES};
use jiff::Timestamp;
use waynote_access::{Grant, Line, Refusal, Tokens, Watch};

use crate::app::Shelf;
use crate::problem::Problem;
use crate::told::Told;

/// The token in a request's header, without the word `Bearer`.
fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim().to_owned())
}

/// The cookie that has the token of a person who signed in on the page. It is to be set with `HttpOnly`,
/// `SameSite=Strict` and the path of the store, and with `Secure` where the server is reached over TLS.
pub(crate) const COOKIE: &str = "waynote_token";

/// The token that a request comes with: in its header, or in the cookie of a browser.
pub(crate) fn presented(headers: &HeaderMap) -> Option<String> {
    if headers.contains_key(AUTHORIZATION) {
        return bearer(headers);
    }
    let cookies = headers.get_all(COOKIES).into_iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';'));
    pairs.find_map(|pair| {
        let (name, token) = pair.trim().split_once('=')?;
        (name == COOKIE).then(|| token.to_owned())
    })
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
