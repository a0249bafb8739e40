//! Signed-in browsers: a browser that sent a token gets a cookie, which no script can read and no other site can send.
//!
//! The cookie holds a random number. The store keeps its hash with the id of the token, so that every server of the
//! store knows it. It expires with the token at the latest.

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use waynote::engine::Writing;
use waynote::store::SideValue;
use waynote::text::hex;
use waynote::{Result, SideData};

use crate::access::{TokenInfo, Tokens};

/// The space of the store's side data that holds the page's sessions.
const SPACE: &str = "page sessions";

/// The name of the cookie of a store.
const NAME: &str = "waynote";

/// The most cookies that are looked up.
const MOST_COOKIES: usize = 16;

/// The prefix that tells a cookie's number from a token. No token has a blank.
const MARK: &str = "cookie ";

/// The lifetime of a cookie, in hours.
pub(crate) const HOURS: i64 = 12;

/// The most browsers that are signed in with one token.
const MOST_OF_TOKEN: usize = 16;

/// A signed-in browser, as the store keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
    token: String,
    until: Timestamp,
}

/// The numbers in a request's cookies, in the form that [`token`] takes; none without a cookie. A browser may send one
/// for each path.
pub(crate) fn presented(headers: &HeaderMap) -> Option<String> {
    let all = cookies(headers).filter(|(name, _)| *name == NAME);
    let numbers: Vec<&str> = all.map(|(_, number)| number).take(MOST_COOKIES).collect();
    (!numbers.is_empty()).then(|| format!("{MARK}{}", numbers.join(" ")))
}

/// The names and the values of a request's cookies.
pub(super) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let all = headers.get_all(COOKIE).into_iter();
    let all = all.filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
}

/// The numbers of cookies; none for a token.
pub(crate) fn number(presented: &str) -> Option<&str> {
    presented.strip_prefix(MARK)
}

/// The token that one of these numbers was signed in with, as it is now. None if the session or the token has expired.
///
/// # Errors
/// As [`SideData::side_values`].
pub(crate) fn token(
    side: &impl SideData,
    numbers: &str,
    now: Timestamp,
) -> Result<Option<TokenInfo>> {
    let keys: Vec<String> = numbers.split(' ').map(key).collect();
    let values = side.side_values(SPACE)?;
    let mut found = values.iter().filter(|value| keys.contains(&value.key));
    match found.find_map(|value| kept(value).filter(|kept| kept.until > now)) {
        Some(kept) => Tokens::new(side).of_id(&kept.token, now),
        None => Ok(None),
    }
}

/// Signs in with the token of this id, and returns the number for the cookie.
///
/// # Errors
/// As [`SideData::put_side_values`].
pub(crate) fn begin(
    side: &impl SideData,
    token: &str,
    now: Timestamp,
    random: [u8; 32],
) -> Result<String> {
    let number = hex(&random);
    let (over, signed_in): (Vec<_>, Vec<_>) = side
        .side_values(SPACE)?
        .into_iter()
        .map(|value| (kept(&value), value.key))
        .partition(|(kept, _)| kept.as_ref().is_none_or(|kept| kept.until <= now));
    let mut over: Vec<String> = over.into_iter().map(|(_, key)| key).collect();
    let mut of_token: Vec<(Timestamp, String)> = signed_in
        .into_iter()
        .filter_map(|(kept, key)| Some((kept?, key)))
        .filter(|(kept, _)| kept.token == token)
        .map(|(kept, key)| (kept.until, key))
        .collect();
    // The oldest ones make room.
    of_token.sort();
    let too_many = (of_token.len() + 1).saturating_sub(MOST_OF_TOKEN);
    over.extend(of_token.into_iter().take(too_many).map(|(_, key)| key));
    let kept = Kept {
        token: token.to_owned(),
        until: now + SignedDuration::from_hours(HOURS),
    };
    let value = SideValue::new(key(&number), serde_json::to_vec(&kept).unwrap_or_default());
    side.put_side_values(SPACE, &[value], &over, Writing::Relaxed)?;
    Ok(number)
}

/// Signs out.
///
/// # Errors
/// As [`SideData::put_side_values`].
pub(crate) fn end(side: &impl SideData, numbers: &str) -> Result<()> {
    let keys: Vec<String> = numbers.split(' ').map(key).collect();
    side.put_side_values(SPACE, &[], &keys, Writing::Relaxed)
}

/// The header that sets a browser's cookie, or deletes it if there is no number.
pub(super) fn cookie(number: Option<&str>, path: &str, is_secure: bool) -> String {
    let (value, seconds) = match number {
        Some(number) => (number, HOURS * 3600),
        None => ("", 0),
    };
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{NAME}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

fn key(number: &str) -> String {
    hex(&Sha256::digest(number))
}

fn kept(value: &SideValue) -> Option<Kept> {
    serde_json::from_slice(&value.value).ok()
}
