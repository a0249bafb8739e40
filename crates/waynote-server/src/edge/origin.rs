//! The check of a request's origin, as the browser names it. A page of another site must not use this server: not by
//! its own name for our address (DNS rebinding), and not in the name of a person who is signed in here.

use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{Method, Request, StatusCode};

use crate::app::AppState;
use crate::problem::Problem;

/// The name that a proxy was asked for, if it asks by another one.
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// The site of the page that makes a browser send a request, how it does, and for what.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Refuses a request of another site's page.
pub(crate) fn check<B>(app: &AppState, request: &Request<B>) -> Result<(), Problem> {
    let header = |name: &HeaderName| request.headers().get(name).map(|value| value.to_str());
    let mut hosts = request.headers().get_all(HOST).iter();
    if hosts
        .next()
        .is_some_and(|host| host.as_bytes().contains(&b','))
        || hosts.next().is_some()
    {
        return Err(Problem::bad_request("the request names more than one host")
            .hint("send one `Host` header with one name"));
    }
    let host = match header(&HOST) {
        Some(Ok(host)) => Some(host),
        Some(Err(_)) => return Err(foreign_host()),
        // An absolute address in the first line.
        None => request.uri().authority().map(Authority::as_str),
    };
    if app.is_loopback_only() && !host.is_some_and(is_loopback) {
        return Err(foreign_host());
    }
    // A browser says this with every request, also with those that have no origin: pictures, scripts.
    let site = header(&SEC_FETCH_SITE).map(Result::ok);
    let is_own = site.is_none_or(|site| matches!(site, Some("same-origin" | "none")));
    if !is_own && !is_link(request) {
        return Err(foreign_origin());
    }
    let Some(origin) = header(&ORIGIN) else {
        return Ok(());
    };
    let of = origin
        .ok()
        .and_then(|origin| Some(origin.split_once("://")?.1));
    let forwarded = header(&FORWARDED_HOST).and_then(Result::ok);
    let forwarded = forwarded.filter(|_| app.options.behind_proxy);
    let is_ours = |of: &str| {
        let names = [host, forwarded].into_iter().flatten();
        names.into_iter().any(|name| name.eq_ignore_ascii_case(of))
    };
    match of.is_some_and(is_ours) {
        true => Ok(()),
        false => Err(foreign_origin()),
    }
}

/// True if somebody follows a link to a page: the page that has the link does not see it.
fn is_link<B>(request: &Request<B>) -> bool {
    let says = |name: &HeaderName, value: &str| {
        let of = request.headers().get(name);
        of.is_some_and(|of| of.as_bytes() == value.as_bytes())
    };
    request.method() == Method::GET
        && says(&SEC_FETCH_MODE, "navigate")
        && says(&SEC_FETCH_DEST, "document")
}

fn foreign_origin() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "foreign_origin",
        "the request comes from a page of another site (`Origin`, `Sec-Fetch-Site`)",
    )
    .hint("open the page that this server has itself")
}

/// True if the host is a name of this machine, with any port: a tunnel may have another one.
fn is_loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let name = authority.host();
    let has_name = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|ours| name.eq_ignore_ascii_case(ours));
    has_name && !host.contains('@')
}

fn foreign_host() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "foreign_host",
        "this server is for this machine alone, and `Host` names another one",
    )
    .hint("use http://localhost, http://127.0.0.1 or http://[::1] with the server's port")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for (host, is_ours) in [
            ("localhost", true),
            ("LocalHost:7467", true),
            ("127.0.0.1:80", true),
            ("[::1]:7467", true),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example:7467", false),
            ("evil.example", false),
            ("a@localhost", false),
            ("localhost:7467/x", false),
            ("", false),
        ] {
            assert_eq!(is_loopback(host), is_ours, "{host}");
        }
    }
}
