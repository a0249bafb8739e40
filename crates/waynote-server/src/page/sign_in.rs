//! Signing in and out: a form takes a token, and the browser gets a cookie in its place.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::header::{HeaderMap, HeaderValue, ORIGIN, SET_COOKIE};
use axum::http::{Response, StatusCode};
use maud::{Markup, html};
use waynote_access::{Rights, Token, TokenInfo, Tokens};

use super::answer::Shown;
use super::fields::{Fields, Link};
use super::routes::{Looks, home};
use super::{answer, shell, signed, words};
use crate::app::App;
use crate::edge::rate::Key;
use crate::edge::whole_within;
use crate::problem::{Answer, Problem};
use crate::served_stores::ServedAdmin;
use crate::visit::{Peer, Visit, waiting};

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
    let peer = peer
        .map(|Extension(peer)| peer.0)
        .filter(|_| !app.options.behind_proxy);
    if peer.is_some_and(|peer| app.buckets.is_empty(&Key::refused(peer))) {
        return Err(
            Problem::too_many("too many tokens that do not count came from this address").into(),
        );
    }
    let fields = Fields::parse(&whole_within(request, &app, BYTES).await?);
    let to = wanted(&fields, &store).unwrap_or_default().to_owned();
    let text = fields.get("token").unwrap_or_default();
    let visit = match Token::parse(text) {
        Some(token) => match Visit::of(&app, store.clone(), Some(text.to_owned())).await {
            Ok(visit) => Some((visit, token.id().to_owned())),
            Err(problem) if problem.status != StatusCode::UNAUTHORIZED => {
                return Err(problem.into());
            }
            Err(_) => None,
        },
        None => None,
    };
    let Some((visit, id)) = visit else {
        if let Some(peer) = peer {
            app.buckets.take(Key::refused(peer));
        }
        let says = (
            "this store does not know that token",
            "it may have expired, or be for another store",
        );
        return Ok(answer::page(
            StatusCode::UNAUTHORIZED,
            sign_in_page(&store, &to, Some(says)),
        ));
    };
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|_| Problem::internal())?;
    let now = app.now();
    let served_store = visit.served_store.clone();
    let begun = waiting(move || {
        // An administrator of the database is signed in to all of its stores.
        let admin = served_store.admin().filter(|admin| {
            let tokens = admin.ask(|store| Tokens::new(store).list());
            let is_it = |info: &TokenInfo| info.id == id && info.rights == Rights::Admin;
            tokens.is_ok_and(|tokens| tokens.iter().any(is_it))
        });
        let side = admin.map_or_else(|| visit.served.clone(), ServedAdmin::store);
        signed::begin(&*side, &id, now, random).map(|number| (number, admin.is_some()))
    });
    let begun = begun.await?;
    let (number, is_of_all) = begun.map_err(|error| Problem::of_store(&error, &store))?;
    let home = home(&store);
    let response = answer::to(if to.is_empty() { &home } else { &to });
    if !is_of_all {
        return Ok(with_cookie(response, &app, Some(&store), Some(&number)));
    }
    // The cookie of the store would count before the other one.
    let response = with_cookie(response, &app, Some(&store), None);
    Ok(with_cookie(response, &app, None, Some(&number)))
}

pub(super) async fn sign_out(Looks(visit): Looks, headers: HeaderMap) -> Shown {
    from_here(&headers)?;
    let (app, store) = (visit.app.clone(), visit.name.clone());
    let is_of_all = visit.served_store.admin().is_some();
    let presented = signed::presented(&headers);
    let ended = waiting(
        move || match presented.as_deref().and_then(signed::number) {
            Some(number) => {
                if let Some(admin) = visit.served_store.admin() {
                    signed::end(&*admin.store(), number)?;
                }
                signed::end(&*visit.served, number)
            }
            None => Ok(()),
        },
    );
    let ended = ended.await?;
    ended.map_err(|error| Problem::of_store(&error, &store))?;
    let response = answer::to(&Link::to_store(&store, "sign-in").href());
    let response = with_cookie(response, &app, Some(&store), None);
    Ok(match is_of_all {
        true => with_cookie(response, &app, None, None),
        false => response,
    })
}

/// Sets or deletes the cookie of a store, or that of an administrator, which is for all stores.
fn with_cookie(
    mut response: Response<Body>,
    app: &App,
    store: Option<&str>,
    number: Option<&str>,
) -> Response<Body> {
    let is_secure = app.options.tls.is_some() || app.options.behind_proxy;
    let path = store.map_or(String::new(), |store| Link::to_store(store, "").href());
    let path = match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    };
    let cookie = signed::cookie(number, path, is_secure);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
