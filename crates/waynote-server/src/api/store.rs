//! The scopes of a store, its journal, and the document of the API.

use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use waynote::{Scope, ScopeKind, ScopeSummary, Store};

use super::cursor::Page;
use super::notes::PageQuery;
use super::resource::{RevisionPage, ScopeList};
use crate::edge::Query;
use crate::problem::Answer;
use crate::visit::Visit;

/// The letters of the cursors.
const JOURNAL: char = 'j';
const SCOPES: char = 'c';

/// The scopes that have notes, by kind and name, with how many each has, in pages.
#[utoipa::path(
    get,
    path = "/scopes",
    tag = "notes",
    params(PageQuery),
    responses((status = 200, description = "A page of scopes", body = ScopeList))
)]
pub(crate) async fn scopes(
    visit: Visit,
    Query(query): Query<PageQuery>,
) -> Answer<Json<ScopeList>> {
    let (after, limit) = query.read(SCOPES)?;
    let scopes = visit.run(move |store| scopes_after(store, after.as_ref(), limit + 1));
    let page = Page::of(SCOPES, scopes.await?, limit, |of| of.scope.clone());
    Ok(Json(ScopeList {
        next: page.next,
        scopes: page.items,
    }))
}

/// The first scopes after one, by kind and name. Kinds are read one after the other, and no more than are needed.
fn scopes_after(
    store: &dyn Store,
    after: Option<&Scope>,
    most: usize,
) -> waynote::Result<Vec<ScopeSummary>> {
    let mut found = Vec::new();
    for kind in ScopeKind::ALL {
        if found.len() >= most || after.is_some_and(|after| kind < after.kind()) {
            continue;
        }
        let of_kind = store.scopes(kind)?.into_iter().filter(|of| {
            after.is_none_or(|after| {
                (of.scope.kind(), of.scope.name()) > (after.kind(), after.name())
            })
        });
        found.extend(of_kind.take(most - found.len()));
    }
    Ok(found)
}

/// The changes of the whole store, latest first. A page may have fewer changes than asked for, or none, and there may be
/// more all the same: `next` says so.
#[utoipa::path(
    get,
    path = "/journal",
    tag = "notes",
    params(PageQuery),
    responses((status = 200, description = "A page of revisions", body = RevisionPage))
)]
pub(crate) async fn journal(
    visit: Visit,
    Query(query): Query<PageQuery>,
) -> Answer<Json<RevisionPage>> {
    let (before, limit) = query.read(JOURNAL)?;
    let found = visit.run(move |store| store.journal(before, limit + 1));
    let page = Page::of(JOURNAL, found.await?, limit, |of| {
        of.position.unwrap_or(waynote::Position::new(0))
    });
    Ok(Json(RevisionPage {
        next: page.next,
        revisions: page.items,
        damaged: Vec::new(),
    }))
}

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "store",
    security(()),
    responses((status = 200, description = "The document, as OpenAPI 3.1", body = serde_json::Value))
)]
pub(super) async fn openapi() -> impl IntoResponse {
    let text = include_str!("../../openapi.json").trim_end();
    ([(CONTENT_TYPE, "application/json")], text)
}
