//! The routes of the page, below those of a store and of none.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, RawPathParams, RawQuery, State};
use axum::http::header::ORIGIN;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response, StatusCode};
use axum::routing::{get, post};
use maud::{Markup, html};
use waynote::{Address, Result, Store};

use super::fields::{Fields, Link};
use super::forms::Outcome;
use super::history::{self, History};
use super::notes::{self, Notes, edit, forget};
use super::now::{self, Now};
use super::sessions::{self, Sessions};
use super::site::{Counts, Site, View};
use super::{answer, assets, markdown, shell, words};
use crate::app::App;
use crate::problem::Problem;
use crate::visit::Visit;

/// The routes below `/s/{store}`.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route(
            "/",
            get(async |Looks(visit)| answer::to(&home(&visit.name))),
        )
        .route("/notes", get(notes))
        .route("/notes/new", get(new))
        .route("/notes/edit", get(edit))
        .route("/notes/text", get(text))
        .route("/notes/preview", post(preview))
        .route("/notes/save", post(save))
        .route("/notes/forget", get(forget_what).post(forget))
        .route("/notes/{act}", post(change))
        .route("/sessions", get(sessions))
        .route("/sessions/answer", post(answer_question))
        .route("/history", get(history))
}

/// The routes of no store: `/`, and the files of the page.
pub(crate) fn root() -> Router<App> {
    Router::new()
        .route("/", get(stores))
        .route("/s/{store}/", get(now))
        .route("/page/{file}", get(file))
}

fn home(store: &str) -> String {
    Link::to_store(store, "").href()
}

/// A visit of a person, who gets errors as pages.
pub(super) struct Looks(pub(super) Visit);

impl FromRequestParts<App> for Looks {
    type Rejection = Response<Body>;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &App,
    ) -> std::result::Result<Self, Self::Rejection> {
        let problem = match Visit::from_request_parts(parts, app).await {
            Ok(visit) => return Ok(Self(visit)),
            Err(problem) => problem,
        };
        if problem.status != StatusCode::UNAUTHORIZED || parts.method != Method::GET {
            return Err(answer::refused(&problem));
        }
        let params = RawPathParams::from_request_parts(parts, app).await.ok();
        let store = params
            .as_ref()
            .and_then(|params| params.iter().find(|(name, _)| *name == "store"));
        let to = parts.uri.path_and_query().map(ToString::to_string);
        let link = Link::to_store(store.map_or("", |(_, store)| store), "sign-in");
        Err(answer::to(&link.with_some("to", to).href()))
    }
}

/// What a view makes of a store and the fields of the request: its title and its HTML.
type Make = fn(&dyn Store, &Site<'_>, &Fields) -> Result<(String, Markup)>;

/// Shows a view.
async fn show(visit: Visit, view: View, query: Option<String>, make: Make) -> Response<Body> {
    let (name, grant, now) = (visit.name.clone(), visit.grant.clone(), visit.app.now());
    let shown = visit.run(move |store| {
        let fields = Fields::parse(query.unwrap_or_default().as_bytes());
        let site = Site {
            store: &name,
            grant: &grant,
            now,
            counts: Counts::gather(store)?,
        };
        let (status, title, main) = match make(store, &site, &fields) {
            Ok((title, main)) => (StatusCode::OK, title, main),
            Err(error) => {
                let main = html! { div.head { h1 { (view.title()) } } (words::error(&error)) p { a href=(site.view(view).href()) { "All of " (view.title()) } } };
                (Problem::from(error).status, view.title().to_owned(), main)
            }
        };
        Ok((status, shell::document(&site, view, &title, &main)))
    });
    match shown.await {
        Ok((status, page)) => answer::page(status, page),
        Err(problem) => answer::refused(&problem),
    }
}

/// What a form does to a store.
type Act = fn(&dyn Store, &Site<'_>, &str, &Fields, &waynote::Stamp) -> Result<Outcome>;

/// Does what a form asks for, and leads on; or shows it again.
async fn act(
    visit: Visit,
    headers: &HeaderMap,
    view: View,
    what: String,
    body: Bytes,
    act: Act,
) -> Response<Body> {
    // Every browser says where a form comes from. That it is from here was checked on the way.
    if !headers.contains_key(ORIGIN) {
        let problem = Problem::new(
            StatusCode::FORBIDDEN,
            "no_origin",
            "the form does not say which page it comes from",
        )
        .hint("send it from the page, or use the API at /s/NAME/api/v1");
        return answer::refused(&problem);
    }
    let stamp = match visit.stamp(None, None) {
        Ok(stamp) => stamp,
        Err(problem) => return answer::refused(&problem),
    };
    let (name, grant, now) = (visit.name.clone(), visit.grant.clone(), visit.app.now());
    let done = visit.run(move |store| {
        let fields = Fields::parse(&body);
        let mut site = Site {
            store: &name,
            grant: &grant,
            now,
            counts: Counts::default(),
        };
        let outcome = act(store, &site, &what, &fields, &stamp);
        site.counts = Counts::gather(store)?;
        Ok(match outcome {
            Ok(Outcome::Done(path)) => answer::to(&path),
            // Nothing was done: a browser that reloads asks again.
            Ok(Outcome::Again(main)) => answer::page(
                StatusCode::UNPROCESSABLE_ENTITY,
                shell::document(&site, view, view.title(), &main),
            ),
            Err(error) => {
                let back = fields
                    .get("note")
                    .map(|note| site.view(View::Notes).with("note", note).href());
                let main = html! {
                    div.head { h1 { "Not done" } }
                    (words::error(&error))
                    p { a href=(back.unwrap_or_else(|| site.view(view).href())) { "Back" } }
                };
                answer::page(
                    Problem::from(error).status,
                    shell::document(&site, view, "Not done", &main),
                )
            }
        })
    });
    done.await
        .unwrap_or_else(|problem| answer::refused(&problem))
}

async fn stores(State(app): State<App>) -> Response<Body> {
    let names: Vec<&String> = app.shelves.keys().collect();
    if let [only] = names[..] {
        return answer::to(&home(only));
    }
    // Which stores there are is nobody's business who has no token.
    let main = html! {
        h1 { "Stores" }
        @if app.is_open() {
            nav.card.tree aria-label="Stores" { @for name in names { a href=(home(name)) { (name) } } }
        } @else {
            p { "Open a store by its address: " code { "/s/NAME/" } }
        }
    };
    answer::page(StatusCode::OK, shell::plain("Stores", &main))
}

async fn file(Path(file): Path<String>) -> Response<Body> {
    match assets::find(&format!("/page/{file}")) {
        Some(asset) => answer::file(asset.media, asset.text),
        None => answer::refused(&Problem::not_found()),
    }
}

async fn now(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Now, query, |store, site, fields| {
        let now = Now::gather(store, fields, site.now)?;
        Ok((View::Now.title().into(), now::view(site, &now)))
    })
    .await
}

async fn notes(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Notes, query, |store, site, fields| {
        let notes = Notes::gather(store, fields)?;
        let title = notes
            .reader
            .as_ref()
            .map(|reader| reader.address.to_string());
        Ok((
            title.unwrap_or_else(|| View::Notes.title().into()),
            notes::view(site, &notes),
        ))
    })
    .await
}

