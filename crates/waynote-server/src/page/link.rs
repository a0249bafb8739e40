//! The one-time link of a server for one person: the first browser that opens it gets a cookie, and no other gets in.
//!
//! Cookies do not distinguish ports, so a browser may send this one to another user's server on 127.0.0.1. If the
//! system tells the user of a connection, connections of other users are closed before anything is read (`edge::user`).

use parking_lot::Mutex;
use waynote::text::hex;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header::{HeaderMap, HeaderName, HeaderValue, SET_COOKIE};
use axum::http::{Method, Response, StatusCode};
use axum::routing::get;
use maud::html;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::signed::cookies;
use super::{answer, shell};
use crate::app::App;

/// The prefix that tells a cookie's number from a token. No token has a blank.
const MARK: &str = "link ";

/// The path of the link.
const PATH: &str = "/open";

/// Leads on from a page that was shown. A redirection would not work: a browser that comes from a file or another site
/// does not send a cookie that it got during redirections.
const REFRESH: HeaderName = HeaderName::from_static("refresh");

/// The header of a browser's prefetch: no person has opened the page.
const PURPOSE: HeaderName = HeaderName::from_static("sec-purpose");

/// The one-time link and its cookie.
pub(crate) struct Link {
    /// The cookie's name. It contains the port, so that two servers of one person have different cookies.
    name: String,
    /// The secret in the link, until the link is opened.
    secret: Mutex<Option<String>>,
    /// The number in the cookie.
    number: String,
}

impl Link {
    /// A link to a server on this port.
    pub(crate) fn new(port: u16, random: &[u8; 64]) -> Self {
        let (secret, number) = random.split_at(32);
        Self {
            name: format!("waynote-{port}"),
            secret: Mutex::new(Some(hex(secret))),
            number: hex(number),
        }
    }

    /// The path with the secret, until the link is opened.
    pub(crate) fn path(&self) -> Option<String> {
        let secret = self.secret.lock();
        Some(format!("{PATH}?key={}", secret.as_ref()?))
    }

    /// True if this key opens the link, which works once.
    fn opens(&self, key: &str) -> bool {
        let mut secret = self.secret.lock();
        let is_it = secret.as_ref().is_some_and(|secret| is_same(secret, key));
        if is_it {
            *secret = None;
        }
        is_it
    }

    /// The cookie of a request as it is handed to [`Self::is_known`], if it has this server's.
    pub(crate) fn presented(&self, headers: &HeaderMap) -> Option<String> {
        let mut own = cookies(headers).filter(|(name, _)| *name == self.name);
        Some(format!("{MARK}{}", own.next()?.1))
    }

    /// True if this is the cookie of the browser that opened the link.
    pub(crate) fn is_known(&self, presented: &str) -> bool {
        let number = presented.strip_prefix(MARK);
        number.is_some_and(|number| is_same(&self.number, number))
    }

    fn cookie(&self) -> String {
        format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict",
            self.name, self.number
        )
    }
}

/// True if both texts are the same. The time it takes does not tell where they differ.
fn is_same(one: &str, other: &str) -> bool {
    Sha256::digest(one) == Sha256::digest(other)
}

/// The route of the link. Without a link, there is none.
pub(crate) fn link(app: &App) -> Router<App> {
    match app.link() {
        Some(_) => Router::new().route(PATH, get(open)),
        None => Router::new(),
    }
}

#[derive(Deserialize)]
struct Key {
    #[serde(default)]
    key: String,
}

async fn open(
    method: Method,
    State(app): State<App>,
    Query(Key { key }): Query<Key>,
    headers: HeaderMap,
) -> Response<Body> {
    let Some(link) = app.link() else {
        return not_open();
    };
    // A prefetch must not use the link up.
    let purpose = headers.get(&PURPOSE).and_then(|of| of.to_str().ok());
    let is_early = purpose.is_some_and(|of| of.contains("prefetch") || of.contains("prerender"));
    let is_in = || {
        let presented = link.presented(&headers);
        presented.is_some_and(|presented| link.is_known(&presented))
    };
    let is_early = is_early || method != Method::GET;
    if is_early || !(is_in() || link.opens(&key)) {
        return not_open();
    }
    let main = html! {
        h1 { "The notes" }
        p { a href="/" { "Open the page" } }
    };
    let mut response = answer::page(StatusCode::OK, shell::plain("The notes", &main));
    let headers = response.headers_mut();
    headers.insert(REFRESH, HeaderValue::from_static("0; url=/"));
    if let Ok(cookie) = HeaderValue::from_str(&link.cookie()) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

/// The answer to a request with neither cookie nor link.
pub(crate) fn not_open() -> Response<Body> {
    let main = html! {
        h1 { "This page is open in another browser" }
        p { "The link that " code { "waynote ui" } " prints works once, and only the browser that opened it gets in." }
        p { "For another one, end " code { "waynote ui" } " with Ctrl-C and start it again." }
    };
    answer::page(StatusCode::UNAUTHORIZED, shell::plain("Not open", &main))
}
