//! The parts that several routes share: entity tags, keys of operations, authors, and the sizes of pages.

use axum::http::header::{ETAG, HeaderName, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use serde::Deserialize;
use utoipa::IntoParams;
use waynote::event::EventAddress;
use waynote::{Address, Expect, Note, OperationId, SecretPolicy, Stamp};

use crate::problem::{Answer, Problem};
use crate::visit::Visit;

pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest `Idempotency-Key`.
const KEY_BYTES: usize = 255;

/// The notes of a page, unless the request says how many, and the most that it may say.
const PAGE: usize = 50;
const MOST: usize = 500;

/// Who writes.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteQuery {
    /// The author of the change, if the token may write as that author: `person`, `agent:NAME`. Without it, the token's
    /// own; on a server without tokens, the agent whose notebook is written, and a person elsewhere.
    author: Option<String>,
    /// The event with which a loop took its session, `session:NAME#event-N`, if this is written inside that loop:
    /// refused when the loop has lost the session.
    lease: Option<String>,
}

impl WriteQuery {
    /// The stamp of a change of this note by this author, under the key of the request.
    pub(crate) fn stamp(
        &self,
        visit: &Visit,
        written: Option<&Address>,
        headers: &HeaderMap,
    ) -> Answer<Stamp> {
        let author = self.author.as_deref().map(str::parse).transpose()?;
        let lease: Option<EventAddress> = self.lease.as_deref().map(str::parse).transpose()?;
        let stamp = visit.stamp(author, written, operation(headers)?)?;
        Ok(stamp.inside(lease).careful())
    }
}

/// The id of the operation. A call that is repeated with the same key is not carried out again.
pub(crate) fn operation(headers: &HeaderMap) -> Answer<Option<OperationId>> {
    let Some(key) = headers.get(&IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let key = key.to_str().ok().map(str::trim);
    let Some(key) = key.filter(|key| !key.is_empty() && key.len() <= KEY_BYTES) else {
        return Err(Problem::bad_request(format!(
            "an `Idempotency-Key` has 1 to {KEY_BYTES} characters of ASCII"
        ))
        .hint(
            "send a random text, for example a UUID, and the same one when you repeat the request",
        ));
    };
    SecretPolicy::default().check_name("Idempotency-Key", key)?;
    // An operation id in the library's own form is taken as it is. Any other key is hashed to one.
    Ok(Some(key.parse().unwrap_or_else(|_| OperationId::of(key))))
}

/// The entity tag of a note: its revision.
pub(crate) fn etag(note: &Note) -> [(HeaderName, HeaderValue); 1] {
    let tag = HeaderValue::from_str(&format!("\"{}\"", note.revision));
    [(ETAG, tag.unwrap_or(HeaderValue::from_static("\"0\"")))]
}

/// What a request expects of the note that it changes, by its `If-Match` or `If-None-Match`.
pub(crate) fn expected(headers: &HeaderMap) -> Answer<Expect> {
    match (headers.get(IF_MATCH), headers.get(IF_NONE_MATCH)) {
        (None, None) => Ok(Expect::Any),
        (None, Some(tag)) if tag == "*" => Ok(Expect::Revision(0)),
        (Some(tag), None) => {
            let revision = tag.to_str().ok().and_then(revision);
            revision.map(Expect::Revision).ok_or_else(|| {
                Problem::bad_request("`If-Match` does not have an entity tag of a note")
                    .hint("send the `ETag` of an answer as it is, for example \"7\"")
            })
        }
        _ => Err(Problem::bad_request(
            "a write takes `If-Match: \"REVISION\"` or `If-None-Match: *`, and not both",
        )),
    }
}

/// The problem of a call that expected this. A conflict means that the precondition was not met: status 412.
pub(crate) fn not_met(expected: Expect, problem: Problem) -> Problem {
    let header = match expected {
        Expect::Revision(0) => "If-None-Match",
        Expect::Revision(_) => "If-Match",
        _ => return problem,
    };
    if !problem.is_conflict() {
        return problem;
    }
    problem
        .with_status(StatusCode::PRECONDITION_FAILED)
        .hint(format!(
            "`{header}` expects another state: read the note again, then decide"
        ))
}

/// The revision in an entity tag. A proxy that compresses an answer makes its tag weak, or adds a word: `W/"1"`, `"1-gzip"`.
fn revision(tag: &str) -> Option<u64> {
    let tag = tag.trim();
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let tag = tag.strip_prefix('"')?.strip_suffix('"')?;
    let (number, _) = tag.split_once('-').unwrap_or((tag, ""));
    number.parse().ok()
}

/// True if the reader already has this revision.
pub(crate) fn has_already(headers: &HeaderMap, note: &Note) -> bool {
    let tags = headers
        .get(IF_NONE_MATCH)
        .and_then(|tags| tags.to_str().ok());
    tags.is_some_and(|tags| {
        let mut tags = tags.split(',');
        tags.any(|tag| tag.trim() == "*" || revision(tag) == Some(note.revision))
    })
}

/// The size of a page.
pub(crate) fn limit(asked: Option<usize>) -> Answer<usize> {
    match asked.unwrap_or(PAGE) {
        limit @ 1..=MOST => Ok(limit),
        limit => Err(Problem::bad_request(format!(
            "a page cannot have {limit} items: at least 1, at most {MOST}"
        ))
        .hint("ask for less at once, and for the next page with its cursor")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(HeaderName, &'static str)]) -> HeaderMap {
        let all = all.iter().cloned();
        all.map(|(name, value)| (name, HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn a_key_is_an_id_or_becomes_one() {
        let of = |key: &'static str| operation(&headers(&[(IDEMPOTENCY_KEY, key)]));
        let id = OperationId::new([7; 16]);
        assert_eq!(of("07070707070707070707070707070707").unwrap(), Some(id));
        assert_eq!(of("mine").unwrap(), Some(OperationId::of("mine")));
        assert_eq!(of("").unwrap_err().status, StatusCode::BAD_REQUEST);
        let secret = of("AKIAQYLPMN5HFIQR7XYA").unwrap_err();
        assert_eq!(secret.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}
