//! Tokens and the audit log, for those who look after a store.

use std::sync::atomic::Ordering;

use axum::Json;
use axum::http::StatusCode;
use waynote::{Error, Name, Place};
use waynote_access::{Grant, Line, Rights, TokenInfo, Tokens, Watch};
use waynote_api::Problem as Told;
use waynote_api::resource::{
    AuditLine, AuditPage, CreatedToken, NewToken, TokenList, TokenSummary,
};

use super::cursor;
use super::notes::PageQuery;
use super::parts::limit;
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
    responses(
        (status = 200, description = "The tokens", body = TokenList),
        (status = "default", description = "A problem", body = Told, content_type = "application/problem+json")
    )
)]
pub(crate) async fn list(visit: Visit) -> Answer<Json<TokenList>> {
    admin(&visit, "tokens listed").await?;
    let served = visit.served.clone();
    let tokens = waiting(move || Tokens::new(&*served).list()).await?;
    let tokens = tokens.map_err(|error| Problem::of_store(&error, &visit.name))?;
    Ok(Json(TokenList {
        tokens: tokens.iter().map(summary).collect(),
    }))
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
        (status = "default", description = "A problem", body = Told, content_type = "application/problem+json")
    )
)]
pub(crate) async fn create(
    visit: Visit,
    Body(new): Body<NewToken>,
) -> Answer<(StatusCode, Json<CreatedToken>)> {
    admin(&visit, "token created").await?;
    let rights = match new.rights.as_str() {
        "read" => Rights::Read,
        "write" => Rights::Write,
        "admin" => Rights::Admin,
        _ => {
            return Err(Problem::bad_request(
                "`rights` is not `read`, `write` or `admin`",
            ));
        }
    };
    let names = |texts: &[String]| texts.iter().map(|text| text.parse()).collect();
    let (agents, sessions): (Result<Vec<Name>, Error>, Result<Vec<Name>, Error>) =
        (names(&new.agents), names(&new.sessions));
    let places: Result<Vec<Place>, Error> = new.places.iter().map(|text| text.parse()).collect();
    let grant = Grant {
        token: None,
        rights,
        agents: agents?,
        places: places?,
        sessions: sessions?,
    };
    let name: Name = new.name.parse()?;
    let expires = new.expires_at.as_deref().map(super::time).transpose()?;
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
        summary: summary(&info),
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
        (status = 200, description = "What the token was", body = TokenSummary),
        (status = "default", description = "A problem", body = Told, content_type = "application/problem+json")
    )
)]
pub(crate) async fn revoke(visit: Visit, NameOf(name): NameOf) -> Answer<Json<TokenSummary>> {
    admin(&visit, "token revoked").await?;
    let served = visit.served.clone();
    let revoked = waiting(move || Tokens::new(&*served).revoke(&name)).await?;
    let info = revoked.map_err(|error| Problem::of_store(&error, &visit.name))?;
    audit(&visit, "token revoked", info.name.to_string()).await?;
    Ok(Json(summary(&info)))
}

/// The refused and the administrative calls, latest first. For admins.
#[utoipa::path(
    get,
    path = "/audit",
    tag = "access",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of the log", body = AuditPage),
        (status = "default", description = "A problem", body = Told, content_type = "application/problem+json")
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

/// Refuses whoever does not look after the store, and notes that.
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

fn summary(info: &TokenInfo) -> TokenSummary {
    let texts = |names: &[Name]| names.iter().map(Name::to_string).collect();
    TokenSummary {
        id: info.id.clone(),
        name: info.name.to_string(),
        rights: info.rights.as_str().to_owned(),
        agents: texts(&info.agents),
        places: info.places.iter().map(Place::to_string).collect(),
        sessions: texts(&info.sessions),
        created_at: info.created_at.to_string(),
        expires_at: info.expires_at.map(|at| at.to_string()),
        last_used: info.last_used.map(|day| day.to_string()),
    }
}