async fn new(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Notes, query, |store, site, fields| {
        let form = edit::Form::new(store, fields)?;
        Ok((edit::title(&form), edit::view(site, &form)))
    })
    .await
}

async fn edit(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Notes, query, |store, site, fields| {
        let form = edit::Form::edit(store, fields)?;
        Ok((edit::title(&form), edit::view(site, &form)))
    })
    .await
}

async fn text(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    let text = visit.run(move |store| {
        let fields = Fields::parse(query.unwrap_or_default().as_bytes());
        let address: Address = fields.get("note").unwrap_or_default().parse()?;
        let note = waynote::single::get(store, &address, None)?;
        Ok(waynote::secrets::masked(&note.content.shown()).into_owned())
    });
    match text.await {
        Ok(text) => answer::text(text),
        Err(problem) => answer::refused(&problem),
    }
}

/// A fragment, for the script.
async fn preview(Looks(_): Looks, body: Bytes) -> Response<Body> {
    let text = Fields::parse(&body);
    let text = text.text("text").unwrap_or_default();
    answer::page(StatusCode::OK, markdown::rendered(text))
}

async fn save(Looks(visit): Looks, headers: HeaderMap, body: Bytes) -> Response<Body> {
    act(
        visit,
        &headers,
        View::Notes,
        String::new(),
        body,
        |store, site, _, fields, stamp| notes::act::save(store, site, fields, stamp),
    )
    .await
}

async fn change(
    Looks(visit): Looks,
    Path((_, what)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if !matches!(
        what.as_str(),
        "pin" | "unpin" | "delete" | "undo" | "redo" | "restore"
    ) {
        return answer::refused(&Problem::not_found());
    }
    act(visit, &headers, View::Notes, what, body, notes::act::change).await
}

async fn forget_what(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Notes, query, |store, site, fields| {
        let question = forget::Question::gather(store, fields, &site.stamp()?)?;
        Ok(("Forget".into(), forget::view(site, &question)))
    })
    .await
}

async fn forget(Looks(visit): Looks, headers: HeaderMap, body: Bytes) -> Response<Body> {
    act(
        visit,
        &headers,
        View::Notes,
        String::new(),
        body,
        |store, site, _, fields, stamp| forget::forget(store, site, fields, stamp),
    )
    .await
}

async fn sessions(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Sessions, query, |store, site, fields| {
        let sessions = Sessions::gather(store, fields, &|_| false)?;
        Ok((
            View::Sessions.title().into(),
            sessions::view(site, &sessions),
        ))
    })
    .await
}

async fn answer_question(Looks(visit): Looks, headers: HeaderMap, body: Bytes) -> Response<Body> {
    act(
        visit,
        &headers,
        View::Sessions,
        String::new(),
        body,
        |store, site, _, fields, stamp| sessions::act::answer(store, site, fields, stamp),
    )
    .await
}

async fn history(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::History, query, |store, site, fields| {
        let history = History::gather(store, fields)?;
        Ok((View::History.title().into(), history::view(site, &history)))
    })
    .await
}
