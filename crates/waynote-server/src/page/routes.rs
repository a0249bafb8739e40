//! The routes of the page: those of a store, and the others.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, OriginalUri, Path, RawPathParams, RawQuery, State};
use axum::http::header::ORIGIN;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response, StatusCode};
use axum::routing::{get, post};
use maud::{Markup, html};
use waynote::{Address, Name, Place, Result, Store};
use waynote_access::{Line, Rights, Tokens, Watch};

use super::access::Access;
use super::fields::{Fields, Link};
use super::forms::Outcome;
use super::history::{self, History};
use super::notes::{self, Notes, edit, forget};
use super::now::{self, Now};
use super::sessions::{self, Sessions};
use super::site::{Site, View};
use super::{access, answer, assets, markdown, shell, sign_in, words};
use crate::app::App;
use crate::problem::Problem;
use crate::visit::{Visit, waiting};

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
        .route("/access", get(access))
        .route("/access/create", post(create_token))
        .route("/access/revoke", post(revoke_token))
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
        .route("/s/{store}/", get(now))
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
        let store = params
            .as_ref()
            .and_then(|params| params.iter().find(|(name, _)| *name == "store"));
        // The full path. Within a store's routes, `uri` lacks the part of the store.
        let original = parts
            .extensions
            .get::<OriginalUri>()
            .map_or(&parts.uri, |uri| &uri.0);
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

/// Shows a view.
async fn show(visit: Visit, view: View, query: Option<String>, make: Make) -> Response<Body> {
    let of = visit.clone();
    let shown = visit.run(move |store| {
        let fields = Fields::parse(query.unwrap_or_default().as_bytes());
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
        let Made {
            status,
            title,
            main,
        } = made;
        Ok((status, shell::document(&site, view, &title, &main)))
    });
    match shown.await {
        Ok((status, page)) => answer::page(status, page),
        Err(problem) => answer::refused(&problem),
    }
}

