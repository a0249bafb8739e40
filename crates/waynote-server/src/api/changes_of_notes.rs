//! Changes of notes.

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::header::WARNING;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use waynote::{
    Address, AddressAt, Applied, Change, Content, Expect, Note, Result, SaveOptions, Stamp, Store,
    single, visible,
};

use super::parts::{WriteQuery, etag, expected, not_met};
use super::resource::{DeletedNote, SaveNote, UndoNote};
use crate::access::served;
use crate::app::App;
use crate::edge::{Json as Body, PathOf, Query};
use crate::problem::{Answer, Problem, ProblemForm};
use crate::visit::Visit;

/// A request that changes a note as it is now.
pub(crate) struct NoteChange {
    visit: Visit,
    address: Address,
    stamp: Stamp,
    /// What it expects of the note; a problem if its headers cannot be read.
    expected: Answer<Expect>,
}

impl FromRequestParts<App> for NoteChange {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        let visit = Visit::from_request_parts(parts, app).await?;
        let PathOf(of) = PathOf::<AddressAt>::from_request_parts(parts, app).await?;
        let Query(query) = Query::<WriteQuery>::from_request_parts(parts, app).await?;
        if of.revision.is_some() {
            return Err(Problem::bad_request("an older revision cannot be changed")
                .hint("leave `@REVISION` out; `restore` makes an older revision current again"));
        }
        Ok(Self {
            stamp: query.stamp(&visit, Some(&of.address), &parts.headers)?,
            expected: expected(&parts.headers),
            address: of.address,
            visit,
        })
    }
}

impl NoteChange {
    /// Applies one change to the note.
    async fn apply(self, change: impl FnOnce(Address) -> Change) -> Answer<Json<Applied>> {
        let (change, stamp) = (change(self.address), self.stamp);
        let applied = self.visit.run(move |store| store.apply(&[change], &stamp));
        let applied = applied.await?.pop().ok_or_else(Problem::internal)?;
        Ok(Json(applied))
    }

    /// Runs `work` on the note, if it is as the request expects.
    async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&dyn Store, Address, Expect, &Stamp) -> Result<T> + Send + 'static,
    ) -> Answer<T> {
        let (expected, address, stamp) = (self.expected?, self.address, self.stamp);
        let done = self
            .visit
            .run(move |store| work(store, address, expected, &stamp));
        done.await.map_err(|problem| not_met(expected, problem))
    }
}

/// Saves a note: creates it, or gives it a new revision.
#[utoipa::path(
    put,
    path = "/notes/{address}",
    tag = "notes",
    request_body = SaveNote,
    params(
        ("address" = String, Path, description = "The note, percent-encoded."),
        WriteQuery,
        ("If-Match" = Option<String>, Header, description = "The entity tag that must be current."),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only if there is no such note."),
        ("Idempotency-Key" = Option<String>, Header, description = "The same text for the same call: it is carried out once.")
    ),
    responses(
        (status = 200, description = "The note with its new revision", body = Note, headers(
            ("ETag" = String, description = "Its revision"),
            ("Waynote-Overwrote" = u64, description = "The revision with the text before: GET it with `@REVISION`"))),
        (status = 201, description = "The new note", body = Note, headers(("ETag" = String, description = "Its revision"))),
        (status = 409, description = "Another author wrote its text, which `current` shows: send `If-Match` to replace it", body = ProblemForm, content_type = "application/problem+json"),
        (status = 412, description = "Another revision is current: `current` shows it", body = ProblemForm, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn save(change: NoteChange, Body(note): Body<SaveNote>) -> Answer<Response> {
    let content = content(&note.content)?;
    let dropped = dropped(&content);
    let options = SaveOptions::default()
        .limits(served(note.limits))
        .pin(note.pinned);
    let saved = change.run(move |store, address, expected, stamp| {
        single::save(store, address, content, options.expect(expected), stamp)
    });
    let (note, before) = saved.await?;
    let status = match before {
        None => StatusCode::CREATED,
        Some(_) => StatusCode::OK,
    };
    let overwrote = before.map(|before| [(OVERWROTE, HeaderValue::from(before.revision))]);
    Ok((status, etag(&note), overwrote, dropped, Json(note)).into_response())
}

/// The header of a reply to a save, with the revision that has the text before.
const OVERWROTE: HeaderName = HeaderName::from_static("waynote-overwrote");

/// The header of a reply to a text that was saved without its hidden characters.
pub(super) fn dropped(text: &Content) -> HeaderMap {
    let said = visible::dropped(&text.shown());
    let said = said
        .strip_prefix("; ")
        .map(|said| format!("199 - \"{said}\""));
    let said = said.and_then(|said| HeaderValue::try_from(said).ok());
    said.into_iter().map(|said| (WARNING, said)).collect()
}

/// Deletes a note. Its history stays, and `undo` brings it back.
#[utoipa::path(
    delete,
    path = "/notes/{address}",
    tag = "notes",
    params(
        ("address" = String, Path, description = "The note, percent-encoded."),
        WriteQuery,
        ("If-Match" = Option<String>, Header, description = "The entity tag that must be current."),
        ("Idempotency-Key" = Option<String>, Header, description = "The same text for the same call: it is carried out once.")
    ),
    responses(
        (status = 200, description = "Whether there was such a note", body = DeletedNote),
        (status = 409, description = "Another author wrote its text, which `current` shows: send `If-Match` to replace it", body = ProblemForm, content_type = "application/problem+json"),
        (status = 412, description = "Another revision is current: `current` shows it", body = ProblemForm, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn delete(change: NoteChange) -> Answer<Json<DeletedNote>> {
    let applied = change.run(move |store, address, expect, stamp| {
        store.apply(&[Change::Delete { address, expect }], stamp)
    });
    let applied = applied.await?.pop().ok_or_else(Problem::internal)?;
    Ok(Json(DeletedNote {
        address: applied.address,
        deleted: applied.changed,
        revision: applied.before.map(|before| before.revision),
    }))
}

/// Undoes the last change of a note that is not undone yet.
#[utoipa::path(
    post,
    path = "/notes/{address}/undo",
    tag = "notes",
    request_body = UndoNote,
    params(("address" = String, Path, description = "The note, percent-encoded."), WriteQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "The same text for the same call: it is carried out once.")),
    responses((status = 200, description = "The note after it", body = Applied))
)]
pub(crate) async fn undo(
    change: NoteChange,
    Body(UndoNote { last }): Body<UndoNote>,
) -> Answer<Json<Applied>> {
    let undo = |address| Change::Undo {
        address,
        origin: None,
        last,
    };
    change.apply(undo).await
}

/// The text of a note that is written, not imported.
pub(super) fn content(content: &Content) -> Answer<Content> {
    Ok(Content::written(content.as_bytes().to_vec())?)
}
