//! Answers of the page: HTML with a strict policy, redirects, and errors as pages.

use axum::body::Body;
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION,
    REFERRER_POLICY,
};
use axum::http::{HeaderMap, HeaderName, Response, StatusCode, Uri};
use axum::response::IntoResponse;
use maud::{Markup, html};
use waynote::visible::visible;

use super::shell;
use super::words;
use crate::problem::Problem;

/// The content security policy: only resources of this server; no inline script or style; no frame around a page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// A page.
pub(crate) fn page(status: StatusCode, markup: Markup) -> Response<Body> {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        // Not `no-referrer`: then a form's `Origin` would be `null`, and could not be checked.
        (REFERRER_POLICY, "same-origin"),
        (OPENER, "same-origin"),
    ];
    (status, headers, markup.into_string()).into_response()
}

/// The raw text of a note. A browser must not take it for anything but text.
pub(crate) fn text(text: String) -> Response<Body> {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
    ];
    (headers, text).into_response()
}

/// A file of the page. Its name changes with its content, so a browser may cache it forever.
pub(crate) fn file(media: &'static str, text: &'static str) -> Response<Body> {
    let forever = "public, max-age=31536000, immutable";
    ([(CONTENT_TYPE, media), (CACHE_CONTROL, forever)], text).into_response()
}

/// A redirect to another page, by GET.
pub(crate) fn to(path: &str) -> Response<Body> {
    // A path that this server makes is always a valid header. Anything else leads home.
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response()
}

/// An answer of the page. Its errors are pages too.
pub(crate) type Shown = std::result::Result<Response<Body>, Refused>;

/// A problem, shown as a page.
#[derive(Debug)]
pub(crate) struct Refused(Problem);

impl<P: Into<Problem>> From<P> for Refused {
    fn from(problem: P) -> Self {
        Self(problem.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response<Body> {
        refused(&self.0)
    }
}

/// An error of a request that has no view yet.
pub(crate) fn refused(problem: &Problem) -> Response<Body> {
    let main = html! {
        h1 { "This page cannot be shown" }
        (words::problem(problem.detail(), problem.hint_text()))
        p { a href="/" { "To the notes" } }
    };
    page(problem.status, shell::plain("Error", &main))
}

/// An error of a request that no route takes: a page for a person, problem details for a program.
pub(crate) fn not_taken(problem: Problem, uri: &Uri, headers: &HeaderMap) -> Response<Body> {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    let path = uri.path().trim_start_matches("/s/");
    let (store, below) = path.split_once('/').unwrap_or((path, ""));
    let is_store = uri.path().starts_with("/s/") && !store.is_empty();
    let is_api = is_store && (below.starts_with("api/") || below.starts_with("mcp"));
    if is_api || !accept.is_some_and(|accept| accept.contains("text/html")) {
        return problem.into_response();
    }
    let back = if is_store {
        format!("/s/{store}/")
    } else {
        "/".into()
    };
    let main = html! {
        h1 { "There is no such page" }
        p { "Nothing is shown at " code { (visible(uri.path())) } "." }
        p { a href=(back) { "To the notes" } }
    };
    page(problem.status, shell::plain("No such page", &main))
}