/// Carries out a form's action on a store.
type Act = fn(&dyn Store, &Site<'_>, &str, &Fields, &waynote::Stamp) -> Result<Outcome>;

/// Carries out the action of a form, and redirects; or shows the form again.
async fn act(
    visit: Visit,
    headers: &HeaderMap,
    view: View,
    what: String,
    body: Bytes,
    act: Act,
) -> Response<Body> {
    // Every browser sends the origin of a form. The edge has already checked that it is this server.
    if !headers.contains_key(ORIGIN) {
        let problem = sign_in::no_origin();
        return answer::refused(&problem);
    }
    let stamp = match visit.stamp(None, None, None) {
        Ok(stamp) => stamp,
        Err(problem) => return answer::refused(&problem),
    };
    let of = visit.clone();
    let done = visit.run(move |store| {
        let fields = Fields::parse(&body);
        let site = Site::gather(&of, store)?;
        Ok(match act(store, &site, &what, &fields, &stamp) {
            Ok(Outcome::Done(path)) => answer::to(&path),
            // Nothing was changed, so a reload may send the form again.
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
    // The names of the stores are listed only if no store needs a token.
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
        let now = Now::gather(store, fields, site)?;
        let made = Made::of(View::Now.title(), now::view(site, &now));
        // The typed values stay in their fields, and the error stands in the place of the block.
        let status = match &now.block {
            Ok(_) => made.status,
            Err(error) => Problem::of_store(error, site.store).status,
        };
        Ok(Made { status, ..made })
    })
    .await
}

async fn notes(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Notes, query, |store, site, fields| {
        let notes = Notes::gather(store, fields, site)?;
        let title = match &notes.reader {
            Some(reader) => reader.address.to_string(),
            None => View::Notes.title().to_owned(),
        };
        Ok(Made::of(title, notes::view(site, &notes)))
    })
    .await
}

async fn new(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Notes, query, |_, site, fields| {
        let form = edit::Form::new(site, fields)?;
        Ok(Made::of(edit::title(&form), edit::view(site, &form)))
    })
    .await
}

async fn edit(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    show(visit, View::Notes, query, |store, site, fields| {
        let form = edit::Form::edit(store, fields)?;
        Ok(Made::of(edit::title(&form), edit::view(site, &form)))
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
        Ok(Made::of("Forget", forget::view(site, &question)))
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
        let sessions = Sessions::gather(store, fields, site)?;
        let main = sessions::view(site, &sessions);
        Ok(Made::of(View::Sessions.title(), main))
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
        let history = History::gather(store, fields, site)?;
        let main = history::view(site, &history);
        Ok(Made::of(View::History.title(), main))
    })
    .await
}

/// Shows the tokens and the audit log to an administrator, after an action on a token.
async fn show_access(visit: Visit, fields: Fields, done: Option<Done>) -> Response<Body> {
    if visit.grant.rights != Rights::Admin {
        return denied(visit, "access").await;
    }
    let shown = waiting(move || -> Result<Response<Body>> {
        let mut access = Access::gather(&*visit.served, &visit.audit, &fields)?;
        let mut status = StatusCode::OK;
        match done {
            Some(Done::Created(name, text)) => access.created = Some((name, text)),
            Some(Done::Refused(error)) => {
                access.refused = Some((error, fields));
                status = StatusCode::UNPROCESSABLE_ENTITY;
            }
            None => {}
        }
        let site = Site::gather(&visit, &*visit.store)?;
        let main = access::view(&site, &access);
        Ok(answer::page(
            status,
            shell::document(&site, View::Access, View::Access.title(), &main),
        ))
    });
    match shown.await {
        Ok(Ok(page)) => page,
        Ok(Err(error)) => answer::refused(&Problem::from(error)),
        Err(problem) => answer::refused(&problem),
    }
}

/// The outcome of an action on a token.
enum Done {
    Created(Name, String),
    Refused(waynote::Error),
}

/// Writes a line of the audit log. Blocks.
fn note(visit: &Visit, call: &'static str, refused: bool, detail: String) {
    let token = visit.grant.token.clone();
    visit.audit.saw(Line {
        call,
        token,
        refused,
        detail,
    });
}

/// Refuses a reader without an admin token, and records that in the audit log.
async fn denied(visit: Visit, call: &'static str) -> Response<Body> {
    let reason = "it needs an admin token";
    let problem = Problem::not_admin(call, &visit.name, reason);
    match waiting(move || note(&visit, call, true, reason.to_owned())).await {
        Ok(()) => answer::refused(&problem),
        Err(problem) => answer::refused(&problem),
    }
}

/// Passes on a form that comes from this server and from an administrator.
async fn administers(
    visit: Visit,
    headers: &HeaderMap,
    call: &'static str,
) -> std::result::Result<Visit, Box<Response<Body>>> {
    if !headers.contains_key(ORIGIN) {
        return Err(Box::new(answer::refused(&sign_in::no_origin())));
    }
    match visit.grant.rights {
        Rights::Admin => Ok(visit),
        _ => Err(Box::new(denied(visit, call).await)),
    }
}

async fn access(Looks(visit): Looks, RawQuery(query): RawQuery) -> Response<Body> {
    let fields = Fields::parse(query.unwrap_or_default().as_bytes());
    show_access(visit, fields, None).await
}

async fn create_token(Looks(visit): Looks, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let visit = match administers(visit, &headers, "token created").await {
        Ok(visit) => visit,
        Err(refused) => return *refused,
    };
    let mut random = [0; 32];
    if getrandom::fill(&mut random).is_err() {
        return answer::refused(&Problem::internal());
    }
    let (of, fields, now) = (visit.clone(), Fields::parse(&body), visit.app.now());
    let asked = fields.clone();
    let created = waiting(move || -> Result<(Name, String)> {
        let (name, grant, expires) = access::asked(&asked, now)?;
        let (token, info) = Tokens::new(&*of.served).create(&name, &grant, expires, now, random)?;
        note(&of, "token created", false, info.name.to_string());
        Ok((info.name, token.expose().to_owned()))
    });
    let done = match created.await {
        Ok(Ok((name, text))) => Done::Created(name, text),
        Ok(Err(error)) => Done::Refused(error),
        Err(problem) => return answer::refused(&problem),
    };
    show_access(visit, fields, Some(done)).await
}

async fn revoke_token(Looks(visit): Looks, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let visit = match administers(visit, &headers, "token revoked").await {
        Ok(visit) => visit,
        Err(refused) => return *refused,
    };
    let (of, fields) = (visit.clone(), Fields::parse(&body));
    let revoked = waiting(move || -> Result<()> {
        let name: Name = fields.get("name").unwrap_or_default().parse()?;
        let info = Tokens::new(&*of.served).revoke(&name)?;
        note(&of, "token revoked", false, info.name.to_string());
        Ok(())
    });
    match revoked.await {
        Ok(Ok(())) => answer::to(&Link::to_store(&visit.name, "access").href()),
        Ok(Err(error)) => answer::refused(&Problem::of_store(&error, &visit.name)),
        Err(problem) => answer::refused(&problem),
    }
}
