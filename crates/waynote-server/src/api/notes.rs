//! Notes: lists of them, one of them, and its history.

use std::str::FromStr;

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;
use waynote::{
    Address, AddressAt, Error, Listing, Note, NoteAsOf, Place, Revision, Scope, ScopeKind, single,
};

use super::cursor::{self, Page};
use super::parts::{etag, has_already, limit};
use super::resource::{NotePage, RevisionPage};
use crate::edge::{PathOf, Query};
use crate::problem::{Answer, Problem};
use crate::visit::Visit;

/// The letters of the cursors.
const NOTES: char = 'n';
const HISTORY: char = 'h';

/// Which notes.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotesQuery {
    /// Only notes of this scope: `place:~/p`, `repo:github.com/acme/shop//src`, `agent:NAME`, `session:NAME`.
    scope: Option<String>,
    /// Only notes of scopes of this kind: `place`, `agent` or `session`.
    kind: Option<String>,
    /// Only notes that apply at this directory, `~/p` or `repo:github.com/acme/shop//src`: its own and those of the directories
    /// above it, outermost first.
    at: Option<String>,
    /// Only notes of this directory and of the directories below it.
    below: Option<String>,
    /// Where the page begins: `next` of the page before.
    cursor: Option<String>,
    /// The most notes of the page, from 1 to 500; without it 50.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
}

/// Notes as they are now, in pages.
#[utoipa::path(
    get,
    path = "/notes",
    tag = "notes",
    params(NotesQuery),
    responses((status = 200, description = "A page of notes", body = NotePage))
)]
pub(crate) async fn list(visit: Visit, Query(query): Query<NotesQuery>) -> Answer<Json<NotePage>> {
    let of_page = PageQuery {
        cursor: query.cursor,
        limit: query.limit,
    };
    let (after, limit) = of_page.read::<String>(NOTES)?;
    let after: Option<Address> = after.map(|after| after.parse()).transpose()?;
    let scope: Option<Scope> = query.scope.as_deref().map(str::parse).transpose()?;
    let kind = query.kind.as_deref().map(|kind| {
        kind.parse::<ScopeKind>().map_err(|_| {
            let kind = waynote::error::safe(kind);
            Problem::bad_request(format!(
                "`kind` is `place`, `agent` or `session`, not `{kind}`"
            ))
        })
    });
    let kind = kind.transpose()?;
    let at: Option<Place> = query.at.as_deref().map(str::parse).transpose()?;
    let listing = Listing::default()
        .scope(scope)
        .kind(kind)
        .at(at.map(|at| at.chain()))
        .below(query.below.as_deref().map(str::parse).transpose()?);
    let listed = visit.run(move |store| listing.page(&store, after.as_ref(), limit));
    let listed = listed.await?;
    let last = listed.notes.last().filter(|_| listed.is_more);
    Ok(Json(NotePage {
        next: last.map(|last| cursor::written(NOTES, &last.address)),
        notes: listed.notes,
        damaged: listed.damaged,
    }))
}

/// As of when.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AsOfQuery {
    /// The note as it was at this time (RFC 3339).
    as_of: Option<String>,
}

/// A note. Its entity tag is its revision.
#[utoipa::path(
    get,
    path = "/notes/{address}",
    tag = "notes",
    params(
        ("address" = String, Path, description = "The note, percent-encoded: `place%3A~%2Fp%23key`, `repo%3Agithub.com%2Facme%2Fshop%23key`, `agent%3ANAME%23key`, `session%3ANAME%23ID`; for an older revision with `@REVISION` at its end."),
        AsOfQuery,
        ("If-None-Match" = Option<String>, Header, description = "The entity tag that the reader has already.")
    ),
    responses(
        (status = 200, description = "The note", body = Note, headers(("ETag" = String, description = "Its revision"))),
        (status = 304, description = "The reader has it already"),
    )
)]
pub(crate) async fn get(
    visit: Visit,
    PathOf(of): PathOf<AddressAt>,
    Query(query): Query<AsOfQuery>,
    headers: HeaderMap,
) -> Answer<Response> {
    let time = query.as_of.as_deref().map(super::time).transpose()?;
    let as_of = match (of.revision, time) {
        (None, None) => None,
        (Some(revision), None) => Some(NoteAsOf::Revision(revision)),
        (None, Some(time)) => Some(NoteAsOf::Time(time)),
        (Some(_), Some(_)) => {
            return Err(
                Problem::bad_request("a revision and a time are two different states")
                    .hint("leave one of them out"),
            );
        }
    };
    let note = visit.run(move |store| single::get(store, &of.address, as_of));
    let note = note.await?;
    if has_already(&headers, &note) {
        return Ok((StatusCode::NOT_MODIFIED, etag(&note)).into_response());
    }
    Ok((etag(&note), Json(note)).into_response())
}

/// Which page.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    /// Where the page begins: `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// The most items of the page, from 1 to 500; without it 50.
    #[param(minimum = 1, maximum = 500)]
    pub(crate) limit: Option<usize>,
}

impl PageQuery {
    /// Where the page begins (none: at the start of the list), and how many items it has at most.
    pub(crate) fn read<T: FromStr>(&self, list: char) -> Answer<(Option<T>, usize)> {
        let cursor = self.cursor.as_deref();
        let begin = cursor.map(|cursor| cursor::read(list, cursor));
        Ok((begin.transpose()?, limit(self.limit)?))
    }
}

/// The revisions of a note, latest first, also of one that was deleted.
#[utoipa::path(
    get,
    path = "/notes/{address}/history",
    tag = "notes",
    params(("address" = String, Path, description = "The note, percent-encoded."), PageQuery),
    responses((status = 200, description = "A page of revisions", body = RevisionPage))
)]
pub(crate) async fn history(
    visit: Visit,
    PathOf(of): PathOf<AddressAt>,
    Query(query): Query<PageQuery>,
) -> Answer<Json<RevisionPage>> {
    let (before, limit) = query.read(HISTORY)?;
    let address = of.address.clone();
    let history =
        visit.run(
            move |store| match store.history_before(&address, before, limit + 1)? {
                none if none.is_empty() && before.is_none() => {
                    Err(Error::not_found(format!("history of {address}")))
                }
                history => Ok(history),
            },
        );
    let page = Page::of(HISTORY, history.await?, limit, Revision::number);
    Ok(Json(RevisionPage {
        next: page.next,
        revisions: page.items,
    }))
}
