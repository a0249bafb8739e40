//! Tokens and the audit log, for administrators.

use axum::Json;
use axum::http::StatusCode;
use waynote_access::wire::{AuditLine, AuditPage, CreatedToken, NewToken, TokenList};
use waynote_access::{Grant, TokenInfo, Tokens};

use super::cursor::{self, Page};
use super::notes::PageQuery;
use crate::edge::{Json as Body, NameOf, Query};
use crate::problem::{Answer, Problem};
use crate::visit::{Visit, waiting};

/// The letter of the audit log's cursors.
const AUDIT: char = 'a';

/// The tokens of a store. For admins.
#[utoipa::path(
    get,
    path = "/tokens",
    tag = "access",
    responses((status = 200, description = "The tokens", body = TokenList))
)]
pub(crate) async fn list(visit: Visit) -> Answer<Json<TokenList>> {
    visit.administers("tokens listed").await?;
    let served = visit.served.clone();
    let tokens = waiting(move || Tokens::new(&*served).list()).await?;
    let tokens = tokens.map_err(|error| Problem::of_store(&error, &visit.name))?;
    Ok(Json(TokenList { tokens }))
}

/// Creates a token. Its text is in the answer and nowhere else. From the first one on, every request to the store needs
/// a token. For admins.
#[utoipa::path(
    post,
    path = "/tokens",
    tag = "access",
    request_body = NewToken,
    responses((status = 201, description = "The token", body = CreatedToken))
)]
pub(crate) async fn create(
    visit: Visit,
    Body(new): Body<NewToken>,
) -> Answer<(StatusCode, Json<CreatedToken>)> {
    visit.administers("token created").await?;
    let grant = Grant {
        token_id: None,
        token: None,
        rights: new.rights,
        agents: new.agents,
        places: new.places,
        sessions: new.sessions,
    };
    let created = visit.create_token(new.name, grant, new.expires_at).await?;
    let (token, info) = created.map_err(|error| Problem::of_store(&error, &visit.name))?;
    let created = CreatedToken {
        token: token.expose().to_owned(),
        info,
    };
    Ok((StatusCode::CREATED, Json(created)))
}

/// Revokes a token: it does not count any more, and feeds that were opened with it end. For admins.
#[utoipa::path(
    delete,
    path = "/tokens/{token}",
    tag = "access",
    params(("token" = String, Path, description = "The name of the token.")),
    responses((status = 200, description = "What the token was", body = TokenInfo))
)]
pub(crate) async fn revoke(visit: Visit, NameOf(name): NameOf) -> Answer<Json<TokenInfo>> {
    visit.administers("token revoked").await?;
    Ok(Json(visit.revoke_token(name).await?))
}

/// The refused and the administrative calls, latest first. For admins.
#[utoipa::path(
    get,
    path = "/audit",
    tag = "access",
    params(PageQuery),
    responses((status = 200, description = "A page of the log", body = AuditPage))
)]
pub(crate) async fn log(visit: Visit, Query(query): Query<PageQuery>) -> Answer<Json<AuditPage>> {
    visit.administers("audit log read").await?;
    let (before, limit) = query.read::<String>(AUDIT)?;
    let audit = visit.audit.clone();
    let entries = waiting(move || audit.list(before.as_deref(), limit + 1)).await?;
    let entries = entries.map_err(|error| Problem::of_store(&error, &visit.name))?;
    let page = Page::of(AUDIT, entries, limit, |entry| entry.key.clone());
    Ok(Json(AuditPage {
        next: page.next,
        entries: page
            .items
            .into_iter()
            .map(|entry| AuditLine {
                at: entry.at,
                call: entry.call,
                token: entry.token,
                refused: entry.refused,
                detail: entry.detail,
                times: entry.times,
                cursor: cursor::written(AUDIT, &entry.key),
            })
            .collect(),
    }))
}
