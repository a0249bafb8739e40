//! Authentication: the token of a request, and what it grants.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use jiff::{Timestamp, civil, tz::TimeZone};
use waynote::Reader;

use crate::access::{Grant, Tokens};
use crate::app::{App, AppState};
use crate::page::signed;
use crate::problem::{Answer, Problem};
use crate::served_stores::ServedStore;
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
pub(crate) async fn grant(
    app: &App,
    name: &str,
    served_store: &Arc<ServedStore>,
    token: Option<String>,
) -> Answer<Grant> {
    let now = app.now();
    // A browser's form has noted the use already: a page that is only looked at writes nothing.
    let is_cookie = token.as_deref().and_then(signed::number).is_some();
    // Then nothing is looked up.
    let is_refused = token.is_none() && served_store.needs_token.load(Ordering::Relaxed);
    let found = if is_refused || served_store.file.is_some() {
        look_up(served_store, token.as_deref(), now)
    } else {
        let of = served_store.clone();
        waiting(move || look_up(&of, token.as_deref(), now)).await?
    };
    let found = found.map_err(|error| Problem::of_store(&error, name))?;
    let grant = found.ok_or_else(Problem::unauthorized)?;
    if let Some(token) = grant.token.as_ref().filter(|_| !is_cookie) {
        note_use(served_store, &token.id, now).await?;
    }
    Ok(grant)
}

/// Notes that a token was used today. A token counts even if its store cannot be written now.
async fn note_use(served_store: &ServedStore, id: &str, now: Timestamp) -> Answer<()> {
    let today = TimeZone::UTC.to_datetime(now).date();
    if served_store.used.is_first(id, today) {
        let (id, store) = (id.to_owned(), served_store.store.clone());
        let _ = waiting(move || Tokens::new(&store).used(&id, today)).await?;
    }
    Ok(())
}

/// Looks a token up: what it grants; none if there is no token, or if it does not count. Reads only.
fn look_up(
    served_store: &ServedStore,
    token: Option<&str>,
    now: Timestamp,
) -> waynote::Result<Option<Grant>> {
    if !served_store.needs_token.load(Ordering::Relaxed) {
        if !Tokens::new(&served_store.store).is_closed()? {
            return Ok(Some(Grant::everything()));
        }
        served_store.needs_token.store(true, Ordering::Relaxed);
    }
    let Some(token) = token else {
        return Ok(None);
    };
    let link = served_store.link.get();
    if link.is_some_and(|link| link.is_known(token)) {
        return Ok(Some(Grant::everything()));
    }
    let found = match signed::number(token) {
        Some(number) => signed::token(&served_store.store, number, now)?,
        None => Tokens::new(&served_store.store).check(token, now)?,
    };
    if found.is_some() {
        // So that whoever asks later need not wait for it.
        served_store.store.is_shared()?;
    }
    Ok(found.map(Grant::of))
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
