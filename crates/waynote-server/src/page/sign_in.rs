//! Signing in and out: a form takes a token, and the browser gets a cookie in its place.

use std::net::IpAddr;

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

/// The fields of a form that signs in, and the address that it came from.
async fn sent(app: &App, peer: Option<Extension<Peer>>, request: Request) -> Answer<Sent> {
    from_here(request.headers())?;
    let peer = client(app, peer.as_deref(), request.headers());
    if peer.is_some_and(|peer| app.buckets.is_empty(&Key::refused(peer))) {
        let reason = "too many tokens that do not count came from this address";
        return Err(Problem::too_many(reason));
    }
    let fields = Fields::parse(&whole_within(request, app, BYTES).await?);
    let token = fields.get("token").unwrap_or_default().to_owned();
    let id = Token::parse(&token).map(|token| token.id().to_owned());
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|_| Problem::internal())?;
    Ok(Sent {
        fields,
        peer,
        token,
        id,
        random,
    })
}

struct Sent {
    fields: Fields,
    peer: Option<IpAddr>,
    token: String,
    /// The id of the token, if it has the form of one.
    id: Option<String>,
    random: [u8; 32],
}

impl Sent {
    /// The form again, because the token does not count.
    fn refused(&self, app: &App, store: &str, to: &str) -> Response<Body> {
        if let Some(peer) = self.peer {
            app.buckets.take(Key::refused(peer));
        }
        let says = (
            "this store does not know that token",
            "it may have expired, or be for another store",
        );
        answer::page(
            StatusCode::UNAUTHORIZED,
            sign_in_page(store, to, Some(says)),
        )
    }
}

pub(super) async fn sign_in(
    State(app): State<App>,
    Path(store): Path<String>,
    peer: Option<Extension<Peer>>,
    request: Request,
) -> Shown {
    let sent = sent(&app, peer, request).await?;
    let to = wanted(&sent.fields, &store).unwrap_or_default().to_owned();
    let Some(id) = sent.id.clone() else {
        return Ok(sent.refused(&app, &store, &to));
    };
    let visit = match Visit::of(&app, store.clone(), Some(sent.token.clone())).await {
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => {
            return Ok(sent.refused(&app, &store, &to));
        }
        visit => visit?,
    };
    let (now, random) = (app.now(), sent.random);
    let begun = waiting(move || signed::begin(&*visit.served, &id, now, random)).await?;
    let number = begun.map_err(|error| Problem::of_store(&error, &store))?;
    let home = home(&store);
    let path = home.trim_end_matches('/');
    let response = answer::to(if to.is_empty() { &home } else { &to });
    Ok(with_cookie(response, &app, path, Some(&number)))
}

pub(super) async fn sign_out(Looks(visit): Looks, headers: HeaderMap) -> Shown {
    from_here(&headers)?;
    let (app, store) = (visit.app.clone(), visit.name.clone());
    let presented = signed::presented(&headers);
    let ended = waiting(
        move || match presented.as_deref().and_then(signed::number) {
            Some(number) => signed::end(&*visit.served, number),
            None => Ok(()),
        },
    );
    let ended = ended.await?;
    ended.map_err(|error| Problem::of_store(&error, &store))?;
    let response = answer::to(&Link::to_store(&store, "sign-in").href());
    let home = home(&store);
    Ok(with_cookie(
        response,
        &app,
        home.trim_end_matches('/'),
        None,
    ))
}

/// Sets or deletes a cookie.
fn with_cookie(
    mut response: Response<Body>,
    app: &App,
    path: &str,
    number: Option<&str>,
) -> Response<Body> {
    let is_secure = app.options.tls.is_some() || app.options.behind_proxy;
    let cookie = signed::cookie(number, path, is_secure);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
