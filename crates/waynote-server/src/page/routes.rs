//! The routes of the page: those of a store, and the others.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, OriginalUri, Path, RawPathParams, RawQuery, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use axum::routing::{MethodRouter, get, post};
use maud::{Markup, html};
use waynote::{Address, Name, Place, Result, Store};

use super::answer::Shown;
use super::fields::{Fields, Link};
use super::forms::{Outcome, Sent};
use super::notes::history::{self, History};
use super::notes::{self, Notes, edit, worth};
use super::now::{self, Now};
use super::sessions::{self, Sessions};
use super::site::{Site, View, beside};
use super::{answer, assets, markdown, shell, sign_in, words};
use crate::app::App;
use crate::problem::Problem;
use crate::sign_in::presented;
use crate::visit::{Visit, visible_stores};

/// The routes below `/s/{store}`.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route(
            "/",
            get(async |Looks(visit)| answer::to(&home(&visit.name))),
        )
        .route("/notes", shown(View::Notes, all_notes))
        .route("/notes/new", shown(View::Notes, new))
        .route("/notes/edit", shown(View::Notes, edit))
        .route("/notes/text", get(text))
        .route("/notes/preview", post(preview))
        .route("/notes/save", form(View::Notes, notes::act::save))
        .route("/notes/history", shown(View::Notes, history))
        .route(
            "/notes/several",
            shown(View::Notes, several).merge(form(View::Notes, worth::several)),
        )
        .route("/notes/join", form(View::Notes, worth::join))
        .route("/notes/{act}", form(View::Notes, notes::act::change))
        .route("/sessions", shown(View::Sessions, sessions))
        .route(
            "/sessions/{act}",
            form(View::Sessions, sessions::act::change),
        )
        .route(
            "/sign-in",
            get(sign_in::sign_in_form).post(sign_in::sign_in),
        )
        .route("/sign-out", post(sign_in::sign_out))
}

/// The routes outside of any store: `/`, and the files of the page.
pub(crate) fn root() -> Router<App> {
    Router::new()
        .route("/", get(stores))
        .route("/s/{store}/", shown(View::Now, now))
        .route("/page/{file}", get(file))
}

/// The query of the page at a place, with an agent: `?place=…&agent=…`. It follows the address of a store.
pub fn page_at(place: &Place, agent: &Name) -> String {
    Link::to("")
        .with("place", place)
        .with("agent", agent)
        .href()
}

pub(super) fn home(store: &str) -> String {
    Link::to_store(store, "").href()
}

/// A visit of a person, whose errors are pages.
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
        let mut params = params.iter().flat_map(|params| params.iter());
        let store = params.find(|(name, _)| *name == "store");
        // The full path. Within a store's routes, `uri` lacks the part of the store.
        let original = parts.extensions.get::<OriginalUri>();
        let original = original.map_or(&parts.uri, |uri| &uri.0);
        let to = original.path_and_query().map(ToString::to_string);
        let link = Link::to_store(store.map_or("", |(_, store)| store), "sign-in");
        Err(answer::to(&link.with_some("to", to).href()))
    }
}

