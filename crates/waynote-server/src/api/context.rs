//! The block of notes for a prompt.

use axum::Json;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;
use waynote::context::{self, Block, Budget, Request, Section, Style};
use waynote::{AsOf, Place};

use crate::edge::Query;
use crate::problem::{Answer, Problem};
use crate::visit::Visit;

/// For whom, and where.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextQuery {
    /// The agent whose notebook it is; without it `default`.
    agent: Option<String>,
    /// The place: `~/p`, or `repo:github.com/acme/shop//src`, whose notes and those of the directories above apply; without
    /// it home.
    place: Option<String>,
    /// The session whose log it is.
    session: Option<String>,
    /// The current iteration: entries of earlier ones are shown.
    iteration: Option<i64>,
    /// The most tokens; 0: no limit. Without it 2000.
    budget: Option<usize>,
    /// How it is written.
    style: Option<Style>,
    /// Only this section.
    only: Option<Section>,
    /// Choose notes by how well they match this text, not by how new they are.
    query: Option<String>,
    /// As it was at a time (RFC 3339) or a position of the journal.
    as_of: Option<String>,
    /// Say of each note how it is shown, and why.
    #[serde(default)]
    explain: bool,
}

/// The block of notes that applies, for a prompt; with `Accept: text/plain` its text alone.
#[utoipa::path(
    get,
    path = "/context",
    tag = "context",
    params(ContextQuery),
    responses(
        (status = 200, description = "The block", content((Block = "application/json"), (String = "text/plain"))),
    )
)]
pub(crate) async fn context(
    visit: Visit,
    Query(query): Query<ContextQuery>,
    headers: HeaderMap,
) -> Answer<Response> {
    let agent = query.agent.as_deref().unwrap_or("default").parse()?;
    let place: Place = query.place.as_deref().unwrap_or("~").parse()?;
    let session = query.session.as_deref().map(str::parse).transpose()?;
    let as_of = query.as_of.as_deref().map(str::parse::<AsOf>).transpose();
    let as_of = as_of.map_err(Problem::bad_request)?;
    let budget = query.budget.map_or(Budget::default(), Budget::of);
    let mut request = Request::new(agent, place, visit.app.now())
        .session(session)
        .iteration(query.iteration)
        .budget(budget)
        .only(query.only)
        .query(query.query)
        .as_of(as_of)
        .explain(query.explain);
    if let Some(style) = query.style {
        request = request.style(style);
    }
    let block = visit
        .search(move |store| context::render(store, &request))
        .await?;
    let wants_text = headers
        .get(ACCEPT)
        .is_some_and(|accept| accept.as_bytes().starts_with(b"text/plain"));
    if wants_text {
        let headers = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
        return Ok((headers, block.text).into_response());
    }
    Ok(Json(block).into_response())
}
