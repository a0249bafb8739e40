//! Signing in and out: a form takes a token, and the browser gets a cookie in its place.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::header::{HeaderMap, HeaderValue, ORIGIN, SET_COOKIE};
use axum::http::{Response, StatusCode};
use maud::{Markup, html};

use super::answer::Shown;
use super::fields::{Fields, Link};
use super::routes::{Looks, home};
use super::{answer, shell, signed, words};
use crate::access::Token;
use crate::app::App;
use crate::edge::rate::Key;
use crate::edge::whole_within;
use crate::problem::{Answer, Problem};
use crate::visit::{Peer, Visit, client, waiting};

/// Refuses a form without an origin, which may come from another site. Every browser sends the origin of a form, and the
/// edge has already checked that it is this server.
pub(super) fn from_here(headers: &HeaderMap) -> Answer<()> {
    if headers.contains_key(ORIGIN) {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        "no_origin",
        "the form does not say which page it comes from",
    )
    .hint("send it from the page, or use the API at /s/NAME/api/v1"))
}

/// The most bytes of the form: a token and the address of a page are far shorter.
const BYTES: usize = 8 << 10;

/// The form for a store.
fn sign_in_page(store: &str, to: &str, problem: Option<(&str, &str)>) -> Markup {
    let main = html! {
        h1 { "Sign in" }
        @if let Some((what, advice)) = problem { (words::problem(what, Some(advice))) }
        form.sign-in method="post" action=(Link::to_store(store, "sign-in").href()) {
            (super::forms::hidden(&[("to", to.to_owned())]))
            p {
                "This store needs a token. Whoever looks after it makes one with "
                code { "waynote --store STORE token create NAME --write" } "."
            }
            label.field.wide { span { "token" } input type="password" name="token" required autocomplete="current-password" spellcheck="false"; }
            button.btn.primary { "Sign in" }
            small { "For " (signed::HOURS) " hours, in this browser." }
        }
    };
    shell::plain("Sign in", &main)
}

/// The address to go to after signing in, if it is a page of this store.
fn wanted<'f>(fields: &'f Fields, store: &str) -> Option<&'f str> {
    let home = Link::to_store(store, "").href();
    fields
        .get("to")
        .filter(|to| to.starts_with(&home) && !to.contains('\\'))
}

pub(super) async fn sign_in_form(
    State(app): State<App>,
    Path(store): Path<String>,
    RawQuery(query): RawQuery,
) -> Response<Body> {
    if app.link().is_some() {
        return super::link::not_open();
    }
    let fields = Fields::parse(query.unwrap_or_default().as_bytes());
    let to = wanted(&fields, &store).unwrap_or_default();
    answer::page(StatusCode::OK, sign_in_page(&store, to, None))
}

pub(super) async fn sign_in(
    State(app): State<App>,
    Path(store): Path<String>,
    peer: Option<Extension<Peer>>,
    request: Request,
) -> Shown {
    from_here(request.headers())?;
    let peer = client(&app, peer.as_deref(), request.headers());
    if peer.is_some_and(|peer| app.buckets.is_empty(&Key::refused(peer))) {
        let reason = "too many tokens that do not count came from this address";
        return Err(Problem::too_many(reason).into());
    }
    let fields = Fields::parse(&whole_within(request, &app, BYTES).await?);
    let text = fields.get("token").unwrap_or_default().to_owned();
    let token = Token::parse(&text);
    let to = wanted(&fields, &store).unwrap_or_default();
    let visit = Visit::of(&app, store.clone(), Some(text)).await;
    let is_refused = |problem: &Problem| problem.status == StatusCode::UNAUTHORIZED;
    let Some(token) = token.filter(|_| !visit.as_ref().is_err_and(is_refused)) else {
        if let Some(peer) = peer {
            app.buckets.take(Key::refused(peer));
        }
        let what = "this store does not know that token";
        let says = (what, "it may have expired, or be for another store");
        let page = sign_in_page(&store, to, Some(says));
        return Ok(answer::page(StatusCode::UNAUTHORIZED, page));
    };
    let (visit, now) = (visit?, app.now());
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|_| Problem::internal())?;
    let begun =
        waiting(move || signed::begin(&visit.served_store.store, token.id(), now, random)).await?;
    let number = begun.map_err(|error| Problem::of_store(&error, &store))?;
    let home = home(&store);
    let response = answer::to(if to.is_empty() { &home } else { to });
    Ok(with_cookie(response, &app, &home, Some(&number)))
}

pub(super) async fn sign_out(Looks(visit): Looks, headers: HeaderMap) -> Shown {
    from_here(&headers)?;
    let (app, store) = (visit.app.clone(), visit.name.clone());
    let presented = signed::presented(&headers);
    let ended = waiting(
        move || match presented.as_deref().and_then(signed::number) {
            Some(number) => signed::end(&visit.served_store.store, number),
            None => Ok(()),
        },
    );
    let ended = ended.await?;
    ended.map_err(|error| Problem::of_store(&error, &store))?;
    let response = answer::to(&Link::to_store(&store, "sign-in").href());
    Ok(with_cookie(response, &app, &home(&store), None))
}

/// Sets or deletes a cookie for the pages below an address.
fn with_cookie(
    mut response: Response<Body>,
    app: &App,
    home: &str,
    number: Option<&str>,
) -> Response<Body> {
    let is_secure = app.options.tls.is_some() || app.options.behind_proxy;
    let cookie = signed::cookie(number, home.trim_end_matches('/'), is_secure);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
