//! Signing in and out: a form takes a token, and the browser gets a cookie in its place.

use std::net::IpAddr;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::header::{HeaderMap, HeaderValue, ORIGIN, SET_COOKIE};
use axum::http::{Response, StatusCode};
use maud::{Markup, html};
use waynote_access::Token;

use super::answer::Shown;
use super::fields::{Fields, Link};
use super::routes::{Looks, home};
use super::{answer, shell, signed, words};
use crate::app::App;
use crate::edge::rate::Key;
use crate::edge::whole_within;
use crate::problem::{Answer, Problem};
use crate::sign_in::administrator;
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

/// The form for a store; or for the administrators of a database, if there is none.
fn sign_in_page(store: Option<&str>, to: &str, problem: Option<(&str, &str)>) -> Markup {
    let form = store.map_or("/sign-in".into(), |store| {
        Link::to_store(store, "sign-in").href()
    });
    let main = html! {
        h1 { "Sign in" }
        @if let Some((what, advice)) = problem { (words::problem(what, Some(advice))) }
        form.sign-in method="post" action=(form) {
            (super::forms::hidden(&[("to", to.to_owned())]))
            p {
                @if store.is_some() {
                    "This store needs a token. Whoever looks after it makes one with "
                    code { "waynote --store STORE token create NAME --write" } "."
                } @else {
                    "The token of an administrator opens all stores of a database. With another token, open its store: "
                    code { "/s/NAME/" }
                }
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
    answer::page(StatusCode::OK, sign_in_page(Some(&store), to, None))
}

pub(super) async fn form_for_all() -> Response<Body> {
    answer::page(StatusCode::OK, sign_in_page(None, "", None))
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
    fn refused(&self, app: &App, store: Option<&str>, to: &str) -> Response<Body> {
        if let Some(peer) = self.peer {
            app.buckets.take(Key::refused(peer));
        }
        let says = match store {
            Some(_) => (
                "this store does not know that token",
                "it may have expired, or be for another store",
            ),
            None => (
                "no administrator has that token",
                "it may have expired, or be for a store alone",
            ),
        };
        answer::page(
            StatusCode::UNAUTHORIZED,
            sign_in_page(store, to, Some(says)),
        )
    }
}

/// Signs an administrator in to all stores of a database.
pub(super) async fn sign_in_for_all(
    State(app): State<App>,
    peer: Option<Extension<Peer>>,
    request: Request,
) -> Shown {
    let sent = sent(&app, peer, request).await?;
    let (now, random) = (app.now(), sent.random);
    let mut away = None;
    for database in &app.served_stores.databases {
        let Some(id) = sent.id.clone() else {
            break;
        };
        let (of, token) = (database.clone(), sent.token.clone());
        let begun = database.health.ask(false, move || {
            let (found, store) = (administrator(&of, &token, now)?, of.stores.admin());
            let store = found.and(store);
            store
                .map(|store| signed::begin(&*store, &id, now, random))
                .transpose()
        });
        match begun.await? {
            Ok(Some(number)) => {
                let name = signed::name_for_all(&database.label);
                return Ok(with_cookie(
                    answer::to("/"),
                    &app,
                    &name,
                    "/",
                    Some(&number),
                ));
            }
            Ok(None) => {}
            Err(error) => away = Some(Problem::from(error)),
        }
    }
    match away {
        Some(problem) => Err(problem.into()),
        None => Ok(sent.refused(&app, None, "")),
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
        return Ok(sent.refused(&app, Some(&store), &to));
    };
    let visit = match Visit::of(&app, store.clone(), Some(sent.token.clone())).await {
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => {
            return Ok(sent.refused(&app, Some(&store), &to));
        }
        visit => visit?,
    };
    let (now, random, token) = (app.now(), sent.random, sent.token);
    let served_store = visit.served_store.clone();
    let begun = waiting(move || {
        // An administrator of the database is signed in to all of its stores.
        let database = served_store.found_in.as_ref().filter(|database| {
            administrator(database, &token, now).is_ok_and(|found| found.is_some())
        });
        let admin = database.and_then(|database| database.stores.admin());
        let side = admin.unwrap_or_else(|| visit.served.clone());
        let number = signed::begin(&*side, &id, now, random)?;
        Ok((number, database.map(|of| signed::name_for_all(&of.label))))
    });
    let begun = begun.await?;
    let (number, of_all) = begun.map_err(|error| Problem::of_store(&error, &store))?;
    let home = home(&store);
    let path = home.trim_end_matches('/');
    let response = answer::to(if to.is_empty() { &home } else { &to });
    let Some(name) = of_all else {
        return Ok(with_cookie(
            response,
            &app,
            signed::NAME,
            path,
            Some(&number),
        ));
    };
    // Another token of the store would count before this one.
    let response = with_cookie(response, &app, signed::NAME, path, None);
    Ok(with_cookie(response, &app, &name, "/", Some(&number)))
}

pub(super) async fn sign_out(Looks(visit): Looks, headers: HeaderMap) -> Shown {
    from_here(&headers)?;
    let (app, store) = (visit.app.clone(), visit.name.clone());
    let of_all = visit.served_store.found_in.as_ref();
    let of_all = of_all.map(|of| signed::name_for_all(&of.label));
    let presented = signed::presented(&headers);
    let ended = waiting(
        move || match presented.as_deref().and_then(signed::number) {
            Some(number) => {
                if let Some(admin) = visit.served_store.admin() {
                    signed::end(&*admin, number)?;
                }
                signed::end(&*visit.served, number)
            }
            None => Ok(()),
        },
    );
    let ended = ended.await?;
    ended.map_err(|error| Problem::of_store(&error, &store))?;
    let response = answer::to(&Link::to_store(&store, "sign-in").href());
    let home = home(&store);
    let path = home.trim_end_matches('/');
    let response = with_cookie(response, &app, signed::NAME, path, None);
    Ok(match of_all {
        Some(name) => with_cookie(response, &app, &name, "/", None),
        None => response,
    })
}

/// Sets or deletes a cookie.
fn with_cookie(
    mut response: Response<Body>,
    app: &App,
    name: &str,
    path: &str,
    number: Option<&str>,
) -> Response<Body> {
    let is_secure = app.options.tls.is_some() || app.options.behind_proxy;
    let cookie = signed::cookie(name, number, path, is_secure);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
