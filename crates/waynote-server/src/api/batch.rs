//! One route for each function of a store, for a client that is a store itself. Every request is answered from one
//! state of the store.
//!
//! Answers are serialized on the thread that uses the store, which may block.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use waynote::context::{BlockAnswer, BlockAsk};
use waynote::store::{Answers, Ask};
use waynote::wire::{
    self, ApplyAnswer, ApplyRequest, AsOfRequest, ForgetRequest, HitsFound, Lease, NotesFound,
    RecordRequest, Silence,
};
use waynote::{Forgotten, Report, Result, SearchRequest, Store};

use crate::access::limited;
use crate::edge::Json;
use crate::problem::Answer;
use crate::visit::Visit;

/// An answer as JSON that is written already.
fn json(written: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, "application/json")], written).into_response()
}

/// Runs `work` on the store, and returns its result as a reply.
async fn reply<T: Serialize>(
    visit: &Visit,
    work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
) -> Answer<Response> {
    let written = visit.run(move |store| wire::answer(&work(store)?));
    Ok(json(written.await?))
}

/// The same for a search or a prompt block.
async fn found<T: Serialize>(
    visit: &Visit,
    work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
) -> Answer<Response> {
    let written = visit.search(move |store| wire::answer(&work(store)?));
    Ok(json(written.await?))
}

/// Answers many questions at once.
#[utoipa::path(
    post, path = "/read", tag = "batch", request_body = Ask,
    responses((status = 200, description = "The answers", body = Answers))
)]
pub(crate) async fn read(visit: Visit, Json(ask): Json<Ask>) -> Answer<Response> {
    reply(&visit, move |store| ask.answered(store)).await
}

/// The notes of some scopes, as they were.
#[utoipa::path(
    post, path = "/as-of", tag = "batch", request_body = AsOfRequest,
    responses((status = 200, description = "The notes", body = NotesFound))
)]
pub(crate) async fn as_of(visit: Visit, Json(request): Json<AsOfRequest>) -> Answer<Response> {
    reply(&visit, move |store| {
        Ok(NotesFound {
            notes: request.answered(store)?,
            damage: store.take_damage(),
        })
    })
    .await
}

/// Searches notes, best match first.
#[utoipa::path(
    post, path = "/search", tag = "batch", request_body = SearchRequest,
    responses((status = 200, description = "What was found", body = HitsFound))
)]
pub(crate) async fn search(visit: Visit, Json(request): Json<SearchRequest>) -> Answer<Response> {
    found(&visit, move |store| {
        Ok(HitsFound {
            hits: store.search(&request)?,
            damage: store.take_damage(),
        })
    })
    .await
}

/// Applies changes, all of them or none.
#[utoipa::path(
    post, path = "/apply", tag = "batch", request_body = ApplyRequest,
    responses((status = 200, description = "What became of each", body = ApplyAnswer))
)]
pub(crate) async fn apply(visit: Visit, Json(request): Json<ApplyRequest>) -> Answer<Response> {
    let mut stamp = visit.grant.stamp(request.stamp, visit.app.now());
    // Which texts an agent's token may replace is not the caller's to say.
    if visit.grant.is_agents() {
        stamp = stamp.careful();
    }
    reply(&visit, move |store| {
        let applied = store.apply(&limited(request.changes), &stamp)?;
        Ok(ApplyAnswer { applied })
    })
    .await
}

/// Records events of a session, all of them or none.
#[utoipa::path(
    post, path = "/record", tag = "batch", request_body = RecordRequest,
    responses((status = 204, description = "They are recorded"))
)]
pub(crate) async fn record(visit: Visit, Json(request): Json<RecordRequest>) -> Answer<StatusCode> {
    let stamp = visit.grant.stamp(request.stamp, visit.app.now());
    let recorded = visit
        .run(move |store| store.record(&request.session, &request.events, request.lease, &stamp));
    recorded.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets the text of a note, or what was said in an event: the only call that destroys anything.
#[utoipa::path(
    post, path = "/forget", tag = "batch", request_body = ForgetRequest,
    responses((status = 200, description = "What was forgotten", body = Forgotten))
)]
pub(crate) async fn forget(visit: Visit, Json(request): Json<ForgetRequest>) -> Answer<Response> {
    let forget = request.forget();
    let stamp = visit.grant.stamp(request.stamp, visit.app.now());
    reply(&visit, move |store| match request.dry_run {
        true => store.would_forget(&forget, &stamp),
        false => store.forget(&forget, &stamp),
    })
    .await
}

/// Makes a block, or finds the notes of one that are new to a reader or match a query.
#[utoipa::path(
    post, path = "/context", tag = "batch", request_body = BlockAsk,
    responses((status = 200, description = "The block", body = BlockAnswer))
)]
pub(crate) async fn context(visit: Visit, Json(ask): Json<BlockAsk>) -> Answer<Response> {
    found(&visit, move |store| ask.answer(&store)).await
}

/// Says that the loop that holds a session lives. No event, and no position.
#[utoipa::path(
    post, path = "/beat", tag = "batch", request_body = Lease,
    responses((status = 204, description = "It is noted, if the loop still holds the session"))
)]
pub(crate) async fn beat(visit: Visit, Json(lease): Json<Lease>) -> Answer<StatusCode> {
    let beaten = visit.run(move |store| store.heartbeat(&lease.session, lease.lease));
    beaten.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Tells how long ago the loop that holds a session was heard of.
#[utoipa::path(
    post, path = "/silence", tag = "batch", request_body = Lease,
    responses((status = 200, description = "How long ago", body = Silence))
)]
pub(crate) async fn silence(visit: Visit, Json(lease): Json<Lease>) -> Answer<Response> {
    reply(&visit, move |store| {
        let silence = store.silence(&lease.session, lease.lease)?;
        Ok(Silence::from(silence))
    })
    .await
}

/// Checks the whole store for damage.
#[utoipa::path(
    get, path = "/verify", tag = "batch",
    responses((status = 200, description = "What was found", body = Report))
)]
pub(crate) async fn verify(visit: Visit) -> Answer<Response> {
    reply(&visit, |store| store.verify()).await
}
