//! Tokens and the audit log, for administrators.

use std::sync::atomic::Ordering;

use axum::Json;
use axum::http::StatusCode;
use waynote_access::wire::{AuditLine, AuditPage, CreatedToken, NewToken, TokenList};
use waynote_access::{Grant, Line, Rights, TokenInfo, Tokens, Watch};

use super::cursor;
use super::notes::PageQuery;
use super::parts::limit;
use crate::edge::{Json as Body, NameOf, Query};
use crate::problem::{Answer, Problem, ProblemForm};
use crate::visit::{Visit, waiting};

/// The letter of the audit log's cursors.
const AUDIT: char = 'a';

/// The tokens of a store. For admins.
#[utoipa::path(
    get,
    path = "/tokens",
    tag = "access",
    responses(
        (status = 200, description = "The tokens", body = TokenList),
        (status = "default", description = "A problem", body = ProblemForm, content_type = "application/problem+json")
    )
)]
pub(crate) async fn list(visit: Visit) -> Answer<Json<TokenList>> {
    admin(&visit, "tokens listed").await?;
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
    responses(
        (status = 201, description = "The token", body = CreatedToken),
        (status = "default", description = "A problem", body = ProblemForm, content_type = "application/problem+json")
    )
)]
pub(crate) async fn create(
    visit: Visit,
    Body(new): Body<NewToken>,
) -> Answer<(StatusCode, Json<CreatedToken>)> {
    admin(&visit, "token created").await?;
    let grant = Grant {
        token: None,
        rights: new.rights,
        agents: new.agents,
        places: new.places,
        sessions: new.sessions,
    };
    let (name, expires) = (new.name, new.expires_at);
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|_| Problem::internal())?;
    let (served, now) = (visit.served.clone(), visit.app.now());
    let created =
        waiting(move || Tokens::new(&*served).create(&name, &grant, expires, now, random));
    let created = created.await?;
    let (token, info) = created.map_err(|error| Problem::of_store(&error, &visit.name))?;
    if let Some(shelf) = visit.app.shelves.get(&visit.name) {
        shelf.needs_token.store(true, Ordering::Relaxed);
    }
    audit(&visit, "token created", info.name.to_string()).await?;
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
    responses(
        (status = 200, description = "What the token was", body = TokenInfo),
        (status = "default", description = "A problem", body = ProblemForm, content_type = "application/problem+json")
    )
)]
pub(crate) async fn revoke(visit: Visit, NameOf(name): NameOf) -> Answer<Json<TokenInfo>> {
    admin(&visit, "token revoked").await?;
    let served = visit.served.clone();
    let revoked = waiting(move || Tokens::new(&*served).revoke(&name)).await?;
    let info = revoked.map_err(|error| Problem::of_store(&error, &visit.name))?;
    audit(&visit, "token revoked", info.name.to_string()).await?;
    Ok(Json(info))
}

/// The refused and the administrative calls, latest first. For admins.
#[utoipa::path(
    get,
    path = "/audit",
    tag = "access",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of the log", body = AuditPage),
        (status = "default", description = "A problem", body = ProblemForm, content_type = "application/problem+json")
    )
)]
pub(crate) async fn log(visit: Visit, Query(query): Query<PageQuery>) -> Answer<Json<AuditPage>> {
    admin(&visit, "audit log read").await?;
    let limit = limit(query.limit)?;
    let before: Option<String> = match &query.cursor {
        Some(text) => Some(cursor::read(AUDIT, text)?),
        None => None,
    };
    let audit = visit.audit.clone();
    let entries = waiting(move || audit.list(before.as_deref(), limit + 1)).await?;
    let mut entries = entries.map_err(|error| Problem::of_store(&error, &visit.name))?;
    let has_more = entries.len() > limit;
    entries.truncate(limit);
    let last = entries.last().filter(|_| has_more);
    Ok(Json(AuditPage {
        next: last.map(|last| cursor::written(AUDIT, &last.key)),
        entries: entries
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

/// Refuses a caller without an admin token, and records that in the audit log.
async fn admin(visit: &Visit, call: &'static str) -> Answer<()> {
    if visit.grant.rights == Rights::Admin {
        return Ok(());
    }
    let reason = "it needs an admin token";
    note(visit, call, true, reason.to_owned()).await?;
    Err(Problem::not_admin(call, &visit.name, reason))
}

async fn audit(visit: &Visit, call: &'static str, detail: String) -> Answer<()> {
    note(visit, call, false, detail).await
}

async fn note(visit: &Visit, call: &'static str, refused: bool, detail: String) -> Answer<()> {
    let (audit, token) = (visit.audit.clone(), visit.grant.token.clone());
    let line = Line {
        call,
        token,
        refused,
        detail,
    };
    waiting(move || audit.saw(line)).await
}
