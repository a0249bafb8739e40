//! Authentication: the token of a request, and what it grants.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use jiff::{Timestamp, civil, tz::TimeZone};
use waynote_access::{Grant, Line, Refusal, Tokens, VerifiedToken, Watch};

use crate::app::{App, AppState, ServedStore};
use crate::page::signed;
use crate::problem::{Answer, Problem};
use crate::visit::waiting;

/// The credential of a request: the token of its header, without the word `Bearer`; or the cookie of a browser that is
/// signed in, or that opened the link.
pub(crate) fn presented(app: &AppState, headers: &HeaderMap) -> Option<String> {
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

/// The grant of the token as it is now, or the grant of anybody if the store needs no token.
///
/// In a file of this machine, a token is looked up in less time than a thread takes to wake up, so that is done here.
/// Network access and writes run on a thread that may block.
pub(crate) async fn grant(app: &App, name: &str, token: Option<String>) -> Answer<Grant> {
    let shelf = app.shelves.get(name).ok_or_else(Problem::no_such_store)?;
    let now = app.now();
    let found = if shelf.is_file {
        look_up(shelf, token.as_deref(), now)
    } else {
        let (app, name) = (app.clone(), name.to_owned());
        waiting(move || {
            let shelf = app.shelves.get(&name).ok_or_else(Problem::no_such_store)?;
            look_up(shelf, token.as_deref(), now)
        })
        .await?
    };
    match found? {
        TokenLookup::Granted(grant) => Ok(grant),
        TokenLookup::Token(checked) => {
            let today = TimeZone::UTC.to_datetime(now).date();
            if shelf.used.is_first(&checked.id, today) {
                let (store, id) = (shelf.store.clone(), checked.id);
                // A token counts even if the store cannot be written now.
                let _ = waiting(move || Tokens::new(&store).used(&id, today)).await?;
            }
            Ok(checked.grant)
        }
        TokenLookup::Refused(line) => {
            let audit = shelf.audit.clone();
            waiting(move || audit.saw(line)).await?;
            Err(Problem::unauthorized())
        }
    }
}

/// The result of a look-up of a token.
enum TokenLookup {
    /// The request is granted without a token, or with a cookie.
    Granted(Grant),
    /// The token is one of the store's.
    Token(VerifiedToken),
    /// The token does not count.
    Refused(Line),
}

/// Looks a token up. Reads only.
fn look_up(shelf: &ServedStore, token: Option<&str>, now: Timestamp) -> Answer<TokenLookup> {
    if !shelf.needs_token.load(Ordering::Relaxed) {
        if !Tokens::new(&shelf.store).is_closed()? {
            return Ok(TokenLookup::Granted(Grant::everything()));
        }
        shelf.needs_token.store(true, Ordering::Relaxed);
    }
    let refused = |call, token, detail: String| {
        Ok(TokenLookup::Refused(Line {
            call,
            token,
            refused: true,
            detail,
        }))
    };
    let Some(token) = token else {
        return refused("no token", None, "the request has no token".into());
    };
    if shelf.link.as_ref().is_some_and(|link| link.is_known(token)) {
        return Ok(TokenLookup::Granted(Grant::everything()));
    }
    if let Some(number) = signed::number(token) {
        return match signed::grant(&shelf.store, number, now)? {
            Some(grant) => Ok(TokenLookup::Granted(grant)),
            None => {
                let detail = "nobody is signed in with this cookie";
                refused("sign in", None, detail.into())
            }
        };
    }
    match Tokens::new(&shelf.store).check(token, now)? {
        Ok(checked) => Ok(TokenLookup::Token(checked)),
        Err(refusal) => {
            let name = match &refusal {
                Refusal::Expired { name } => Some(name.clone()),
                _ => None,
            };
            refused("sign in", name, refusal.words())
        }
    }
}

/// The tokens that were used today, so that the day of a use is noted once.
#[derive(Default)]
pub(crate) struct UsedToday(Mutex<(civil::Date, BTreeSet<String>)>);

impl UsedToday {
    /// True if it is the first use of this token on that day.
    fn is_first(&self, id: &str, today: civil::Date) -> bool {
        let mut used = self.0.lock();
        if used.0 != today {
            *used = (today, BTreeSet::new());
        }
        !used.1.contains(id) && used.1.insert(id.to_owned())
    }
}
