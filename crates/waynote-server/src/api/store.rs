//! The scopes of a store, and its journal.

use axum::Json;
use waynote::store::Ask;
use waynote::{Position, ScopeKind};
use waynote_api::resource::{RevisionPage, ScopeList, ScopeNotes};
use waynote_api::{Problem as Told, Revision};

use super::cursor;
use super::notes::PageQuery;
use super::parts::limit;
use crate::edge::Query;
use crate::problem::Answer;
use crate::visit::Visit;

/// The letter of the journal's cursors.
const JOURNAL: char = 'j';

/// The scopes that have notes, by kind and name, with how many each has.
#[utoipa::path(
    get,
    path = "/scopes",
    tag = "notes",
    responses(
        (status = 200, description = "The scopes", body = ScopeList),
        (status = "default", description = "A problem", body = Told, content_type = "application/problem+json")
    )
)]
pub(crate) async fn scopes(visit: Visit) -> Answer<Json<ScopeList>> {
    let ask = Ask {
        summaries: vec![ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session],
        ..Ask::default()
    };
    let answers = visit.run(move |store| store.read(&ask)).await?;
    let summaries = answers.summaries.into_iter().flatten();
    let scopes = summaries.map(|summary| ScopeNotes {
        scope: summary.scope.to_string(),
        notes: summary.notes,
    });
    Ok(Json(ScopeList {
        scopes: scopes.collect(),
    }))
}

/// The changes of the whole store, latest first.
#[utoipa::path(
    get,
    path = "/journal",
    tag = "notes",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of revisions", body = RevisionPage),
        (status = "default", description = "A problem", body = Told, content_type = "application/problem+json")
    )
)]
pub(crate) async fn journal(
    visit: Visit,
    Query(query): Query<PageQuery>,
) -> Answer<Json<RevisionPage>> {
    let limit = limit(query.limit)?;
    let before: Option<Position> = match &query.cursor {
        Some(text) => Some(cursor::read(JOURNAL, text)?),
        None => None,
    };
    let ask = Ask {
        journal: vec![(before, limit)],
        ..Ask::default()
    };
    let mut answers = visit.run(move |store| store.read(&ask)).await?;
    let journal = answers.journal.pop().unwrap_or_default();
    let last = journal.last().filter(|_| journal.len() == limit);
    let last = last.and_then(|last| last.position);
    Ok(Json(RevisionPage {
        next: last.map(|last| cursor::written(JOURNAL, last)),
        revisions: journal.iter().map(Revision::from).collect(),
        damaged: answers.damaged,
    }))
}
