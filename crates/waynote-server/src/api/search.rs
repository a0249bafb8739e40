//! Search.

use axum::Json;
use serde::Deserialize;
use utoipa::IntoParams;
use waynote::wire::HitsFound;
use waynote::{Found, Lineage, Name, Place, Scope, SearchKind, SearchRequest, person};

use super::parts::limit;
use crate::edge::Query;
use crate::problem::Answer;
use crate::visit::Visit;

/// What to search for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchQuery {
    /// Plain words (any of them), "phrases", prefix*, -not; any text is a query.
    q: String,
    /// Only notes of this kind.
    kind: Option<SearchKind>,
    /// Only notes of this scope: `place:~/p`, `repo:github.com/acme/shop//src`, `agent:NAME`, `session:NAME`.
    scope: Option<String>,
    /// First the notes that apply at this place, `~/p` or `repo:github.com/acme/shop//src`, and those of this agent.
    place: Option<String>,
    /// The agent whose notebook comes first.
    agent: Option<String>,
    /// The most notes, from 1 to 500.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// Search every revision, including those of deleted notes.
    #[serde(default)]
    history: bool,
}

/// The notes that match a query, best match first; those that apply at `place` and to `agent` come before others.
#[utoipa::path(
    get,
    path = "/search",
    tag = "notes",
    params(SearchQuery),
    responses((status = 200, description = "What was found", body = HitsFound))
)]
pub(crate) async fn search(
    visit: Visit,
    Query(query): Query<SearchQuery>,
) -> Answer<Json<HitsFound>> {
    let limit = limit(query.limit.or(Some(waynote::search::DEFAULT_LIMIT)))?;
    let scope = query.scope.as_deref().map(str::parse).transpose()?;
    let request = SearchRequest::new(query.q)
        .kinds(query.kind.into_iter().collect())
        .scopes(scope.into_iter().collect())
        .limit(limit)
        .history(query.history);
    let mut here = Vec::new();
    if let Some(place) = &query.place {
        here = Lineage::from(place.parse::<Place>()?).scopes();
    }
    let agent: Option<Name> = query.agent.map(|agent| agent.parse()).transpose()?;
    let found = visit.search(move |store| {
        if let Some(agent) = &agent {
            here.push(Scope::Agent(person::notebook(store, agent)?));
        }
        Ok(HitsFound {
            hits: Found::of(&store, &request, &here)?.all(),
            damage: store.take_damage(),
        })
    });
    Ok(Json(found.await?))
}