/// Makes a view from a store and the fields of the request.
type Make = fn(&dyn Store, &Site<'_>, &Fields) -> Result<Made>;

/// A view that was made.
struct Made {
    status: StatusCode,
    title: String,
    main: Markup,
}

impl Made {
    fn of(title: impl Into<String>, main: Markup) -> Self {
        Self {
            status: StatusCode::OK,
            title: title.into(),
            main,
        }
    }
}

/// The route of a view.
fn shown(view: View, make: Make) -> MethodRouter<App> {
    get(move |Looks(visit): Looks, RawQuery(query): RawQuery| show(visit, view, query, make))
}

/// Shows a view.
async fn show(visit: Visit, view: View, query: Option<String>, make: Make) -> Shown {
    let of = visit.clone();
    let shown = visit.search(move |store| {
        let fields = Fields::parse(query.unwrap_or_default().as_bytes());
        let store = &beside(&of, store);
        let site = Site::gather(&of, store)?;
        let made = make(store, &site, &fields).unwrap_or_else(|error| Made {
            main: html! {
                div.head { h1 { (view.title()) } }
                (words::error(&error))
                p { a href=(site.view(view).href()) { "All of " (view.title()) } }
            },
            title: view.title().to_owned(),
            status: Problem::from(error).status,
        });
        let page = shell::document(&site, view, &made.title, &made.main);
        Ok(answer::page(made.status, page))
    });
    Ok(shown.await?)
}

/// Carries out a form's action on a store.
type Act = fn(&Sent<'_>) -> Result<Outcome>;

/// The route of a form.
fn form(view: View, act: Act) -> MethodRouter<App> {
    post(
        move |Looks(visit): Looks, uri: Uri, headers: HeaderMap, body: Bytes| async move {
            sign_in::from_here(&headers)?;
            carry_out(visit, view, uri, body, act).await
        },
    )
}

/// Carries out the action of a form, and redirects; or shows the form again.
async fn carry_out(visit: Visit, view: View, uri: Uri, body: Bytes, act: Act) -> Shown {
    let stamp = visit.stamp(None, None, None)?;
    let of = visit.clone();
    let done = visit.run(move |store| {
        let fields = Fields::parse(&body);
        let store = &beside(&of, store);
        let site = Site::gather(&of, store)?;
        let sent = Sent {
            store,
            site: &site,
            act: uri.path().rsplit('/').next().unwrap_or_default(),
            fields: &fields,
            stamp: &stamp,
        };
        let (status, title, main) = match act(&sent) {
            Ok(Outcome::Done(path)) => return Ok(answer::to(&path)),
            // Nothing was changed, so a reload may send the form again.
            Ok(Outcome::Again(main)) => (StatusCode::UNPROCESSABLE_ENTITY, view.title(), main),
            Err(error) => {
                let back = site.view(view).with_some("note", fields.get("note"));
                let main = html! {
                    div.head { h1 { "Not done" } }
                    (words::error(&error))
                    p { a href=(back.href()) { "Back" } }
                };
                (Problem::from(error).status, "Not done", main)
            }
        };
        Ok(answer::page(
            status,
            shell::document(&site, view, title, &main),
        ))
    });
    Ok(done.await?)
}

async fn stores(State(app): State<App>, headers: HeaderMap) -> Response<Body> {
    let served_stores = &app.served_stores;
    if let (true, Some(only), 1) = (
        served_stores.database.is_none(),
        served_stores.named.keys().next(),
        served_stores.named.len(),
    ) {
        return answer::to(&home(only));
    }
    let names = visible_stores(&app, presented(&app, &headers)).await;
    let main = html! {
        h1 { "Stores" }
        nav.card.tree aria-label="Stores" { @for name in &names { a href=(home(name)) { (name) } } }
        @if names.is_empty() || served_stores.database.is_some() {
            p { "Open a store by its address: " code { "/s/NAME/" } }
        }
    };
    answer::page(StatusCode::OK, shell::plain("Stores", &main))
}

async fn file(Path(file): Path<String>) -> Shown {
    let asset = assets::find(&format!("/page/{file}")).ok_or_else(Problem::not_found)?;
    Ok(answer::file(asset.media, asset.text))
}

fn now(store: &dyn Store, site: &Site<'_>, fields: &Fields) -> Result<Made> {
    let now = Now::gather(store, fields, site)?;
    let made = Made::of(View::Now.title(), now::view(site, &now));
    // The typed values stay in their fields, and the error stands in the place of the block.
    let status = match &now.block {
        Ok(_) => made.status,
        Err(error) => Problem::of_store(error, site.store).status,
    };
    Ok(Made { status, ..made })
}

fn all_notes(store: &dyn Store, site: &Site<'_>, fields: &Fields) -> Result<Made> {
    let notes = Notes::gather(store, fields, site)?;
    let title = match &notes.reader {
        Some(reader) => reader.address.to_string(),
        None => View::Notes.title().to_owned(),
    };
    Ok(Made::of(title, notes::view(store, site, &notes)))
}

fn new(_: &dyn Store, site: &Site<'_>, fields: &Fields) -> Result<Made> {
    let form = edit::Form::new(site, fields)?;
    Ok(Made::of(edit::title(&form), edit::view(site, &form)))
}

fn edit(store: &dyn Store, site: &Site<'_>, fields: &Fields) -> Result<Made> {
    let form = edit::Form::edit(store, fields)?;
    Ok(Made::of(edit::title(&form), edit::view(site, &form)))
}

fn sessions(store: &dyn Store, site: &Site<'_>, fields: &Fields) -> Result<Made> {
    let shown = sessions::view(site, &Sessions::gather(store, fields, site)?);
    Ok(Made::of(View::Sessions.title(), shown))
}

fn several(store: &dyn Store, site: &Site<'_>, fields: &Fields) -> Result<Made> {
    let question = worth::question(site, &worth::Several::gather(store, fields)?);
    Ok(Made::of(View::Notes.title(), question))
}

fn history(store: &dyn Store, site: &Site<'_>, fields: &Fields) -> Result<Made> {
    let history = History::gather(&store, fields)?;
    Ok(Made::of("History", history::view(site, &history)))
}

async fn text(Looks(visit): Looks, RawQuery(query): RawQuery) -> Shown {
    let of = visit.clone();
    let text = visit.run(move |store| {
        let fields = Fields::parse(query.unwrap_or_default().as_bytes());
        let address: Address = fields.get("note").unwrap_or_default().parse()?;
        let store = beside(&of, store);
        let note = waynote::single::get(&store, &address, None)?;
        Ok(waynote::secrets::masked(&note.content.shown()).into_owned())
    });
    Ok(answer::text(text.await?))
}

/// A fragment, for the script.
async fn preview(Looks(_): Looks, body: Bytes) -> Response<Body> {
    let text = Fields::parse(&body);
    let text = text.text("text").unwrap_or_default();
    answer::page(StatusCode::OK, markdown::rendered(text))
}
