//! Sessions: their logs, their events, and the state of their loops.

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use waynote::{
    Error, Name, Note, Reader, ScopeSummary, SessionLog, SessionStatus, Stamp, Store, session_state,
};

use super::changes_of_notes::{content, dropped};
use super::cursor::Page;
use super::notes::PageQuery;
use super::parts::{WriteQuery, etag};
use super::resource::{NewEntry, SessionAnswer, SessionPage, SessionSummary};
use crate::edge::{Json as Body, PathOf, Query};
use crate::machine::IsDead;
use crate::problem::Answer;
use crate::visit::Visit;

/// The letter of the cursors.
const SESSIONS: char = 's';

/// The sessions that have entries or in which a loop ran, with the state of each.
#[utoipa::path(
    get,
    path = "/sessions",
    tag = "sessions",
    params(PageQuery),
    responses((status = 200, description = "A page of sessions", body = SessionPage))
)]
pub(crate) async fn list(
    visit: Visit,
    Query(query): Query<PageQuery>,
) -> Answer<Json<SessionPage>> {
    let (after, limit) = query.read::<String>(SESSIONS)?;
    let is_dead = visit.app.is_dead.clone();
    let page = visit.run(move |store| {
        let mut all = SessionLog::listed(store)?;
        all.retain(|of| after.as_deref().is_none_or(|after| of.scope.name() > after));
        let page = Page::of(SESSIONS, all, limit, |of| of.scope.name().to_owned());
        let of = |of: &ScopeSummary| {
            let session = of.scope.name().parse()?;
            summary(store, &session, of.notes, &*is_dead)
        };
        Ok(SessionPage {
            sessions: page.items.iter().map(of).collect::<Result<_, _>>()?,
            next: page.next,
        })
    });
    Ok(Json(page.await?))
}

fn summary(
    store: &dyn Store,
    session: &Name,
    notes: u64,
    is_dead: IsDead<'_>,
) -> waynote::Result<SessionSummary> {
    let status = SessionStatus::read(store, session, &is_dead)?;
    Ok(SessionSummary {
        notes,
        state: status.state.as_str().to_owned(),
        last_iteration: session_state::last_iteration(store, session)?,
        question: status.question.map(|question| question.question),
        answer: status.answer.map(|given| SessionAnswer {
            answer: given.answer,
            by: given.by,
            at: given.at,
        }),
        session: session.clone(),
    })
}

/// Adds an entry to a session's log. A text that the log has already is counted, not added again.
#[utoipa::path(
    post,
    path = "/sessions/{session}/entries",
    tag = "sessions",
    request_body = NewEntry,
    params(("session" = String, Path, description = "The session."), WriteQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "The same text for the same call: it is carried out once.")),
    responses(
        (status = 200, description = "The log had it already: `seen` says how often it was noted", body = Note),
        (status = 201, description = "The new entry", body = Note),
    )
)]
pub(crate) async fn add(
    visit: Visit,
    PathOf(session): PathOf<Name>,
    Query(query): Query<WriteQuery>,
    headers: HeaderMap,
    Body(entry): Body<NewEntry>,
) -> Answer<Response> {
    let stamp = query.stamp(&visit, None, &headers)?;
    let (kind, text) = (entry.kind.parse()?, content(&entry.content)?);
    let dropped = dropped(&text);
    let added = visit.run(move |store| {
        let log = SessionLog::new(store, session);
        let resolves = match entry.resolves.as_deref().map(|named| log.stuck(named)) {
            // It is resolved already, by this same call.
            Some(Err(Error::NoSuchStuck { .. })) if is_done(store, &stamp)? => None,
            found => found.transpose()?,
        };
        log.add_resolving(kind, entry.iteration, text, resolves, &stamp)
    });
    let note = added.await?;
    let status = match note.revision {
        1 => StatusCode::CREATED,
        _ => StatusCode::OK,
    };
    Ok((status, etag(&note), dropped, Json(note)).into_response())
}

/// True if a call with this id was already carried out.
fn is_done(store: &dyn Reader, stamp: &Stamp) -> waynote::Result<bool> {
    match stamp.operation {
        Some(operation) => Ok(!store.operation(operation)?.is_empty()),
        None => Ok(false),
    }
}
